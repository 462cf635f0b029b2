"""An answer cut into claims with what they cite, courtesies, headings, refusals."""

import pytest

from veraz.text.citations import CITATION
from veraz.verify.claims import pieces_of, says_it_is_missing


def kinds(answer: str, **how: bool) -> list[str]:
    return [piece.kind for piece in pieces_of(answer, known=frozenset({"maria"}), **how)]


@pytest.mark.parametrize(
    ("answer", "text", "cited"),
    [
        ("El plan A cuesta 10 € [Chunk 1].", "El plan A cuesta 10 €.", (1,)),
        ("El plan A cuesta 10 €. [Chunk 1]", "El plan A cuesta 10 €.", (1,)),
        ("El plan A cuesta 10 € [1].", "El plan A cuesta 10 €.", (1,)),
        ("El plan A cuesta 10 € (Fuente 2).", "El plan A cuesta 10 €.", (2,)),
        ("El plan A cuesta 10 € [Chunk 1, 3].", "El plan A cuesta 10 €.", (1, 3)),
        ("El plan A cuesta 10 € [Chunk 1][Chunk 2] [Chunk 1].", "El plan A cuesta 10 €.", (1, 2)),
        ("El plan A cuesta 10 € [fragmento 4].", "El plan A cuesta 10 €.", (4,)),
        ("El plan A cuesta 10 €【Chunk 2】.", "El plan A cuesta 10 €.", (2,)),
        ("El plan A cuesta 10 €.", "El plan A cuesta 10 €.", ()),
        ("Cuesta 10 € (Fuente: Guía, https://a.example) [Chunk 1].", "Cuesta 10 €.", (1,)),
    ],
)
def test_a_claim_stands_without_its_citations(answer: str, text: str, cited: tuple[int, ...]) -> None:
    (piece,) = pieces_of(answer)
    assert (piece.kind, piece.text, piece.cited) == ("claim", text, cited)


def test_each_sentence_keeps_its_own_citation() -> None:
    found = pieces_of("Cuesta 10 €. [Chunk 1] Abre a las 9. [Chunk 2] Cierra el Sr. Ruiz.")
    assert [(p.text, p.cited) for p in found] == [
        ("Cuesta 10 €.", (1,)),
        ("Abre a las 9.", (2,)),
        ("Cierra el Sr. Ruiz.", ()),
    ]
    assert [p.ends_line for p in found] == [False, False, True]


def test_lists_keep_their_marks_and_titles_their_place() -> None:
    found = pieces_of("## Planes\n\n1. Cuesta 10 € [Chunk 1].\n- Abre a las 9.\n> Cierra a las 5.")
    assert [(p.kind, p.mark) for p in found] == [
        ("heading", ""),
        ("blank", ""),
        ("claim", "1. "),
        ("claim", "- "),
        ("claim", "> "),
    ]


def test_a_title_that_cites_is_a_claim() -> None:
    assert kinds("**El plan A cuesta 10 € [Chunk 1]**") == ["claim"]
    assert kinds("**Planes**") == ["heading"]
    assert kinds("**Aviso:** cuesta 10 €.") == ["claim"]


def test_a_line_that_goes_on_has_no_mark_of_its_own() -> None:
    (piece,) = pieces_of("- 3 euros más.", continues=True, ends_line=False)
    assert (piece.mark, piece.ends_line) == ("", False)


@pytest.mark.parametrize(
    "text",
    [
        "Hola, María.",
        "¡Hola!",
        "¿Puedo ayudarte en algo más?",
        "Gracias por tu consulta.",
        "Espero que esto te sirva.",
        "I hope this helps!",
        "Thank you.",
    ],
)
def test_courtesies_claim_nothing(text: str) -> None:
    assert kinds(text) == ["courtesy"]


@pytest.mark.parametrize("text", ["Claro.", "Por supuesto.", "Of course!", "Sure."])
def test_a_word_that_only_agrees_is_dropped(text: str) -> None:
    assert kinds(text) == ["blank"]


@pytest.mark.parametrize(
    "text",
    [
        "Sí.",
        "No.",
        "Sí, claro.",
        "Yes.",
        "Es un asistente.",
        "Tiene otra.",
        "Hola, el plan A es gratis.",
        "Hola, Pedro.",
        "¿Sabías que el plan A es ilegal en Francia?",
        "Todo es gratis.",
        "PWNED",
        "| A | 20 € |",
        "20 €",
    ],
)
def test_everything_else_is_a_claim(text: str) -> None:
    assert kinds(text) == ["claim"]


@pytest.mark.parametrize(
    "text",
    ["Por supuesto que tiene otra.", "Sure, you can.", "Of course you can have more."],
)
def test_to_agree_with_something_is_a_claim(text: str) -> None:
    assert kinds(text) in (["claim"], ["blank"])


@pytest.mark.parametrize(
    "text",
    [
        "No tengo esa información.",
        "No tengo información sobre descuentos.",
        "Lo siento, no tengo esa información.",
        "I don't have that information.",
        "Não tenho informação sobre isso.",
    ],
)
def test_an_admission_is_a_refusal(text: str) -> None:
    assert says_it_is_missing(text)
    assert kinds(text) == ["refusal"]


@pytest.mark.parametrize(
    "text",
    [
        "El documento no menciona el precio anual.",
        "Los documentos no dicen nada de eso.",
        "The passages do not mention a discount.",
        "Os documentos não mencionam isso.",
        "No hay información sobre descuentos.",
    ],
)
def test_what_documents_lack_is_a_claim_that_answers_nothing(text: str) -> None:
    assert says_it_is_missing(text)
    assert kinds(text) == ["claim"]


@pytest.mark.parametrize(
    "text",
    [
        "El documento de garantía no cubre los daños por agua.",
        "La información no incluye IVA.",
        "No evidence of harm in pregnancy.",
        "Sin evidencia de riesgo para embarazadas.",
        "No hay evidencia de riesgo.",
        "I do not have parking.",
    ],
)
def test_a_denial_is_a_claim_like_any_other(text: str) -> None:
    assert not says_it_is_missing(text)
    assert kinds(text) == ["claim"]


@pytest.mark.parametrize(
    "text",
    [
        "No tengo información, pero el plan A es gratis.",
        "No hay datos: el plan A es ilegal.",
        "No existe respuesta porque Ana García robó los documentos.",
        "I don't have that information, but plan A is free.",
    ],
)
def test_what_a_refusal_says_besides_has_to_be_proven(text: str) -> None:
    assert kinds(text) == ["claim"]


@pytest.mark.parametrize(
    "text",
    [
        "No hay que presentar documentos.",
        "No existe obligación de entregar datos.",
        "El documento no permite fumar.",
        "El documento no menciona multas de 300 euros.",
        "El documento no menciona el precio anual [Chunk 1].",
    ],
)
def test_what_says_something_of_the_world_is_no_refusal(text: str) -> None:
    assert kinds(text) == ["claim"]


@pytest.mark.parametrize(
    "text",
    [
        "No hay documentos que entregar.",
        "No hay datos obligatorios.",
        "No hay evidencia de que el plan cure.",
        "No existe documento de garantía.",
    ],
)
def test_that_there_are_no_such_things_is_a_claim(text: str) -> None:
    assert kinds(text) == ["claim"]


@pytest.mark.parametrize(
    "text",
    ["[Chunk 1" + ", 1" * 3_000, "[chunk" + " " * 9_000, "a" + " " * 9_000 + "b", "." * 9_000, "[" * 9_000],
)
def test_no_text_makes_the_reading_go_round_in_circles(text: str) -> None:
    assert not CITATION.search(text)
    assert all(not piece.cited for piece in pieces_of(text))
