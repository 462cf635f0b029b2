"""A second opinion: a chat model says whether a claim follows from the sentence it cites.

It is asked only about claims whose figures, dates and names agree with a cited sentence and whose other words do not all
stand there; what contradicts its passage is never asked about. Whatever goes wrong counts as a no.
"""

import asyncio
from typing import Protocol

from veraz.ask.prompts import claim_to_judge
from veraz.errors import OutsideFault
from veraz.observe import log
from veraz.providers.chat.base import NO_USAGE, ChatModel, ChatRequest, Message, Usage, complete

_MOST = 6
"""Claims of one answer it is asked about; the others stay unproven."""
_SECONDS = 10.0
_YES = frozenset({"si", "sí", "yes"})


class Referee(Protocol):
    """Has a second opinion."""

    async def follows(self, claim: str, sentence: str) -> bool:
        """Whether the sentence alone says what the claim says; never raises for a fault of the model."""


class ChatReferee:
    """A chat model as referee of one answer."""

    def __init__(self, model: ChatModel, language: str) -> None:
        self._model = model
        self._language = language
        self._asked = 0
        self.usage: Usage = NO_USAGE
        """What its opinions took."""

    async def follows(self, claim: str, sentence: str) -> bool:
        """Only a plain yes is a yes."""
        if self._asked >= _MOST:
            return False
        self._asked += 1
        rules, text = claim_to_judge(claim, sentence, self._language)
        request = ChatRequest(instructions=rules, messages=(Message(role="user", text=text),), max_tokens=10)
        try:
            async with asyncio.timeout(_SECONDS):
                said = await complete(self._model, request)
        except (OutsideFault, TimeoutError) as fault:
            reason = fault.code if isinstance(fault, OutsideFault) else "timeout"
            log.warning("claim_not_judged", model=self._model.name, reason=reason)
            return False
        self.usage = self.usage.plus(said.usage)
        return said.text.strip(" \n.!«»\"'*").lower() in _YES
