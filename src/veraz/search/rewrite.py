"""Question → [Query]: the question itself and, where a rewriter is at hand, other wordings of it.

Accents, inflection and kin words need no second query here: words are stripped and stemmed on both sides, and the
reranker counts kin. Misspelt words are put right by `spelling`. A chat model's wordings come in through `Rewriter`;
it has a few seconds, and without it the question is searched as it is.
"""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from veraz.errors import OutsideFault
from veraz.observe import log
from veraz.providers.chat.base import Usage
from veraz.search.model import Help, Query, Question
from veraz.search.spelling import respelt

MOST = 3
"""Sub-queries besides the question itself."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rewritten:
    """Other wordings of a question, and what finding them took."""

    wordings: tuple[str, ...]
    model: str
    usage: Usage


class Rewriter(Protocol):
    """Says the same in other words: only synonyms and technical terms of the question, no new concepts."""

    @property
    def name(self) -> str:
        """`provider:model`."""

    async def rewrite(self, question: str) -> Rewritten:
        """Two or three wordings, or none; raises an `OutsideFault` when it cannot."""


async def rewrite(
    question: Question,
    rewriter: Rewriter | None,
    spelling: Mapping[str, Mapping[str, str]] | None = None,
    *,
    seconds: float = 5.0,
) -> tuple[list[Query], Help | None]:
    """The queries to search for, the question first with its spelling put right, and who helped."""
    asked = Query(text=question.text, spelling=spelling or {}, meant=_meant(question.text, spelling or {}))
    if rewriter is None:
        return [asked], None
    try:
        async with asyncio.timeout(seconds):
            said = await rewriter.rewrite(question.text)
    except (OutsideFault, TimeoutError) as fault:
        reason = fault.code if isinstance(fault, OutsideFault) else "timeout"
        log.warning("question_not_rewritten", model=rewriter.name, reason=reason)
        return [asked], Help(stage="rewrite", model=rewriter.name, fault=reason)
    wordings = dict.fromkeys(text.strip() for text in said.wordings)
    others = [text for text in wordings if text and text != question.text]
    helped = Help(stage="rewrite", model=said.model, usage=said.usage)
    return [asked, *(Query(text=text, rewritten=True) for text in others[:MOST])], helped


def _meant(text: str, spelling: Mapping[str, Mapping[str, str]]) -> str:
    """The question with misspelt words put right in the first language that knows better."""
    said = (respelt(text, corrected, language) for language, corrected in spelling.items())
    return next((other for other in said if other != text), "")
