"""A document comes in: receive (or replace) → parse → chunk → corrections laid over it → embed → store as its current version."""
