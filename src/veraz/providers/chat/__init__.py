"""Chat models: instructions and messages in, text out as it is written.

base       what a chat model is
remote     one request through pydantic-ai's model, its faults in our words
openai, anthropic, gemini   the services
resilient  time limits, bounded retries with jitter, a fallback
late       loads a service's SDK with the first question, beside the loop
forms      structured output, checked
fake       a model that says what it was told to say
pick       `provider:model` → the model
"""
