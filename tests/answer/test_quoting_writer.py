"""Without a model the sentences that answer are quoted, and nothing else."""

from typing import TYPE_CHECKING

import pytest

from veraz.answer.answerability import read_answerability
from veraz.answer.assemble import Assembly
from veraz.answer.evidence import sources_of
from veraz.answer.model import Persona
from veraz.answer.question import read_question
from veraz.answer.quoting_writer import quotations
from veraz.answer.writer import Task
from veraz.library.model import AnswerStyle
from veraz.verify.model import Checked

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


def quoted(question: str, *texts: str, style: AnswerStyle = "strict") -> list[Checked]:
    """The quotations for a question."""
    hits = [make_hit(text) for text in texts] or [make_hit(GYM), make_hit(POOL, match=0.7)]
    sources = sources_of(hits)
    persona = Persona(agent="Luna", style=style)
    task = Task(question=question, meant=question, persona=persona, hits=tuple(hits), sources=sources)
    return quotations(task, read_answerability(read_question(question, "es"), hits, sources))


def written(question: str, *texts: str, style: AnswerStyle = "strict") -> str:
    """The quotations as a text."""
    return Assembly().add(quoted(question, *texts, style=style))


def test_the_sentence_that_answers_is_quoted_with_its_chunk() -> None:
    assert "La cuota mensual del gimnasio es de 30 euros [Chunk 1]." in written(
        "¿Cuánto es la cuota mensual del gimnasio?"
    )
    assert "Ana García dirige el gimnasio desde 2015 [Chunk 1]." in written("¿Quién dirige el gimnasio?")


def test_a_sentence_about_somebody_named_before_comes_with_the_sentence_that_names_them() -> None:
    text = "La piscina cubierta mide 25 metros. Esta se abrió en 1998."
    assert written("¿Cuándo se abrió la piscina?", text) == (
        "La piscina cubierta mide 25 metros [Chunk 1]. Esta se abrió en 1998 [Chunk 1]."
    )


def test_a_title_is_not_quoted_beside_what_stands_below_it() -> None:
    text = "## Garantía\n\nLa garantía es de 3 años y cubre defectos."
    assert written("¿Cuál es la garantía?", text) == "La garantía es de 3 años y cubre defectos [Chunk 1]."


def test_the_same_sentence_of_two_documents_is_quoted_once() -> None:
    text = "La cuota mensual del gimnasio es de 30 euros."
    assert written("¿Cuánto es la cuota mensual del gimnasio?", text, text).count("30 euros") == 1


def test_the_evidence_style_has_the_sections_there_is_evidence_for() -> None:
    question = "¿Qué riesgo hay y qué certificado médico debe presentar en el gimnasio?"
    text = written(question, style="evidence")
    assert text.startswith("## QUÉ DICE LA EVIDENCIA\n- ")
    assert "## QUÉ HACER\n- Debe presentar un certificado médico" in text
    assert "## SEÑALES DE ALERTA\n- Existe riesgo de caídas" in text
    assert "## QUÉ HACER" not in written("¿Cuánto mide la piscina?", POOL, style="evidence")


@pytest.mark.parametrize("style", ["strict", "evidence", "chat"])
@pytest.mark.parametrize(
    "question", ["¿Quién dirige el gimnasio?", "¿Cuánto mide la piscina?", "¿Se permite calzado de calle?"]
)
def test_every_quotation_stands_in_its_source_word_for_word(question: str, style: AnswerStyle) -> None:
    claims = [one for one in quoted(question, style=style) if one.piece.kind == "claim"]
    assert claims
    for one in claims:
        assert one.proof
        assert one.proof.verdict == "quoted"
        for quote in one.proof.quotes:
            source = (GYM, POOL)[quote.number - 1]
            assert source[quote.start : quote.end] == quote.text == one.piece.text.rstrip(".")
