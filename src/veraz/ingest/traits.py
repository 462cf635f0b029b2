"""What is worked out once from a document that was read: how long it is, what its name and its beginning say of other
editions, and a sketch by which nearly equal documents are found."""

import re
from dataclasses import dataclass

from veraz.ingest.model import Parsed
from veraz.ingest.similar import bands, sketch
from veraz.text.editions import version_key
from veraz.text.languages import phrases_of
from veraz.text.plain import plain
from veraz.text.sentences import sentences

_FIRST_BLOCKS = 30
_LONGEST_STATEMENT = 400
_PHRASES = phrases_of("editions", "replaces")
_REPLACES = re.compile(rf"(?<!\bno )(?<!\bnot )(?<!\bnao )\b(?:{'|'.join(map(re.escape, _PHRASES))})\b")


@dataclass(frozen=True, slots=True, kw_only=True)
class Traits:
    """What is known of a document beyond its text."""

    words: int
    edition_stem: str
    replaces: str | None
    sketch: list[int]
    bands: list[int]


def traits_of(parsed: Parsed, name: str) -> Traits:
    """Everything at once."""
    bins = sketch(parsed.text)
    return Traits(
        words=parsed.count_words(),
        edition_stem=version_key(name)[0],
        replaces=replaces_statement(parsed),
        sketch=bins,
        bands=bands(bins),
    )


def replaces_statement(parsed: Parsed) -> str | None:
    """The sentence, within the first blocks, that says the document replaces another."""
    blocks = parsed.blocks[:_FIRST_BLOCKS]
    beginning = plain(parsed.text[blocks[0].start : blocks[-1].end]) if blocks else ""
    if not any(phrase in beginning for phrase in _PHRASES):
        return None  # as most documents: nothing to cut into sentences
    for block in blocks:
        for sentence in sentences(parsed.of(block)):
            if _REPLACES.search(plain(sentence)):
                return " ".join(sentence.split())[:_LONGEST_STATEMENT]
    return None
