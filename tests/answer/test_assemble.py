"""Proven pieces become a text that only grows."""

from collections.abc import Sequence
from uuid import UUID

from hypothesis import given, settings
from hypothesis import strategies as st

from veraz.answer.assemble import Assembly
from veraz.verify.claims import Piece, pieces_of
from veraz.verify.model import Checked, HeldBack, Proof, Quote

PIECES = st.builds(
    Piece,
    kind=st.sampled_from(["claim", "courtesy", "heading", "refusal", "blank"]),
    text=st.sampled_from(["Abre a las 9.", "Hola", "## Título", "«Ven.»", "Sin punto"]),
    mark=st.sampled_from(["", "- ", "1. ", "  7) "]),
    ends_line=st.booleans(),
)


def checked(piece: Piece, *numbers: int, held: bool = False) -> Checked:
    """A piece after checking: proven by these sources where it claims something."""
    if held:
        return Checked(piece=piece, held_back=HeldBack(text=piece.text, reason="not_said"))
    if piece.kind != "claim":
        return Checked(piece=piece)
    quotes = tuple(Quote(number=n, chunk_id=UUID(int=n), text="x", start=0, end=1) for n in numbers or (1,))
    return Checked(piece=piece, proof=Proof(verdict="supported", quotes=quotes))


def assembled(draft: str, *held: str, notes: Sequence[str] = ()) -> str:
    """The draft without the sentences held back."""
    assembly = Assembly(notes)
    assembly.add([checked(piece, held=piece.text in held) for piece in pieces_of(draft)])
    assembly.close()
    return assembly.text


@settings(deadline=None, max_examples=200)
@given(st.lists(st.tuples(PIECES, st.booleans()), max_size=12), st.integers(1, 4))
def test_the_text_is_what_was_given_out(pieces: list[tuple[Piece, bool]], size: int) -> None:
    assembly = Assembly()
    all_checked = [checked(piece, held=held) for piece, held in pieces]
    given_out = [assembly.add(all_checked[at : at + size]) for at in range(0, len(pieces), size)]
    assert "".join([*given_out, assembly.close()]) == assembly.text


@settings(deadline=None, max_examples=100)
@given(st.lists(PIECES, max_size=10), st.integers(1, 5))
def test_the_batches_do_not_matter(pieces: list[Piece], size: int) -> None:
    whole, cut = Assembly(), Assembly()
    whole.add([checked(piece) for piece in pieces])
    for at in range(0, len(pieces), size):
        cut.add([checked(piece) for piece in pieces[at : at + size]])
    assert cut.text == whole.text


def test_a_citation_stands_before_the_full_stop_and_behind_a_quotation() -> None:
    assembly = Assembly()
    pieces = [Piece(kind="claim", text=text) for text in ("Abre a las 9.", "«¿Abre?»", "Cierra")]
    assembly.add([checked(piece, 2, 1, 2) for piece in pieces])
    assert assembly.text == (
        "Abre a las 9 [Chunk 2] [Chunk 1]. «¿Abre?» [Chunk 2] [Chunk 1] Cierra [Chunk 2] [Chunk 1]"
    )


def test_a_note_of_its_source_stands_before_the_citation() -> None:
    assert assembled("Abre a las 9.", notes=["(Fuente: Guía)"]) == "Abre a las 9 (Fuente: Guía) [Chunk 1]."


def test_what_is_held_back_is_not_there() -> None:
    assert assembled("Abre a las 9. Es gratis. Cierra a las 20.", "Es gratis.") == (
        "Abre a las 9 [Chunk 1]. Cierra a las 20 [Chunk 1]."
    )


def test_a_heading_waits_until_something_stands_under_it() -> None:
    assembly = Assembly()
    heading = checked(Piece(kind="heading", text="## Horario", ends_line=True))
    assert assembly.add([heading]) == ""
    assert assembly.add([checked(Piece(kind="claim", text="Es gratis."), held=True)]) == ""
    claim = checked(Piece(kind="claim", text="Abre a las 9."))
    assert assembly.add([claim]) == "## Horario\nAbre a las 9 [Chunk 1]."


def test_a_heading_over_nothing_is_left_out() -> None:
    assert assembled("## Horario\nEs gratis.\n## Precio\nCuesta 20 €.\n## Fin", "Es gratis.") == (
        "## Precio\nCuesta 20 € [Chunk 1]."
    )


def test_a_list_is_numbered_anew() -> None:
    draft = "1. Abra la app.\n2. Es gratis.\n3. Pulse «Sí»."
    assert assembled(draft, "Es gratis.") == "1. Abra la app [Chunk 1].\n2. Pulse «Sí» [Chunk 1]."


def test_a_list_under_another_heading_begins_at_one() -> None:
    assert assembled("## A\n1. Uno.\n2. Dos.\n## B\n1. Tres.").endswith("## B\n1. Tres [Chunk 1].")


def test_a_list_under_another_sentence_begins_at_one() -> None:
    assert assembled("Pasos:\n1. Uno.\n2. Dos.\nRequisitos:\n1. Tres.").endswith("1. Tres [Chunk 1].")


def test_a_blank_line_between_paragraphs_is_kept_as_one() -> None:
    assert assembled("Abre a las 9.\n\nCierra a las 20.") == (
        "Abre a las 9 [Chunk 1].\n\nCierra a las 20 [Chunk 1]."
    )


def test_a_line_ends_also_where_its_last_sentence_was_held_back() -> None:
    assert assembled("Abre a las 9. Es gratis.\nCierra a las 20.", "Es gratis.") == (
        "Abre a las 9 [Chunk 1].\nCierra a las 20 [Chunk 1]."
    )


def test_a_courtesy_never_stands_alone() -> None:
    assert assembled("Hola. Es gratis. Espero que esto le ayude.", "Es gratis.") == ""
    assert assembled("Hola.") == ""


def test_a_courtesy_stands_around_what_is_proven() -> None:
    assert assembled("Hola. Abre a las 9. Gracias.") == "Hola. Abre a las 9 [Chunk 1]. Gracias."


def test_an_admission_may_end_an_answer_but_not_be_one() -> None:
    admits = "No tengo información sobre el aparcamiento."
    assert assembled(f"Abre a las 9. {admits}") == f"Abre a las 9 [Chunk 1]. {admits}"
    assert assembled(admits) == ""


def test_closing_twice_adds_nothing() -> None:
    assembly = Assembly()
    assembly.add([checked(piece) for piece in pieces_of("Abre a las 9. Gracias.")])
    assert assembly.close() == " Gracias."
    assert assembly.close() == ""
