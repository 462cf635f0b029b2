"""AN AGENT ON ANY WEB PAGE

origins     which pages may show it: exact addresses, or every sub-domain of one
colours     whether its colour can be read
settings    how it looks, where and how much, for who manages the agent
tokens      a visitor's signed token: who they are here, and until when
limits      how much one visitor, one address and all together may ask
wording     what a visitor reads of an answer: its text, and numbers where it is proven
visitors    the visitor's verbs: a session, a question, what was said, a person
"""
