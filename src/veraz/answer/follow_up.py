"""A question after others, made to stand alone: by the model, else by carrying over what it leans on.

A model is asked whenever something was asked before: only a reader notices that «¿y para niños?» and «¿cuánto para niños?» go on
with a subject and that another question begins a new one. Without a model the words tell (`text/languages`).
"""

import asyncio
import re
from functools import cache

from veraz.answer.model import History
from veraz.answer.prompts import standalone
from veraz.answer.question import read_question
from veraz.errors import OutsideFault
from veraz.observe import log
from veraz.providers.chat.base import NO_USAGE, ChatModel, ChatRequest, Message, Usage, complete
from veraz.text.injection import visible
from veraz.text.languages import phrases_of, words
from veraz.text.plain import plain, plain_words

_FEW = 3
_LONGEST = 400
_MAX_TOKENS = 1_500
"""The question takes a tenth of it; models that think first need the rest."""
_LONGEST_CARRIED = 1_000


async def stand_alone(
    question: str, history: History, language: str, model: ChatModel | None, seconds: float = 10.0
) -> tuple[str, Usage]:
    """The question as it is searched, and what finding it out took."""
    before = [message.text for message in history if message.role == "user"]
    if not before:
        return question, NO_USAGE
    if model is not None and (said := await _rewritten(question, history, language, model, seconds)):
        return said
    if not leans(question, language):
        return question, NO_USAGE
    return _carried(question, before, language), NO_USAGE


async def _rewritten(
    question: str, history: History, language: str, model: ChatModel, seconds: float
) -> tuple[str, Usage] | None:
    request = ChatRequest(
        instructions=standalone(language),
        messages=(*history, Message(role="user", text=question)),
        max_tokens=_MAX_TOKENS,
    )
    try:
        async with asyncio.timeout(seconds):
            done = await complete(model, request)
    except (OutsideFault, TimeoutError) as fault:
        log.warning("follow_up_not_rewritten", model=model.name, reason=getattr(fault, "code", "timeout"))
        return None
    text = " ".join(visible(done.text.encode("utf-8", "ignore").decode()).replace("\0", "").split())
    return (text, done.usage) if plain_words(text) and len(text) <= _LONGEST else None


def leans(question: str, language: str) -> bool:
    """Whether a question's words point at the ones before it."""
    if _opening().match(plain(question)):
        return True
    asked = read_question(question, language)
    named = any(not name.leading for name in asked.names)
    points = bool(_pointing().search(question.lower())) or _elides(question)
    return (not named and len(asked.words) <= _FEW and points) or not asked.words


def _elides(question: str) -> bool:
    """Whether it does not say of whom or what it asks: «¿incluye desayuno?», «¿cuánto cuesta?»."""
    spoken = plain_words(question)
    return bool(spoken) and (
        spoken[0] in words("follow_up", "begins") or spoken[-1] in words("follow_up", "ends")
    )


def _carried(question: str, before: list[str], language: str) -> str:
    """The question behind the last one that stood alone, and those between: what they are about is still meant."""
    chain = [question]
    for earlier in reversed(before):
        chain.insert(0, earlier)
        if not leans(earlier, language):
            break
    return " ".join(chain)[-_LONGEST_CARRIED:]


@cache
def _opening() -> "re.Pattern[str]":
    return re.compile(rf"\W*(?:{'|'.join(phrases_of('follow_up', 'opens'))})\b")


@cache
def _pointing() -> "re.Pattern[str]":
    """Words that stand for something said before; with their accents, because «el» and «esta» are in every question."""
    return re.compile(
        rf"\b(?:{_any('points')})\b(?!\s+(?:que|cual))|\b(?:{_any('asks')})\s+(?:{_any('clitics')})\s+\w"
    )


def _any(key: str) -> str:
    return "|".join(sorted(words("follow_up", key)))
