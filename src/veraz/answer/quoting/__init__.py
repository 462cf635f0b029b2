"""Answers without a model: what the documents say, word for word and with its place, or that they do not say it.

units       the blocks of the passages, each with its place: what can be quoted
kinds       the kind of thing a question asks for (a price, a time, a place …) and whether a text holds it
sections    which of several look-alike sections, rows or editions is asked about
rank        how well each unit answers
gate        whether the best of them answers at all
choose      one to three units: the row, the whole list, both sides of a comparison
write       them as quotations
"""
