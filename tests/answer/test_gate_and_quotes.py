"""The gate opens where the evidence answers; the quoting writer quotes what answers, and nothing else."""

from typing import TYPE_CHECKING

import pytest
from veraz.answer.sources import sources_of
from veraz.verify.verify import verify

from veraz.answer.answerability import Opening, gate
from veraz.answer.model import Persona
from veraz.answer.phrases import refusal_text
from veraz.answer.question import read_question
from veraz.answer.quoting_writer import ExtractiveWriter
from veraz.answer.writer import Task
from veraz.library.model import AnswerStyle
from veraz.providers.chat.base import Finished
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


def opening(question: str, hits: list[Hit], language: str = "es") -> Opening:
    return gate(read_question(question, language), hits, sources_of(hits))


def task(question: str, style: AnswerStyle = "strict", user_name: str = "", *texts: str) -> Task:
    hits = [make_hit(text) for text in texts] or [make_hit(GYM), make_hit(POOL, match=0.7)]
    return Task(
        asked=read_question(question, "es"),
        persona=Persona(agent="Luna", style=style, user_name=user_name),
        hits=tuple(hits),
        sources=tuple(sources_of(hits)),
        opening=opening(question, hits),
    )


async def written(task: Task) -> str:
    pieces = [piece async for piece in ExtractiveWriter().write(task)]
    assert isinstance(pieces[-1], Finished)
    return pieces[-1].text


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


def test_the_gate_opens_where_the_evidence_answers() -> None:
    for question in (
        "¿Cuánto es la cuota mensual del gimnasio?",
        "¿Quién dirige el gimnasio?",
        "¿Dónde está el gimnasio municipal?",
    ):
        assert opening(question, [make_hit(GYM)]).open, question


def test_the_gate_stays_shut_without_evidence() -> None:
    assert opening("¿Cuánto es la cuota?", []).refusal == "no_evidence"
    far = [make_hit(POOL, match=0.1, similarity=0.1)]
    assert opening("¿Qué gobierno aprobó la reforma fiscal de Noruega?", far).refusal == "off_topic"


def test_what_contradicts_the_passage_makes_a_question_less_answerable() -> None:
    hits = [make_hit(GYM)]
    right = opening("¿Quién dirige el gimnasio desde 2015?", hits).answerability
    assert opening("¿Quién dirige el gimnasio desde 1999?", hits).answerability < right
    assert opening("¿Quién dirige el gimnasio de Salamanca desde 2015?", hits).answerability < right


async def test_the_sentence_that_answers_is_quoted_with_its_chunk() -> None:
    assert "La cuota mensual del gimnasio es de 30 euros [Chunk 1]." in await written(
        task("¿Cuánto es la cuota mensual del gimnasio?")
    )
    assert "Ana García dirige el gimnasio desde 2015 [Chunk 1]." in await written(
        task("¿Quién dirige el gimnasio?")
    )


async def test_a_sentence_about_somebody_named_before_comes_with_the_sentence_that_names_them() -> None:
    hits = [make_hit("La piscina cubierta mide 25 metros. Esta se abrió en 1998.")]
    one = Task(
        asked=read_question("¿Cuándo se abrió la piscina?", "es"),
        persona=Persona(agent="Luna"),
        hits=tuple(hits),
        sources=tuple(sources_of(hits)),
        opening=opening("¿Cuándo se abrió la piscina?", hits),
    )
    assert (
        await written(one) == "La piscina cubierta mide 25 metros [Chunk 1]. Esta se abrió en 1998 [Chunk 1]."
    )


async def test_a_title_is_not_quoted_beside_what_stands_below_it() -> None:
    about = task(
        "¿Cuál es la garantía?", "strict", "", "## Garantía\n\nLa garantía es de 3 años y cubre defectos."
    )
    text = await written(about)
    assert text == "La garantía es de 3 años y cubre defectos [Chunk 1]."


async def test_the_chat_style_greets_by_name() -> None:
    assert (await written(task("¿Quién dirige el gimnasio?", "chat", "María"))).startswith("Hola, María. ")


async def test_the_evidence_style_fills_what_it_can_and_says_where_it_cannot() -> None:
    text = await written(
        task("¿Qué riesgo hay y qué certificado médico debe presentar en el gimnasio?", "evidence")
    )
    assert text.startswith("## QUÉ DICE LA EVIDENCIA")
    assert "## QUÉ HACER\n- Debe presentar un certificado médico" in text
    assert "## SEÑALES DE ALERTA\n- Existe riesgo de caídas" in text
    plain = await written(task("¿Quién dirige el gimnasio?", "evidence"))
    assert "Sin evidencia en los documentos." in plain


@pytest.mark.parametrize("style", ["strict", "evidence", "chat"])
async def test_quotations_pass_the_check_unchanged(style: AnswerStyle) -> None:
    for question in (
        "¿Quién dirige el gimnasio?",
        "¿Cuánto mide la piscina?",
        "¿Se permite calzado de calle?",
    ):
        doing = task(question, style, "María")
        draft = await written(doing)
        verdict = await verify(draft, doing.sources, question=question, language="es", known=["María"])
        assert verdict.text == draft
        assert not verdict.removed
        assert not verdict.repaired


def test_a_refusal_is_said_in_the_agents_words_or_ours() -> None:
    assert "no tengo" in refusal_text(Persona(agent="Luna"), "off_topic")
    assert "evidence" in refusal_text(Persona(agent="Luna", language="en"), "no_evidence")
    own = Persona(agent="Luna", fallback_message="Escriba a info@acme.es.")
    assert refusal_text(own, "off_topic") == "Escriba a info@acme.es."
    assert refusal_text(own, "off_topic", handoff=True).endswith("conversación.")
