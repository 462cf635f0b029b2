"""What is said in Spanish on pages about what needs a person."""

from typing import Final

WORDS: Final[dict[str, str]] = {}
