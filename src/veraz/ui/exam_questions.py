"""Questions come into an exam: written by hand, or brought along in a file."""

from collections.abc import Awaitable, Callable
from typing import Any, Final
from uuid import UUID

from nicegui import ui
from nicegui.events import GenericEventArguments

from veraz import errors
from veraz.learn.exam import ExamQuestion, NewExamQuestion
from veraz.library.model import Agent
from veraz.ui.agents import needed
from veraz.ui.exam_file import EXAMPLE, questions_in
from veraz.ui.parts import buttons, called, dialog, typed
from veraz.ui.picking import DocumentPicker
from veraz.ui.visit import Visit

_READ: Final = "async (event) => { const file = event.target.files[0]; if (file && file.size < 500000) emit(await file.text()); }"
After = Callable[[], Awaitable[None]]


async def ask_for_question(visit: Visit, agent: Agent, after: After, old: ExamQuestion | None = None) -> None:
    """A dialog for one question and what is expected of its answer: a new one, or one that is changed."""
    t = visit.t

    async def save() -> None:
        if not question.validate():
            return
        if not (refuse.value or typed(expected.value) or document.chosen):
            expected.error = t("Write a text, choose a document, or say that there must be no answer.")
            return
        said: dict[str, Any] = {
            "question": typed(question.value, longest=10_000),
            "expected_text": None if refuse.value else typed(expected.value, longest=10_000) or None,
            "expected_document_id": None if refuse.value else next(iter(document.chosen), None),
            "must_refuse": bool(refuse.value),
        }
        if old:
            await visit.veraz.exams.change(visit.actor, agent.id, old.id, said)
        else:
            await visit.veraz.exams.add(visit.actor, agent.id, [NewExamQuestion(**said)])
        box.close()
        visit.done("Saved" if old else "Added")
        await after()

    with dialog(t("Edit the question") if old else t("New question")) as box:
        question = ui.textarea(
            t("What is asked"), value=old.question if old else "", validation=needed(visit)
        ).without_auto_validation()
        question.props("autofocus autogrow maxlength=10000").classes("w-full")
        refuse = ui.switch(t("There must be no answer"), value=old.must_refuse if old else False)
        with ui.column().classes("w-full gap-3") as more:
            ui.label(
                t("Fill in one or both. With both, the answer must hold the text and cite the document too.")
            ).classes("quiet small")
            expected = ui.input(t("Text of a right answer"), value=(old and old.expected_text) or "")
            expected.props("maxlength=10000").classes("w-full")
            document = DocumentPicker(visit, await kbs_of(visit, agent), t("Document it must cite"))
            if old and old.expected_document_id:
                name = old.expected_document_name or t("A document that is gone")
                document.choose(old.expected_document_id, name)
            await document.look()
        more.bind_visibility_from(refuse, "value", backward=lambda on: not on)
        buttons(visit, box, t("Save") if old else t("Add"), visit.act(save))


def ask_for_import(visit: Visit, agent: Agent, after: After) -> None:
    """A dialog for a table of questions, as a file or pasted."""
    t = visit.t

    async def add() -> None:
        try:
            new = questions_in(typed(text.value, longest=500_000))
        except errors.Invalid as error:
            text.error = error.message(visit.language)
            return
        count = await visit.veraz.exams.add(visit.actor, agent.id, new)
        box.close()
        visit.done("Questions added: {n}", n=count)
        await after()

    def read(event: GenericEventArguments) -> None:
        text.set_value(str(event.args)[:500_000])

    with dialog(t("Import questions"), wide=True) as box:
        ui.label(t("CSV with a header, or JSON; at most 500 questions.")).classes("quiet small")
        ui.label(EXAMPLE).classes("secret w-full small").style("white-space: pre-wrap")
        file = ui.element("input").props("type=file accept=.csv,.tsv,.txt,.json").classes("hidden")
        called(file, t("Choose a file")).on("change", read, js_handler=_READ)
        ui.button(t("Choose a file"), icon="attach_file").props("outline").on(
            "click", js_handler=f"() => getHtmlElement({file.id}).click()"
        ).classes("self-start")
        text = ui.textarea(t("Questions")).props("rows=8").classes("w-full")
        buttons(visit, box, t("Import"), visit.act(add))


async def ask_for_proposals(visit: Visit, agent: Agent, after: After) -> None:
    """A dialog with questions made from the documents; a person keeps those that are worth it."""
    t = visit.t
    proposed = await visit.veraz.exam_proposals.propose(visit.actor, agent.id)

    async def add() -> None:
        kept = [one for one, box_ in zip(proposed, boxes, strict=True) if box_.value]
        count = await visit.veraz.exams.add(visit.actor, agent.id, kept) if kept else 0
        box.close()
        visit.done("Questions added: {n}", n=count)
        await after()

    with dialog(t("Questions from the documents"), wide=True) as box:
        ui.label(
            t("Keep those that people will ask.")
            if proposed
            else t("The documents hold no sentence a question can be made of; write one by hand.")
        ).classes("quiet small")
        with ui.column().classes("w-full gap-1 scroll no-wrap").style("max-height: 50vh"):
            boxes = [
                ui.checkbox(f"{one.question} → {one.expected_text}", value=True).classes("break")
                for one in proposed
            ]
        if proposed:
            buttons(visit, box, t("Add"), visit.act(add))
        else:
            ui.button(t("Close"), on_click=box.close).props("flat").classes("self-end")


async def kbs_of(visit: Visit, agent: Agent) -> list[UUID]:
    """The knowledge bases the agent reads, as far as the visitor sees them."""
    return [one.kb_id for one in await visit.veraz.assignments.of_agent(visit.actor, agent.id)]
