"""What can go wrong, as a program wants to tell it apart: one class per kind, and the API's stable `code` in it.

VerazClientError
├── ConnectionFailed     nobody answered, also after trying again
├── TimedOut             `wait` ended before the document did
├── DocumentFailed       the document could not be read; `code` says why
└── ApiError             the API refused: Unauthenticated, Forbidden, NotFound, Invalid, Conflict (Duplicate),
                         PaymentRequired, TooLarge, Unsupported, RateLimited, Unavailable
"""

import json
from collections.abc import Mapping
from typing import Any


class VerazClientError(Exception):
    """Anything this client raises."""


class ConnectionFailed(VerazClientError):
    """Nobody answered."""


class TimedOut(VerazClientError):
    """It was waited for as long as allowed."""


class DocumentFailed(VerazClientError):
    """A document could not be processed."""

    def __init__(self, document_id: str, code: str | None, message: str | None) -> None:
        super().__init__(message or code or "the document failed")
        self.document_id = document_id
        self.code = code


class ApiError(VerazClientError):
    """The API's answer to a request it did not carry out."""

    def __init__(self, status: int, problem: Mapping[str, Any]) -> None:
        self.status = status
        self.code = str(problem.get("code") or f"http_{status}")
        self.detail = str(problem.get("detail") or problem.get("title") or f"HTTP {status}")
        self.request_id: str | None = problem.get("request_id")
        self.problem = dict(problem)
        super().__init__(f"{self.detail} ({self.code})")


class Unauthenticated(ApiError):
    """The key or token is missing, wrong, revoked or expired."""


class Forbidden(ApiError):
    """The key may not do this."""


class NotFound(ApiError):
    """There is no such thing for this caller."""


class Invalid(ApiError):
    """A value is not valid."""


class Conflict(ApiError):
    """It clashes with what is there."""


class Duplicate(Conflict):
    """The document is there already, as `document_id`."""

    @property
    def document_id(self) -> str | None:
        """The document it equals."""
        listed = self.problem.get("errors") or [self.problem]
        found = listed[0].get("document_id")
        return str(found) if found else None


class PaymentRequired(ApiError):
    """The plan or the credits do not cover it."""


class TooLarge(ApiError):
    """It is over a limit of size."""


class Unsupported(ApiError):
    """Files of this kind cannot be read."""


class RateLimited(ApiError):
    """Too many requests."""


class Unavailable(ApiError):
    """The server, or something it needs, is down for the moment."""


_BY_STATUS: Mapping[int, type[ApiError]] = {
    400: Invalid,
    401: Unauthenticated,
    402: PaymentRequired,
    403: Forbidden,
    404: NotFound,
    409: Conflict,
    413: TooLarge,
    415: Unsupported,
    422: Invalid,
    429: RateLimited,
    502: Unavailable,
    503: Unavailable,
    504: Unavailable,
}
_BY_CODE: Mapping[str, type[ApiError]] = {"duplicate_document": Duplicate}


def error_of(status: int, body: bytes) -> ApiError:
    """The error an answer stands for, whatever its body holds."""
    try:
        problem = json.loads(body)
    except ValueError:
        problem = {}
    return problem_error(status, problem if isinstance(problem, dict) else {})


def problem_error(status: int, problem: Mapping[str, Any]) -> ApiError:
    """The error a problem describes."""
    kind = _BY_CODE.get(str(problem.get("code"))) or _BY_STATUS.get(status, ApiError)
    return kind(status, problem)
