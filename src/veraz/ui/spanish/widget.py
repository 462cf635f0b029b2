"""What is said in Spanish on pages about the website widget."""

from typing import Final

WORDS: Final[dict[str, str]] = {}
