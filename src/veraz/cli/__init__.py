"""The command line door.

main            the commands, errors as one sentence and an exit code
serve           everything in one process group: database, API, pages, worker
ingest          documents in, watched: ingest_items what, ingest_run the work, ingest_view what is seen
administration  tenants, users, keys
operations      migrate, backup, restore
doctor          is everything there, and what do cosines mean
"""
