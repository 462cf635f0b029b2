"""A chat model that says a question in other words, under a guard-rail: synonyms and technical terms, nothing new."""

import re
from collections.abc import Iterable
from typing import Any

from veraz.errors import OutsideDown
from veraz.providers.chat.base import ChatModel, ChatRequest, Message, complete
from veraz.search.rewrite import MOST, Rewritten
from veraz.text.injection import visible
from veraz.text.json_reply import json_in
from veraz.text.languages import in_another_language
from veraz.text.templates import template

_LONGEST_QUESTION = 2_000
_LONGEST = 300
_MAX_TOKENS = 1_500
"""The wordings take a tenth of it; models that think first need the rest."""
_FIGURE = re.compile(r"\d+")


class ChatRewriter:
    """One request to a chat model."""

    def __init__(self, model: ChatModel) -> None:
        self._model = model

    @property
    def name(self) -> str:
        """The model's name."""
        return self._model.name

    async def rewrite(self, question: str) -> Rewritten:
        """At most three other wordings; what the guard-rail refuses is left out."""
        asked = question[:_LONGEST_QUESTION]
        language = "en" if in_another_language(asked, "es") else "es"
        request = ChatRequest(
            instructions=template("search", "rewrite", language),
            messages=(Message(role="user", text=asked),),
            max_tokens=_MAX_TOKENS,
        )
        done = await complete(self._model, request)
        try:
            said: Any = json_in(done.text, "[")
        except ValueError as error:
            raise OutsideDown(host=self.name, reason="wordings that cannot be read") from error
        wordings = [text for text in _texts(said) if _says_nothing_new(text, asked)]
        return Rewritten(wordings=tuple(wordings[:MOST]), model=done.model, usage=done.usage)


def _texts(said: list[Any]) -> Iterable[str]:
    """What is a line of text of a sensible length."""
    lines = (" ".join(visible(text).split()) for text in said if isinstance(text, str))
    return dict.fromkeys(line for line in lines if any(map(str.isalpha, line)) and len(line) <= _LONGEST)


def _says_nothing_new(wording: str, question: str) -> bool:
    """A figure or date that was not asked about is a new concept, whatever the model was told."""
    return set(_FIGURE.findall(wording)) <= set(_FIGURE.findall(question)) and wording != question
