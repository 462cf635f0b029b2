"""A question that leans on the ones before it is searched with what it means."""

import asyncio
from collections.abc import AsyncGenerator

import pytest

from veraz.answer.follow_up import leans, stand_alone
from veraz.errors import OutsideDown
from veraz.providers.chat.base import NO_USAGE, ChatRequest, Delta, Message, Piece
from veraz.providers.chat.fake import ScriptedChat

FULL = "¿Cuánto cuesta el bono anual de la piscina municipal de Salamanca?"


def talk(*questions: str) -> tuple[Message, ...]:
    """What was asked before, each with an answer."""
    return tuple(
        message
        for question in questions
        for message in (Message(role="user", text=question), Message(role="assistant", text="Pues 20 euros."))
    )


async def searched(question: str, *before: str, model: ScriptedChat | None = None) -> str:
    """The question as it is searched."""
    text, _ = await stand_alone(question, talk(*before), "es", model)
    return text


@pytest.mark.parametrize(
    "question",
    [
        "¿Y el básico?",
        "¿Y para los socios?",
        "Pero, ¿eso incluye sauna?",
        "¿Quién la dirige?",
        "¿Cuánto cuesta eso?",
        "¿Por qué?",
        "¿Incluye desayuno?",
        "¿Permite mascotas?",
        "¿Cuánto cuesta?",
    ],
)
def test_a_question_leans_when_it_points_back(question: str) -> None:
    assert leans(question, "es")


@pytest.mark.parametrize(
    "question", [FULL, "¿Quién es Ana García?", "¿A qué hora abre la cafetería los domingos?"]
)
def test_a_question_that_names_its_subject_stands_alone(question: str) -> None:
    assert not leans(question, "es")


@pytest.mark.parametrize(
    "question",
    [
        "¿Cuánto cuesta la piscina?",
        "¿Dónde está el gimnasio municipal?",
        "¿Cuál es el horario de la biblioteca?",
        "¿Cómo se cancela la reserva?",
        "¿Quién dirige el gimnasio?",
        "¿Cuánto cuesta el plan premium al mes?",
    ],
)
async def test_a_short_question_about_something_else_is_left_alone(question: str) -> None:
    assert await searched(question, FULL) == question


async def test_without_anything_before_a_question_is_left_alone() -> None:
    model = ScriptedChat("nunca")
    assert await searched("¿Y el básico?", model=model) == "¿Y el básico?"
    assert not model.requests


async def test_the_subject_is_carried_over() -> None:
    assert await searched("¿Y en verano?", FULL) == f"{FULL} ¿Y en verano?"


async def test_the_subject_is_carried_through_a_chain() -> None:
    chain = ("¿Quién fundó Roma?", FULL, "¿Y en verano?", "¿Y para los socios?")
    assert await searched("¿Y los domingos?", *chain) == (
        f"{FULL} ¿Y en verano? ¿Y para los socios? ¿Y los domingos?"
    )


async def test_a_new_topic_is_left_alone() -> None:
    other = "¿Qué documentos piden para inscribir a menores en el campamento?"
    assert await searched(other, FULL, "¿Y en verano?") == other
    assert await searched(other, FULL, "¿Y en verano?", model=ScriptedChat(other)) == other


async def test_a_model_sees_that_a_question_leans_where_its_words_do_not_tell() -> None:
    model = ScriptedChat("¿Cuánto cuesta el bono anual para niños?")
    assert (
        await searched("¿Cuánto para niños?", FULL, model=model) == "¿Cuánto cuesta el bono anual para niños?"
    )


async def test_a_model_that_hangs_is_not_waited_for() -> None:
    class Hangs(ScriptedChat):
        async def stream(self, request: ChatRequest) -> AsyncGenerator[Piece, None]:
            await asyncio.sleep(60)
            yield Delta(text="nunca")

    text, usage = await stand_alone("¿Y en verano?", talk(FULL), "es", Hangs(), seconds=0.01)
    assert (text, usage) == (f"{FULL} ¿Y en verano?", NO_USAGE)


async def test_a_new_topic_is_what_the_next_question_leans_on() -> None:
    other = "¿Qué documentos piden para inscribir a menores en el campamento?"
    assert await searched("¿Y para adultos?", FULL, other) == f"{other} ¿Y para adultos?"


async def test_the_model_is_asked_with_what_was_said_before() -> None:
    model = ScriptedChat(" ¿Cuánto cuesta el bono anual en verano? ")
    text, usage = await stand_alone("¿Y en verano?", talk(FULL), "es", model)
    assert text == "¿Cuánto cuesta el bono anual en verano?"
    assert usage.tokens > 0
    (request,) = model.requests
    assert [message.text for message in request.messages] == [FULL, "Pues 20 euros.", "¿Y en verano?"]


@pytest.mark.parametrize("line", [OutsideDown(host="x", reason="y"), "", "  ", "palabra " * 100])
async def test_a_model_that_fails_or_rambles_is_not_heard(line: str | OutsideDown) -> None:
    text, usage = await stand_alone("¿Y en verano?", talk(FULL), "es", ScriptedChat(line))
    assert (text, usage) == (f"{FULL} ¿Y en verano?", NO_USAGE)


async def test_what_is_carried_over_has_an_end() -> None:
    carried = await searched("¿Y en verano?", "¿Cuánto cuesta? " + "piscina municipal " * 200)
    assert len(carried) <= 1_000
    assert carried.endswith("¿Y en verano?")
