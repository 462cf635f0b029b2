"""What documents cost in AI credits: one for the work on the document, one for every 1,000 tokens embedded."""

_TOKENS_PER_CREDIT = 1000
_TOKENS_PER_SECOND = 15_000
_TOKENS_PER_BYTE = {"txt": 0.3, "md": 0.3, "csv": 0.4, "json": 0.4, "html": 0.12}
_TOKENS_PER_BINARY_BYTE = 0.03


def credits_for(tokens: int) -> int:
    """The price of a document of which so many tokens have to be embedded."""
    return 1 + -(-tokens // _TOKENS_PER_CREDIT)


def estimated_tokens(file_type: str, size: int) -> int:
    """A guess before the document is read, to reserve credits and to tell people what to expect."""
    return int(size * _TOKENS_PER_BYTE.get(file_type, _TOKENS_PER_BINARY_BYTE))


def estimated_seconds(file_type: str, size: int) -> int:
    """How long a document takes, roughly, on a small machine with nothing else to do."""
    return seconds_for(1, estimated_tokens(file_type, size))


def seconds_for(documents: int, tokens: int) -> int:
    """The same for several documents of so many tokens together."""
    return documents + tokens // _TOKENS_PER_SECOND
