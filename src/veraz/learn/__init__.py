"""WHAT WE LEARN FROM IT.

exam       golden questions; exam_proposals from the documents, exam_job after every change
gaps       questions nobody could answer, put together by meaning
domain     what a knowledge base is about: a model's form (domain_model) or counted words (domain_words)
usage      what people ask, how it ended and what it took, apart from exams and tests
traces     how single questions were answered
attention  everything that waits for a person, most urgent first
suggestions  questions the documents answer, for who does not know what to ask
"""
