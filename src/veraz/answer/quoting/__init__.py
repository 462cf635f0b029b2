"""Answers without a model: what the documents say, word for word and with its place, or that they do not say it.

units       the blocks of the passages, each with its place: what can be quoted
kinds       the kind of thing a question asks for (a price, a time, a place …) and whether a text holds it
replaced    what a follow-up names takes the place of its sibling in the question before
labels      what sections, rows and documents are called among their siblings
sections    which of several look-alike sections, rows or editions is asked about
silence     what the named section, or everything, does not say
rank        how well each unit answers
gate        whether the best of them answers at all
degrees     which end of what measure a superlative asks for
series      which of alike rows, items or sections answer: the cheapest, those that say yes, all of them
choose      one to three units: the row, the whole list, both sides of a comparison
columns     which columns of a row are shown
write       them as quotations
"""
