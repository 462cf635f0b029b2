"""A page to try a widget on, for who manages its agent: an invented shop, and the one script tag."""

from html import escape
from typing import Final

from veraz.channels.widget.settings import Widget

_WORDS: Final = {
    "es": {
        "title": "Página de prueba",
        "note": "Así verán el asistente quienes visiten su sitio. Esta página solo la ven quienes administran el agente.",
        "heading": "Su sitio web",
        "text": "Este texto hace las veces de su página. Abra el asistente con el botón de la esquina y hágale una pregunta.",
    },
    "en": {
        "title": "Test page",
        "note": "This is how visitors of your site will see the assistant. Only who manages the agent sees this page.",
        "heading": "Your website",
        "text": "This text stands for your page. Open the assistant with the button in the corner and ask it something.",
    },
}
_STYLE: Final = (
    ":root{color-scheme:light dark}body{font:17px/1.6 Georgia,serif;margin:0}.note{font:15px/1.5 system-ui,sans-serif;"
    "background:#8882;padding:.8rem 1.4rem}main{max-width:44rem;margin:0 auto;padding:3rem 1.4rem}h1{font-size:2.2rem}"
    ".line{height:.9rem;border-radius:.4rem;background:#8883;margin:.9rem 0}"
)


def test_page(widget: Widget, preview: str, language: str) -> str:
    """The page; `preview` lets our own address show the widget whatever its settings say."""
    words = _WORDS[language]
    lines = "".join(
        f'<div class="line" style="width:{width}%"></div>' for width in (96, 88, 92, 60, 94, 85, 40)
    )
    return (
        f'<!doctype html><html lang="{language}"><head><meta charset="utf-8"><meta name="robots" content="noindex">'
        f'<meta name="viewport" content="width=device-width, initial-scale=1"><title>{words["title"]} · Veraz</title>'
        f'<style>{_STYLE}</style></head><body><p class="note" style="margin:0">{words["note"]}</p><main><h1>{words["heading"]}</h1>'
        f'<p>{words["text"]}</p><div aria-hidden="true">{lines}</div></main>'
        f'<script src="/widget.js" data-agent="{escape(widget.public_id)}" data-preview="{escape(preview)}" async></script>'
        "</body></html>"
    )
