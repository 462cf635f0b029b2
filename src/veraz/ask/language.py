"""The language of an answer: the one asked for, else the agent's, else the question's."""

import re

from veraz.ask.check.plain import plain
from veraz.text.stop_words import STOP_WORDS

_ENGLISH = STOP_WORDS["en"] - STOP_WORDS["es"]
_SPANISH = STOP_WORDS["es"] - STOP_WORDS["en"]


def answer_language(question: str, *, wanted: str | None = None, agents: str = "auto") -> str:
    """`es` or `en`."""
    for given in (wanted, agents):
        if given and given != "auto":
            return "en" if given.startswith("en") else "es"
    if re.search(r"[¿¡ñáéíóú]", question.lower()):
        return "es"
    words = plain(question).split()
    english, spanish = sum(w in _ENGLISH for w in words), sum(w in _SPANISH for w in words)
    return "en" if english > spanish else "es"
