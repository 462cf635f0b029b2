"""How answers cite: `[Chunk 2]`, and the forms models use instead; where a claim stands in its answer."""

import re
from collections.abc import Iterator
from typing import Final

CITATION = re.compile(
    r"(?<![ \t])[ \t]*+[\[(【]\s*+(?:chunks?|fragmentos?|fuentes?|sources?|doc(?:umento)?s?|refs?)[\s:#nº.°]*+"
    r"(?P<numbers>\d{1,4}(?:\s*+(?:,|;|y|and|&|/)\s*+(?:(?:chunks?|fragmentos?)\s*+)?\d{1,4})*+)\s*+[\])】]"
    r"|(?<![ \t])[ \t]*+\[\s*+\^?(?P<bare>\d{1,3}(?:\s*+,\s*+\d{1,3})*+)\s*+\](?!\()",
    re.IGNORECASE,
)
_CITED: Final = CITATION.pattern.replace("?P<numbers>", "?:").replace("?P<bare>", "?:")
_GAP: Final = rf"(?:\s|\*|_|{_CITED})++"
_END: Final = rf"(?:\*|_|{_CITED})*[.!?…]*(?:{_CITED})*"


def places_of(claim: str, text: str) -> Iterator[re.Match[str]]:
    """Where a claim stands in the answer it was taken from, with the citations in and behind it, whatever is emphasised."""
    bare = (word.strip("*_") for word in CITATION.sub(" ", claim).strip(" .!?…").split())
    words = [re.escape(word) for word in bare if word]
    return re.finditer(_GAP.join(words) + _END, text, re.IGNORECASE) if words else iter(())
