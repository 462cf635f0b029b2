"""How much a request may carry. Each route declares its portion; a route that declares nothing takes a small one.

The bytes are counted while they arrive, and so are the values and levels of JSON, before anything is built of them:
what a caller sends never costs more than its portion, whoever they are.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, Never, Self, TypeVar

from fastapi.routing import iter_route_contexts
from starlette.exceptions import HTTPException
from starlette.routing import BaseRoute, compile_path

from veraz import errors
from veraz.api.problems import status_of

Endpoint = TypeVar("Endpoint", bound=Callable[..., Any])

KB: Final = 1024
MB: Final = 1024 * KB
DEEPEST: Final = 64
"""Levels of JSON that are looked at by anybody; what is stored may have fewer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Portion:
    """The most one request carries; `values` are the keys and elements of its JSON, all levels together."""

    bytes: int
    values: int
    files: bool = False
    """Forms with files, which are streamed to disk, have the limit of uploads instead."""
    strangers: bool = False
    """Read as a whole from callers nobody knows, who prove otherwise that they may say it."""

    def within(self, most: int) -> Self:
        """The same, held to what the installation allows."""
        return replace(self, bytes=min(self.bytes, most))


SMALL: Final = Portion(bytes=32 * KB, values=500)
"""What a route takes that declares nothing."""
SIGN_IN: Final = Portion(bytes=8 * KB, values=50)
QUESTION: Final = Portion(bytes=128 * KB, values=2_500)
"""A question or a search, with the documents it is about."""
SETTINGS: Final = Portion(bytes=640 * KB, values=2_500)
"""Prompts of an agent, written in any alphabet."""
NAMES: Final = Portion(bytes=512 * KB, values=12_000)
"""A long list of ids."""
VECTORS: Final = Portion(bytes=512 * KB, values=25_000)
"""Numbers of embeddings."""
PAGE: Final = Portion(bytes=512 * KB, values=5_000, strangers=True)
"""What a page says at once; a long prompt is typed into it as a whole."""
TALK: Final = Portion(bytes=3 * MB, values=10_000)
"""A whole conversation, or an exam."""
NOTICES: Final = replace(TALK, strangers=True)
"""What a service tells us under its signature."""
WORDS: Final = Portion(bytes=4 * MB, values=1_000)
"""Texts for a model."""
TEXT: Final = Portion(bytes=64 * MB, values=5_000)
"""A whole document as text: as much as the installation takes."""
FILES: Final = replace(SMALL, files=True)
FILE_OR_TEXT: Final = replace(TEXT, files=True)

_MARK: Final = "__portion__"


def takes(portion: Portion) -> Callable[[Endpoint], Endpoint]:
    """Declares what the requests of a route may carry."""

    def declare(endpoint: Endpoint) -> Endpoint:
        setattr(endpoint, _MARK, portion)
        return endpoint

    return declare


class Portions:
    """Finds the portion of a request: by the declaration of its route, else the small one."""

    def __init__(self, routes: Sequence[BaseRoute]) -> None:
        self._declared = list(_declared(routes))

    def of(self, method: str, path: str) -> Portion:
        """What this request may carry."""
        for methods, pattern, portion in self._declared:
            if (not methods or method in methods) and pattern.match(path):
                return portion
        return SMALL


def _declared(routes: Sequence[BaseRoute]) -> Iterable[tuple[frozenset[str], re.Pattern[str], Portion]]:
    for route in iter_route_contexts(routes):
        for place in (route.endpoint, route.original_route):
            portion = getattr(place, _MARK, None)
            if portion is not None and route.path is not None:
                yield frozenset(route.methods or ()), compile_path(route.path)[0], portion
        for beginning, portion in getattr(
            route.original_route, "portions", {}
        ).items():  # a mounted application's
            yield frozenset(), re.compile(re.escape(beginning)), portion


class BodyRefused(HTTPException):
    """A body that was more than its portion. The framework lets its own exceptions through while it reads, and no others."""

    def __init__(self, error: errors.VerazError) -> None:
        super().__init__(status_of(error), detail=error)  # type: ignore[arg-type]
        self.error = error


class JsonMeter:
    """Counts values and levels of JSON piece by piece, without building any of it. It is no parser: what is no JSON
    may pass, and is refused by whoever reads it."""

    def __init__(self, portion: Portion, field: str = "body") -> None:
        self._field = field
        self._most = portion.values
        self._values = self._depth = 0
        self._open = b""
        """The beginning of a text that the last piece did not end."""

    def feed(self, piece: bytes) -> None:
        """The next piece; raises where it is too much."""
        if b"\x00" in piece:
            self._refuse_hidden_signs()
        outside, texts = _TEXT.subn(rb"\1", self._open + piece)
        self._open = b""
        if outside.count(b'"') < texts:  # the last one goes on in the next piece
            self._open = b'"\\' if outside.endswith(b"\\") else b'"'
        signs = outside.translate(None, _NO_SIGNS)
        opened = signs.count(b"[") + signs.count(b"{")
        if opened or self._depth:
            self._measure(signs.translate(None, b",:"))
        self._values += opened + signs.count(b",") + signs.count(b":")
        if self._values > self._most:
            what = errors.Phrase("values in the JSON", es="valores del JSON")
            raise errors.TooLarge(what=what, limit=f"{self._most:,}")

    def _refuse_hidden_signs(self) -> Never:
        """In UTF-16 and UTF-32 the signs of JSON stand among zero bytes, where they would not be counted; in UTF-8 there are none."""
        utf8 = errors.Phrase("JSON is sent in UTF-8", es="el JSON se envía en UTF-8")
        raise errors.Invalid(field=self._field, reason=utf8)

    def _measure(self, brackets: bytes) -> None:
        for sign in brackets:
            self._depth += 1 if sign in b"[{" else -1
            if self._depth > DEEPEST:
                deep = errors.Phrase(
                    "the JSON is nested too deeply", es="el JSON está anidado a demasiada profundidad"
                )
                raise errors.Invalid(field=self._field, reason=deep)


_TEXT: Final = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+("|\\?\Z)', re.DOTALL)
"""A text with its quotation marks; one that is not ended reaches to the end."""
_NO_SIGNS: Final = bytes(set(range(256)) - set(b"[]{},:"))


def check_json(text: bytes, portion: Portion, field: str) -> None:
    """Refuses JSON of more bytes, values or levels than the portion has."""
    if len(text) > portion.bytes:
        raise errors.TooLarge(what=field, limit=f"{portion.bytes // KB} KiB")
    JsonMeter(portion, field).feed(text)
