"""Chunks: exact sizes, whole words, nothing lost, everything with its place."""

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from veraz.errors import Invalid
from veraz.ingest.chunk import Chunk, chunk
from veraz.ingest.model import Block, Parsed
from veraz.library.configs import ChunkingConfig
from veraz.text.tokens import count_tokens

HEADER = "Producto | Precio"


def made(*pieces: tuple[str, dict[str, object]] | str, **kwargs: object) -> Parsed:
    """A parsed document from paragraphs and (text, block fields)."""
    text, blocks = "", []
    for piece in pieces:
        content, fields = piece if isinstance(piece, tuple) else (piece, {})
        text += "\n\n" if text else ""
        blocks.append(
            Block(**{"kind": "paragraph", "start": len(text), "end": len(text) + len(content), **fields})  # type: ignore[arg-type]
        )
        text += content
    return Parsed(text=text, blocks=tuple(blocks), **kwargs)  # type: ignore[arg-type]


def heading(text: str, *above: str) -> tuple[str, dict[str, object]]:
    return text, {"kind": "heading", "headers": above}


def body(text: str, *above: str, **fields: object) -> tuple[str, dict[str, object]]:
    return text, {"headers": above, **fields}


def row(text: str, header: str | None = HEADER, **fields: object) -> tuple[str, dict[str, object]]:
    return text, {"kind": "table_row", "table_header": header, **fields}


def words(count: int, tag: str = "w") -> str:
    """Different words, a full stop after every tenth."""
    return " ".join(f"{tag}{n}{'.' if n % 10 == 9 else ''}" for n in range(count))


def size(item: Chunk, config: ChunkingConfig) -> int:
    return len(item.content) if config.unit == "characters" else count_tokens(item.content)


WORD = st.text(alphabet="abcñéÁ1", min_size=1, max_size=9)
KINDS = st.sampled_from(["paragraph", "paragraph", "heading", "list_item", "code", "table_row"])
CONFIGS = st.one_of(
    st.builds(
        ChunkingConfig,
        strategy=st.sampled_from(["fixed", "paragraph", "semantic"]),
        chunk_size=st.integers(50, 300),
        chunk_overlap=st.integers(0, 25),
    ),
    st.builds(
        ChunkingConfig,
        strategy=st.sampled_from(["fixed", "paragraph", "semantic"]),
        unit=st.just("tokens"),
        chunk_size=st.integers(24, 90),
        chunk_overlap=st.integers(0, 12),
    ),
)


@st.composite
def documents(draw: st.DrawFn) -> Parsed:
    pieces: list[tuple[str, dict[str, object]]] = []
    number = 0
    for index in range(draw(st.integers(1, 12))):
        kind = draw(KINDS)
        count = draw(st.integers(1, 6 if kind == "heading" else 60))
        texts = []
        for _ in range(count):
            number += 1
            texts.append(f"{draw(WORD)}{number}" + draw(st.sampled_from(["", "", ".", ","])))
        joint = "\n" if kind == "code" else draw(st.sampled_from([" ", "  ", "\n"]))
        part = draw(st.sampled_from(["A", "B"])) if draw(st.booleans()) else "A"
        pieces.append(
            (
                joint.join(texts),
                {
                    "kind": kind,
                    "page": 1 + index // 3,
                    "part": part,
                    "headers": tuple("Hx"[: draw(st.integers(0, 2))]),
                    "table_header": HEADER if kind == "table_row" else None,
                },
            )
        )
    return made(*pieces, unit="sheet")


@settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(documents(), CONFIGS)
def test_every_document_keeps_the_promises_of_every_strategy(parsed: Parsed, config: ChunkingConfig) -> None:
    chunks = chunk(parsed, config)
    text = parsed.text
    covered = bytearray(len(text))
    for item in chunks:
        piece = text[item.start : item.end]
        assert item.content in (piece, f"{HEADER}\n{piece}")
        assert piece == piece.strip() != ""
        assert size(item, config) <= config.longest
        assert item.tokens == count_tokens(item.content)
        assert item.start == 0 or text[item.start - 1].isspace(), "cut inside a word"
        assert item.end == len(text) or text[item.end].isspace(), "cut inside a word"
        inside = [block for block in parsed.blocks if block.start < item.end and block.end > item.start]
        assert {block.part for block in inside} == {item.part}
        if inside[0].kind == "table_row":
            assert item.content.startswith(HEADER)
        covered[item.start : item.end] = b"\1" * len(piece)
    assert not [text[i] for i in range(len(text)) if not covered[i] and not text[i].isspace()], "lost text"
    assert [item.ordinal for item in chunks] == list(range(len(chunks)))
    assert len({" ".join(item.content.casefold().split()) for item in chunks}) == len(chunks)
    assert all(0 <= item.quality <= 100 and len(item.content_hash) == 32 for item in chunks)


@settings(max_examples=100, deadline=None)
@given(st.text(alphabet="abñ \n\t.日👍-", min_size=1, max_size=400), CONFIGS)
def test_no_text_breaks_the_chunker(raw: str, config: ChunkingConfig) -> None:
    text = raw.strip()
    parsed = made(text) if text else Parsed(text=raw, blocks=())
    for item in chunk(parsed, config):
        assert size(item, config) <= config.longest
        assert item.content == text[item.start : item.end]


@pytest.mark.parametrize("overlap", [0, 50, 200])
def test_fixed_windows_overlap_by_what_was_asked(overlap: int) -> None:
    parsed = made(words(2_000))
    chunks = chunk(parsed, ChunkingConfig(chunk_size=1000, chunk_overlap=overlap))
    for before, after in pairwise(chunks):
        assert overlap - 8 <= before.end - after.start <= overlap or overlap == 0
        assert len(before.content) > 1000 - 8
    assert chunks[-1].end == len(parsed.text)


def test_fixed_windows_in_tokens_are_filled_and_overlap() -> None:
    parsed = made(words(3_000, "palabra"))
    chunks = chunk(parsed, ChunkingConfig(unit="tokens"))
    assert all(790 < item.tokens <= 800 for item in chunks[:-1])
    for before, after in pairwise(chunks):
        assert 90 <= count_tokens(parsed.text[after.start : before.end]) <= 101


def test_only_a_word_longer_than_the_window_is_cut() -> None:
    parsed = made("hola " + "".join(map(str, range(120)))[:250] + " adiós")
    chunks = chunk(parsed, ChunkingConfig(chunk_size=100, chunk_overlap=0))
    assert [len(item.content) for item in chunks] == [4, 100, 100, 56]


def test_defaults_follow_the_unit() -> None:
    characters, tokens = ChunkingConfig(), ChunkingConfig(unit="tokens")
    assert (characters.chunk_size, characters.chunk_overlap) == (1000, 200)
    assert (tokens.chunk_size, tokens.chunk_overlap) == (800, 100)


def test_a_heading_starts_a_chunk_and_never_ends_one() -> None:
    first, second = words(40, "a"), words(40, "b")
    parsed = made(
        heading("Uno"),
        body(first, "Uno"),
        heading("Dos"),
        heading("Dos A", "Dos"),
        body(second, "Dos", "Dos A"),
    )
    config = ChunkingConfig(strategy="paragraph", chunk_size=300)
    chunks = chunk(parsed, config)
    assert [item.content for item in chunks] == [f"Uno\n\n{first}", f"Dos\n\nDos A\n\n{second}"]
    assert [item.headers for item in chunks] == [("Uno",), ("Dos", "Dos A")]


def test_small_sections_of_one_chapter_are_packed_but_chapters_are_not() -> None:
    parsed = made(
        heading("Uno"),
        heading("A", "Uno"),
        body("corto uno.", "Uno", "A"),
        heading("B", "Uno"),
        body("corto dos.", "Uno", "B"),
        heading("Dos"),
        body("corto tres.", "Dos"),
        heading("B", "Dos"),
        body("corto cuatro.", "Dos", "B"),
        heading("Tres"),
        body("corto cinco.", "Tres"),
    )
    chunks = chunk(parsed, ChunkingConfig(strategy="paragraph", chunk_size=400, min_chunk_size=30))
    assert [item.content.split("\n")[0] for item in chunks] == ["Uno", "Dos", "Tres"]


def test_a_paragraph_is_not_torn_when_it_fits() -> None:
    texts = [words(30, tag) for tag in "abcdef"]
    chunks = chunk(made(*texts), ChunkingConfig(strategy="paragraph", chunk_size=250))
    assert "\n\n".join(item.content for item in chunks) == "\n\n".join(texts)


def test_a_too_long_paragraph_is_cut_between_sentences() -> None:
    chunks = chunk(made(words(200, "W")), ChunkingConfig(strategy="paragraph", chunk_size=200))
    assert all(item.content.endswith(".") for item in chunks)


def test_code_stays_whole_when_it_fits() -> None:
    code = "\n".join(f"linea_{n} = {n}" for n in range(12))
    parsed = made(words(30), (code, {"kind": "code"}), words(30, "z"))
    chunks = chunk(parsed, ChunkingConfig(strategy="paragraph", chunk_size=260))
    assert any(code in item.content for item in chunks)


def test_pages_are_not_crossed_when_the_chunk_is_long_enough() -> None:
    parsed = made(body(words(40), page=1), body(words(40, "z"), page=2), unit="page")
    chunks = chunk(parsed, ChunkingConfig(strategy="paragraph", chunk_size=1000, min_chunk_size=100))
    assert [item.page for item in chunks] == [1, 2]


def test_a_fixed_chunk_over_two_pages_has_the_page_where_it_starts() -> None:
    parsed = made(body(words(10), page=3), body(words(10, "z"), page=4), unit="page")
    assert [item.page for item in chunk(parsed, ChunkingConfig())] == [3]


@pytest.mark.parametrize("strategy", ["fixed", "paragraph", "semantic"])
def test_a_table_row_never_loses_its_header(strategy: str) -> None:
    rows = [row(f"Artículo {n} de la tienda | {n} €") for n in range(60)]
    parsed = made(row(HEADER, None), *rows)
    chunks = chunk(parsed, ChunkingConfig(strategy=strategy, chunk_size=200))  # type: ignore[arg-type]
    assert len(chunks) > 5
    assert all(item.content.startswith(HEADER) and len(item.content) <= 200 for item in chunks)


@pytest.mark.parametrize("strategy", ["fixed", "paragraph", "semantic"])
def test_each_record_is_its_own_chunk(strategy: str) -> None:
    parsed = made(
        *[row(f"Precio: {n}; Stock: {n}", None, part=f"row {n}", row=n) for n in range(1, 6)], unit="row"
    )
    chunks = chunk(parsed, ChunkingConfig(strategy=strategy))  # type: ignore[arg-type]
    assert [item.row for item in chunks] == [1, 2, 3, 4, 5]


def test_slides_are_never_mixed_even_with_the_same_title() -> None:
    parsed = made(*[body(f"texto {n}", part="Resumen", page=n) for n in (1, 2)], unit="slide")
    assert [item.page for item in chunk(parsed, ChunkingConfig())] == [1, 2]


def test_repeated_and_empty_pieces_are_left_out() -> None:
    parsed = made(*[body("El mismo pie de página", part=str(n)) for n in range(4)], body("-----", part="x"))
    assert [item.content for item in chunk(parsed, ChunkingConfig())] == ["El mismo pie de página"]


def test_semantic_cuts_where_the_subject_changes() -> None:
    cats = "El gato duerme en la cama. El gato come pescado fresco. Al gato le gusta la leche. "
    tax = "El impuesto sube este año. El impuesto grava la renta. La renta tributa por tramos."
    parsed = made(cats + tax)

    def by_subject(sentences: Sequence[str]) -> NDArray[np.float32]:
        return np.array(
            [[1.0, 0.1] if "gato" in text else [0.1, 1.0] for text in sentences], dtype=np.float32
        )

    config = ChunkingConfig(strategy="semantic", chunk_size=400, min_chunk_size=30)
    chunks = chunk(parsed, config, embed_sentences=by_subject)
    assert [item.content for item in chunks] == [cats.strip(), tax]
    assert "gato" not in chunk(parsed, config)[-1].content, "words alone find the change too"


def test_semantic_respects_the_shortest_size() -> None:
    config = ChunkingConfig(strategy="semantic", chunk_size=500, min_chunk_size=150)
    chunks = chunk(made(words(600, "W")), config)
    assert all(150 <= len(item.content) <= 500 for item in chunks)


@pytest.mark.parametrize("strategy", ["paragraph", "semantic"])
def test_a_separator_forces_a_cut(strategy: str) -> None:
    parsed = made("Artículo 1. Uno.\nArtículo 2. Dos.\nArtículo 3. Tres.", "texto\n***\nmás texto")
    config = ChunkingConfig(strategy=strategy, separator_regex=r"^Artículo \d+|\*\*\*")  # type: ignore[arg-type]
    assert [item.content for item in chunk(parsed, config)] == [
        "Artículo 1. Uno.",
        "Artículo 2. Dos.",
        "Artículo 3. Tres.\n\ntexto",
        "más texto",
    ]


@pytest.mark.parametrize("pattern", ["(a+)+$", "(", "a" * 201, "x*"])
def test_a_bad_separator_is_refused(pattern: str) -> None:
    with pytest.raises(Invalid) as refused:
        ChunkingConfig(separator_regex=pattern)
    assert refused.value.context["field"] == "separator_regex"


def test_the_title_and_headings_are_embedded_but_not_shown() -> None:
    parsed = made(heading("Garantía"), body("Dura dos años.", "Garantía"), title="Manual")
    (item,) = chunk(parsed, ChunkingConfig())
    assert item.content == "Garantía\n\nDura dos años."
    assert item.embedded == "Manual › Garantía\nGarantía\n\nDura dos años."
    (bare,) = chunk(parsed, ChunkingConfig(include_title=False))
    assert bare.context == "Garantía"
    assert bare.content_hash != item.content_hash


def test_good_prose_is_worth_more_than_boilerplate_and_numbers() -> None:
    prose = "La garantía cubre los defectos de fabricación durante dos años desde la compra. " * 3
    junk = "© 2024 Todos los derechos reservados. Política de cookies. Página 3 de 10"
    numbers = " ".join(str(n * 37) for n in range(60))
    scores = [chunk(made(text), ChunkingConfig())[0].quality for text in (prose, junk, numbers)]
    assert scores[0] == 100
    assert scores[1] <= 60 and scores[2] <= 65


@pytest.mark.parametrize(
    ("config", "field"),
    [
        ({"strategy": "magic"}, "strategy"),
        ({"chunk_size": 5}, "chunk_size"),
        ({"chunk_size": 100, "chunk_overlap": 90}, "chunk_overlap"),
        ({"chunk_size": "1000"}, "chunk_size"),
        ({"min_chunk_size": 2000}, "min_chunk_size"),
        ({"include_title": "yes"}, "include_title"),
        ({"colour": 1}, "chunking_config.colour"),
    ],
)
def test_a_wrong_configuration_says_which_value(config: dict[str, object], field: str) -> None:
    with pytest.raises(Invalid) as refused:
        ChunkingConfig.from_json(config)
    assert refused.value.context["field"] == field


def test_a_configuration_survives_json() -> None:
    config = ChunkingConfig.from_json({"strategy": "fixed", "chunk_size": 1000, "chunk_overlap": 200})
    assert ChunkingConfig.from_json(config.to_json()) == config == ChunkingConfig()
