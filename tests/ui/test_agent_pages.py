"""The studio: only for managers, with the state of the exam; what is tried there counts nowhere."""

from typing import TYPE_CHECKING
from uuid import UUID

import pytest

from veraz import errors
from veraz.answer.service import Ask
from veraz.learn.exam import NewExamQuestion
from veraz.library.agents import AgentProfile
from veraz.library.model import Agent
from veraz.tenancy.model import Actor
from veraz.tenancy.users import NewUser

if TYPE_CHECKING:
    from tests.support.door import welcome
    from tests.ui.conftest import Pages
else:
    from support.door import welcome

PASSWORD = "correcto caballo batería"
ANCHORS = "¿Cuánto cuestan las anclas de barco?"
TRIAL = {"fallback_message": "Todavía no lo sé."}


async def made(pages: "Pages") -> Agent:
    """An agent that knows nothing."""
    project = (await pages.veraz.projects.all(pages.admin)).items[0].id
    return await pages.veraz.agents.create(pages.admin, project, AgentProfile(name="Luna"))


async def member(pages: "Pages", project: UUID) -> Actor:
    """Somebody who may only talk to the agents of a project."""
    new = NewUser(email="miguel@acme.test")
    user = await welcome(pages.veraz, pages.admin, new)
    await pages.veraz.projects.put_member(pages.admin, project, role="member", user_id=user.id)
    return (await pages.veraz.sign_in.login("miguel@acme.test", PASSWORD)).actor


async def test_the_header_says_how_the_exam_stands(pages: "Pages") -> None:
    agent, exams = await made(pages), pages.veraz.exams
    await pages.sign_in()
    path = f"/es/agents/{agent.id}"
    assert "Crear examen" in (await pages.http.get(path)).text
    await exams.add(pages.admin, agent.id, [NewExamQuestion(question=ANCHORS, must_refuse=True)])
    assert "Examen sin aplicar" in (await pages.http.get(path)).text
    await exams.run(pages.admin, agent.id)
    page = (await pages.http.get(path)).text
    assert "Examen aprobado: 1 de 1 correctas" in page
    assert "cambiaron desde entonces" not in page
    await pages.veraz.agents.change(pages.admin, agent.id, {"system_prompt": "Sé breve."})
    for shown in (path, "/es/agents"):
        assert "Sus ajustes cambiaron desde entonces" in (await pages.http.get(shown)).text


async def test_a_website_that_may_show_it_is_a_way_to_reach_it(pages: "Pages") -> None:
    agent, veraz = await made(pages), pages.veraz

    async def channels() -> list[str]:
        return (await veraz.agent_overviews.of_agent(pages.admin, agent.id)).channels

    await veraz.widgets.create(pages.admin, agent.id)
    assert await channels() == []
    changes = {"enabled": True, "origins": ("https://tienda.example",)}
    await veraz.widgets.change(pages.admin, agent.id, changes)
    assert await channels() == ["widget"]
    with pytest.raises(errors.NotFound):
        await veraz.agent_overviews.of_agent(pages.rival, agent.id)


async def test_the_rival_finds_no_studio(pages: "Pages") -> None:
    agent = await made(pages)
    await pages.sign_in("raul@rival.test")
    for tab in ("profile", "knowledge", "manual", "gaps", "exam", "publish", "versions"):
        answer = await pages.http.get(f"/es/agents/{agent.id}?tab={tab}")
        assert answer.status_code == 404
        assert "Luna" not in answer.text


async def test_every_tab_is_there_for_managers(pages: "Pages") -> None:
    agent = await made(pages)
    await pages.sign_in()
    for tab in ("profile", "try", "knowledge", "manual", "gaps", "exam", "publish", "versions"):
        assert (await pages.http.get(f"/es/agents/{agent.id}?tab={tab}")).status_code == 200, tab
    publish = await pages.http.get(f"/es/agents/{agent.id}?tab=publish")
    assert "Dirección de este agente" in publish.text


async def test_the_description_of_the_api_is_offered_where_it_is_open(
    pages: "Pages", monkeypatch: pytest.MonkeyPatch
) -> None:
    agent = await made(pages)
    await pages.sign_in()
    path = f"/es/agents/{agent.id}?tab=publish"
    assert "Toda la API" in (await pages.http.get(path)).text
    monkeypatch.setitem(vars(pages.veraz.settings), "docs", "closed")
    assert "Toda la API" not in (await pages.http.get(path)).text


async def test_what_is_tried_is_answered_with_the_trial_and_counts_nowhere(pages: "Pages") -> None:
    agent, veraz = await made(pages), pages.veraz
    ask = Ask(question=ANCHORS, remember=False, channel="studio", trial=TRIAL)
    answer = await veraz.answers.answer(pages.admin, agent.id, ask)
    assert "Todavía no lo sé." in answer.text
    assert (await veraz.agents.get(pages.admin, agent.id)).fallback_message is None
    assert not (await veraz.conversations.all(pages.admin)).items
    assert not await veraz.gaps.of_agent(pages.admin, agent.id, days=30)
    assert (await veraz.agent_overviews.of_agent(pages.admin, agent.id)).tried


async def test_members_and_the_other_tenant_try_nothing(pages: "Pages") -> None:
    agent = await made(pages)
    miguel = await member(pages, agent.project_id)
    ask = Ask(question=ANCHORS, remember=False, channel="studio", trial=TRIAL)
    for actor in (miguel, pages.rival):
        with pytest.raises((errors.Forbidden, errors.NotFound)):
            await pages.veraz.answers.answer(actor, agent.id, ask)


async def test_a_question_that_is_none_of_its_business_is_no_gap(pages: "Pages") -> None:
    agent, veraz = await made(pages), pages.veraz
    for wording in (ANCHORS, ANCHORS.upper()):
        await veraz.answers.answer(pages.admin, agent.id, Ask(question=wording, channel="web"))
    gaps = await veraz.gaps.of_agent(pages.admin, agent.id)
    assert {one for gap in gaps for one in gap.questions} == {ANCHORS, ANCHORS.upper()}
    refused = [NewExamQuestion(question=one, must_refuse=True) for gap in gaps for one in gap.questions]
    await veraz.exams.add(pages.admin, agent.id, refused)
    assert not await veraz.gaps.of_agent(pages.admin, agent.id)
