"""From a question to its answer: only what is proven is shown, in every stream, whoever fails on the way."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any
from uuid import UUID

import pytest

from veraz.answer.conversations import Conversations
from veraz.answer.model import Answer, Drafted, Event, Found, Searching, Wrote
from veraz.answer.service import LOCAL_MODEL, Answers, Ask
from veraz.db.pool import Database
from veraz.errors import Invalid, OutsideDown
from veraz.learn.gaps import Gaps
from veraz.providers.chat.base import Message
from veraz.providers.chat.fake import Line
from veraz.search.service import Search
from veraz.tenancy.model import Actor

if TYPE_CHECKING:
    from tests.conftest import MakeTenant, Tenant
    from tests.support.asking import (
        FALSE,
        QUESTION,
        QUOTED,
        TRUE,
        Owner,
        Unhurried,
        answer_in,
        events_of,
        give_model,
        shown,
    )
    from tests.support.reader import Passages, Reader, says_yes
    from tests.support.searchable import Library, admin_of
else:
    from support.asking import (
        FALSE,
        QUESTION,
        QUOTED,
        TRUE,
        Owner,
        Unhurried,
        answer_in,
        events_of,
        give_model,
        shown,
    )
    from support.reader import Passages, Reader, says_yes
    from support.searchable import Library, admin_of

Agent = tuple["Tenant", UUID]
Make = Callable[..., Answers]
DOWN = OutsideDown(host="fake", reason="down")
CHEAP = "El plan básico cuesta 10 euros al mes [Chunk 1]."


class Asker:
    """Asks one agent with one model."""

    def __init__(self, answers: Make, agent: Agent, owner: Owner) -> None:
        self.make, self.owner = answers, owner
        self.tenant, self.agent_id = agent

    @property
    def actor(self) -> Actor:
        """Who asks."""
        return admin_of(self.tenant)

    def __call__(self, model: Reader, **columns: object) -> Answers:
        """The agent with this model."""
        give_model(self.owner, self.agent_id, model.name, **columns)
        return self.make(Unhurried(model))

    async def events(self, model: Reader, question: str = QUESTION, **more: Any) -> list[Event]:
        """Every event of a question."""
        return await events_of(self(model), self.actor, self.agent_id, question, **more)

    async def answer(self, model: Reader, question: str = QUESTION, **columns: object) -> Answer:
        """The answer to a question."""
        service = self(model, **columns)
        return await service.answer(self.actor, self.agent_id, Ask(question=question))


@pytest.fixture
def ask(answers: Make, agent: Agent, owner: Owner) -> Asker:
    """Asks the agent."""
    return Asker(answers, agent, owner)


# --- the judge ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("eager", [True, False])
async def test_where_the_judge_is_down_only_quotations_are_shown(ask: Asker, eager: bool) -> None:
    model = Reader(f"{TRUE} El plan premium sale por 20 euros [Chunk 1]. {FALSE}", judge=DOWN)
    events = await ask.events(model, eager=eager)
    answer = answer_in(events)
    told = "Otra parte de la respuesta no se pudo comprobar y no se muestra."
    assert (answer.text, answer.degraded, answer.refused) == (f"{TRUE}\n\n{told}", "judge_down", False)
    assert shown(events) == answer.text
    assert answer.claims[0].verdict == "quoted"
    assert [one.text for one in answer.held_back] == [
        "El plan premium sale por 20 euros.",
        "El plan premium cuesta 99 euros al mes.",
    ]
    assert len(model.writes) == 1


async def test_where_the_judge_is_down_and_nothing_is_a_quotation_the_documents_are_quoted(
    ask: Asker,
) -> None:
    answer = await ask.answer(Reader("El plan premium sale por 20 euros [Chunk 1].", judge=DOWN))
    assert answer.text.startswith(f"Esto dicen los documentos:\n{QUOTED}\n\nOtra parte")
    assert (answer.refused, answer.degraded) == (False, "judge_down")


@pytest.mark.parametrize("eager", [True, False])
async def test_a_judge_that_says_yes_to_everything_is_not_believed(ask: Asker, eager: bool) -> None:
    events = await ask.events(Reader(f"{FALSE} {TRUE}", judge=says_yes), eager=eager)
    answer = answer_in(events)
    assert answer.degraded == "judge_unreliable"
    assert shown(events) == answer.text
    assert answer.text.startswith(f"{TRUE}\n\nOtra parte")


async def test_a_judge_that_is_not_set_up_leaves_quotations(db: Database, search: Search, ask: Asker) -> None:
    model = Reader(f"{TRUE} {FALSE}")

    def chats(name: str, fallback: str | None) -> Reader:
        if name != model.name:
            raise Invalid(field="judge_model", reason="unknown")
        return model

    give_model(ask.owner, ask.agent_id, model.name, judge_model="fake:nobody")
    service = Answers(db, search, search.spaces.settings, chats=chats)
    answer = await service.answer(ask.actor, ask.agent_id, Ask(question=QUESTION))
    assert (answer.text, answer.degraded) == (TRUE, "no_judge")


async def test_the_same_claim_is_not_judged_twice(ask: Asker) -> None:
    model = Reader(TRUE)
    service = ask(model)
    for _ in range(2):
        answer = await service.answer(ask.actor, ask.agent_id, Ask(question=QUESTION))
        assert answer.text == TRUE
    assert (len(model.writes), len(model.judgements)) == (2, 1)


# --- what is shown -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("eager", [True, False])
async def test_nothing_unproven_is_ever_shown(ask: Asker, eager: bool) -> None:
    draft = (
        f"Hola. {FALSE} {TRUE}\n\n## Sauna\nHay sauna gratis [Chunk 1].\n- {TRUE}\n"
        f"## Plan básico\n- {CHEAP}\n- Abre en 1850 [Chunk 2]."
    )
    events = await ask.events(Reader(draft, "Hay sauna [Chunk 1].", piece=5), eager=eager)
    wrote = shown(events)
    assert "20 euros" in wrote
    assert "10 euros" in wrote
    for lie in ("99", "auna", "1850"):
        assert lie not in wrote
    assert answer_in(events).text == wrote.strip()


async def test_what_stands_under_a_heading_that_was_held_back_is_held_back_too(ask: Asker) -> None:
    answer = await ask.answer(Reader(f"{CHEAP}\n\n## Plan premium con jacuzzi\n{TRUE}"))
    assert answer.text == CHEAP
    assert len(answer.held_back) == 2


async def test_where_somebody_waits_the_first_sentence_is_proven_before_the_last_is_written(
    ask: Asker,
) -> None:
    model = Reader(f"{TRUE} {CHEAP}", piece=4)
    events = await ask.events(model, eager=True)
    assert [event.delta for event in events if isinstance(event, Wrote)] == [TRUE, f" {CHEAP}"]
    assert len(model.judgements) == 2


async def test_where_nobody_waits_everything_is_proven_in_one_request(ask: Asker) -> None:
    model = Reader(f"{TRUE} {CHEAP}", piece=4)
    events = await ask.events(model)
    assert [event.delta for event in events if isinstance(event, Wrote)] == [f"{TRUE} {CHEAP}"]
    assert len(model.judgements) == 1


async def test_a_model_that_breaks_off_leaves_what_was_proven(ask: Asker) -> None:
    class BreaksOff(Reader):
        async def stream(self, request: Any) -> Any:
            written = 0
            async for piece in super().stream(request):
                if "<claim n=" not in request.messages[-1].text:
                    written += 1
                    if written > 5:
                        raise DOWN
                yield piece

    events = await ask.events(BreaksOff(f"{TRUE} {CHEAP} {CHEAP}"), eager=True)
    answer = answer_in(events)
    assert (answer.text, answer.degraded) == (TRUE, "model_down")
    assert shown(events) == TRUE


async def test_links_and_images_of_a_model_are_not_shown(ask: Asker) -> None:
    draft = "El plan premium cuesta [20 euros](https://evil.example/a) al mes ![x](https://evil.example/b.png) [Chunk 1]."
    events = await ask.events(Reader(draft))
    assert "20 euros" in shown(events)
    assert "evil" not in shown(events)


# --- unchecked ---------------------------------------------------------------------------------------------------------


def drafted(events: list[Event]) -> str:
    """What was given out unchecked."""
    return "".join(event.delta for event in events if isinstance(event, Drafted))


async def test_the_draft_is_only_given_to_who_asks_for_it(ask: Asker) -> None:
    assert drafted(await ask.events(Reader(f"{TRUE} {FALSE}"))) == ""


async def test_an_unchecked_draft_has_no_links_and_no_images(ask: Asker) -> None:
    draft = f"{FALSE} Vea [aquí](https://evil.example/a) ![x](https://evil.example/b.png) <img src=x> www.evil.example."
    events = await ask.events(Reader(draft), unchecked=True)
    assert "99 euros" in drafted(events)
    for bad in ("evil", "![", "](", "<img"):
        assert bad not in drafted(events)
    assert "99" not in shown(events)
    assert "99" not in answer_in(events).text


# A piece may end with the first letter of the next sentence: «<» | «img src=x onerror=…>», «W» | «ww.evil.example» pass.
@pytest.mark.parametrize("strange", ["<img src=x onerror=alert(1)>", "Www.evil.example/a"])
async def test_an_unchecked_draft_has_no_links_however_it_arrives(ask: Asker, strange: str) -> None:
    events = await ask.events(Reader(f"{TRUE} {strange} Fin.", piece=1), unchecked=True, eager=True)
    assert "20 euros" in drafted(events)
    assert strange not in drafted(events)


async def test_a_wish_is_not_part_of_the_unchecked_draft(ask: Asker) -> None:
    events = await ask.events(Reader("BUSCAR: precio del plan premium", TRUE), unchecked=True)
    assert "BUSCAR" not in drafted(events)
    assert "20 euros" in drafted(events)


# --- the second search and the second try ------------------------------------------------------------------------------


async def test_a_model_may_wish_for_one_more_search(ask: Asker) -> None:
    model = Reader("BUSCAR: quién dirige la piscina", "Luis Pérez dirige la piscina [Chunk 2].")
    events = await ask.events(model)
    answer = answer_in(events)
    assert "Luis Pérez dirige la piscina" in answer.text
    assert "search_again" in answer.stages
    assert "BUSCAR" not in shown(events)
    assert len(model.writes) == 2


@pytest.fixture
async def large(library: Library, make_tenant: "MakeTenant") -> Agent:
    """An agent that cannot read everything at once."""
    tenant = make_tenant()
    kb = await library.kb(tenant)
    await library.document(kb, "precios.md", "El plan premium cuesta 20 euros al mes.")
    await library.document(
        kb, "socios.md", *(f"Norma {n}: el plan premium y sus euros al mes." for n in range(90))
    )
    await library.document(kb, "sauna.md", "La sauna finlandesa abre los jueves.")
    return tenant, await library.agent(tenant, kb, retrieval={"top_k": 1, "reading_tokens": 500})


async def test_what_the_second_search_finds_is_read_too(answers: Make, large: Agent, owner: Owner) -> None:
    tenant, agent_id = large
    found: list[str] = []

    def second(request: Any) -> str:
        found.append(request.messages[-1].text)
        return "La sauna finlandesa abre los jueves."

    model = Reader("BUSCAR: ¿Cuándo abre la sauna finlandesa?", second)
    give_model(owner, agent_id, model.name)
    answer = await answers(model).answer(admin_of(tenant), agent_id, Ask(question=QUESTION))
    assert "finlandesa" not in model.writes[0].messages[-1].text
    assert "20 euros" in found[0]
    assert "sauna finlandesa abre" in found[0]
    assert answer.claims[0].quotes[0].document_name == "sauna.md"
    assert answer.text == f"La sauna finlandesa abre los jueves [Chunk {_number(answer, 'sauna.md')}]."


def _number(answer: Answer, name: str) -> int:
    return 1 + [hit.passage.document_name for hit in answer.evidence].index(name)


async def test_a_second_wish_is_not_heard(ask: Asker) -> None:
    model = Reader("BUSCAR: quién dirige la piscina", "BUSCAR: otra cosa", "BUSCAR: nunca")
    answer = await ask.answer(model)
    assert (answer.refused, answer.refusal) == (True, "not_answered")
    assert "BUSCAR" not in answer.text
    assert len(model.writes) == 2


@pytest.mark.parametrize("eager", [True, False])
async def test_the_corrective_try_happens_once_and_only_adds(ask: Asker, eager: bool) -> None:
    model = Reader(f"{TRUE} {FALSE}", f"{TRUE} {CHEAP} Hay sauna [Chunk 1].", CHEAP)
    events = await ask.events(model, eager=eager)
    deltas = [event.delta for event in events if isinstance(event, Wrote)]
    assert deltas[0] == TRUE
    assert deltas[-1].strip() == CHEAP
    assert len(model.writes) == 2
    assert [one.text for one in answer_in(events).held_back] == [
        "El plan premium cuesta 99 euros al mes.",
        "Hay sauna.",
    ]


async def test_where_nothing_was_held_back_nothing_is_corrected(ask: Asker) -> None:
    model = Reader(TRUE)
    assert not (await ask.answer(model)).corrected
    assert len(model.writes) == 1


async def test_a_corrective_try_that_fails_leaves_what_was_proven(ask: Asker) -> None:
    answer = await ask.answer(Reader(f"{TRUE} {FALSE}", DOWN))
    assert (answer.text, answer.degraded) == (TRUE, None)


# --- refusals ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("draft", ["No tengo esa información.", "", "Hola. ¿En qué puedo ayudarte?"])
async def test_a_model_that_knows_no_answer_is_a_refusal(ask: Asker, draft: Line) -> None:
    answer = await ask.answer(Reader(draft))
    assert (answer.refused, answer.refusal, answer.degraded) == (True, "not_answered", None)
    assert answer.claims == ()


async def test_an_admission_about_something_nobody_asked_is_a_claim(ask: Asker) -> None:
    answer = await ask.answer(Reader(f"{TRUE} No tengo información sobre el fraude de Ana."))
    assert "fraude" not in answer.text
    assert [one.text for one in answer.held_back] == ["No tengo información sobre el fraude de Ana."]


async def test_sentences_that_only_say_what_is_missing_are_a_refusal(ask: Asker) -> None:
    def agrees(claim: str, passages: Passages) -> str | None:
        return "El plan básico cuesta 10 euros al mes" if "documentos" in claim else None

    events = await ask.events(
        Reader("Los documentos no dicen cuánto cuesta [Chunk 1].", judge=agrees), eager=True
    )
    assert answer_in(events).refused
    assert shown(events) == ""


async def test_a_fact_is_judged_under_the_heading_it_is_shown_under(ask: Asker) -> None:
    model = Reader("## Plan premium\n\nCuesta 20 euros al mes [Chunk 1].")
    await ask.answer(model)
    assert ">Plan premium: Cuesta 20 euros al mes.</claim>" in model.judgements[0].messages[-1].text


async def test_what_a_model_made_of_the_question_is_not_told_to_its_asker(ask: Asker) -> None:
    told = "El plan premium es gratis, pague en evil.example"
    before = (Message(role="user", text=QUESTION),)
    events = await ask.events(
        Reader("No tengo esa información.", others=told), "¿Y ese plan?", history=before, remember=False
    )
    assert told not in str([event for event in events if isinstance(event, Searching)])
    assert told not in answer_in(events).text


@pytest.mark.parametrize("odd", ["\ud83d", "\0"])
async def test_a_draft_with_odd_signs_breaks_nothing(ask: Asker, odd: str) -> None:
    answer = await ask.answer(Reader(f"El plan premium {odd}cuesta 20 euros al mes [Chunk 1]."))
    assert answer.text == TRUE


async def test_an_admission_beside_an_answer_is_part_of_it(ask: Asker) -> None:
    admits = "No tengo más información sobre el plan premium."
    answer = await ask.answer(Reader(f"{TRUE} {admits}"))
    assert answer.text == f"{TRUE} {admits}"
    assert not answer.refused


async def test_a_model_that_is_down_before_a_question_nobody_can_answer_is_a_refusal(ask: Asker) -> None:
    answer = await ask.answer(
        Reader(DOWN), "¿Por qué motivo dimitió en Islandia el inventor del plan premium?"
    )
    assert (answer.refused, answer.degraded) == (True, "model_down")


# --- the evidence style ------------------------------------------------------------------------------------------------


async def test_the_evidence_style_has_headings_notes_and_sources(ask: Asker) -> None:
    draft = f"## QUÉ DICE LA EVIDENCIA\n- {TRUE}\n\n## QUÉ HACER\n- {FALSE}\n\n## FUENTES\n1. Inventada"
    ask.owner.execute(
        "update veraz.document set source_url = 'https://acme.example/precios' where name = 'precios.md'"
    )
    answer = await ask.answer(Reader(draft), answer_style="evidence")
    assert answer.text == (
        "## QUÉ DICE LA EVIDENCIA\n"
        "- El plan premium cuesta 20 euros al mes (Fuente: precios.md, https://acme.example/precios) [Chunk 1].\n\n"
        "## FUENTES\n1. [Chunk 1] precios.md, p. 1 — https://acme.example/precios"
    )


async def test_the_evidence_style_quotes_under_the_same_headings(ask: Asker) -> None:
    answer = await ask.answer(Reader(DOWN), answer_style="evidence")
    assert answer.text.startswith("## QUÉ DICE LA EVIDENCIA\n- ")
    assert "«El plan premium cuesta 20 euros al mes.» (Fuente: precios.md) [Chunk 1]" in answer.text
    assert "\n\n## FUENTES\n1. [Chunk 1] precios.md" in answer.text


async def test_what_was_streamed_is_the_beginning_of_the_answer(ask: Asker) -> None:
    give_model(ask.owner, ask.agent_id, "x", answer_style="evidence")
    events = await ask.events(Reader(f"## QUÉ DICE LA EVIDENCIA\n- {TRUE}"), eager=True)
    assert answer_in(events).text.startswith(shown(events))


async def test_the_evidence_found_is_numbered_as_it_is_cited(ask: Asker) -> None:
    events = await ask.events(Reader(TRUE))
    (found,) = (event for event in events if isinstance(event, Found))
    assert found.evidence == answer_in(events).evidence


async def test_the_evidence_of_a_second_search_is_told_too(answers: Make, large: Agent, owner: Owner) -> None:
    tenant, agent_id = large
    model = Reader("BUSCAR: ¿Cuándo abre la sauna finlandesa?", "La sauna finlandesa abre los jueves.")
    give_model(owner, agent_id, model.name)
    events = await events_of(answers(model), admin_of(tenant), agent_id)
    last = [event for event in events if isinstance(event, Found)][-1]
    assert last.evidence == answer_in(events).evidence


# --- gaps --------------------------------------------------------------------------------------------------------------


async def gaps_of(ask: Asker, db: Database, search: Search) -> list[str]:
    """What the agent's managers are told it does not know."""
    found = await Gaps(db, search.spaces.embedder_named(LOCAL_MODEL)).of_agent(ask.actor, ask.agent_id)
    return sorted(example for gap in found for example in gap.examples)


async def test_only_what_people_asked_and_nobody_could_answer_is_a_gap(
    ask: Asker, db: Database, search: Search
) -> None:
    unknown = "¿Qué volcanes hay en Islandia?"
    service = ask.make()
    for message, channel in (
        (unknown, "api"),
        ("¿Qué ríos cruzan Mongolia?", "exam"),
        ("¿Qué lagos hay en Finlandia?", "eval"),
        ("hola", "api"),
        ("quiero hablar con una persona", "api"),
        (QUESTION, "api"),
    ):
        await service.answer(ask.actor, ask.agent_id, Ask(question=message, channel=channel))
    assert await gaps_of(ask, db, search) == [unknown]


async def test_a_badly_rated_answer_is_a_gap(ask: Asker, db: Database, search: Search) -> None:
    await _rated_badly(ask, db, QUESTION)
    assert await gaps_of(ask, db, search) == [QUESTION]


async def test_badly_rated_small_talk_is_no_gap(ask: Asker, db: Database, search: Search) -> None:
    await _rated_badly(ask, db, "hola")
    assert await gaps_of(ask, db, search) == []


async def _rated_badly(ask: Asker, db: Database, message: str) -> None:
    answer = await ask.make().answer(ask.actor, ask.agent_id, Ask(question=message))
    assert answer.message_id
    await Conversations(db).rate(ask.actor, answer.message_id, -1)
