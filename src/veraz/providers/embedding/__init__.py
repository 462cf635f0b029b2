"""Models that turn text into vectors.

base        what an embedder is; catalogue: the models we know, their dimensions and prices
local       a multilingual model inside this machine; fake: words hashed into vectors, for tests
openai gemini cohere   the services, through pydantic-ai's models; remote: what they have in common
resilient   retries, time-outs, limits and checks around a service
pick        `provider:model[@dimensions]` → an embedder
"""
