"""Plain text tools both journeys stand on: what `ingest` writes, `ask` must read the same way.

sentences   where a sentence starts and ends (Spanish, English and their neighbours)
words       the lexemes of a text, their BM25 weights, and both as PostgreSQL wants them
tokens      how many tokens OpenAI's models count, without asking anybody
"""
