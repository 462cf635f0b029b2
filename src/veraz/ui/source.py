"""The source beside an answer: the document at the very words that prove a claim, one proof after the other."""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from nicegui import background_tasks, ui

from veraz import errors
from veraz.passages.model import QuoteView, SourceView
from veraz.passages.service import FINEST
from veraz.ui.parts import called, heading, icon_button
from veraz.ui.source_views import draw_source, page_address
from veraz.ui.visit import Visit

_PREFETCHED: Final = 4
_TOKEN: Final = re.compile(r"[\w-]+")
_ZOOMS: Final = (100, 140, 190, 250)
_TO_THE_QUOTE: Final = """(() => {
  const body = getHtmlElement(ID);
  const go = () => {
    const quote = body && body.querySelector('.source-box, mark, tr.marked');
    if (!quote) return;
    const cells = quote.querySelectorAll('td.marked'), table = quote.closest('.source-table');
    if (cells.length && table) {
      const last = cells[cells.length - 1].getBoundingClientRect();
      table.scrollLeft += Math.max(0, last.right + 12 - table.getBoundingClientRect().right);
    }
    const at = quote.getBoundingClientRect(), frame = body.getBoundingClientRect();
    body.scrollTop += at.top - frame.top - Math.max(24, (frame.height - at.height) / 3);
    body.scrollLeft += at.left - frame.left - 24;
  };
  requestAnimationFrame(() => requestAnimationFrame(go));
  setTimeout(go, 150);
})()"""
_TAKE_FOCUS: Final = """(() => {
  const panel = getHtmlElement(ID);
  if (!panel || panel.contains(document.activeElement)) return;
  const opener = document.activeElement;  // Quasar moves the focus of a clicked button into it
  window.openedSourceFrom = opener && opener.closest('button, a, [role=button], [tabindex="0"]') || opener;
  requestAnimationFrame(() => panel.focus({preventScroll: true}));
})()"""
_GIVE_FOCUS_BACK: Final = """(() => {
  const opener = window.openedSourceFrom;
  if (opener && opener.isConnected) opener.focus({preventScroll: true});
})()"""

_OPEN_PROOF: Final = """
(event) => {
  const claim = event.target.closest ? event.target.closest('.claim') : null;
  if (!claim || (event.type === 'keydown' && event.key !== 'Enter' && event.key !== ' ')) return;
  event.preventDefault();
  document.querySelectorAll('.claim.open').forEach(one => one.classList.remove('open'));
  claim.classList.add('open');
  if (innerWidth < 900) claim.scrollIntoView({block: 'start'});  // above the sheet that comes
  const proof = event.target.closest('[data-proof]').dataset.proof;
  emit(claim.closest('[data-message]').dataset.message, Number(proof), claim.innerText.slice(0, 4000));
}
"""
_SHARPEN: Final = """for (const shown of getHtmlElement(ID).querySelectorAll('.source-page img')) {
  const sharp = new Image();
  sharp.onload = () => { shown.src = sharp.src; };
  sharp.src = shown.src.replace(/scale=.*/, 'scale=SCALE');
}"""


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
        """The link without its address; empty where it is none."""
        token = self.url.rpartition("/s/")[2]
        return token if _TOKEN.fullmatch(token) else ""


class SourcePanel:
    """The panel: hidden until a proof is opened, and again when it is closed."""

    def __init__(self, visit: Visit) -> None:
        self.visit = visit
        self.on_close: Callable[[], Any] | None = None
        self.proofs: Sequence[Proof] = ()
        self.index = 0
        self.zoom = _ZOOMS[0]
        self._turn = 0

    def draw(self) -> None:
        """The place of the panel; what it shows is built when the first proof is opened."""
        visit, t = self.visit, self.visit.t
        self.box = called(ui.element("aside").classes("source-panel"), t("The source"))
        self.box.props("role=complementary tabindex=-1")
        self.box.on("keydown.left", visit.act(lambda: self._step(-1)))
        self.box.on("keydown.right", visit.act(lambda: self._step(1)))
        self.box.on("keydown.esc", self.close)
        self.box.set_visibility(False)

    def _furnish(self) -> None:
        if self.box.default_slot.children:
            return
        with self.box:
            with ui.element("div").classes("source-head"):
                self._title()
                self._tools()
            self.body = called(
                ui.element("div").classes("source-body"), self.visit.t("What the document says")
            )
            self.body.props("role=region tabindex=0")

    async def open(self, proofs: Sequence[Proof], index: int = 0, claim: str = "") -> None:
        """Shows one of these proofs, for the words of a claim; the others are one key away."""
        self.proofs, self.index = proofs, index
        self._turn += 1
        turn = self._turn
        self._furnish()
        self._announce(proofs[index])
        ui.run_javascript(_TAKE_FOCUS.replace("ID", str(self.box.id)))
        shown = await self._followed(proofs[index])
        if turn != self._turn or self.box.is_deleted:
            return
        self._show(proofs[index], shown, claim)
        self.prefetch(proofs[index + 1 : index + 2])

    def prefetch(self, proofs: Sequence[Proof]) -> None:
        """Lets the browser fetch the pages of these proofs, so that they are there when somebody clicks."""
        paged = [proof for proof in proofs if proof.page_number and proof.token]
        if paged:
            background_tasks.create(self._fetch(paged[:_PREFETCHED]), context=ui.context.client)

    def close(self) -> None:
        """Hides the panel; the focus goes back to where it came from."""
        self.put_away()
        ui.run_javascript(_GIVE_FOCUS_BACK)

    def put_away(self) -> None:
        """Hides it without moving the focus: something else is being asked."""
        self._turn += 1
        self.box.set_visibility(False)
        if self.on_close:
            self.on_close()

    def _title(self) -> None:
        t = self.visit.t
        with ui.row().classes("w-full no-wrap items-start gap-2"):
            ui.icon("description", size="1.3rem").classes("quiet").props("aria-hidden=true")
            with ui.column().classes("grow gap-0 source-names"):
                self.name = heading("", 2).classes("source-name")
                self.place = ui.label("").classes("quiet small break")
            icon_button("close", t("Close the source"), self.close)

    def _tools(self) -> None:
        visit, t = self.visit, self.visit.t
        with ui.row().classes("w-full items-center gap-1 source-tools"):
            with ui.row().classes("items-center no-wrap gap-0") as self.steps:
                self.previous = icon_button(
                    "chevron_left", t("Previous proof"), visit.act(lambda: self._step(-1))
                )
                self.count = ui.label("").classes("small").props("aria-live=polite")
                self.next = icon_button("chevron_right", t("Next proof"), visit.act(lambda: self._step(1)))
            ui.space()
            with ui.row().classes("items-center no-wrap gap-0") as self.zooms:
                icon_button("zoom_out", t("Smaller"), lambda: self._zoom(-1))
                icon_button("zoom_in", t("Larger"), lambda: self._zoom(1))
            icon_button("link", t("Copy the link to this quotation"), self._copy)
            self.whole = called(
                ui.button(t("Open the document"), icon="open_in_new"), t("Open the document")
            ).props("flat dense tag=a")
            self.whole.classes("source-open")

    def _announce(self, proof: Proof) -> None:
        """What is known before the link has been followed, and grey lines where the document will be."""
        t, several = self.visit.t, len(self.proofs) > 1
        self._name(
            proof.document_name,
            _place(self.visit, proof.document_name, proof.place, proof.page_number, None, None),
        )
        self.steps.set_visibility(several)
        self.count.set_text(t("Proof {n} of {all}", n=self.index + 1, all=len(self.proofs)))
        self.previous.set_enabled(self.index > 0)
        self.next.set_enabled(self.index + 1 < len(self.proofs))
        self.whole.set_visibility(False)
        self.zooms.set_visibility(False)
        self.body.clear()
        with self.body, ui.element("div").classes("skeleton w-full").props("aria-hidden=true"):
            for width in ("70%", "100%", "100%", "85%"):
                ui.skeleton(width=width, height="1.2rem").classes("q-mb-sm")
        self.box.set_visibility(True)

    async def _followed(self, proof: Proof) -> SourceView | None:
        """What the link leads to; None where it leads nowhere that the visitor may see."""
        if not proof.token:
            return None
        try:
            return await self.visit.veraz.passages.show(self.visit.actor, proof.token)
        except errors.NotFound:
            return None

    def _show(self, proof: Proof, shown: SourceView | None, claim: str) -> None:
        quote = shown.found.quote if shown else None
        if quote:
            place = _place(
                self.visit, quote.document_name, quote.place, quote.page_number, quote.sheet, quote.row
            )
            self._name(quote.document_name, place)
            self.whole.props["href"] = self.visit.to(document_address(quote))
            self.whole.update()
        self.whole.set_visibility(quote is not None)
        self.zooms.set_visibility(bool(shown and shown.pages))
        self.body.clear()
        with self.body:
            draw_source(self.visit, shown, proof.text, claim)
        self._resize()
        ui.run_javascript(_TO_THE_QUOTE.replace("ID", str(self.body.id)))

    def _name(self, name: str, place: str) -> None:
        self.name.set_text(name or self.visit.t("The source"))
        self.place.set_text(place)

    async def _step(self, by: int) -> None:
        if 0 <= self.index + by < len(self.proofs):
            await self.open(self.proofs, self.index + by)

    def _zoom(self, by: int) -> None:
        at = min(max(_ZOOMS.index(self.zoom) + by, 0), len(_ZOOMS) - 1)
        self.zoom = _ZOOMS[at]
        self._resize()
        if self.zoom > _ZOOMS[0]:
            ui.run_javascript(_SHARPEN.replace("ID", str(self.body.id)).replace("SCALE", str(FINEST)))

    def _resize(self) -> None:
        self.body.style(f"--source-zoom: {self.zoom}%")

    def _copy(self) -> None:
        token = self.proofs[self.index].token
        ui.run_javascript(f"navigator.clipboard?.writeText(location.origin + '/s/{token}')")
        self.visit.done("The link was copied")

    async def _fetch(self, proofs: Sequence[Proof]) -> None:
        addresses: list[str] = []
        for proof in proofs:
            shown = await self._warmed(proof)
            quote = shown.found.quote if shown else None
            if shown and quote:
                addresses += [page_address(quote.document_id, page) for page in shown.pages]
        if addresses and not self.box.is_deleted:
            wanted = json.dumps(list(dict.fromkeys(addresses)))
            with self.box:
                ui.run_javascript(f"for (const one of {wanted}) new Image().src = one")

    async def _warmed(self, proof: Proof) -> SourceView | None:
        try:
            return await self._followed(proof)
        except errors.VerazError:
            return None  # whoever clicks is told


def on_claim(log: ui.element, handler: Callable[[Any], Any]) -> None:
    """Calls with the `data-message` around a claim, the number of its proof and its words, when it is clicked or pressed."""
    for event in ("click", "keydown"):
        log.on(event, handler, js_handler=_OPEN_PROOF)


def document_address(quote: QuoteView) -> str:
    """The page of the whole document, as it was when it was quoted, at the quotation."""
    return f"/documents/{quote.document_id}?start={quote.start_char}&end={quote.end_char}&version={quote.version}"


def _place(
    visit: Visit, name: str, place: Sequence[str], page: int | None, sheet: str | None, row: int | None
) -> str:
    """The headings above, and page or row, as people say it; what the document's name or a heading says is not said again."""
    said = [name]
    for part in place:
        if not any(_plain(part) in _plain(one) for one in said):
            said.append(part)
    parts = said[1:]
    if sheet and sheet not in parts:
        parts.append(sheet)
    if page:
        parts.append(visit.t("page {n}", n=page))
    if row:
        parts.append(visit.t("row {n}", n=row))
    return " › ".join(parts)


def _plain(text: str) -> str:
    return "".join(sign for sign in text.casefold() if sign.isalnum())


def _proof(stored: Mapping[str, Any]) -> Proof:
    return Proof(
        url=stored.get("url") or "",
        document_name=stored.get("document_name") or "",
        place=tuple(stored.get("place") or ()),
        page_number=stored.get("page_number"),
        text=stored.get("text") or "",
    )
