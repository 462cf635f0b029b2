"""The usage pages without a browser: the old address, who sees them, and that a stranger's question cannot become code."""

from typing import TYPE_CHECKING
from uuid import UUID

import pytest

from veraz.answer.service import Ask
from veraz.ids import new_id
from veraz.library.agents import AgentProfile
from veraz.tenancy.users import NewUser
from veraz.ui import question_trace, reasons, trace_models, trace_passages, usage_words
from veraz.ui.spanish import SPANISH
from veraz.ui.usage import _safe

if TYPE_CHECKING:
    from tests.support.door import welcome
    from tests.ui.conftest import Pages
else:
    from support.door import welcome

HOSTILE = "¿<img src=x onerror=alert(1)></script> {{ 7*7 }}?"


async def asked(pages: "Pages", question: str) -> UUID:
    """An agent of the company is asked; the id of the question."""
    project = (await pages.veraz.projects.all(pages.admin)).items[0].id
    agent = await pages.veraz.agents.create(pages.admin, project, AgentProfile(name="Luna"))
    answer = await pages.veraz.answers.answer(pages.admin, agent.id, Ask(question=question))
    assert answer.query_id
    return answer.query_id


async def test_an_empty_usage_page_teaches(pages: "Pages") -> None:
    await pages.sign_in()
    page = await pages.http.get("/es/usage")
    assert "No hay preguntas de personas en este periodo" in page.text
    assert "/es/ask" in page.text


async def test_the_usage_page_counts_what_was_asked_and_keeps_its_filters_in_the_address(
    pages: "Pages",
) -> None:
    await asked(pages, "¿Qué volcanes hay en Islandia?")
    await pages.sign_in()
    page = await pages.http.get("/es/usage?days=7")
    assert (page.status_code, "Preguntas por día" in page.text) == (200, True)
    for query in ("days=500", f"agent={new_id()}"):
        assert (await pages.http.get(f"/es/usage?{query}")).status_code == 200
    assert (await pages.http.get("/es/usage?agent=no")).status_code == 404


async def test_the_old_address_leads_to_the_usage_page(pages: "Pages") -> None:
    await pages.sign_in()
    assert "/es/usage" in (await pages.http.get("/es/insight")).text


async def test_a_hostile_question_is_only_text(pages: "Pages") -> None:
    query = await asked(pages, HOSTILE)
    await pages.sign_in()
    for path in ("/usage", "/usage/questions", f"/usage/questions/{query}"):
        text = (await pages.http.get(f"/es{path}")).text
        assert "<img src=x" not in text, path


async def test_nobody_but_managers_reads_how_a_question_was_answered(pages: "Pages") -> None:
    query = await asked(pages, "¿Qué volcanes hay en Islandia?")
    await pages.sign_in()
    assert "volcanes" in (await pages.http.get(f"/es/usage/questions/{query}")).text
    new = NewUser(email="miguel@acme.test")
    await welcome(pages.veraz, pages.admin, new)
    await pages.sign_in("miguel@acme.test", "correcto caballo batería")
    for path in ("/usage", "/usage/questions", f"/usage/questions/{query}"):
        page = await pages.http.get(f"/es{path}")
        assert (page.status_code, "volcanes" in page.text) == (403, False), path
    await pages.sign_in("raul@rival.test")
    page = await pages.http.get(f"/es/usage/questions/{query}")
    assert (page.status_code, "volcanes" in page.text) == (404, False)
    assert "volcanes" not in (await pages.http.get("/es/usage/questions")).text


@pytest.mark.parametrize(
    "words",
    [
        [one[2] for one in usage_words.OUTCOMES.values()],
        *(
            list(table.values())
            for table in (
                usage_words.ENDINGS, usage_words.ORIGINS, usage_words.CHANNELS, question_trace.REFUSALS,
                reasons.DEGRADED, question_trace.TURNS, question_trace.STAGES, trace_models.PURPOSES,
                reasons.REASONS, trace_passages.UNREAD, trace_passages.CUTS,
            )
        ),
    ],
)  # fmt: skip
def test_everything_that_is_looked_up_has_its_spanish(words: list[str]) -> None:
    assert set(words) - SPANISH.keys() == set()


@pytest.mark.parametrize("cell", ["=1+1", "+1", "-1", "@x", "\tx"])
def test_no_cell_of_the_export_is_taken_for_a_formula(cell: str) -> None:
    assert _safe(cell) == f"'{cell}"
    assert _safe(-1) == "-1"
