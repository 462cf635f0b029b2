"""A question that leans on what was said before, made to stand alone."""

import re

from veraz.ask.asked import read_question
from veraz.ask.check.plain import plain
from veraz.ask.outcome import History
from veraz.ask.prompts import standalone
from veraz.errors import OutsideFault
from veraz.observe import log
from veraz.providers.chat.base import NO_USAGE, ChatModel, ChatRequest, Message, Usage, complete

_LEANS = re.compile(
    r"^\W*(?:y|e|pero|entonces|tambien|and|but|so|also|then)\b|\b(?:el|ella|ellos|ellas|eso|esto|ese|esa|este|esta|esos|esas|ahi|alli|su|"
    r"sus|lo|mismo|misma|anterior|it|its|he|she|they|them|their|his|her|that|this|those|there|same)\b(?!\s+(?:que|cual))"
)
_FEW = 3
_LONGEST = 400


def leans(question: str, language: str) -> bool:
    """Whether a question needs the ones before it to be understood."""
    asked = read_question(question, language)
    simple = plain(question)
    if re.match(r"^\W*(?:y|and|pero|but|entonces|so)\b", simple):
        return True
    named = any(not name.leading for name in asked.facts.names)
    return (not named and len(asked.words) <= _FEW and bool(_LEANS.search(simple))) or len(asked.words) == 0


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
    return f"{before[-1]} {question}"[-2_000:], NO_USAGE
