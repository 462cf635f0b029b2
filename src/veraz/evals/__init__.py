"""HOW GOOD. Measures on question sets, through the same services everybody uses.

datasets   questions with the paragraph each is about
retrieval  how often the right paragraph is found, and how soon
answers    how often answers and refusals are right, and whether every citation proves its claim
natural    questions as people ask them, true sentences and lies
"""
