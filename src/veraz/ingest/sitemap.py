"""The addresses in a sitemap.xml; a document type declaration, which no sitemap needs, is refused."""

from xml.parsers import expat

from veraz.errors import Corrupt

ADDRESSES_MAX = 50_000


def sitemap_addresses(xml: bytes) -> tuple[bool, tuple[str, ...]]:
    """Whether this is an index of sitemaps, and the `<loc>` addresses in it."""
    reader = _Reader()
    parser = expat.ParserCreate(namespace_separator=" ")
    parser.StartDoctypeDeclHandler = reader.doctype
    parser.StartElementHandler = reader.start
    parser.EndElementHandler = reader.end
    parser.CharacterDataHandler = reader.text
    try:
        parser.Parse(xml, True)
    except expat.ExpatError as problem:
        raise Corrupt from problem
    return reader.is_index, tuple(reader.addresses)


class _Reader:
    def __init__(self) -> None:
        self.is_index, self.addresses = False, list[str]()
        self._inside: list[str] | None = None

    def doctype(self, *_: object) -> None:
        raise Corrupt

    def start(self, name: str, _: object) -> None:
        tag = name.rpartition(" ")[2]
        self.is_index = self.is_index or tag == "sitemapindex"
        if tag == "loc" and len(self.addresses) < ADDRESSES_MAX:
            self._inside = []

    def end(self, _: str) -> None:
        if self._inside is not None:
            self.addresses.append("".join(self._inside).strip())
            self._inside = None

    def text(self, text: str) -> None:
        if self._inside is not None:
            self._inside.append(text)
