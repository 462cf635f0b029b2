"""POSTGRES: what everything stands on.

embedded   a server of our own under home, when nobody gives us one
migrate    numbered migrations once, functions, policies and grants every time
pool       connections, as `veraz_app` or `veraz_worker`, never as owner
scope      who is calling, carried by the transaction; row level security reads it
sql        named queries from the `.sql` file beside the module that uses them
"""
