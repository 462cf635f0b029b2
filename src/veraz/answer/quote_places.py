"""The last thing a proven answer gets: where each of its quotes is drawn on its pages, and a link to it."""

from collections.abc import AsyncIterator, Sequence
from dataclasses import replace

from veraz.answer.model import Answered, Checked, Claim, Event, QuotedPassage
from veraz.db.pool import Database
from veraz.search.links import QuoteLinks
from veraz.search.model import Question
from veraz.search.places import marks_on, pages_of
from veraz.tenancy.model import Actor


async def placed(
    events: AsyncIterator[Event], db: Database, actor: Actor, question: Question, links: QuoteLinks | None
) -> AsyncIterator[Event]:
    """The events of an answer, its claims with their places once all of them are proven."""
    claims: tuple[Claim, ...] = ()
    async for event in events:
        if isinstance(event, Checked):
            claims = await with_places(db, actor, question, event.claims, links)
            yield replace(event, claims=claims)
        elif isinstance(event, Answered) and claims:
            yield Answered(answer=replace(event.answer, claims=claims))
        else:
            yield event


async def with_places(
    db: Database, actor: Actor, question: Question, claims: Sequence[Claim], links: QuoteLinks | None
) -> tuple[Claim, ...]:
    """The claims, their quotes with rectangles and links; one query for all of them."""
    drawn = [quote for claim in claims for quote in claim.quotes if quote.page_number is not None]
    stretches = [(one.chunk_id, one.document_id, (one.start_char, one.end_char)) for one in drawn]
    found = await pages_of(db, actor.scope(), question, stretches)
    known = {id(quote): pages for quote, pages in zip(drawn, found, strict=True)}

    def told(quote: QuotedPassage) -> QuotedPassage:
        url = _url(links, actor, quote) if links else None
        pages = known.get(id(quote)) or quote.pages
        return replace(quote, rectangles=marks_on(pages, quote.page_number), pages=pages, url=url)

    return tuple(replace(claim, quotes=tuple(map(told, claim.quotes))) for claim in claims)


def _url(links: QuoteLinks, actor: Actor, quote: QuotedPassage) -> str:
    return links.url(actor.tenant_id, quote.document_id, quote.start_char, quote.end_char, quote.linked_text)
