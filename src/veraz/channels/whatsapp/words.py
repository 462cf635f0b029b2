"""What Veraz itself says on WhatsApp, and an answer as WhatsApp writes it."""

import re
from collections.abc import Iterator
from typing import Final

from veraz.text.citations import CITATION

LONGEST_TEXT: Final = 4_096
"""Characters Meta takes in one message."""

_ONLY_TEXT: Final = (
    "Por ahora solo puedo leer mensajes de texto. ¿Me lo puede escribir?",
    "For now I can only read text messages. Could you write it to me?",
)
_NAMES: Final[dict[str, tuple[str, str]]] = {
    "image": ("[imagen]", "[picture]"),
    "audio": ("[audio]", "[audio]"),
    "video": ("[vídeo]", "[video]"),
    "document": ("[documento]", "[document]"),
    "sticker": ("[sticker]", "[sticker]"),
    "location": ("[ubicación]", "[location]"),
    "contacts": ("[contacto]", "[contact]"),
}
_OTHER: Final = ("[mensaje sin texto]", "[message without text]")
_BOLD: Final = re.compile(r"\*\*(.+?)\*\*|__(.+?)__")
_HEADING: Final = re.compile(r"^#{1,6}\s+(.+?)\s*$", re.MULTILINE)
_BEFORE_STOP: Final = re.compile(r"[ \t]+([.,;:])")


def only_text(language: str) -> str:
    """The polite answer to a picture, a voice note, a place."""
    return _ONLY_TEXT[_index(language)]


def stands_for(kind: str, language: str) -> str:
    """What a conversation shows in the place of something that is no text."""
    return _NAMES.get(kind, _OTHER)[_index(language)]


def as_whatsapp_writes(answer: str) -> str:
    """Without the numbers of passages, which only people with the documents can look up; bold with one star."""
    text = CITATION.sub("", answer)
    text = _BEFORE_STOP.sub(r"\1", text)
    text = _BOLD.sub(lambda found: f"*{found[1] or found[2]}*", text)
    return _HEADING.sub(r"*\1*", text).strip()


def pieces(text: str, longest: int = LONGEST_TEXT) -> Iterator[str]:
    """Parts Meta takes, cut where a paragraph, a line, a sentence or at least a word ends."""
    rest = text.strip()
    while len(rest) > longest:
        cut = _cut(rest, longest)
        yield rest[:cut].rstrip()
        rest = rest[cut:].lstrip()
    if rest:
        yield rest


def _cut(text: str, longest: int) -> int:
    for end in ("\n\n", "\n", ". ", " "):
        found = text.rfind(end, longest // 2, longest)
        if found > 0:
            return found + len(end)
    return longest


def _index(language: str) -> int:
    return 1 if language.startswith("en") else 0
