"""A draft is cut into sentences as it arrives, in whatever pieces it arrives."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from veraz.answer.draft import Draft
from veraz.verify.claims import Piece

DRAFT = (
    "Hola, María. El plan premium cuesta 20 euros al mes. [Chunk 1] Lo confirma el Dr. J. R. Ruiz en la pág. 3 "
    "[Chunk 2]. ¿Incluye piscina? Sí, etc. [Chunk 1]\nPasos:\n1. Abra la app a las 9 a.m. todos los días [Chunk 1].\n"
    "2. Pulse «Sí». Luego espere... y confirme (Fuente: Guía, https://a.example/b).\n- Último punto\n## Resumen\nGracias."
)
SENTENCES = st.sampled_from(
    [
        "Cuesta 20 €. ", "Cuesta 20 €. [Chunk 1] ", "Cuesta 3.5 euros [Chunk 2]. ", "Lo dice el Sr. Paz. ", "¿Abre? Sí. ",
        "Vea etc. ", "Abre a las 9 a.m. y cierra. ", "Dijo: «Ven.» ", "Sigue... ", "(Nota: ojo.) ", "\n", "- uno ", "\n- dos. ",
        "\n1. Abra. ", "\n2) Cierre. ", "\n## Título\n", "[1] ", "Busca bien. ", "Se abre. ",
    ]
)  # fmt: skip


def pieces(text: str, size: int) -> list[Piece]:
    """What comes out of a draft that arrives in pieces of a size."""
    draft = Draft()
    found = [piece for start in range(0, len(text), size) for piece in draft.feed(text[start : start + size])]
    return [*found, *draft.close()]


def said(found: list[Piece]) -> list[Piece]:
    """Without the blank lines."""
    return [piece for piece in found if piece.kind != "blank"]


@pytest.mark.parametrize("size", range(1, 31))
def test_the_size_of_the_pieces_does_not_matter(size: int) -> None:
    assert said(pieces(DRAFT, size)) == said(pieces(DRAFT, len(DRAFT)))


@settings(deadline=None, max_examples=200)
@given(st.lists(SENTENCES, min_size=1, max_size=8).map("".join), st.integers(1, 30))
def test_no_text_is_cut_otherwise_when_it_arrives_slowly(text: str, size: int) -> None:
    assert said(pieces(text, size)) == said(pieces(text, len(text)))


@pytest.mark.parametrize("size", [1, 3, 100])
def test_a_blank_line_between_paragraphs_is_kept_however_it_arrives(size: int) -> None:
    kinds = [piece.kind for piece in pieces("Abre a las 9.\n\nCierra a las 20.", size)]
    assert kinds == ["claim", "blank", "claim"]


def test_a_sentence_is_given_when_the_next_one_begins() -> None:
    draft = Draft()
    assert draft.feed("Abre a las 9 [Chunk 1]. ") == []
    assert [piece.text for piece in draft.feed("C")] == ["Abre a las 9."]
    assert [piece.text for piece in draft.feed("ierra a las 20.")] == []
    assert [piece.text for piece in draft.close()] == ["Cierra a las 20."]
    assert draft.text == "Abre a las 9 [Chunk 1]. Cierra a las 20."


def test_a_line_break_ends_a_sentence() -> None:
    assert [piece.text for piece in Draft().feed("Abre a las 9\n")] == ["Abre a las 9"]


@pytest.mark.parametrize(
    "sentence",
    ["Lo firma el Dr. Ruiz.", "Vea la pág. 3 del manual.", "Cuesta 3.5 euros.", "Escribe J. R. R. Tolkien."],
)
def test_an_abbreviation_does_not_end_a_sentence(sentence: str) -> None:
    assert [piece.text for piece in pieces(f"{sentence} Fin.", 1) if piece.text] == [sentence, "Fin."]


@pytest.mark.parametrize("size", [1, 2, 7, 50])
def test_a_citation_behind_the_full_stop_stays_with_its_sentence(size: int) -> None:
    found = pieces("Cuesta 20 €. [Chunk 1] Abre a las 9. [Chunk 2, 3] Cierra.", size)
    assert [(piece.text, piece.cited) for piece in found] == [
        ("Cuesta 20 €.", (1,)),
        ("Abre a las 9.", (2, 3)),
        ("Cierra.", ()),
    ]


@pytest.mark.parametrize("size", [1, 4, 100])
def test_the_items_of_a_list_keep_their_marks(size: int) -> None:
    found = said(pieces("1. Abra la app.\n2. Pulse «Sí». Espere.\n- Fin.\n", size))
    assert [(piece.mark, piece.text, piece.ends_line) for piece in found] == [
        ("1. ", "Abra la app.", True),
        ("2. ", "Pulse «Sí».", False),
        ("", "Espere.", True),
        ("- ", "Fin.", True),
    ]


@pytest.mark.parametrize("size", [1, 3, 8, 100])
@pytest.mark.parametrize("mark", ["BUSCAR: ", "buscar:", "Busca : ", "SEARCH: ", "\nBUSCAR: "])
def test_a_wish_is_no_answer(mark: str, size: int) -> None:
    text = f"{mark}precio del plan premium"
    draft = Draft()
    given = [piece for start in range(0, len(text), size) for piece in draft.feed(text[start : start + size])]
    assert given == []
    assert draft.wish == "precio del plan premium"
    assert draft.close() == []


@pytest.mark.parametrize(
    "text", ["Busque en la guía. Fin.", "Se abre a las 9. Fin.", "S", "Busca", "Sí: abre."]
)
def test_what_only_begins_like_a_wish_is_an_answer(text: str) -> None:
    assert "".join(piece.text for piece in pieces(text, 1)).replace(" ", "") == text.replace(" ", "")


def test_an_empty_draft_says_nothing() -> None:
    assert said(Draft().close()) == []
    assert said(pieces("\n\n  \n", 1)) == []
