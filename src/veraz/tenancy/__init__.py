"""WHO is here.

model        the people and what identifies them; `Actor`, the caller of every service verb
tokens       passwords, session tokens and keys: made, hashed, compared
permissions  scopes of keys and what they imply
sign_in      e-mail and password → a session
callers      a session or a key → the caller
passwords    what is taken for a password
users        the people of a tenant
tenants      companies, and the first start
projects     projects and their members
keys         API keys, personal and service
rates        how often somebody may call, shared by all processes
plans        quotas and AI credits
licences     machines and the people in front of them
audit        who changed what
"""
