"""Lexemes, BM25 weights and their forms for PostgreSQL."""

import math
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from veraz.text.sentences import sentence_spans
from veraz.text.words import (
    DIMENSIONS,
    MAX_NONZERO,
    idf,
    lexeme_id,
    lexemes,
    sparse_text,
    sparse_vector,
    term_weights,
    tsvector_text,
)


@pytest.mark.parametrize(
    ("written", "typed"),
    [
        ("La canción de los niños añadió páginas", "la cancion de los ninos anadio paginas"),
        ("¿Cuándo vence la garantía?", "cuando vence la garantia"),
        ("RÉGIMEN JURÍDICO", "regimen juridico"),
    ],
)
def test_spanish_without_accents_is_the_same_as_with_them(written: str, typed: str) -> None:
    assert lexemes(written, "es") == lexemes(typed, "es") != []


def test_a_decomposed_text_has_the_same_lexemes() -> None:
    text = "Información pública"
    assert lexemes(unicodedata.normalize("NFD", text), "es") == lexemes(text, "es")


@pytest.mark.parametrize(
    ("document", "question"),
    [
        ("Expediente A-12/2024 archivado", "A-12/2024"),
        ("Expediente A-12/2024 archivado", "a12/2024"),
        ("Expediente A-12/2024 archivado", "2024"),
        ("un descuento del 50 %", "50%"),
        ("un descuento del 50%", "50 %"),
        ("Total: 1.234,56 euros", "1234,56"),
        ("son 10.000 pesos", "10000"),
        ("la relación coste-beneficio", "beneficio"),
        ("la clase ChunkingConfig", "chunking config"),
        ("la clase ChunkingConfig", "chunkingconfig"),
        ("pesa 3kg", "3 kg"),
        ("escriba un e-mail", "email"),
        ("el campo user_name", "user_name"),
        ("東京都の天気", "天気"),
    ],
)
def test_codes_numbers_and_joined_words_are_found(document: str, question: str) -> None:
    wanted = set(lexemes(question, "es"))
    assert wanted and wanted & set(lexemes(document, "es"))


def test_stop_words_are_left_out_and_words_are_stemmed() -> None:
    assert lexemes("los documentos de la empresa", "es") == lexemes("documento empresas", "es")
    assert lexemes("the running dogs", "en") == ["run", "dog"]


def test_an_unknown_language_keeps_words_as_they_are() -> None:
    assert lexemes("Los documentos", "xx") == ["los", "documentos"]


def test_a_region_does_not_change_the_language() -> None:
    assert lexemes("documentos", "es-MX") == lexemes("documentos", "es")


def test_weights_are_bm25() -> None:
    weights = term_weights(["a", "a", "b"], average_length=6)
    norm = 1.2 * (1 - 0.75 + 0.75 * 3 / 6)
    assert weights[lexeme_id("a")] == pytest.approx(2 * 2.2 / (2 + norm))
    assert weights[lexeme_id("b")] == pytest.approx(2.2 / (1 + norm))
    assert idf(10, 1) == pytest.approx(math.log(1 + 9.5 / 1.5))


def test_ids_never_change() -> None:
    assert [lexeme_id(word) for word in ("garanti", "a", "50%")] == [220844295, 146259523, 161684701]


def test_the_sparse_text_counts_from_one_and_is_sorted() -> None:
    assert sparse_text({5: 0.5, 0: 1.0, 7: 0.0}) == f"{{1:1,6:0.5}}/{DIMENSIONS}"
    assert sparse_vector({5: 0.5, 0: 1.0}).to_text() == f"{{1:1.0,6:0.5}}/{DIMENSIONS}"


def test_too_many_entries_keep_the_heaviest() -> None:
    text = sparse_text({key: 1.0 + key for key in range(MAX_NONZERO + 5)})
    assert text.count(":") == MAX_NONZERO
    assert not text.startswith("{1:")


def test_quotes_and_backslashes_are_safe_in_a_tsvector() -> None:
    assert tsvector_text(["o'hara", "c:\\x", "a", "a", ""]) == "'a' 'c:\\\\x' 'o''hara'"


@given(st.text(max_size=300))
def test_any_text_has_lexemes_of_bounded_length(text: str) -> None:
    assert all(0 < len(word) <= 64 and not word.isspace() for word in lexemes(text, "es"))


@pytest.mark.timeout(20)
@pytest.mark.parametrize("unit", ["1,", "1.1,", "aB", "x", "a-", "...", "日", "aBc.", "9 % "])
def test_no_repetition_makes_it_slow(unit: str) -> None:
    lexemes(unit * 200_000, "es")
    sentence_spans(unit * 200_000)
