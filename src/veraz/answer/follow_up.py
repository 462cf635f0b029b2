"""A question that leans on what was said before, made to stand alone: by the model, else by carrying the subject over."""

import re

from veraz.answer.model import History
from veraz.answer.prompts import standalone
from veraz.answer.question import read_question
from veraz.errors import OutsideFault
from veraz.observe import log
from veraz.providers.chat.base import NO_USAGE, ChatModel, ChatRequest, Message, Usage, complete
from veraz.text.plain import plain

_OPENS = re.compile(r"^\W*(?:y|e|pero|entonces|and|but|so|mas)\b")
_POINTS = re.compile(
    r"\b(?:el|ella|ellos|ellas|eso|esto|ese|esa|este|esta|esos|esas|estos|ahi|alli|su|sus|lo|mismo|misma|anterior|tambien|"
    r"it|its|he|she|they|them|their|his|her|that|this|those|there|same|also|isso|isto|ele|ela|la)\b(?!\s+(?:que|cual))"
)
_FEW = 3
_LONGEST = 400
_LONGEST_CARRIED = 1_000


def leans(question: str, language: str) -> bool:
    """Whether a question needs the ones before it to be understood."""
    asked = read_question(question, language)
    simple = plain(question)
    if _OPENS.match(simple):
        return True
    named = any(not name.leading for name in asked.names)
    return (not named and len(asked.words) <= _FEW and bool(_POINTS.search(simple))) or len(asked.words) <= 1


async def stand_alone(
    question: str, history: History, language: str, model: ChatModel | None
) -> tuple[str, Usage]:
    """The question as it is searched, and what finding it out took."""
    before = [message.text for message in history if message.role == "user"]
    if not before or not leans(question, language):
        return question, NO_USAGE
    if model is not None:
        request = ChatRequest(
            instructions=standalone(language),
            messages=(*history, Message(role="user", text=question)),
            max_tokens=120,
        )
        try:
            done = await complete(model, request)
        except OutsideFault as fault:
            log.warning("follow_up_not_rewritten", reason=fault.code)
        else:
            if 0 < len(done.text.strip()) <= _LONGEST:
                return done.text.strip(), done.usage
    return _carried(question, before, language), NO_USAGE


def _carried(question: str, before: list[str], language: str) -> str:
    """The question behind the last one that stood alone, and those between: what they are about is still meant."""
    chain = [question]
    for earlier in reversed(before):
        chain.insert(0, earlier)
        if not leans(earlier, language):
            break
    return " ".join(chain)[-_LONGEST_CARRIED:]
