"""A passage a search found: where it stands, how well it fits in one number, and every score for who asks."""

import html
import re
from typing import Final

import nh3
from nicegui import ui

from veraz.search.model import Hit, Passage
from veraz.text.words import lexemes
from veraz.ui.parts import number, tier_badge
from veraz.ui.visit import Visit

_WORD: Final = re.compile(r"[^\W_]+")
_HEADING: Final = re.compile(r"^#{1,6}[ \t]+(.+)$", re.MULTILINE)
_FITS: Final = (
    (0.7, "good", "Very relevant"),
    (0.5, "some", "Somewhat relevant"),
    (0.0, "little", "Hardly relevant"),
)


def hit_card(
    visit: Visit, hit: Hit, question: str, *, anchor: str = "", place_number: int = 0, cut: bool = False
) -> ui.card:
    """A passage with its document, its place, how well it fits, and its scores in a fold; `cut` off by the threshold or not."""
    passage = hit.passage
    with ui.card().classes("w-full evidence") as card:
        if anchor:
            card.props(f"id={anchor}")
        with ui.row().classes("w-full items-center gap-3"):
            if place_number:
                ui.label(f"[{place_number}]").classes("text-bold")
            ui.icon("description").classes("quiet").props("aria-hidden=true")
            ui.link(passage.document_name, _at_passage(visit, passage)).classes("text-bold break")
            ui.label(_place(visit, passage)).classes("quiet small")
            tier_badge(visit, passage.source_tier)
            ui.space()
            similarity = visit.t("Similarity {n}", n=number(visit, hit.similarity, 2))
            ui.label(similarity).classes("fits little" if cut else "quiet small")
            if not cut:
                _fits(visit, hit.relevance)
        if passage.headers:
            ui.label(" › ".join(passage.headers)).classes("quiet small break")
        ui.html(highlighted(passage.content, question, passage.language), sanitize=_only_marks).classes(
            "passage found"
        )
        _scores(visit, hit)
    return card


def _fits(visit: Visit, value: float) -> None:
    """How well a passage fits, in words; the similarity beside it is what the threshold is held against."""
    kind, words = next((kind, words) for least, kind, words in _FITS if value >= least)
    ui.label(visit.t(words)).classes(f"fits {kind}")


def _at_passage(visit: Visit, passage: Passage) -> str:
    base = f"/knowledge-bases/{passage.kb_id}/documents/{passage.document_id}"
    return visit.to(f"{base}?start={passage.start_char}&end={passage.end_char}")


def _place(visit: Visit, passage: Passage) -> str:
    """Where in its document it stands, as people cite it."""
    if passage.page_number is not None:
        return visit.t("Page {n}", n=passage.page_number)
    return passage.sheet or passage.part or visit.t("Chunk {n}", n=passage.ordinal + 1)


def _scores(visit: Visit, hit: Hit) -> None:
    t, passage = visit.t, hit.passage
    parts: list[tuple[str, str, str]] = [
        (
            t("Similarity"),
            number(visit, hit.similarity, 2),
            t("of meaning; the threshold is held against it"),
        ),
        (
            t("Cosine"),
            number(visit, passage.cosine, 3) if passage.cosine is not None else "–",
            t("of the vectors, raw"),
        ),
        (t("Words (BM25)"), number(visit, passage.bm25, 2), t("how many rare words of the question it has")),
        (t("RRF"), number(visit, hit.rrf_score, 4), t("its places by meaning and by words, together")),
        (t("Match"), number(visit, hit.match, 2), t("meaning, words and second reading together")),
        (t("Boost"), number(visit, hit.boost, 2), t("what the standing of its source adds")),
    ]
    if passage.authority_score:
        parts.append((t("Authority"), number(visit, passage.authority_score), t("of its source, 0 to 100")))
    with (
        ui.expansion(t("All scores")).classes("w-full scores").props("dense"),
        ui.element("dl").classes("score-list"),
    ):
        for name, value, meaning in parts:
            with ui.element("dt"):
                ui.label(name)
            with ui.element("dd"):
                ui.label(value).classes("text-bold")
                ui.label(meaning).classes("quiet small")


def highlighted(text: str, question: str, language: str) -> str:
    """The text as HTML, with the question's words marked wherever their stem appears; headings of Markdown in bold."""
    return _HEADING.sub(r"<b>\1</b>", _marked(text, question, language))


def _marked(text: str, question: str, language: str) -> str:
    wanted = set(lexemes(question, language))

    def mark(found: re.Match[str]) -> str:
        word = found.group()
        return f"<mark>{word}</mark>" if wanted.intersection(lexemes(word, language)) else word

    pieces: list[str] = []
    last = 0
    for found in _WORD.finditer(text):
        pieces += [html.escape(text[last : found.start()]), mark(found)]
        last = found.end()
    return "".join([*pieces, html.escape(text[last:])])


def _only_marks(markup: str) -> str:
    return nh3.clean(markup, tags={"b", "mark"}, attributes={})
