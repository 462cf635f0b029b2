"""The gate opens where the evidence answers, and stays shut where it does not."""

from typing import TYPE_CHECKING

import pytest

from veraz.answer.answerability import Answerability, read_answerability
from veraz.answer.evidence import sources_of
from veraz.answer.question import read_question
from veraz.search.model import Hit

if TYPE_CHECKING:
    from tests.support.passages import make_hit
else:
    from support.passages import make_hit

GYM = (
    "El gimnasio municipal está en la calle Mayor. La cuota mensual del gimnasio es de 30 euros. "
    "Ana García dirige el gimnasio desde 2015. Debe presentar un certificado médico antes de inscribirse. "
    "No se permite entrar con calzado de calle. Existe riesgo de caídas en la zona húmeda."
)
POOL = "La piscina cubierta mide 25 metros. Fue inaugurada en 1998 por el alcalde Pedro Ruiz."


def gate(question: str, *hits: Hit) -> Answerability:
    """What the gate sees."""
    return read_answerability(read_question(question, "es"), hits, sources_of(hits))


@pytest.mark.parametrize(
    ("question", "kind"),
    [
        ("¿Quién dirige el gimnasio?", "who"),
        ("¿En qué año se inauguró?", "when"),
        ("¿Cuándo abre?", "when"),
        ("¿Cuánto cuesta la cuota?", "how_many"),
        ("How many books may I borrow?", "how_many"),
        ("¿Dónde está el gimnasio?", "where"),
        ("Why was it closed?", "why"),
        ("¿Qué es un gimnasio?", "other"),
    ],
)
def test_a_question_says_what_kind_of_thing_it_asks_for(question: str, kind: str) -> None:
    assert read_question(question, "es").kind == kind


@pytest.mark.parametrize(
    "question",
    [
        "¿Cuánto es la cuota mensual del gimnasio?",
        "¿Quién dirige el gimnasio?",
        "¿Dónde está el gimnasio municipal?",
    ],
)
def test_the_gate_opens_where_the_evidence_answers(question: str) -> None:
    found = gate(question, make_hit(GYM))
    assert found.refusal is None
    assert found.probability >= 0.5


def test_the_sentence_that_answers_comes_first() -> None:
    (_, best), *_ = gate("¿Quién dirige el gimnasio?", make_hit(POOL), make_hit(GYM)).sentences
    assert (best.number, best.sentence.text) == (2, "Ana García dirige el gimnasio desde 2015.")


def test_the_gate_stays_shut_without_evidence() -> None:
    assert gate("¿Cuánto es la cuota?").refusal == "no_evidence"
    far = make_hit(POOL, match=0.1, similarity=0.1)
    assert gate("¿Qué gobierno aprobó la reforma fiscal de Noruega?", far).refusal == "off_topic"


def test_what_contradicts_the_passage_makes_a_question_less_answerable() -> None:
    right = gate("¿Quién dirige el gimnasio desde 2015?", make_hit(GYM)).probability
    assert gate("¿Quién dirige el gimnasio desde 1999?", make_hit(GYM)).probability < right
    assert gate("¿Quién dirige el gimnasio de Salamanca desde 2015?", make_hit(GYM)).probability < right
