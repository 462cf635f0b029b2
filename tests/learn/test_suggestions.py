"""Questions that are offered: made of what the agent reads for who asks, and of nothing else."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any
from uuid import UUID

import pytest

from veraz import errors
from veraz.answer.conversations import Conversations
from veraz.answer.service import Answers, Ask
from veraz.db.pool import Database
from veraz.ids import new_id
from veraz.learn.exam import Exams, NewExamQuestion
from veraz.learn.question_forms import own_questions, row_questions, sentence_questions
from veraz.learn.suggestions import Suggestions
from veraz.tenancy.model import Actor

if TYPE_CHECKING:
    from tests.conftest import MakeTenant, Tenant
    from tests.support.asking import Owner
    from tests.support.searchable import Library, admin_of
else:
    from support.asking import Owner
    from support.searchable import Library, admin_of

FAQ = "Preguntas frecuentes\n\n¿Puedo llevar a mi perro?\nNo se admiten animales.\n\n¿Dónde dejo el coche?\nEn la calle."
PRICES = "El plan premium cuesta 20 euros al mes. La matrícula de verano cuesta 15 euros."
ENGLISH = "The monthly parking fee is 40 euros."

Make = Callable[..., Answers]


@pytest.fixture
async def agent(library: Library, make_tenant: "MakeTenant") -> tuple["Tenant", UUID]:
    """An agent that reads a list of questions, prices and something in English."""
    tenant = make_tenant()
    kb = await library.kb(tenant)
    for name, text in (("faq.md", FAQ), ("parking.md", ENGLISH), ("precios.md", PRICES)):
        await library.document(kb, name, text)
    return tenant, await library.agent(tenant, kb)


async def test_an_empty_chat_offers_what_documents_ask_and_answer_each_document_in_turn(
    agent: tuple["Tenant", UUID], db: Database, make_user: Callable[..., Any]
) -> None:
    tenant, agent_id = agent
    member = Actor(tenant_id=tenant.id, user_id=make_user(tenant).user_id, user_role="member")
    for actor in (admin_of(tenant), member):
        assert await Suggestions(db).openers(actor, agent_id, "es", limit=9) == [
            "¿Cuánto cuesta el plan premium?",
            "¿Puedo llevar a mi perro?",
            "¿Cuánto cuesta la matrícula de verano?",
            "¿Dónde dejo el coche?",
            "What is the monthly parking fee?",
        ]
    assert (await Suggestions(db).openers(member, agent_id, "en"))[0] == "What is the monthly parking fee?"


async def test_questions_of_the_exam_that_went_right_come_first(
    agent: tuple["Tenant", UUID], db: Database, answers: Make, owner: Owner, make_user: Callable[..., Any]
) -> None:
    tenant, agent_id = agent
    exams, asked = Exams(db, answers()), "¿Cuántos euros cuesta al mes el plan premium?"
    await exams.add(
        admin_of(tenant),
        agent_id,
        [
            NewExamQuestion(question=asked, expected_text="20 euros"),
            NewExamQuestion(question="¿Cuántos euros vale el plan de oro?", expected_text="99 euros"),
            NewExamQuestion(question="¿Cuántos perros tiene la alcaldesa?", must_refuse=True),
        ],
    )
    await exams.run(admin_of(tenant), agent_id)
    owner.execute("update veraz.agent set allows_personal_corpus = false")
    member = Actor(tenant_id=tenant.id, user_id=make_user(tenant).user_id, user_role="member")
    assert (await Suggestions(db).openers(member, agent_id, "es", limit=2))[0] == asked
    offered = await Suggestions(db).openers(member, agent_id, "es", limit=20)
    assert not {"¿Cuántos euros vale el plan de oro?", "¿Cuántos perros tiene la alcaldesa?"} & set(offered)
    owner.execute("update veraz.agent set allows_personal_corpus = true")
    assert asked not in await Suggestions(db).openers(member, agent_id, "es", limit=20)


async def test_what_others_keep_for_themselves_is_not_offered(
    agent: tuple["Tenant", UUID],
    db: Database,
    library: Library,
    owner: Owner,
    make_user: Callable[..., Any],
    make_tenant: "MakeTenant",
) -> None:
    tenant, agent_id = agent
    owner.execute("update veraz.agent set allows_personal_corpus = true")
    mine, colleague = (
        Actor(tenant_id=tenant.id, user_id=make_user(tenant).user_id, user_role="member") for _ in range(2)
    )
    assert mine.user_id
    personal = await library.kb(tenant, owner_id=mine.user_id)
    await library.document(personal, "mío.md", "El regalo de cumpleaños cuesta 80 euros.")
    await library.assign(agent_id, personal)
    shared, unread = await library.kb(tenant), await library.kb(tenant)
    await library.assign(agent_id, shared)
    await library.document(
        shared, "máquina.md", "La reparación del torno cuesta 300 euros.", machine="b" * 32
    )
    await library.document(unread, "secreto.md", "La reforma secreta cuesta 900 euros.")
    offers = Suggestions(db)
    assert "¿Cuánto cuesta el regalo de cumpleaños?" in await offers.openers(mine, agent_id, "es", limit=20)
    for who in (colleague, admin_of(tenant)):
        offered = await offers.openers(who, agent_id, "es", limit=20)
        assert offered and not any(word in " ".join(offered) for word in ("regalo", "torno", "secreta"))
    stranger = admin_of(make_tenant("Otra"))
    assert await offers.openers(stranger, agent_id, "es") == []
    with pytest.raises(errors.Forbidden):
        read_only = Actor(tenant_id=tenant.id, key_id=new_id(), scopes=frozenset({"ingest"}))
        await offers.openers(read_only, agent_id, "es")


async def test_an_answer_offers_what_stands_beside_its_quotes_and_was_not_asked(
    agent: tuple["Tenant", UUID], db: Database, answers: Make, make_tenant: "MakeTenant"
) -> None:
    tenant, agent_id = agent
    actor, talks, offers = admin_of(tenant), Conversations(db), Suggestions(db)
    answer = await answers().answer(actor, agent_id, Ask(question="¿Cuántos euros cuesta el plan premium?"))
    assert answer.message_id and answer.conversation_id
    message = await talks.message(actor, answer.message_id)
    assert await offers.follow_ups(actor, agent_id, message) == ["¿Cuánto cuesta la matrícula de verano?"]
    assert await offers.follow_ups(admin_of(make_tenant("Otra")), agent_id, message) == []
    again = Ask(question="¿Cuánto cuesta la matrícula de verano?", conversation_id=answer.conversation_id)
    second = await answers().answer(actor, agent_id, again)
    assert second.message_id
    for one in (message, await talks.message(actor, second.message_id)):
        offered = await offers.follow_ups(actor, agent_id, one)
        assert "¿Cuánto cuesta la matrícula de verano?" not in offered


async def test_an_answer_without_quotes_offers_nothing(
    agent: tuple["Tenant", UUID], db: Database, answers: Make
) -> None:
    tenant, agent_id = agent
    actor = admin_of(tenant)
    answer = await answers().answer(actor, agent_id, Ask(question="hola"))
    assert answer.message_id
    message = await Conversations(db).message(actor, answer.message_id)
    assert await Suggestions(db).follow_ups(actor, agent_id, message) == []


@pytest.mark.parametrize(
    ("sentence", "question"),
    [
        ("La convocatoria cierra el 31 de agosto.", "¿Cuándo cierra la convocatoria?"),
        ("El convenio con Arco se terminó en abril de 2025.", "¿Cuándo se terminó el convenio con Arco?"),
        ("El estudio del crédito tarda hasta 3 días hábiles.", "¿Cuánto tarda el estudio del crédito?"),
        (
            "La reparación se entrega en un plazo máximo de 15 días.",
            "¿En qué plazo se entrega la reparación?",
        ),
        ("El daño debe reportarse dentro de las 48 horas.", "¿En qué plazo debe reportarse el daño?"),
        ("El hospedaje se reembolsa hasta 2,100 pesos.", "¿Hasta cuánto se reembolsa el hospedaje?"),
        ("Los vales tienen una vigencia de 12 meses.", "¿Qué vigencia tienen los vales?"),
        ("Los recargos por mora son de 30 euros.", "¿Cuáles son los recargos por mora?"),
        ("Las exclusiones de los incisos a) y b) no son 3.", None),
        ("Los de patología tardan 5 días.", None),
        ("El gimnasio abre por la mañana.", None),
    ],
)
def test_a_sentence_that_gives_a_figure_or_a_date_answers_a_question(
    sentence: str, question: str | None
) -> None:
    assert next((one.question for one in sentence_questions(sentence)), None) == question


@pytest.mark.parametrize(
    ("row", "question"),
    [
        (
            "Sucursal: Centro; Teléfono: 81 5550; Horario: 9 a 17",
            "¿Cuál es el teléfono de la sucursal Centro?",
        ),
        (
            "Clave: 7; Descripción: Taladro; Precio (MXN): 800; Peso: 2",
            "¿Cuál es el precio de «Taladro»?",
        ),
        ("Código: 7; Servicio: Cheque; Tarifa anterior: 12", None),
        ("Nota: véase; Precio: 10", None),
        ("Una frase: corriente; y nada más", None),
    ],
)
def test_a_row_with_a_price_a_telephone_or_an_address_answers_a_question(
    row: str, question: str | None
) -> None:
    assert next((one.question for one in row_questions(row)), None) == question


def test_a_text_asks_its_own_questions_on_lines_of_their_own() -> None:
    text = "## 3. ¿Puedo pagar a plazos?\nSí. ¿Y al contado? También.\nHow do I get there?\nIs it far.\n"
    found = [one.question for one in own_questions(text)]
    assert found == ["¿Puedo pagar a plazos?", "How do I get there?"]
