"""A document comes in: receive → parse → chunk → embed → store."""
