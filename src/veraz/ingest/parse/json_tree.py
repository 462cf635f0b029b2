"""JSON and JSON Lines: «path: value» lines, and the records of a list as little documents."""

import json
import re
from collections.abc import Iterator

from veraz import errors
from veraz.ingest.model import Parsed
from veraz.ingest.parse.base import Source
from veraz.ingest.parse.build import Builder
from veraz.ingest.parse.clean import one_line
from veraz.ingest.parse.finish import About
from veraz.ingest.parse.size import too_large
from veraz.ingest.parse.text import decode

DEPTH_MAX = 100
_BLANK = re.compile(r"[\s\x1e]*")
_ENCODED = re.compile(r"data:[\w/+.-]+;base64,")

Json = dict[str, "Json"] | list["Json"] | str | bool | None
"""Numbers stay the text they were written as."""


def read(source: Source) -> Parsed:
    """The values of a JSON document, each with the path that leads to it."""
    text = decode(source.data).lstrip("\ufeff")
    if not text.strip("\x00 \t\r\n"):
        raise errors.EmptyDocument()
    try:
        values = list(_values(text))
    except RecursionError as error:
        raise _too_deep(source) from error
    except ValueError as error:
        raise errors.Corrupt() from error
    return _write(source, values[0] if len(values) == 1 else values)


def _values(text: str) -> Iterator[Json]:
    """One value, or one after the other as in JSON Lines."""
    decoder = json.JSONDecoder(parse_int=str, parse_float=str, parse_constant=str, strict=False)
    at = _skip_blank(text, 0)
    while at < len(text):
        value, at = decoder.raw_decode(text, at)
        yield value
        at = _skip_blank(text, at)


def _skip_blank(text: str, at: int) -> int:
    match = _BLANK.match(text, at)
    return match.end() if match else at


def _write(source: Source, value: Json) -> Parsed:
    records = _is_records(value)
    builder = Builder(source, unit="row" if records else "section")
    if isinstance(value, dict):
        for key, member in value.items():
            _write_member(source, builder, key, member)
    elif isinstance(value, list) and records:
        _write_records(source, builder, "", value)
    else:
        for line in _lines(source, value):
            builder.add("list_item", line)
    return builder.finish(_about(value))


def _write_member(source: Source, builder: Builder, key: str, member: Json) -> None:
    if isinstance(member, list) and _is_records(member):
        _write_records(source, builder, key, member)
        return
    builder.enter(part=key)
    for line in _lines(source, member, key):
        builder.add("list_item", line)


def _write_records(source: Source, builder: Builder, key: str, records: list[Json]) -> None:
    for number, item in enumerate(records, 1):
        builder.enter(part=f"{key} {number}" if key else f"row {number}")
        builder.add("table_row", "\n".join(_lines(source, item)), row=number)


def _is_records(value: Json) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(item, dict) for item in value)


def _lines(source: Source, value: Json, path: str = "") -> Iterator[str]:
    """Depth first, with a stack of our own: nesting is data, not a reason to run out of stack."""
    waiting: list[tuple[str, Json, int]] = [(path, value, 1)]
    while waiting:
        where, current, depth = waiting.pop()
        if depth > DEPTH_MAX:
            raise _too_deep(source)
        scalar = _scalar(current)
        if scalar is not None:
            if scalar:
                yield f"{where}: {scalar}" if where else scalar
            continue
        waiting.extend((name, child, depth + 1) for name, child in reversed(_children(where, current)))


def _scalar(value: Json) -> str | None:
    """The text of a value without children; a list of plain values reads as one line."""
    if isinstance(value, list) and not any(isinstance(item, dict | list) for item in value):
        return ", ".join(filter(None, (_scalar(item) for item in value)))
    if isinstance(value, dict | list):
        return None
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    return "" if _ENCODED.match(value) else one_line(value)


def _children(where: str, value: Json) -> list[tuple[str, Json]]:
    if isinstance(value, dict):
        return [(f"{where}.{key}" if where else key, child) for key, child in value.items()]
    if isinstance(value, list):
        return [(f"{where}[{number}]", child) for number, child in enumerate(value, 1)]
    return []


def _about(value: Json) -> About:
    if not isinstance(value, dict):
        return About()
    return About(title=_named(value, "title", "titulo", "título"), author=_named(value, "author", "autor"))


def _named(value: dict[str, Json], *names: str) -> str | None:
    for name in names:
        found = value.get(name)
        if isinstance(found, str):
            return found
    return None


def _too_deep(source: Source) -> errors.TooLarge:
    return too_large(source, DEPTH_MAX, "levels of nesting", es="niveles de anidamiento")
