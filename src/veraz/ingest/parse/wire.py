"""How an answer leaves the jail: small frames, JSON inside, nothing that could run."""

import json
import struct
from dataclasses import asdict
from datetime import date
from typing import Any

from veraz import errors
from veraz.ingest.model import Notice, Parsed
from veraz.text.blocks import compact, pack_blocks, pack_lines, unpack_blocks, unpack_lines

HEADER = struct.Struct("!cI")
PROGRESS, SCANS, RESULT, FAILURE = b"P", b"S", b"R", b"F"


def frame(kind: bytes, payload: bytes) -> bytes:
    """One message: what it is, how long it is, what it says."""
    return HEADER.pack(kind, len(payload)) + payload


def pack(parsed: Parsed) -> bytes:
    """A document as compact JSON."""
    about = {
        "text": parsed.text,
        "unit": parsed.unit,
        "title": parsed.title,
        "author": parsed.author,
        "created_date": parsed.created_date and parsed.created_date.isoformat(),
        "language": parsed.language,
        "page_count": parsed.page_count,
        "notices": [asdict(notice) for notice in parsed.notices],
    }
    body = {"about": about, "lines": pack_lines(parsed.lines), **pack_blocks(parsed.blocks)}
    return compact(body).encode()


def unpack(payload: bytes) -> Parsed:
    """The document from its JSON."""
    body = json.loads(payload)
    about = body["about"]
    created = about.pop("created_date")
    notices = tuple(Notice(**notice) for notice in about.pop("notices"))
    return Parsed(
        **about,
        created_date=date.fromisoformat(created) if created else None,
        notices=notices,
        blocks=tuple(unpack_blocks(body)),
        lines=tuple(unpack_lines(body["lines"])),
    )


def pack_error(error: errors.VerazError, detail: str = "") -> bytes:
    """An error as its code and what fills its sentence."""
    context = {key: _plain(value) for key, value in error.context.items()}
    return json.dumps({"code": error.code, "context": context, "detail": detail[:2000]}).encode()


def unpack_error(payload: bytes) -> errors.VerazError:
    """The error from its code; `Corrupt` when the code is unknown."""
    body = json.loads(payload)
    kind = _classes().get(body["code"], errors.Corrupt)
    error = kind(**{key: _phrase(value) for key, value in body["context"].items()})
    if body["detail"]:
        error.add_note(body["detail"])
    return error


def _plain(value: object) -> object:
    if isinstance(value, errors.Phrase):
        return {"en": str(value), "es": value.es}
    return value if isinstance(value, int | float) else str(value)


def _phrase(value: Any) -> object:
    return errors.Phrase(value["en"], es=value["es"]) if isinstance(value, dict) else value


def _classes() -> dict[str, type[errors.VerazError]]:
    found: dict[str, type[errors.VerazError]] = {}
    waiting: list[type[errors.VerazError]] = [errors.VerazError]
    while waiting:
        kind = waiting.pop()
        found[kind.code] = kind
        waiting += kind.__subclasses__()
    return found
