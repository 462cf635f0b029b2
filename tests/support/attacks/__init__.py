"""Attacks generated from the running application.

doors    every way in, read from the application itself: operations with the schemas of what they take
world    three companies with a canary in every text of every row, and everybody who may knock
values   a right value for any schema, with ids from a chosen family of rows
forge    what an attacker makes of a right request
asgi     one request as raw bytes, past everything a polite client would mend
detect   what must never be in an answer, and what must never have changed
run      all of it, and the table of what was tried
"""
