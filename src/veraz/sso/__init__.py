"""SINGLE SIGN-ON: people come in with the account they have at an OpenID Connect issuer of their company.

model      what a tenant says about its issuer: who may come in, and what the issuer's groups are here
providers  an admin sets that up
sign_in    the browser goes there and comes back; whoever the issuer vouches for becomes somebody here, or nobody
groups     the issuer's groups → roles
"""
