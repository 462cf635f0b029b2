"""A QUESTION FINDS ITS EVIDENCE. Each step takes the last type and returns the next; none changes its input.

model      Question ─rewrite→ [Query] ─retrieve→ [Passage] ─rank→ Evidence
rewrite    other wordings of the question, by a chat model where there is one (chat_rewriter)
spelling   misspelt words, put right from the words that are there
retrieve   both searches in the reading set: by meaning and by words
calibrate  what a cosine means in each knowledge base, learnt without labels
rank       one relevance from all scores; boosts, diversity, at most a few passages of one document
outside    the chat model and the reranker a question may ask for help; spending puts what they took into the ledger
closer_look  an outside reranker's view of the best passages (Cohere, or a chat model: chat_reranker)
context    the evidence as the text a model reads
explain    why a document or passage is not among the evidence
log        every question with its times and scores
find       that order in code
service    the verbs of search
"""
