"""A quote that goes on over the page is marked on each of its pages, for whoever may be told it."""

from collections.abc import AsyncIterator
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import pytest

if TYPE_CHECKING:
    from tests.api.test_quotes_in_every_door import agent_with, quotes_everywhere
    from tests.ingest.parse.drawn_pdf import Sheet, column
    from tests.support.door import Door
else:
    from api.test_quotes_in_every_door import agent_with, quotes_everywhere
    from ingest.parse.drawn_pdf import Sheet, column
    from support.door import Door

QUESTION = "¿Quién puede reparar el aparato en garantía?"
FIRST = (
    "La reparación del aparato en garantía la hacen solo los talleres que",
    "el fabricante haya autorizado para",
)
SECOND = ("ello en el país de compra del aparato y con piezas originales suyas.",)


@pytest.fixture
async def quoted(at_work: Door) -> AsyncIterator[tuple[Door, list[dict[str, Any]]]]:
    """A sentence on two pages, as every door quotes it."""
    agent, _ = await agent_with(
        at_work.acme, "garantía.pdf", Sheet().page(column(*FIRST)).page(column(*SECOND)).data()
    )
    yield at_work, await quotes_everywhere(at_work, agent, QUESTION)


async def test_a_quote_over_a_page_break_has_the_rectangles_of_both_pages_in_every_door(
    quoted: tuple[Door, list[dict[str, Any]]],
) -> None:
    door, quotes = quoted
    with_rectangles = [quote for quote in quotes if "rectangles" in quote]
    for quote in with_rectangles:
        pages = [page if isinstance(page, dict) else page.raw for page in quote["pages"]]
        assert [(page["page_number"], len(page["rectangles"])) for page in pages] == [(1, 2), (2, 1)]
        assert (quote["page_number"], quote["rectangles"]) == (1, pages[0]["rectangles"])
    (for_assistants,) = [quote for quote in quotes if quote not in with_rectangles]
    assert (for_assistants["page"], for_assistants["pages"]) == (1, [1, 2])
    seen = await door.acme.call("GET", address(quotes[0]), 200)
    assert (seen["pages"], seen["rectangles"]) == (quotes[0]["pages"], quotes[0]["rectangles"])


async def test_each_page_of_a_quote_is_drawn_and_no_other(
    quoted: tuple[Door, list[dict[str, Any]]],
) -> None:
    door, (quote, *_) = quoted
    link = "/" + urlsplit(quote["url"]).path
    for path in (address(quote, "/page.png") + "&", f"{link}/page.png?"):
        plain, first, second, third = [
            await door.acme.send("GET", path + which) for which in ("", "page=1", "page=2", "page=3")
        ]
        assert plain.content == first.content and plain.headers["etag"] == first.headers["etag"]
        assert second.status_code == 200 and second.content != first.content
        assert (third.status_code, third.json()["code"]) == (404, "not_found")
    page = await door.acme.send("GET", link, headers={"Accept": "text/html"})
    assert page.text.count("<img ") == 2 and "page.png?page=2" in page.text


async def test_another_company_sees_neither_page_of_it(quoted: tuple[Door, list[dict[str, Any]]]) -> None:
    door, (quote, *_) = quoted
    link = "/" + urlsplit(quote["url"]).path
    for path in (address(quote, "/page.png") + "&page=2", f"{link}/page.png?page=2"):
        assert (await door.rival.send("GET", path)).status_code == 404


def address(quote: dict[str, Any], rest: str = "") -> str:
    return f"/passages/{quote['chunk_id']}{rest}?start={quote['start_char']}&end={quote['end_char']}"
