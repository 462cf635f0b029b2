"""What a link to a quotation shows in a browser: the words, where they stand, and the document around them."""

from collections.abc import Iterator, Mapping
from html import escape
from pathlib import Path
from typing import Final

from veraz.api.source_html import STYLE, blocks_html, grid_html, page_html
from veraz.errors import PageForgotten
from veraz.passages.model import LinkView, QuoteView, SourceView
from veraz.passages.service import SCALE

_WORDS: Final = {
    "es": {
        "changed": "El documento se ha cambiado desde que se citó. Así decía entonces.",
        "gone": "El documento se ha cambiado desde que se citó y ya no dice esto.",
        "corrected": "Una persona ha corregido este texto desde que se citó. Así decía entonces.",
        "corrected_gone": "Una persona ha corregido este texto desde que se citó y ya no dice lo que se citaba.",
        "says_now": "Ahora dice:",
        "by_hand": "Una persona corrigió estas palabras; el archivo del documento dice otras.",
        "by_hand_page": "La página muestra las palabras de antes.",
        "forgotten": "El documento que se citaba aquí se ha eliminado.",
        "missing": "Este enlace no lleva a ninguna cita que usted pueda ver.",
        "page": "página",
        "row": "fila",
        "quote": "Cita",
        "picture": "La página con la cita marcada",
        "in_document": "En el documento",
        "open": "Abrir el documento",
        "ask": "Preguntar a sus agentes",
        "page_forgotten": "Algo de esta página se olvidó; este es su texto.",
        "undrawn": "La página no se puede mostrar en este momento; este es su texto.",
        "by": "Una cita comprobable, mostrada por Veraz",
    },
    "en": {
        "changed": "The document has been changed since it was quoted. This is what it said then.",
        "gone": "The document has been changed since it was quoted and no longer says this.",
        "corrected": "A person has corrected this text since it was quoted. This is what it said then.",
        "corrected_gone": "A person has corrected this text since it was quoted; it no longer says what was quoted.",
        "says_now": "It now says:",
        "by_hand": "A person corrected these words; the document's file has others.",
        "by_hand_page": "The page shows the words before.",
        "forgotten": "The document that was quoted here has been deleted.",
        "missing": "This link leads to no quotation that you may see.",
        "page": "page",
        "row": "row",
        "quote": "Quotation",
        "picture": "The page with the quotation marked",
        "in_document": "In the document",
        "open": "Open the document",
        "ask": "Ask your agents",
        "page_forgotten": "Something on this page was forgotten; this is its text.",
        "undrawn": "The page cannot be shown right now; this is its text.",
        "by": "A quotation you can check, shown by Veraz",
    },
}
_STYLE: Final = Path(__file__).with_name("link_page.css").read_text(encoding="utf-8") + STYLE


def link_page(shown: SourceView, token: str, language: str, *, signed_in: bool) -> str:
    """The quotation in its document, and what has become of it."""
    words, found = _WORDS[language], shown.found
    if found.state == "forgotten":
        return _document(language, "", _note(words["forgotten"]) + (_ask(language) if signed_in else ""))
    notes = "".join(map(_note, _sentences(shown, words)))
    body = _shown(shown, found.quote, token, language) if found.quote else ""
    if found.quote and signed_in:
        body += _whole(found.quote, language) + _ask(language)
    return _document(language, escape(found.document_name or ""), notes + body)


def missing_page(language: str) -> str:
    """Where a link leads to nothing the reader may see."""
    return _document(language, "", _note(_WORDS[language]["missing"]) + _ask(language))


def _sentences(shown: SourceView, words: Mapping[str, str]) -> Iterator[str]:
    """What has become of the quotation since, or why its page shows other words."""
    yield from _became(shown.found, words)
    if shown.undrawn:
        yield words["page_forgotten" if isinstance(shown.undrawn, PageForgotten) else "undrawn"]


def _became(found: LinkView, words: Mapping[str, str]) -> Iterator[str]:
    if found.state == "changed":
        yield words["changed" if found.quote else "gone"]
    elif found.state == "corrected":
        yield words["corrected" if found.quote else "corrected_gone"]
        if found.says_now:
            yield f"{words['says_now']} {found.says_now}"
    elif found.quote and found.quote.corrected:
        yield words["by_hand"]
        if found.quote.view == "page":
            yield words["by_hand_page"]


def _shown(shown: SourceView, quote: QuoteView, token: str, language: str) -> str:
    words = _WORDS[language]
    said = f'<p class="place">{_place(quote, language)}</p>'
    said += f'<blockquote><mark id="quote">{escape(quote.text)}</mark></blockquote>'
    document = _pages(shown, token, words["picture"]) or _text(quote, words)
    return f"{said}<h2>{escape(words['in_document'])}</h2>{document}" if document else said


def _pages(shown: SourceView, token: str, words: str) -> str:
    address = f"/s/{token}/page.png"
    return "".join(
        page_html(page, f"{address}?page={page.page_number}&marks=false&scale={SCALE}&tag={page.tag}", words)
        for page in shown.pages
    )


def _text(quote: QuoteView, words: Mapping[str, str]) -> str:
    if quote.grid and quote.view == "sheet":
        return f'<div class="source-text">{grid_html(quote.grid, words["row"])}</div>'
    return f'<div class="source-text card">{blocks_html(quote.blocks)}</div>' if quote.blocks else ""


def _place(quote: QuoteView, language: str) -> str:
    words = _WORDS[language]
    parts = list(quote.place)
    parts += [f"{words['page']} {quote.page_number}"] if quote.page_number else []
    parts += [f"{words['row']} {quote.row}"] if quote.row else []
    return escape(" › ".join(parts))


def _whole(quote: QuoteView, language: str) -> str:
    address = f"/{language}/documents/{quote.document_id}?start={quote.start_char}&amp;end={quote.end_char}"
    address += f"&amp;version={quote.version}"
    return _way_on(address, _WORDS[language]["open"])


def _ask(language: str) -> str:
    return _way_on(f"/{language}/ask", _WORDS[language]["ask"])


def _way_on(address: str, words: str) -> str:
    return f'<p><a class="open" href="{address}">{escape(words)}</a></p>'


def _note(sentence: str) -> str:
    return f'<p class="note">{escape(sentence)}</p>'


def _document(language: str, title: str, body: str) -> str:
    name = title or escape(_WORDS[language]["quote"])
    return (
        f'<!doctype html><html lang="{language}"><head><meta charset="utf-8"><meta name="robots" content="noindex">'
        f'<meta name="viewport" content="width=device-width, initial-scale=1"><title>{name} · Veraz</title>'
        f"<style>{_STYLE}</style></head><body><header><h1>{name}</h1></header><main>{body}</main>"
        f"<footer>{escape(_WORDS[language]['by'])}</footer></body></html>"
    )
