"""The HTTP door.

app         the application: routers, middleware, documentation
caller      who is calling: bearer token, key or cookie → Actor
bodies      how much a request may carry, declared by its route
problems    errors → problem+json
middleware  request ids, metrics, size limits, security headers
schemas     what several routers share
one module per resource: resolve the caller, call one service verb, render
"""
