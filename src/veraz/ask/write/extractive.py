"""The writer that needs no model: it quotes the sentences that answer, in reading order, and so cannot invent."""

import re
from collections.abc import AsyncGenerator, Sequence
from functools import partial

from veraz.ask.check.plain import plain
from veraz.ask.outcome import EXTRACTIVE
from veraz.ask.phrases import GREETING, NO_SECTION, headings, said
from veraz.ask.pick import Pick
from veraz.ask.write.base import Task
from veraz.providers.chat.base import NO_USAGE, Delta, Finished, Piece

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


class ExtractiveWriter:
    """Quotes with citations, in every style."""

    name = EXTRACTIVE

    async def write(self, task: Task) -> AsyncGenerator[Piece, None]:
        """The quotation, at once."""
        text = _evidence(task) if task.persona.style == "evidence" else _plainly(task)
        yield Delta(text=text)
        yield Finished(text=text, model=self.name, usage=NO_USAGE)

    async def revise(self, task: Task, draft: str, wrong: Sequence[tuple[str, str]]) -> None:
        """A quotation would come out the same."""


def _plainly(task: Task) -> str:
    quotes = " ".join(_cited(pick) for pick in _chosen(task, _MOST, _NEAR))
    name = task.persona.user_name
    if task.persona.style == "chat" and name and not task.history:
        return f"{said(GREETING, task.persona.language).format(name=name)} {quotes}"
    return quotes


def _evidence(task: Task) -> str:
    """The sections there is evidence for; the others say plainly that there is none."""
    chosen = _chosen(task, _MOST_EVIDENCE, _NEAR_EVIDENCE)
    said_, do, do_not, alert = headings(task.persona.language)[:4]
    warn = [p for p in chosen if _ALERT.search(p.sentence.plain)]
    never = [p for p in chosen if p not in warn and _DO_NOT.search(p.sentence.plain)]
    steps = [p for p in chosen if p not in warn + never and _DO.search(p.sentence.plain)]
    facts = [p for p in chosen if p not in warn + never + steps] or chosen[:1]
    empty = said(NO_SECTION, task.persona.language)
    section = partial(_section, empty=empty)
    return "\n\n".join(
        (section(said_, facts), section(do, steps), section(do_not, never), section(alert, warn))
    )


def _section(title: str, found: Sequence[Pick], *, empty: str) -> str:
    lines = [f"- {_cited(pick)}" for pick in found] or [empty]
    return "\n".join([f"## {title}", *lines])


def _chosen(task: Task, most: int, near: float) -> list[Pick]:
    """The best sentences in reading order: passages by rank, sentences as they stand in them."""
    rated = task.opening.sentences
    best = rated[0][0]
    chosen: list[Pick] = []
    for score, pick in rated:
        if len(chosen) >= most or score < near * best:
            break
        if not any(plain(pick.sentence.text) == plain(other.sentence.text) for other in chosen):
            chosen += [p for p in (_antecedent(task, pick), pick) if p is not None and p not in chosen]
    told = [
        pick for pick in chosen if not pick.sentence.text.startswith("#")
    ]  # a title alone answers nothing
    return sorted(_within(told or chosen, _MOST_WORDS), key=lambda pick: (pick.number, pick.index))


def _antecedent(task: Task, pick: Pick) -> Pick | None:
    """«Ella dirige…» is quoted with the sentence that says who she is."""
    if not _OPEN.match(pick.sentence.text):
        return None
    before = (p for _, p in task.opening.sentences if p.number == pick.number and p.index == pick.index - 1)
    return next(before, None)


def _within(chosen: Sequence[Pick], words: int) -> list[Pick]:
    kept: list[Pick] = []
    for pick in chosen:
        words -= len(pick.sentence.text.split())
        if words >= 0 or not kept:
            kept.append(pick)
    return kept


def _cited(pick: Pick) -> str:
    text = " ".join(pick.sentence.text.split()).lstrip("-*•·–|># ").rstrip()
    bare = text.rstrip(".")
    return (
        f"{bare} [Chunk {pick.number}]." if not text.endswith(("!", "?")) else f"{text} [Chunk {pick.number}]"
    )
