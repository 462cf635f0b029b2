"""The language of an answer: the one asked for, else the agent's, else the question's."""

import re
from functools import cache

from veraz.text.plain import plain
from veraz.text.stop_words import STOP_WORDS

LANGUAGES = ("es", "en", "pt")
_SIGNS = {"es": re.compile(r"[¿¡ñ]"), "pt": re.compile(r"[ãõçêô]")}


def answer_language(question: str, *, wanted: str | None = None, agents: str = "auto") -> str:
    """`es`, `en` or `pt`; Spanish where nothing tells."""
    for given in (wanted, agents):
        if given and given != "auto":
            return given[:2] if given[:2] in LANGUAGES else "es"
    lowered = question.lower()
    for code, signs in _SIGNS.items():
        if signs.search(lowered):
            return code
    words = plain(question).split()
    return max(LANGUAGES, key=lambda code: sum(word in _own(code) for word in words))


@cache
def _own(code: str) -> frozenset[str]:
    """Function words of one language alone."""
    others = frozenset().union(*(STOP_WORDS[other] for other in LANGUAGES if other != code))
    return STOP_WORDS[code] - others
