"""Looking at quotations: by the chunk an answer cites, or by the signed link that was copied out of it.

Whoever may be told a sentence by an agent may look at it; the database decides (`veraz.may_look`). What somebody may not see
is not found, as what does not exist.
"""

from collections.abc import Iterable
from dataclasses import replace
from typing import Final
from uuid import UUID

from veraz import errors
from veraz.db.pool import Database
from veraz.db.scope import Scope
from veraz.db.sql import queries
from veraz.passages.document import document_view
from veraz.passages.model import (
    DocumentView,
    LinkState,
    LinkView,
    QuoteView,
    SeenDocument,
    ShownPage,
    SourceView,
)
from veraz.passages.pictures import Picture, Pictures
from veraz.passages.reading import Reading
from veraz.passages.source_states import source_states
from veraz.passages.texts import Texts
from veraz.passages.view import on_page, quote_view
from veraz.providers.files.tenants import Files
from veraz.search.links import LinkedQuote, QuoteLinks
from veraz.search.places import text_between
from veraz.settings import Settings
from veraz.tenancy.model import Actor, system
from veraz.tenancy.permissions import need
from veraz.text.blocks import Span
from veraz.text.page_shape import shape_of
from veraz.text.rectangles import MarkedPage, Rectangle

Q = queries(__file__)

LONGEST = 20_000
"""Characters one view may quote, and how far from its chunk."""
_VERSIONS_BACK = 20
"""How many earlier versions are asked for the words of a link."""
_MOST_PAGES: Final = 3
"""Pages of one quotation that are shown at once; a whole passage may stand on many."""
SCALE: Final = 1.5
"""Pixels to a PDF point in the pictures that are shown beside an answer."""
FINEST: Final = 3.0
"""The most pixels to a PDF point that anybody gets: for who looks closely."""


class Passages:
    """Shows quotations where they stand."""

    def __init__(self, db: Database, files: Files, settings: Settings, links: QuoteLinks) -> None:
        self.db = db
        self.texts = Texts(db)
        self.links = links
        self.pictures = Pictures(files, settings)

    async def look(
        self, actor: Actor, chunk_id: UUID, start: int | None = None, end: int | None = None
    ) -> QuoteView:
        """A stretch of the document (in its characters) around a chunk, or the whole chunk."""
        seen, view = await self._look(actor, chunk_id, start, end)
        return await self._as_drawn(actor.scope(), seen, view)

    async def picture(
        self,
        actor: Actor,
        chunk_id: UUID,
        start: int | None = None,
        end: int | None = None,
        *,
        scale: float,
        page: int | None = None,
        known: str | None = None,
    ) -> Picture | None:
        """Its page, the first of them or another, with the stretch marked; None where the caller knows the picture already."""
        seen, view = await self._look(actor, chunk_id, start, end)
        return await self._picture(actor.scope(), seen, on_page(view, page), scale, known)

    async def follow(self, actor: Actor | None, token: str) -> LinkView:
        """What a link leads to, for somebody signed in or, where the organisation allows it, for anybody."""
        link, scope = await self._opened(actor, token)
        seen = await self._linked(scope, link)
        if seen is None:
            return LinkView(state="forgotten", quote=None, document_name=None)
        found = await self._quoted(scope, seen, link)
        return replace(found, quote=found.quote and await self._as_drawn(scope, seen, found.quote))

    async def followed_picture(
        self,
        actor: Actor | None,
        token: str,
        *,
        scale: float,
        page: int | None = None,
        known: str | None = None,
        marks: bool = True,
    ) -> Picture | None:
        """The page a link leads to, the first of them or another; without marks it is the same for every quotation of the page."""
        link, scope = await self._opened(actor, token)
        seen = await self._linked(scope, link)
        view = (await self._quoted(scope, seen, link)).quote if seen else None
        if seen is None or view is None or view.version != seen.version:
            raise errors.NotFound(thing="page", id="")
        shown = on_page(view, page) if marks else _unmarked(on_page(view, page))
        return await self._picture(scope, seen, shown, scale, known)

    async def show(self, actor: Actor | None, token: str) -> SourceView:
        """What a link leads to, with the pages it stands on drawn."""
        link, scope = await self._opened(actor, token)
        seen = await self._linked(scope, link)
        if seen is None:
            return SourceView(found=LinkView(state="forgotten", quote=None, document_name=None))
        return await self._shown(scope, seen, await self._quoted(scope, seen, link))

    async def show_stretch(self, actor: Actor, document_id: UUID, start: int, end: int) -> SourceView:
        """A stretch of a document that may be looked into, as `show` shows what a link leads to."""
        seen = await self._document(actor, document_id)
        if not start <= end <= start + LONGEST:
            raise errors.Invalid(field="end", reason=f"start … start + {LONGEST:,}")
        reading = await self.texts.reading(actor.scope(), seen, start, end)
        quote = quote_view(seen, reading, start, end)
        found = LinkView(state="current", quote=quote, document_name=seen.name)
        return await self._shown(actor.scope(), seen, found)

    async def document(
        self,
        actor: Actor,
        document_id: UUID,
        *,
        version: int | None = None,
        first: int | None = None,
        quoted: Span | None = None,
    ) -> DocumentView:
        """A document somebody may look into, with some of its blocks from a character on, a stretch of it marked.

        Without `first` it is only what is known of the document.
        """
        seen = await self._document(actor, document_id, version)
        return await document_view(self.texts, actor.scope(), seen, first, quoted)

    async def page(
        self,
        actor: Actor,
        document_id: UUID,
        number: int,
        *,
        scale: float,
        version: int | None = None,
        known: str | None = None,
    ) -> Picture | None:
        """A page of a PDF that may be looked into; None where the caller knows the picture already."""
        seen = await self._document(actor, document_id, version)
        if seen.pages_count is not None and number > seen.pages_count:
            raise errors.NotFound(thing="page", id=number)
        return await self._drawn(actor.scope(), seen, number, (), scale, known)

    async def _document(self, actor: Actor, document_id: UUID, version: int | None = None) -> SeenDocument:
        if not actor.may("read"):
            need(actor, "ask")
        seen = await self.texts.seen(actor.scope(), document_id=document_id)
        if seen is None:
            raise errors.NotFound(thing="document", id=document_id)
        return await self.texts.version(actor.scope(), seen, version)

    async def _shown(self, scope: Scope, seen: SeenDocument, found: LinkView) -> SourceView:
        quote = found.quote
        if quote is None or quote.view != "page" or quote.version != seen.version:
            return SourceView(found=found)
        try:
            pages = [await self._shown_page(scope, seen, page) for page in quote.pages[:_MOST_PAGES]]
        except (errors.Unreadable, errors.RateLimited, errors.Unavailable, errors.NotFound) as error:
            return SourceView(found=found, undrawn=error)
        return SourceView(found=found, pages=tuple(pages))

    async def _shown_page(self, scope: Scope, seen: SeenDocument, page: MarkedPage) -> ShownPage:
        picture = await self._drawn(scope, seen, page.page_number, (), SCALE)
        assert picture is not None
        shape = shape_of(picture.data)
        boxes = tuple(map(shape.box, page.rectangles)) if shape.matrix else ()
        return ShownPage(
            page_number=page.page_number, width=shape.width, height=shape.height, boxes=boxes, tag=picture.tag
        )

    async def source_states(self, actor: Actor, urls: Iterable[str]) -> dict[str, LinkState]:
        """What became of stored links, in few queries; to who may not see a source (any more) it is forgotten."""
        if not actor.may("read"):
            need(actor, "ask")
        read = {url: self.links.read(url.rpartition("/")[2]) for url in urls}
        own = {url: link for url, link in read.items() if link and link.tenant_id == actor.tenant_id}
        states = await source_states(self.db, actor.scope(), list(own.values())) if own else {}
        return {
            url: states[own[url]] or await self._state(actor, own[url]) if url in own else "forgotten"
            for url in read
        }

    async def _look(
        self, actor: Actor, chunk_id: UUID, start: int | None, end: int | None
    ) -> tuple[SeenDocument, QuoteView]:
        if not actor.may("read"):
            need(actor, "ask")
        seen = await self.texts.seen(actor.scope(), chunk_id=chunk_id)
        if seen is None or seen.start_char is None or seen.end_char is None:
            raise errors.NotFound(thing="passage", id=chunk_id)
        first = seen.start_char if start is None else start
        last = seen.end_char if end is None else end
        if not first <= last <= first + LONGEST:
            raise errors.Invalid(field="end", reason=f"start … start + {LONGEST:,}")
        if first < seen.start_char - LONGEST or last > seen.end_char + LONGEST:
            far = errors.Phrase(
                f"no farther than {LONGEST:,} characters from the passage",
                es=f"a no más de {LONGEST:,} caracteres del fragmento",
            )
            raise errors.Invalid(field="start", reason=far)
        low, high = min(first, seen.start_char), max(last, seen.end_char)
        reading = await self.texts.reading(actor.scope(), seen, low, high)
        return seen, quote_view(seen, reading, first, last)

    async def _state(self, actor: Actor, link: LinkedQuote) -> LinkState:
        """What became of one, its earlier versions asked too."""
        seen = await self.texts.seen(actor.scope(), document_id=link.document_id)
        return (await self._quoted(actor.scope(), seen, link)).state if seen else "forgotten"

    async def _picture(
        self, scope: Scope, seen: SeenDocument, view: QuoteView, scale: float, known: str | None
    ) -> Picture | None:
        if view.view != "page" or view.page_number is None:
            raise errors.NotFound(thing="page", id=seen.document_id)
        return await self._drawn(scope, seen, view.page_number, view.rectangles, scale, known)

    async def _as_drawn(self, scope: Scope, seen: SeenDocument, view: QuoteView) -> QuoteView:
        """What stands on a page that is not drawn is looked at in its text."""
        if view.view != "page":
            return view
        forgotten = await self.texts.forgotten_pages(scope, seen, view.version)
        return (
            replace(view, view="text") if any(page.page_number in forgotten for page in view.pages) else view
        )

    async def _drawn(
        self,
        scope: Scope,
        seen: SeenDocument,
        page: int,
        marks: tuple[Rectangle, ...],
        scale: float,
        known: str | None = None,
    ) -> Picture | None:
        """The picture of a page, None where it is known; of one on which something was forgotten there is none."""
        if page in await self.texts.forgotten_pages(scope, seen):
            raise errors.PageForgotten(page=page)
        if known == self.pictures.tag(seen, page, marks, scale):
            return None
        assert scope.tenant_id is not None  # whoever looks does so in a tenant
        return await self.pictures.draw(scope.tenant_id, seen, page, marks, scale)

    async def _opened(self, actor: Actor | None, token: str) -> tuple[LinkedQuote, Scope]:
        """What the link says, and as whom it is followed."""
        link = self.links.read(token)
        if link is None:
            raise errors.NotFound(thing="passage", id=token[:12])
        if actor is not None and actor.tenant_id == link.tenant_id:
            return link, actor.scope()
        async with self.db.transaction(system(link.tenant_id)) as tx:
            if await tx.value(Q.links_open):
                return link, system(link.tenant_id)
        if actor is None:
            raise errors.Unauthenticated()
        raise errors.NotFound(thing="passage", id=token[:12])

    async def _linked(self, scope: Scope, link: LinkedQuote) -> SeenDocument | None:
        """The document; None when it is gone. To who may not see it, it is not found."""
        seen = await self.texts.seen(scope, document_id=link.document_id)
        everybody = scope == system(link.tenant_id)
        if seen is not None and not (everybody and (seen.kind, seen.machine_id) != ("global", "global")):
            return seen
        async with self.db.transaction(system(link.tenant_id)) as tx:
            if await tx.value(Q.is_there, document_id=link.document_id):
                raise errors.NotFound(thing="passage", id=link.document_id)
        return None

    async def _quoted(self, scope: Scope, seen: SeenDocument, link: LinkedQuote) -> LinkView:
        """The quotation as the document says it now, or as the newest version that said it; and what became of it."""

        def told(state: LinkState, quote: QuoteView | None, now: str | None = None) -> LinkView:
            return LinkView(state=state, quote=quote, document_name=seen.name, says_now=now)

        reading = await self.texts.reading(scope, seen, link.start, link.end)
        now = reading.text(link.start, link.end)
        if reading.segments and link.says(now):
            return told("current", quote_view(seen, reading, link.start, link.end))
        if chunk := await self._quoted_chunk(scope, seen, link):
            return told("current", chunk)
        corrected = reading.is_corrected(link.start, link.end)
        for version in range(seen.version, max(seen.version - _VERSIONS_BACK, 0), -1):
            segments = await self.texts.segments(scope, seen, link.start, link.end, version)
            if segments and link.says(text_between(segments, link.start, link.end)):
                quote = quote_view(seen, Reading(segments), link.start, link.end, version=version)
                if version == seen.version:
                    return told("corrected", quote, now.strip())
                return told("changed", quote)
        return told("corrected", None, now.strip()) if corrected else told("changed", None)

    async def _quoted_chunk(self, scope: Scope, seen: SeenDocument, link: LinkedQuote) -> QuoteView | None:
        """The chunk a link points to, where its text is not the document's: it was read before texts were stored."""
        for chunk in await self.texts.chunks_at(scope, seen, link.start, link.end):
            if chunk.content and link.says(chunk.content):
                return quote_view(chunk, Reading(()), link.start, link.end)
        return None


def _unmarked(view: QuoteView) -> QuoteView:
    return replace(view, rectangles=())
