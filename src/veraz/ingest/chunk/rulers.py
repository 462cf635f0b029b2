"""Sizes in the unit the knowledge base chose; every strategy measures through one of these."""

from typing import Protocol

from veraz.library.configs import SizeUnit
from veraz.text.tokens import TokenRuler, count_tokens


class Ruler(Protocol):
    """Measures spans of one text."""

    def size(self, start: int, end: int) -> int:
        """Size of `text[start:end]`, which does not end in white space."""

    def reach(self, start: int, limit: int) -> int:
        """About the farthest position within `limit` of `start`."""

    def back(self, end: int, limit: int) -> int:
        """About the earliest position within `limit` before `end`."""

    @staticmethod
    def of(text: str) -> int:
        """Size of another text."""


class Characters:
    """One character, one unit."""

    def __init__(self, text: str) -> None:
        self._length = len(text)

    def size(self, start: int, end: int) -> int:
        """Size of a span."""
        return end - start

    def reach(self, start: int, limit: int) -> int:
        """The farthest position within the limit."""
        return min(start + limit, self._length)

    def back(self, end: int, limit: int) -> int:
        """The earliest position within the limit."""
        return max(end - limit, 0)

    @staticmethod
    def of(text: str) -> int:
        """Size of another text."""
        return len(text)


class Tokens(TokenRuler):
    """OpenAI's tokens."""

    @staticmethod
    def of(text: str) -> int:
        """Size of another text."""
        return count_tokens(text)


def pick_ruler(unit: SizeUnit, text: str, tokens: Tokens) -> Ruler:
    """The ruler for a unit."""
    return tokens if unit == "tokens" else Characters(text)
