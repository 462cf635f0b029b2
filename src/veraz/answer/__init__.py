"""IT IS ANSWERED. What somebody says becomes a turn; a question becomes proven sentences, quotations, or a refusal.

model        a persona, a claim, an answer, and the events on the way
turns        conversation, a person please, or a question: told by meaning
follow_up    a question after others, made to stand alone
question     what a question is about: its words and its names
evidence     what a reader is given: passages relative to the best one, each with its place
writer       what every writer gets and gives; model_writer asks a chat model under the rules of prompts/
draft        a text as it arrives, cut into whole sentences; batches of them while the model writes
assemble     proven pieces put together again as a text
quoting/     without a model: what to quote of the documents, and whether it answers
outcome, wording, language   the answer or the refusal in words
pipeline     that order in code, as one stream of events; trace keeps what it took
conversations, stored, credits   what is kept and what is paid
service      the verbs of answering; running keeps an answer going when its reader leaves
"""
