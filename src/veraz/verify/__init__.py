"""AND PROVEN: nothing a model wrote is shown before it is proven by the passages it was given.

model      a source, a quote in it, what a judge says, and what becomes of a sentence
claims     an answer cut into claims, courtesies, headings and refusals, each with what it cites
judge      a model says of each claim whether it follows, and quotes the words it follows from
entailment a local model in the judge's place
quotes     a quote stands word for word in its passage; a claim that is itself a quotation
facts      figures, dates and names of the claim that do not stand where it says they do
links      no image, no tag and no address that is not in the evidence
proof      that order in code

The judge may only be believed as far as code can follow: a quote that does not stand in its passage proves nothing, and a
fact that stands in no quote is rejected whatever the judge said. Rules reject, they never prove.
"""
