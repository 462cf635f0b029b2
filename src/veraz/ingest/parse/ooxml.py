"""The ZIP of XML parts behind DOCX, XLSX and PPTX, opened with suspicion.

Names inside are only looked up, never written to disk, so links and `../` lead nowhere; media and
macros are never read.
"""

import io
import posixpath
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from typing import Literal, TypedDict

from lxml import etree

from veraz import errors
from veraz.ingest.parse.base import MB
from veraz.ingest.parse.finish import About, read_date

Element = etree._Element
Event = Literal["start", "end"]

_ENTRIES_MAX = 20_000
_PART_MAX = 200 * MB
_TOTAL_MAX = 1536 * MB
_SUSPECT_TOTAL = 100 * MB
_SUSPECT_RATIO = 150
_REL = "{http://schemas.openxmlformats.org/package/2006/relationships}Relationship"
_DC = "{http://purl.org/dc/elements/1.1/}"
_DCTERMS = "{http://purl.org/dc/terms/}"
_BROKEN_ZIP = (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, OSError, ValueError, KeyError)


@dataclass(frozen=True, slots=True, kw_only=True)
class Relation:
    """A link from one part to another."""

    id: str
    kind: str
    """Last word of the relationship's type: `slide`, `footnotes`, `header`…"""
    target: str


class Package:
    """Parts by name (without leading slash, in any case)."""

    def __init__(self, data: bytes) -> None:
        try:
            self._zip = zipfile.ZipFile(io.BytesIO(data))
        except _BROKEN_ZIP as error:
            raise errors.Corrupt() from error
        entries = self._zip.infolist()
        _refuse_bomb(entries, len(data))
        self._relations: dict[str, list[Relation]] = {}
        self._names = {_plain(entry.filename).lower(): entry for entry in reversed(entries)}

    def names(self, prefix: str, suffix: str = ".xml") -> list[str]:
        """Names of parts in a folder, shorter ones first so that `sheet2` comes before `sheet10`."""
        found = (name for name in self._names if name.startswith(prefix) and name.endswith(suffix))
        return sorted(found, key=lambda name: (len(name), name))

    def has(self, name: str) -> bool:
        """Whether there is such a part."""
        return _plain(name).lower() in self._names

    def read(self, name: str) -> bytes:
        """A whole part, never more than the limit whatever the ZIP declares."""
        return b"".join(self.stream(name))

    def stream(self, name: str) -> Iterator[bytes]:
        """A part piece by piece."""
        entry = self._names.get(_plain(name).lower())
        if entry is None:
            raise errors.Corrupt()
        if entry.flag_bits & 0x1:
            raise errors.Protected()
        total = 0
        try:
            with self._zip.open(entry) as file:
                while piece := file.read(256 * 1024):
                    total += len(piece)
                    if total > _PART_MAX:
                        raise errors.Bomb()
                    yield piece
        except _BROKEN_ZIP as error:
            raise errors.Corrupt() from error

    def events(self, name: str, *events: Event, tags: tuple[str, ...]) -> Iterator[tuple[str, Element]]:
        """The start or end of the elements asked for, piece by piece; the caller clears what it has used."""
        parser = etree.XMLPullParser(events, tag=tags, **_STRICT)
        try:
            for piece in self.stream(name):
                parser.feed(piece)
                yield from _checked(parser)
            parser.close()
            yield from _checked(parser)
        except etree.XMLSyntaxError as error:
            raise errors.Corrupt() from error

    def tree(self, name: str) -> Element:
        """A small part at once."""
        try:
            root = etree.fromstring(self.read(name), etree.XMLParser(**_STRICT))
        except (etree.XMLSyntaxError, ValueError) as error:
            raise errors.Corrupt() from error
        _refuse_doctype(root)
        return root

    def relations(self, name: str) -> list[Relation]:
        """The links of a part to other parts inside the package."""
        if name not in self._relations:
            self._relations[name] = self._read_relations(name)
        return self._relations[name]

    def _read_relations(self, name: str) -> list[Relation]:
        folder, base = posixpath.split(_plain(name))
        rels = f"{folder}/_rels/{base}.rels" if folder else f"_rels/{base}.rels"
        if not self.has(rels):
            return []
        return [
            Relation(
                id=link.get("Id", ""),
                kind=link.get("Type", "").rsplit("/", 1)[-1],
                target=_resolved(folder, link.get("Target", "")),
            )
            for link in self.tree(rels).iter(_REL)
            if link.get("TargetMode") != "External"
        ]

    def main(self, fallback: str) -> str:
        """Name of the main part: what the package says, or the usual name."""
        for relation in self.relations(""):
            if relation.kind == "officeDocument" and self.has(relation.target):
                return relation.target
        if not self.has(fallback):
            raise errors.Corrupt()
        return fallback

    def about(self) -> About:
        """Title, author, date and page count the program wrote down."""
        title, author, created = self._core()
        return About(title=title, author=author, created_date=created, page_count=self._pages())

    def _core(self) -> tuple[str | None, str | None, date | None]:
        if not self.has("docProps/core.xml"):
            return None, None, None
        try:
            root = self.tree("docProps/core.xml")
        except errors.Corrupt:
            return None, None, None  # the text matters, not a damaged label
        created = read_date(root.findtext(f"{_DCTERMS}created"))
        return root.findtext(f"{_DC}title"), root.findtext(f"{_DC}creator"), created

    def _pages(self) -> int | None:
        if not self.has("docProps/app.xml"):
            return None
        try:
            pages = self.tree("docProps/app.xml").findtext("{*}Pages") or ""
        except errors.Corrupt:
            return None
        return int(pages) if pages.isdigit() and 0 < int(pages) < 100_000 else None


class _Strict(TypedDict):
    resolve_entities: bool
    no_network: bool
    load_dtd: bool
    huge_tree: bool
    remove_comments: bool
    remove_pis: bool


_STRICT: _Strict = {
    "resolve_entities": False,
    "no_network": True,
    "load_dtd": False,
    "huge_tree": True,
    "remove_comments": True,
    "remove_pis": True,
}


def _checked(parser: etree.XMLPullParser) -> Iterator[tuple[str, Element]]:
    first = True
    for event, element in parser.read_events():
        if not isinstance(element, Element):
            continue
        if first:
            _refuse_doctype(element)
            first = False
        yield event, element


def _refuse_doctype(element: Element) -> None:
    """Office files never declare entities; a file that does wants to grow or to read others."""
    if element.getroottree().docinfo.internalDTD is not None:
        raise errors.Bomb()


def _refuse_bomb(entries: list[zipfile.ZipInfo], packed: int) -> None:
    total = sum(entry.file_size for entry in entries)
    xml = max((entry.file_size for entry in entries if entry.filename.endswith((".xml", ".rels"))), default=0)
    if len(entries) > _ENTRIES_MAX or xml > _PART_MAX or total > _TOTAL_MAX:
        raise errors.Bomb()
    if total > _SUSPECT_TOTAL and total > _SUSPECT_RATIO * packed:
        raise errors.Bomb()


def _plain(name: str) -> str:
    return name.replace("\\", "/").lstrip("/")


def _resolved(folder: str, target: str) -> str:
    target = target.replace("\\", "/")
    return _plain(posixpath.normpath(target if target.startswith("/") else f"{folder}/{target}"))
