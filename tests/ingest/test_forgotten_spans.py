"""What was forgotten of a document stays away from every new reading of it, wherever it stands then."""

from dataclasses import replace
from datetime import UTC, datetime
from uuid import UUID, uuid4

from veraz.ingest.chunk import chunk
from veraz.ingest.corrections import overlay
from veraz.ingest.forgotten_spans import BAR, ForgottenSpan, _digest, _words, barred, places, withhold
from veraz.ingest.model import Block, Parsed
from veraz.library.configs import ChunkingConfig

DOCUMENT = uuid4()
SECRET = "La clave es zorbelfunto, y nadie la sabe."


def span(text: str, document_id: UUID = DOCUMENT) -> ForgottenSpan:
    words = [word for word, _ in _words(text)]
    return ForgottenSpan(
        id=uuid4(),
        words=len(words),
        head=_digest(document_id, words[:3]),
        digest=_digest(document_id, words),
        created_by=None,
        created_at=datetime.now(UTC),
    )


def parsed(*paragraphs: str) -> Parsed:
    text = "\n\n".join(paragraphs)
    starts = [text.index(one) for one in paragraphs]
    blocks = tuple(
        Block(kind="paragraph", start=at, end=at + len(one))
        for at, one in zip(starts, paragraphs, strict=True)
    )
    return Parsed(text=text, blocks=blocks)


def test_words_are_found_wherever_they_stand_and_however_they_are_spaced() -> None:
    moved = "Prólogo nuevo.\n\nLa  clave es\nzorbelfunto, y NADIE la sabe. Fin."
    ((start, end),) = places(moved, DOCUMENT, [span(SECRET)])
    assert moved[start:end].startswith("La  clave")
    assert "sabe" in moved[start:end]
    assert "Fin" not in moved[start:end]
    assert len(places(f"{SECRET}\n{SECRET}", DOCUMENT, [span(SECRET)])) == 2


def test_another_document_that_says_the_same_keeps_it() -> None:
    assert places(SECRET, uuid4(), [span(SECRET)]) == []


def test_a_digest_holds_no_words() -> None:
    one = span(SECRET)
    assert b"zorbelfunto" not in one.head + one.digest


def test_bars_keep_every_other_place() -> None:
    text = f"Antes.\n\n{SECRET}\n\nDespués."
    kept = barred(text, places(text, DOCUMENT, [span(SECRET)]))
    assert len(kept) == len(text)
    assert kept.startswith("Antes.\n\n█")
    assert kept.endswith("█\n\nDespués.")
    whole = barred(text[4:], places(text, DOCUMENT, [span(SECRET)]), offset=4)
    assert whole == kept[4:]


def test_no_chunk_shows_bars_or_the_words_however_it_is_cut() -> None:
    document = parsed("Antes hay una frase.", SECRET, "Después hay otra frase más larga.")
    withheld = withhold(document, DOCUMENT, [span(SECRET)])
    for config in (
        ChunkingConfig(strategy="fixed", chunk_size=50, chunk_overlap=20),
        ChunkingConfig(strategy="paragraph", chunk_size=60, min_chunk_size=10),
        ChunkingConfig(strategy="paragraph"),
    ):
        chunks = chunk(withheld.parsed, config, name="a.md", embed_sentences=None)
        said = [one.content for one in overlay(withheld.parsed.text, chunks, withheld.gaps).chunks]
        assert "Antes hay una frase." in " ".join(said)
        assert "Después hay otra" in " ".join(said)
        assert not [one for one in said if BAR in one or "zorbelfunto" in one]


def test_headings_that_were_forgotten_stand_above_nothing() -> None:
    document = parsed("Quirmelonda", SECRET, "Otra cosa.")
    blocks = tuple(replace(block, headers=("Normas", "Quirmelonda")) for block in document.blocks)
    withheld = withhold(replace(document, blocks=blocks), DOCUMENT, [span(f"Quirmelonda {SECRET}")])
    assert {block.headers for block in withheld.parsed.blocks} == {("Normas",)}


def test_a_document_of_which_nothing_was_forgotten_is_left_alone() -> None:
    document = parsed("Antes.", SECRET)
    assert withhold(document, DOCUMENT, []).parsed is document
    assert withhold(document, DOCUMENT, [span("otra cosa que no dice")]).parsed is document
