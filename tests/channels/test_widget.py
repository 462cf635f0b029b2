"""The website widget without its doors: which pages may show it, whom a token names, what is worded how."""

import time
from dataclasses import replace
from typing import TYPE_CHECKING, Any
from uuid import uuid4

import pytest

from veraz import errors
from veraz.channels.widget import tokens as visitor_tokens
from veraz.channels.widget.colours import contrast, ink_on, stands_out
from veraz.channels.widget.origins import allows, origin_of
from veraz.channels.widget.tokens import VisitorTokens
from veraz.channels.widget.visitors import WidgetQuestion
from veraz.channels.widget.wording import numbered, plain

if TYPE_CHECKING:
    from tests.channels.conftest import Desk


@pytest.mark.parametrize(
    ("written", "origin"),
    [
        ("https://www.Tienda.mx/", "https://www.tienda.mx"),
        ("www.tienda.mx", "https://www.tienda.mx"),
        ("https://tienda.mx:443/contacto?x=1#y", "https://tienda.mx"),
        ("http://localhost:3000", "http://localhost:3000"),
        ("http://tienda.mx:80", "http://tienda.mx"),
        ("https://*.tienda.mx", "https://*.tienda.mx"),
        ("https://español.mx", "https://xn--espaol-zwa.mx"),
        ("http://[::1]:8080/", "http://[::1]:8080"),
        ("127.0.0.1:8123/index.html", "http://127.0.0.1:8123"),
        ("localhost:3000", "http://localhost:3000"),
        ("tienda.localhost", "http://tienda.localhost"),
        ("[::1]:8080", "http://[::1]:8080"),
        ("https://localhost:3000", "https://localhost:3000"),
        ("localhost.tienda.mx", "https://localhost.tienda.mx"),
        ("localhost:80", "http://localhost"),
    ],
)
def test_an_address_becomes_the_origin_browsers_send(written: str, origin: str) -> None:
    assert origin_of(written) == origin


@pytest.mark.parametrize(
    "written",
    [
        "*",
        "",
        "https://",
        "https://*",
        "https://*.mx",
        "ftp://tienda.mx",
        "javascript:alert(1)",
        "data://x",
        "https://a.*.mx",
        "https://ana:x@tienda.mx",
        "https://tienda.mx:99999",
        "https://tien da.mx",
    ],
)
def test_what_names_no_site_or_too_many_is_refused(written: str) -> None:
    with pytest.raises(errors.Invalid):
        origin_of(written)


def test_a_page_is_allowed_by_its_exact_origin_or_as_a_sub_domain() -> None:
    rules = ("https://tienda.mx", "https://*.tienda.com", "http://localhost:3000")
    for origin in (
        "https://tienda.mx",
        "https://www.tienda.com",
        "https://a.b.tienda.com",
        "http://localhost:3000",
    ):
        assert allows(rules, origin), origin
    for foreign in (
        "http://tienda.mx", "https://tienda.mx:8443", "https://www.tienda.mx", "https://tienda.com",
        "https://eviltienda.com", "https://evil.example/.tienda.com", "https://evil.example#.tienda.com",
        "https://evil@www.tienda.com", "http://www.tienda.com", "https://*.tienda.com", "http://localhost", "null", "", None,
    ):  # fmt: skip
        assert not allows(rules, foreign), foreign
    assert not allows((), "https://tienda.mx")


@pytest.mark.parametrize(
    "colour", ["#000000", "#ffffff", "#0f766e", "#ffcc00", "#767676", "#ff0000", "#777777"]
)
def test_what_is_written_on_any_colour_can_be_read(colour: str) -> None:
    assert contrast(colour, ink_on(colour)) >= 4
    assert stands_out("#0f766e") and not stands_out("#ffcc00")


def test_a_token_names_one_visitor_of_one_widget() -> None:
    tokens, widget = VisitorTokens("secret"), uuid4()
    text = tokens.new(widget)
    visitor = tokens.read(text, widget)
    assert visitor is not None and not visitor.trying
    assert tokens.read(tokens.new(widget, visitor=visitor), widget) == replace(
        visitor,
        made_at=tokens.read(tokens.new(widget, visitor=visitor), widget).made_at,  # type: ignore[union-attr]
    )
    assert tokens.read(text, uuid4()) is None
    assert VisitorTokens("other").read(text, widget) is None
    for wrong in ("", "x", text[:-1], text + "A", "ñ"):
        assert tokens.read(wrong, widget) is None


def test_the_test_pages_word_is_no_visitor_and_no_visitor_is_its_word(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    tokens, widget = VisitorTokens("secret"), uuid4()
    preview = tokens.preview(widget)
    assert tokens.is_preview(preview, widget) and not tokens.is_preview(preview, uuid4())
    assert tokens.read(preview, widget) is None
    assert not tokens.is_preview(tokens.new(widget, trying=True), widget)
    now = time.time()
    monkeypatch.setattr(time, "time", lambda: now + visitor_tokens.PREVIEW_SECONDS + 1)
    assert not tokens.is_preview(preview, widget)


def test_every_claim_gets_the_numbers_of_its_sources() -> None:
    text = "El plan **básico** cuesta 10 € [Chunk 2]. El premium cuesta 20 € [Chunk 1, 2].\n\nHay un \ue0007\ue001 más [1]."
    claims = [
        claim("El plan básico cuesta 10 €.", quote(1)),
        claim("El premium cuesta 20 € [Chunk 1, 2].", quote(2), quote(1)),
    ]
    worded, sources = numbered(text, claims)
    assert worded == (
        "El plan **básico** cuesta 10 €.\ue0001\ue001 El premium cuesta 20 €.\ue0001\ue001\ue0002\ue001\n\nHay un 7 más."
    )
    assert [(one.number, one.claim, one.quote) for one in sources] == [(1, 0, 0), (2, 1, 0)]
    assert plain(text) == "El plan **básico** cuesta 10 €. El premium cuesta 20 €.\n\nHay un 7 más."


async def test_a_question_is_answered_also_when_the_visitor_goes_on_to_another_page(desk: "Desk") -> None:
    acme, veraz = desk.acme, desk.door.veraz
    await acme.call("PATCH", f"/agents/{desk.agent}/widget", 200, json={"enabled": True, "origins": ["a.mx"]})
    shown = await acme.call("GET", f"/agents/{desk.agent}/widget", 200)
    widget = await veraz.widget_visitors.widget(shown["public_id"])
    assert widget is not None and widget.origins == ("https://a.mx",)
    token = await veraz.widget_visitors.session(widget, None, "127.0.0.1", trying=False)
    visitor = veraz.widget_visitors.tokens.read(token, widget.id)
    assert visitor is not None
    asked = WidgetQuestion(text="¿De cuánto es la cuota mensual del gimnasio municipal?")
    events = veraz.widget_visitors.ask(widget, visitor, asked, "127.0.0.1")
    await anext(events)
    await events.aclose()
    with pytest.raises(errors.RateLimited):  # one question at a time
        await anext(veraz.widget_visitors.ask(widget, visitor, asked, "127.0.0.1"))
    while (talk := await veraz.widget_visitors.talk(widget, visitor)).answering:
        pass
    assert [one.role for one in talk.messages] == ["visitor", "agent"]
    assert "30 euros" in talk.messages[1].text
    offered = await veraz.widget_visitors.suggestions(widget, visitor, "es")
    assert offered == ["¿Cuál es la cuota mensual del gimnasio municipal?"]


async def test_the_other_tenant_cannot_reach_a_widget(desk: "Desk") -> None:
    path = f"/agents/{desk.agent}/widget"
    await desk.acme.call("PATCH", path, 200, json={})
    for method in ("GET", "PATCH", "DELETE"):
        await desk.door.rival.call(method, path, 404, json={} if method == "PATCH" else None)


def claim(text: str, *quotes: dict[str, Any]) -> dict[str, Any]:
    """As it is kept with its message."""
    return {"text": text, "quotes": list(quotes)}


def quote(at: int) -> dict[str, Any]:
    """A stretch of a document."""
    return {
        "document_id": "d",
        "document_name": "precios.pdf",
        "start_char": at,
        "end_char": at + 9,
        "page_number": at,
    }


@pytest.mark.timeout(60)  # a pattern that backtracks takes minutes
def test_no_message_stalls_what_visitors_read() -> None:
    for text in ("hola" + " " * 50_000 + "b", "_" * 50_000, "a b " * 10_000):
        plain(text)
        numbered(text, [{"text": "a b c d", "quotes": []}] * 10)
