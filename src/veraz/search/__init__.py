"""A QUESTION IS ANSWERED. Each step takes the last type and returns the next; none changes its input.

model      Question ─rewrite→ [Query] ─retrieve→ [Passage] ─rank→ Evidence
rewrite    other wordings of the question, by a chat model where an agent wants them (chat_rewriter)
spelling   misspelt words, put right from the words that are there
retrieve   both searches in the reading set: by meaning and by words
calibrate  what a cosine means in each knowledge base, learnt without labels
rank       one relevance from all scores; boosts, diversity, at most a few passages of one document
outside    the chat model and the reranker a question may ask for help; spending puts what they took into the ledger
closer_look  an outside reranker's view of the best passages (Cohere, or a chat model: chat_reranker)
context    the evidence as the text a model reads
explain    why a document or passage is not among the evidence
log        every question with its times and scores
service    the verbs of search

outcome    Evidence ─gate→ ─write→ Draft ─check→ Verdict → Answer, and the events on the way
asked      what a question asks for: words, facts, the kind of thing
pick       which sentences of the evidence speak to it
gate       whether the evidence answers it, before anything is written
write/     quoting without a model, or a chat model under the rules of prompts/
check/     every claim proven, repaired or removed
pipeline   that order in code, as one stream of events
answers    the verbs of asking; conversations, follow_up, gaps around them
exam       golden questions; exam_proposals from the documents, exam_job after every change
domain     what a knowledge base is about: a model's form (domain_model) or counted words (domain_words)
"""
