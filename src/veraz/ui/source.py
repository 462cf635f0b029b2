"""The source beside an answer: the document at the very words that prove a claim, one proof after the other."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from nicegui import ui

from veraz.ui.visit import Visit


@dataclass(frozen=True, slots=True, kw_only=True)
class Proof:
    """What a source is opened by: the signed link of a quotation, and what is shown before it has been followed."""

    url: str
    document_name: str
    place: tuple[str, ...] = ()
    page_number: int | None = None
    text: str = ""

    @classmethod
    def of_quote(cls, quote: Mapping[str, Any]) -> "Proof":
        """Of a quotation as it is stored with a claim."""
        return _proof(quote)

    @classmethod
    def of_evidence(cls, evidence: Mapping[str, Any]) -> "Proof":
        """Of a passage as it is stored with an answer."""
        return _proof(evidence)

    @property
    def token(self) -> str:
        """The link without its address."""
        return self.url.rpartition("/s/")[2]


class SourcePanel:
    """The panel: hidden until a proof is opened, and again when it is closed."""

    def __init__(self, visit: Visit) -> None:
        self.visit = visit
        self.on_close: Callable[[], Any] | None = None
        self.proofs: Sequence[Proof] = ()
        self.index = 0

    def draw(self) -> None:
        """The empty panel, where the page wants it."""
        self.box = ui.element("aside").classes("source-panel")
        self.box.set_visibility(False)

    async def open(self, proofs: Sequence[Proof], index: int = 0) -> None:
        """Shows one of these proofs; the others are one key away."""
        self.proofs, self.index = proofs, index
        self.box.set_visibility(True)

    def prefetch(self, proofs: Sequence[Proof]) -> None:
        """Lets the browser fetch the pages of these proofs, so that they are there when somebody clicks."""

    def close(self) -> None:
        """Hides the panel."""
        self.box.set_visibility(False)
        if self.on_close:
            self.on_close()


def _proof(stored: Mapping[str, Any]) -> Proof:
    return Proof(
        url=stored.get("url") or "",
        document_name=stored.get("document_name") or "",
        place=tuple(stored.get("place") or ()),
        page_number=stored.get("page_number"),
        text=stored.get("text") or "",
    )
