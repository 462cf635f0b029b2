"""Meta's JSON → messages and reports of delivery. Whatever is unknown in it is passed over: it grows every year."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final, Literal, get_args
from uuid import UUID

Status = Literal["sent", "delivered", "read", "failed"]

_LONGEST: Final = {"text": 10_000, "name": 200, "id": 200, "kind": 40, "error": 500}
_TEXTS: Final = {
    "text": ("text", "body"),
    "image": ("image", "caption"),
    "video": ("video", "caption"),
    "document": ("document", "caption"),
    "button": ("button", "text"),
    "button_reply": ("interactive", "button_reply", "title"),
    "list_reply": ("interactive", "list_reply", "title"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Incoming:
    """Somebody wrote to a number; without text when it is a picture without words, a voice note, …"""

    phone_number_id: str
    wamid: str
    bsuid: str | None
    phone: str | None
    name: str
    kind: str
    text: str | None
    said_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """What became of a message we sent."""

    phone_number_id: str
    wamid: str
    ours: UUID | None
    """Our own id, which Meta gives back."""
    status: Status
    at: datetime
    error_code: int | None
    error_text: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Payload:
    """One call of Meta, with any number of messages and reports of any number of numbers."""

    phone_number_ids: tuple[str, ...] = ()
    """The numbers it is about, also where it says nothing that is known here: whoever calls must be thanked."""
    messages: tuple[Incoming, ...] = ()
    reports: tuple[Report, ...] = ()


def read(body: bytes) -> Payload:
    """What the call says; an empty payload when it is not one of Meta's."""
    try:
        call = json.loads(body)
    except (ValueError, RecursionError):
        return Payload()
    numbers: list[str] = []
    messages: list[Incoming] = []
    reports: list[Report] = []
    for number, field, value in _changes(call):
        numbers.append(number)
        if field == "messages":
            messages.extend(_messages(value, number))
            reports.extend(_reports(value, number))
    named = tuple(dict.fromkeys(numbers))
    return Payload(phone_number_ids=named, messages=tuple(messages), reports=tuple(reports))


def _changes(call: Any) -> Iterator[tuple[str, Any, Any]]:
    """Each change of a number: its id, what it is about, and what it says."""
    for entry in _list(call, "entry"):
        for change in _list(entry, "changes"):
            value = _in(change, "value")
            number = _word(_in(value, "metadata", "phone_number_id"), "id")
            if number and number.isdecimal():
                yield number, _in(change, "field"), value


def _messages(value: Any, number: str) -> Iterator[Incoming]:
    people = _list(value, "contacts")
    for message in _list(value, "messages"):
        phone, bsuid = _word(_in(message, "from"), "id"), _word(_in(message, "from_user_id"), "id")
        wamid = _word(_in(message, "id"), "id")
        if not wamid or not (phone or bsuid) or _in(message, "group_id"):
            continue
        person = _person(people, phone, bsuid)
        yield Incoming(
            phone_number_id=number,
            wamid=wamid,
            bsuid=bsuid or _word(_in(person, "user_id"), "id"),
            phone=phone,
            name=_word(_in(person, "profile", "name"), "name") or "",
            kind=_kind(message),
            text=_word(_in(message, *_TEXTS.get(_kind(message), ("",))), "text"),
            said_at=_time(_in(message, "timestamp")),
        )


def _person(people: list[Any], phone: str | None, bsuid: str | None) -> Any:
    """The contact a message is from: several people may have written in one call."""
    for person in people:
        if (bsuid and _in(person, "user_id") == bsuid) or (phone and _in(person, "wa_id") == phone):
            return person
    return None


def _kind(message: Any) -> str:
    kind = _word(_in(message, "type"), "kind") or "unknown"
    inner = _word(_in(message, "interactive", "type"), "kind")
    return inner if kind == "interactive" and inner else kind


def _reports(value: Any, number: str) -> Iterator[Report]:
    for status in _list(value, "statuses"):
        word, wamid = _in(status, "status"), _word(_in(status, "id"), "id")
        if word not in get_args(Status) or not wamid:
            continue
        error: Any = next(iter(_list(status, "errors")), None)
        code = _in(error, "code")
        said = _in(error, "error_data", "details") or _in(error, "message") or _in(error, "title")
        yield Report(
            phone_number_id=number,
            wamid=wamid,
            ours=_uuid(_in(status, "biz_opaque_callback_data")),
            status=word,
            at=_time(_in(status, "timestamp")),
            error_code=code if isinstance(code, int) and abs(code) < 2**31 else None,
            error_text=_word(said, "error"),
        )


def _in(value: Any, *path: str) -> Any:
    for name in path:
        value = value.get(name) if isinstance(value, dict) else None
    return value


def _list(value: Any, name: str) -> list[Any]:
    found = _in(value, name)
    return found if isinstance(found, list) else []


def _word(value: Any, what: str) -> str | None:
    """A text the database can hold, or nothing."""
    if not isinstance(value, str):
        return None
    storable = value.replace("\x00", "").encode("utf-8", "ignore").decode()
    return storable[: _LONGEST[what]].strip() or None


def _time(value: Any) -> datetime:
    now = datetime.now(UTC)
    try:
        return min(now, datetime.fromtimestamp(int(value), UTC))
    except (TypeError, ValueError, OverflowError, OSError):
        return now


def _uuid(value: Any) -> UUID | None:
    try:
        return UUID(value) if isinstance(value, str) else None
    except ValueError:
        return None
