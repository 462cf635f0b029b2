"""Evidence → draft.

extractive  quotes the sentences that answer, without any model
chat        a chat model under the rules of the agent's style
base        what both have in common
"""
