"""How an answer leaves the jail: small frames, JSON inside, nothing that could run."""

import json
import struct
from dataclasses import asdict
from datetime import date
from typing import Any, get_args

from veraz import errors
from veraz.ingest.model import Block, BlockKind, Notice, Parsed, TextLine

HEADER = struct.Struct("!cI")
PROGRESS, SCANS, RESULT, FAILURE = b"P", b"S", b"R", b"F"
_KINDS: tuple[BlockKind, ...] = get_args(BlockKind)


def frame(kind: bytes, payload: bytes) -> bytes:
    """One message: what it is, how long it is, what it says."""
    return HEADER.pack(kind, len(payload)) + payload


def pack(parsed: Parsed) -> bytes:
    """A document as compact JSON; repeated headings and parts are written once."""
    shared: dict[object, int] = {None: 0}
    blocks = [
        (
            _KINDS.index(block.kind),
            block.start,
            block.end,
            block.page,
            shared.setdefault(block.part, len(shared)),
            block.row,
            shared.setdefault(block.headers, len(shared)),
            shared.setdefault(block.table_header, len(shared)),
            block.table,
            shared.setdefault(block.columns, len(shared)),
            [each - block.start for cell in block.cells for each in cell],
            shared.setdefault(block.introduction, len(shared)),
        )
        for block in parsed.blocks
    ]
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
    lines = [
        (line.start, line.end, line.left, line.bottom, line.right, line.top, *line.words)
        for line in parsed.lines
    ]
    body = {"about": about, "shared": list(shared), "blocks": blocks, "lines": lines}
    return json.dumps(body, ensure_ascii=False, separators=(",", ":")).encode()


def unpack(payload: bytes) -> Parsed:
    """The document from its JSON."""
    body = json.loads(payload)
    about = body["about"]
    created = about.pop("created_date")
    notices = tuple(Notice(**notice) for notice in about.pop("notices"))
    shared = [tuple(item) if isinstance(item, list) else item for item in body["shared"]]
    return Parsed(
        **about,
        created_date=date.fromisoformat(created) if created else None,
        notices=notices,
        blocks=tuple(_block(fields, shared) for fields in body["blocks"]),
        lines=tuple(_line(fields) for fields in body["lines"]),
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


def _block(fields: list[Any], shared: list[Any]) -> Block:
    kind, start, end, page, part, row, headers, table_header, table, columns, cells, introduction = fields
    edges = [start + each for each in cells]
    return Block(
        kind=_KINDS[kind],
        start=start,
        end=end,
        page=page,
        part=shared[part],
        row=row,
        headers=shared[headers],
        table_header=shared[table_header],
        table=table,
        columns=shared[columns],
        cells=tuple(zip(edges[::2], edges[1::2], strict=True)),
        introduction=shared[introduction],
    )


def _line(fields: list[Any]) -> TextLine:
    start, end, left, bottom, right, top, *words = fields
    return TextLine(
        start=start, end=end, left=left, bottom=bottom, right=right, top=top, words=tuple(words)
    )


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
