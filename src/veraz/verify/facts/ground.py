"""What a claim may take its facts from, and what reading it may cost."""

from collections.abc import Iterable
from dataclasses import dataclass

from veraz.text.stop_words import STOP_WORDS

MOST_READ = 20_000
"""Signs of a text that are read; a claim has far fewer."""
FUNCTION_WORDS: frozenset[str] = frozenset().union(*STOP_WORDS.values())
REMEMBERED = 256
"""Grounds whose facts are kept: the claims of an answer often stand on the same quotes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ground:
    """What a claim may take its facts from."""

    quotes: tuple[str, ...]
    places: tuple[str, ...]
    question: str = ""
    known: tuple[str, ...] = ()
    """Names that need no proof: the reader's, the agent's, the company's."""
    passages: tuple[str, ...] = ()
    """The whole passages the quotes stand in: a name may stand elsewhere in them."""

    @property
    def texts(self) -> tuple[str, ...]:
        """Everything a fact may stand in, the quotes first."""
        return cut((*self.quotes, *self.places, self.question, *self.known))


def cut(texts: Iterable[str]) -> tuple[str, ...]:
    return tuple(text[:MOST_READ] for text in texts)
