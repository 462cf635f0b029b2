"""What was forgotten of a document stays away from every new reading of it, wherever it stands then."""

from collections.abc import Sequence
from dataclasses import asdict, replace
from datetime import UTC, datetime
from uuid import UUID, uuid4

from veraz.ingest.chunk import chunk
from veraz.ingest.corrections import overlay
from veraz.ingest.forgotten_spans import (
    BAR,
    ForgottenSpan,
    Place,
    barred,
    pieces_of,
    places,
    whole_words,
    withhold,
)
from veraz.ingest.model import Block, Parsed
from veraz.library.configs import ChunkingConfig

DOCUMENT = uuid4()
SECRET = "La clave es zorbelfunto, y nadie la sabe."


def spans(
    text: str, said: str | None = None, document_id: UUID = DOCUMENT, common: Sequence[Place] = ()
) -> list[ForgottenSpan]:
    """What is kept of a text, or of what it says there."""
    start = text.index(said) if said else 0
    pieces = pieces_of(text, document_id, start, start + len(said or text), common=common)
    return [
        ForgottenSpan(id=uuid4(), created_by=None, created_at=datetime.now(UTC), **asdict(one))
        for one in pieces
    ]


def left(text: str, kept: Sequence[ForgottenSpan]) -> str:
    """The text with bars."""
    return barred(text, places(text, DOCUMENT, kept))


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
    ((start, end),) = places(moved, DOCUMENT, spans(SECRET))
    assert moved[start:end].startswith("La  clave")
    assert "sabe" in moved[start:end]
    assert "Fin" not in moved[start:end]
    assert len(places(f"{SECRET}\nY otra vez:\n{SECRET}", DOCUMENT, spans(SECRET))) == 2


def test_another_document_that_says_the_same_keeps_it() -> None:
    assert places(SECRET, uuid4(), spans(SECRET)) == []


def test_a_digest_holds_no_words() -> None:
    assert b"zorbelfunto" not in b"".join(one.head + one.digest for one in spans(SECRET))


def test_bars_keep_every_other_place() -> None:
    text = f"Antes.\n\n{SECRET}\n\nDespués."
    kept = barred(text, places(text, DOCUMENT, spans(SECRET)))
    assert len(kept) == len(text)
    assert kept.startswith("Antes.\n\n█")
    assert kept.endswith("█\n\nDespués.")
    whole = barred(text[4:], places(text, DOCUMENT, spans(SECRET)), offset=4)
    assert whole == kept[4:]


def test_a_sentence_is_found_between_other_neighbours() -> None:
    said = f"Una frase bastante larga que va delante. {SECRET} Otra frase bastante larga que va detrás."
    kept = left(f"Distinta del todo es esta. {SECRET} Y esta también.", spans(said))
    assert kept == f"Distinta del todo es esta. {'█' * len(SECRET)} Y esta también."


def test_part_of_a_sentence_goes_with_its_own_sentence_alone() -> None:
    text = f"{SECRET} La puerta es roja, y nadie la sabe."
    kept = left(text, spans(text, "zorbelfunto, y nadie la sabe."))
    assert kept == f"La clave es {'█' * 28} La puerta es roja, y nadie la sabe.".replace(
        "█" * 28, "█" * len("zorbelfunto, y nadie la sabe.")
    )


def test_a_short_sentence_goes_beside_its_neighbours_alone() -> None:
    text = f"{SECRET} Sí. Hay piscina en el centro municipal. Sí."
    assert left(text, spans(text, f"{SECRET} Sí.")).endswith("█ Hay piscina en el centro municipal. Sí.")
    moved = f"Hay piscina en el centro municipal. Sí. Y nueva es esta frase aquí. {SECRET} Sí."
    assert left(moved, spans(text, f"{SECRET} Sí.")) == moved.replace(
        f"{SECRET} Sí.", "█" * len(f"{SECRET} Sí.")
    )


def test_a_short_line_with_a_word_of_its_own_is_found_where_it_is_a_line_again() -> None:
    text = "Datos de acceso\nContraseña: zorbelfunto\nFin de los datos"
    kept = spans(text, "Contraseña: zorbelfunto")
    assert (
        left("Otra lista\nContraseña: zorbelfunto\nY más cosas", kept)
        == "Otra lista\n███████████████████████\nY más cosas"
    )
    mentioned = "Quien pida su contraseña zorbelfunto no la recibe."
    assert left(mentioned, kept) == mentioned


def test_a_heading_goes_from_its_own_place_alone() -> None:
    text = f"Resumen de los datos del centro municipal\n{SECRET}\nOtra sección\nResumen de los datos del centro municipal\nHay piscina."
    heading = (0, text.index("\n"))
    kept = left(text, spans(text, text[: text.index("\nOtra")], common=[heading]))
    assert kept.count("Resumen de los datos") == 1
    assert kept.startswith("███")


def test_a_word_that_is_cut_goes_whole() -> None:
    assert whole_words("una clavemondo más", 7, 9) == (4, 14)
    assert whole_words("una clavemondo más", 4, 14) == (4, 14)


def test_no_chunk_shows_bars_or_the_words_however_it_is_cut() -> None:
    document = parsed("Antes hay una frase.", SECRET, "Después hay otra frase más larga.")
    withheld = withhold(document, DOCUMENT, spans(SECRET))
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
    withheld = withhold(
        replace(document, blocks=blocks), DOCUMENT, spans(document.text, f"Quirmelonda\n\n{SECRET}")
    )
    assert {block.headers for block in withheld.parsed.blocks} == {("Normas",)}


def test_the_same_heading_above_something_else_stays() -> None:
    document = parsed("Quirmelonda", SECRET, "Quirmelonda.", "Otra cosa.")
    headers = [(), ("Quirmelonda",), (), ("Quirmelonda",)]
    blocks = tuple(replace(b, headers=h) for b, h in zip(document.blocks, headers, strict=True))
    place = (0, len("Quirmelonda"))
    kept = spans(document.text, f"Quirmelonda\n\n{SECRET}", common=[place])
    withheld = withhold(replace(document, blocks=blocks), DOCUMENT, kept)
    assert [block.headers for block in withheld.parsed.blocks] == [(), (), (), ("Quirmelonda",)]


def test_an_introduction_that_was_forgotten_stands_before_nothing() -> None:
    document = parsed(SECRET, "Una cosa.", "Otra cosa.")
    blocks = tuple(replace(block, introduction=SECRET, table_header=SECRET) for block in document.blocks)
    withheld = withhold(replace(document, blocks=blocks), DOCUMENT, spans(SECRET))
    assert {(block.introduction, block.table_header) for block in withheld.parsed.blocks} == {(None, None)}


def test_a_document_of_which_nothing_was_forgotten_is_left_alone() -> None:
    document = parsed("Antes.", SECRET)
    assert withhold(document, DOCUMENT, []).parsed is document
    assert withhold(document, DOCUMENT, spans("otra cosa que este documento no dice")).parsed is document
