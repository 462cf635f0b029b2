"""A CLIENT of the HTTP API, for programs elsewhere: `Veraz`, and `AsyncVeraz` with the same verbs.

    from veraz.client import Veraz

    with Veraz("http://127.0.0.1:8080", key="vzk_…") as veraz:
        kb = veraz.knowledge_base("Productos")
        veraz.wait(kb.id, veraz.upload(kb.id, "catalogo.pdf"))
        print(veraz.search("¿cuánto dura la garantía?", kb=kb.id).passages[0].content)

It needs httpx and nothing else of the platform.

models   what the API answers with          events   an answer while it is written
errors   what can go wrong, by code         retry    what is tried again, and when
calls    each verb as a request             files    files on their way, counted
sync, asynchronous   the two clients
"""

from veraz.client.asynchronous import AsyncVeraz
from veraz.client.errors import (
    ApiError,
    Conflict,
    ConnectionFailed,
    DocumentFailed,
    Duplicate,
    Forbidden,
    Invalid,
    NotFound,
    PaymentRequired,
    RateLimited,
    TimedOut,
    TooLarge,
    Unauthenticated,
    Unavailable,
    Unsupported,
    VerazClientError,
)
from veraz.client.events import Answered, Checked, Delta, Draft, Event, Found, Searching
from veraz.client.models import (
    Agent,
    Answer,
    Claim,
    Correction,
    Document,
    DocumentVersion,
    KnowledgeBase,
    Passage,
    Progress,
    Received,
    SearchResult,
)
from veraz.client.signing import EndUserKey
from veraz.client.sync import Veraz

__all__ = [
    "Agent",
    "Answer",
    "Answered",
    "ApiError",
    "AsyncVeraz",
    "Checked",
    "Claim",
    "Conflict",
    "ConnectionFailed",
    "Correction",
    "Delta",
    "Document",
    "DocumentFailed",
    "DocumentVersion",
    "Draft",
    "Duplicate",
    "EndUserKey",
    "Event",
    "Forbidden",
    "Found",
    "Invalid",
    "KnowledgeBase",
    "NotFound",
    "Passage",
    "PaymentRequired",
    "Progress",
    "RateLimited",
    "Received",
    "SearchResult",
    "Searching",
    "TimedOut",
    "TooLarge",
    "Unauthenticated",
    "Unavailable",
    "Unsupported",
    "Veraz",
    "VerazClientError",
]
