"""Rerankers: a second, closer look at the passages a search found.

base       what a reranker is
local      words and sentences, inside this machine
cohere     Cohere's service
resilient  a limit for the whole look, bounded retries with jitter
fake       a reranker that says what it was told to say
pick       `provider:model` → the reranker; a chat model as reranker is built in `ask`, which holds its prompt
"""
