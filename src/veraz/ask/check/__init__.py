"""Every claim is proven, repaired or removed before anybody may rely on it.

plain      a text without what does not matter: case, accents, compatibility forms
numbers    figures as values: «1.234,56», «1,234.56», «mil doscientos treinta y cuatro»
dates      dates as days, months and years, however they are written
facts      what must stand in a passage word for word: figures, dates, names, quoted words
kin        stems that begin alike enough to be forms of one word
bounds     what stands around a figure and changes what it says
turned     who does what to whom
crossed    a figure taken from the wrong half of a sentence
opposites  words that turn a sentence into its contrary
reading    a passage cut into sentences, each with its words and facts, read once
meaning    how near two sentences are in meaning
support    how well sentences of a passage stand behind a claim
claims     an answer cut into claims, courtesies and headings, each with what it cites
links      no image and no address that does not stand in the evidence
injection  sentences in documents that speak to a machine instead of to a reader
judge      one claim against the passages it cites, then against the others
referee    a chat model's second opinion on claims in doubt
rebuild    what was kept as a text again
verify     draft and evidence in, verdict out
"""
