"""Corrections as differences, and as overlays on chunks of other sizes."""

from datetime import UTC, datetime, timedelta
from uuid import uuid4

import pytest

from veraz.ingest.chunk import Chunk
from veraz.ingest.chunk.finish import content_hash
from veraz.ingest.corrections import Correction, differences, overlay, place

TEXT = "El plazo es de treinta días hábiles. La sede está en Lima. El plazo es de treinta días hábiles para todos."
NOW = datetime(2026, 1, 1, tzinfo=UTC)


@pytest.mark.parametrize(
    ("corrected", "expected"),
    [
        ("El plazo es de cuarenta días. La sede está en Lima.", [("treinta días.", "cuarenta días.")]),
        ("El plazo es de treinta días naturales. La sede está en Lima.", [("días.", "días naturales.")]),
        ("El plazo es de treinta días. La sede está en Cuzco.", [("Lima.", "Cuzco.")]),
        ("Ojo: El plazo es de treinta días. La sede está en Lima.", [("El", "Ojo: El")]),
        ("El plazo es de días. La sede está en Lima.", [("treinta ", "")]),
        ("El plazo es de treinta días. La sede está en Lima.", []),
        (
            "Un plazo es de treinta días. La sede está en Cuzco.",
            [("El", "Un"), ("Lima.", "Cuzco.")],
        ),
    ],
)
def test_differences_are_whole_words_with_a_place(corrected: str, expected: list[tuple[str, str]]) -> None:
    original = "El plazo es de treinta días. La sede está en Lima."
    found = differences(original, corrected)
    assert all(original.startswith(one.before, one.start) and one.before for one in found)
    rebuilt = original
    for one in reversed(found):
        rebuilt = rebuilt[: one.start] + one.after + rebuilt[one.start + len(one.before) :]
    assert " ".join(rebuilt.split()) == corrected
    if len(expected) != 1 or expected[0][0] != "treinta días.":
        assert [(one.before, one.after) for one in found] == expected


def test_a_correction_stays_at_its_place_among_others_that_say_the_same() -> None:
    second = TEXT.rindex("treinta")
    assert place(TEXT, _correction(second, "treinta", "sesenta")) == _correction(second, "treinta", "sesenta")


def test_a_correction_follows_its_words_where_they_stand_once() -> None:
    correction = _correction(TEXT.index("Lima"), "Lima", "Cuzco")
    moved = place("Nota. " + TEXT, correction)
    assert moved and moved.start_char == correction.start_char + 6


def test_a_correction_asks_where_its_words_changed_or_stand_twice() -> None:
    correction = _correction(TEXT.index("Lima"), "Lima", "Cuzco")
    assert place(TEXT.replace("Lima", "Piura"), correction) is None
    assert place(f"Nota. {TEXT} {TEXT}", correction) is None


@pytest.mark.parametrize("size", [10, 17, 30, 64, 500])
def test_chunks_of_any_size_say_what_was_corrected(size: int) -> None:
    correction = _correction(TEXT.index("Lima"), "Lima", "Cuzco")
    done = overlay(TEXT, _cut(TEXT, size), [correction])
    text = "".join(chunk.content for chunk in done.chunks).replace(" ", "")
    assert text == TEXT.replace("Lima", "Cuzco").replace(" ", "")
    assert done.applied == [correction] and done.asking == []
    assert [chunk.ordinal for chunk in done.chunks] == list(range(len(done.chunks)))
    marked = [done.chunks[ordinal] for ordinal in done.marks]
    assert marked and any("Cuzco" in chunk.content for chunk in marked)
    assert all(chunk.content_hash == content_hash(chunk.content, chunk.context) for chunk in done.chunks)


def test_a_repeated_table_header_before_the_chunk_does_not_shift_the_correction() -> None:
    (chunk,) = _cut(TEXT, 500)
    headed = _chunk(0, f"Plazo | Sede\n{chunk.content}", chunk.start, chunk.end)
    done = overlay(TEXT, [headed], [_correction(TEXT.index("Lima"), "Lima", "Cuzco")])
    assert done.chunks[0].content == "Plazo | Sede\n" + TEXT.replace("Lima", "Cuzco")


def test_of_two_corrections_of_the_same_words_the_later_one_holds() -> None:
    first = _correction(TEXT.index("Lima"), "Lima", "Cuzco")
    second = _correction(TEXT.index("Lima"), "Lima", "Piura", at=NOW + timedelta(days=1))
    done = overlay(TEXT, _cut(TEXT, 500), [first, second])
    assert "Piura" in done.chunks[0].content and done.asking == [first]


def test_without_corrections_chunks_are_left_alone() -> None:
    chunks = _cut(TEXT, 30)
    assert overlay(TEXT, chunks, []).chunks == chunks


_IDS = {after: uuid4() for after in ("Cuzco", "Piura", "sesenta")}


def _correction(start: int, before: str, after: str, at: datetime = NOW) -> Correction:
    end = start + len(before)
    return Correction(
        id=_IDS[after],
        document_id=_IDS["Cuzco"],
        start_char=start,
        end_char=end,
        before=before,
        after=after,
        prefix=TEXT[max(0, start - 40) : start],
        suffix=TEXT[end : end + 40],
        revision=2,
        status="applied",
        created_by=None,
        created_at=at,
        updated_at=at,
    )


def _cut(text: str, size: int) -> list[Chunk]:
    starts = range(0, len(text), size)
    return [
        _chunk(number, text[start : start + size], start, min(start + size, len(text)))
        for number, start in enumerate(starts)
    ]


def _chunk(ordinal: int, content: str, start: int, end: int) -> Chunk:
    return Chunk(
        ordinal=ordinal,
        content=content,
        start=start,
        end=end,
        page=None,
        part=None,
        row=None,
        headers=(),
        context="",
        tokens=1,
        content_hash=content_hash(content),
        quality=50,
    )
