"""The writer that needs no model: it quotes the sentences that answer, in reading order, and so cannot invent."""

import re
from collections.abc import Sequence

from veraz.answer.answerability import Answerability
from veraz.answer.passage_sentences import Pick
from veraz.answer.wording import headings
from veraz.answer.writer import Task
from veraz.text.plain import plain
from veraz.verify.claims import Piece
from veraz.verify.model import Checked, Proof, Quote
from veraz.verify.quotes import find_quote

_NEAR, _NEAR_EVIDENCE = 0.72, 0.4
"""A further sentence is quoted when it speaks to the question nearly as well as the best."""
_MOST, _MOST_EVIDENCE = 2, 5
_MOST_WORDS = 170
_DO = re.compile(
    r"\b(?:debe|deben|debera|deberan|hay que|es necesario|se recomienda|recomendamos|conviene|puede solicitar|tiene que|tienen que|"
    r"must|should|shall|has to|have to|need to|is recommended|we recommend)\b"
)
_DO_NOT = re.compile(
    r"\b(?:no (?:debe|deben|debera|puede|pueden|se (?:debe|permite|admite|recomienda|puede)|esta permitido)|prohib\w+|evite|evitar|nunca|"
    r"must not|should not|shall not|may not|cannot|never|avoid|prohibited|forbidden)\b"
)
_ALERT = re.compile(
    r"\b(?:peligro\w*|riesgo\w*|advertencia\w*|alerta\w*|urgen\w+|emergencia\w*|grave\w*|consulte|atencion:|danger\w*|risk\w*|warning\w*|"
    r"alert\w*|urgent\w*|emergency|severe|caution)\b"
)
_OPEN = re.compile(
    r"^(?:él|ella|ellos|ellas|este|esta|esto|estos|estas|dicho|dicha|it|he|she|they|this|these|that)\b", re.I
)


def quotations(task: Task, found: Answerability) -> list[Checked]:
    """The quotations that answer, each with where it stands; in the evidence style under its headings."""
    if task.persona.style == "evidence":
        return _sections(task, found)
    return [_quoted(task, pick) for pick in _chosen(found, _MOST, _NEAR)]


def _sections(task: Task, found: Answerability) -> list[Checked]:
    """The sections there is evidence for."""
    chosen = _chosen(found, _MOST_EVIDENCE, _NEAR_EVIDENCE)
    warn = [p for p in chosen if _ALERT.search(p.sentence.plain)]
    never = [p for p in chosen if p not in warn and _DO_NOT.search(p.sentence.plain)]
    steps = [p for p in chosen if p not in warn + never and _DO.search(p.sentence.plain)]
    facts = [p for p in chosen if p not in warn + never + steps] or chosen[:1]
    titles = headings(task.persona.language)[:4]
    sections = zip(titles, (facts, steps, never, warn), strict=True)
    return [piece for title, picks in sections if picks for piece in _section(task, title, picks)]


def _section(task: Task, title: str, picks: Sequence[Pick]) -> list[Checked]:
    heading = Checked(piece=Piece(kind="heading", text=f"## {title}", ends_line=True))
    blank = Checked(piece=Piece(kind="blank", text="", ends_line=True))
    return [heading, *(_quoted(task, pick, mark="- ") for pick in picks), blank]


def _quoted(task: Task, pick: Pick, mark: str = "") -> Checked:
    source = task.sources[pick.number - 1]
    text = " ".join(pick.sentence.text.split()).lstrip("-*•·–|># ").rstrip()
    whole = Quote(
        number=source.number, chunk_id=source.chunk_id, text=source.text, start=0, end=len(source.text)
    )
    quotes = find_quote(pick.sentence.text, source) or (whole,)
    piece = Piece(
        kind="claim",
        text=text if text.endswith((".", "!", "?", "…")) else f"{text}.",
        cited=(source.number,),
        mark=mark,
        ends_line=bool(mark),
    )
    return Checked(piece=piece, proof=Proof(verdict="quoted", quotes=quotes))


def _chosen(found: Answerability, most: int, near: float) -> list[Pick]:
    """The best sentences in reading order: passages by rank, sentences as they stand in them."""
    rated = found.sentences
    best = rated[0][0]
    chosen: list[Pick] = []
    for score, pick in rated:
        if len(chosen) >= most or score < near * best:
            break
        if not any(plain(pick.sentence.text) == plain(other.sentence.text) for other in chosen):
            chosen += [p for p in (_antecedent(found, pick), pick) if p is not None and p not in chosen]
    told = [
        pick for pick in chosen if not pick.sentence.text.startswith("#")
    ]  # a title alone answers nothing
    return sorted(_within(told or chosen, _MOST_WORDS), key=lambda pick: (pick.number, pick.index))


def _antecedent(found: Answerability, pick: Pick) -> Pick | None:
    """«Ella dirige…» is quoted with the sentence that says who she is."""
    if not _OPEN.match(pick.sentence.text):
        return None
    before = (p for _, p in found.sentences if p.number == pick.number and p.index == pick.index - 1)
    return next(before, None)


def _within(chosen: Sequence[Pick], words: int) -> list[Pick]:
    kept: list[Pick] = []
    for pick in chosen:
        words -= len(pick.sentence.text.split())
        if words >= 0 or not kept:
            kept.append(pick)
    return kept
