"""WHAT WE LEARN FROM IT.

exam       golden questions; exam_proposals from the documents, exam_job after every change
gaps       questions nobody could answer, put together by meaning
domain     what a knowledge base is about: a model's form (domain_model) or counted words (domain_words)
suggestions  questions the documents answer, for who does not know what to ask
insight    what people ask, how it went, and what it took
"""
