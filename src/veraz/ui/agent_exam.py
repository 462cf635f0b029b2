"""The exam of an agent: its questions, a run with progress, what changed since the run before, and how it went over time."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any
from uuid import UUID

from nicegui import background_tasks, ui

from veraz import errors
from veraz.answer.model import QUOTES
from veraz.learn.exam import ExamQuestion, ExamRun
from veraz.library.model import Agent
from veraz.paging import PageRequest
from veraz.ui.answer_text import answer_html
from veraz.ui.charts import GREEN, chart
from veraz.ui.exam_changes import Changes
from veraz.ui.exam_questions import ask_for_import, ask_for_proposals, ask_for_question
from veraz.ui.parts import called, confirm, empty, heading, number, stat, when
from veraz.ui.tables import CursorTable, Row, column
from veraz.ui.visit import Visit

_PLOTTED = 30
_REFRESH_SECONDS = 5.0
_ACTS_CELL = """
<q-td :props="props" auto-width class="no-wrap"><q-btn flat round dense color="secondary" class="quiet" icon="edit"
  :aria-label="props.row.words_edit + ' ' + props.row.question" @click="$parent.$emit('edit', props.row.id)"></q-btn>
<q-btn flat round dense color="secondary" class="quiet" icon="delete"
  :aria-label="props.row.words_remove + ' ' + props.row.question" @click="$parent.$emit('remove', props.row.id)"></q-btn></q-td>
"""
_SHOW_CELL = """
<q-td :props="props" auto-width><q-btn flat dense no-caps color="primary" :label="props.row.words_show"
  :aria-label="props.row.words_show + ' ' + props.row.created_at" @click="$parent.$emit('show', props.row.id)"></q-btn></q-td>
"""
_WHY = {
    "answered": "It answered and should not have",
    "refused": "It found no evidence",
    "text": "The expected text is missing",
    "document": "It cites other documents",
}
_ORIGINS = {"manual": "By hand", "imported": "Imported", "proposed": "Proposed"}


Renew = Callable[[], Awaitable[None]]


async def exam(visit: Visit, agent: Agent, ran: Renew) -> Renew:
    """Everything about the agent's exam; how to bring it up to date. `ran` is called when a run has ended."""
    shown = _Exam(visit, agent, ran)
    await shown.draw()
    return shown.renew


class _Exam:
    """One manager looking at one agent's exam."""

    def __init__(self, visit: Visit, agent: Agent, ran: Renew) -> None:
        self.visit, self.agent, self.ran = visit, agent, ran
        self.running: asyncio.Task[None] | None = None

    async def draw(self) -> None:
        """Buttons, the last result, the history, the questions."""
        with ui.column().classes("w-full gap-4"):
            self._toolbar()
            self._progress()
            self.result = ui.column().classes("w-full gap-3").props("aria-live=polite")
            self.past = ui.column().classes("w-full gap-3")
            with self.past:
                self._history()
            self.changes = Changes(self.visit, self.agent)
            heading(self.visit.t("Questions of the exam"), 2)
            self.nothing = ui.column().classes("w-full")
            self._questions()
        ui.context.client.on_delete(self._stop)
        await self.renew()
        ui.timer(_REFRESH_SECONDS, self._tick)

    def _toolbar(self) -> None:
        visit, t = self.visit, self.visit.t
        with ui.element("div").classes("toolbar"):
            self.start = ui.button(t("Run the exam"), icon="play_arrow", on_click=visit.act(self._run))
            ui.button(
                t("New question"),
                icon="add",
                on_click=visit.act(lambda: ask_for_question(visit, self.agent, self.renew)),
            ).props("outline")
            self.propose = ui.button(
                t("Propose from the documents"), icon="auto_awesome", on_click=visit.act(self._propose)
            ).props("outline")
            ui.button(
                t("Import"), icon="upload", on_click=lambda: ask_for_import(visit, self.agent, self.renew)
            ).props("outline")

    async def _propose(self) -> None:
        self.propose.props("loading")
        try:
            await ask_for_proposals(self.visit, self.agent, self.renew)
        finally:
            self.propose.props(remove="loading")

    def _progress(self) -> None:
        t = self.visit.t
        with ui.card().classes("w-full") as self.busy, ui.row().classes("w-full items-center no-wrap"):
            with ui.column().classes("grow gap-1"):
                self.words = ui.label("").classes("small").props("aria-live=polite")
                self.bar = called(
                    ui.linear_progress(0, show_value=False, size="6px").props("rounded"), t("Run the exam")
                )
            ui.button(t("Stop"), icon="stop", on_click=self._stop).props("flat color=negative")
        self.busy.set_visibility(False)
        self.problem = ui.label("").classes("text-negative break").props("role=alert")

    def _history(self) -> None:
        visit, t = self.visit, self.visit.t
        heading(t("History"), 2)
        self.plot = ui.card().classes("w-full")
        columns = [
            column("created_at", t("Date"), sortable=False),
            column("passed", t("Right"), align="right", sortable=False, classes="num"),
            column("broken", t("Newly wrong"), align="right", sortable=False, classes="num gt-xs"),
            column("model", t("Model"), sortable=False, classes="name gt-sm"),
            column("show", t("Actions"), sortable=False),
        ]
        self.runs: CursorTable[ExamRun] = CursorTable(
            visit,
            columns,
            lambda page: visit.veraz.exams.runs(visit.actor, self.agent.id, page),
            self._run_row,
            limit=5,
            cells=(("show", _SHOW_CELL),),
        )
        self.runs.table.on("show", lambda event: self._show(_one(self.runs.items, event.args)))

    def _questions(self) -> None:
        visit, t = self.visit, self.visit.t
        columns = [
            column("question", t("What is asked"), sortable=False, classes="name"),
            column("expected", t("Expected"), sortable=False, classes="name gt-xs"),
            column("origin", t("Origin"), sortable=False, classes="gt-sm"),
            column("acts", t("Actions"), sortable=False),
        ]
        self.questions: CursorTable[ExamQuestion] = CursorTable(
            visit,
            columns,
            lambda page: visit.veraz.exams.questions(visit.actor, self.agent.id, page),
            self._question_row,
            cells=(("acts", _ACTS_CELL),),
            words=("Previous", "Next"),
        )
        self.questions.table.on(
            "edit", visit.act(lambda event: self._edit(_one(self.questions.items, event.args)))
        )
        self.questions.table.on(
            "remove", lambda event: self._ask_remove(_one(self.questions.items, event.args))
        )

    async def _tick(self) -> None:
        """An exam that a change started may have ended."""
        if self.changes.waiting:
            await self.visit.act(self.renew, by_clock=True)()

    async def renew(self) -> None:
        """Everything as it is now."""
        await self.changes.show()
        await self.questions.refresh()
        await self.runs.first()
        some = bool(self.questions.items)
        self.start.set_enabled(some)
        self.questions.table.set_visibility(some)
        self.past.set_visibility(bool(self.runs.items))
        self._say_nothing_yet(some)
        await self._draw_plot()
        if self.runs.items:
            self._show(self.runs.items[0])

    def _say_nothing_yet(self, some: bool) -> None:
        self.nothing.clear()
        self.nothing.set_visibility(not some)
        if not some:
            t = self.visit.t
            with self.nothing:
                empty(
                    "quiz",
                    t("No question yet"),
                    t("Questions with what a right answer says show at once when a change breaks something."),
                )

    async def _draw_plot(self) -> None:
        page = PageRequest(limit=_PLOTTED)
        runs = (await self.visit.veraz.exams.runs(self.visit.actor, self.agent.id, page)).items
        self.plot.clear()
        self.plot.set_visibility(len(runs) > 1)
        with self.plot:
            if len(runs) > 1:
                chart(_curve(self.visit, runs[::-1]), height=150)

    async def _run(self) -> None:
        if self.running is None:
            self.problem.set_text("")
            self._show_progress(0, 0)
            self._busy(True)
            self.running = background_tasks.create(self._asked(), context=ui.context.client)

    async def _asked(self) -> None:
        visit = self.visit
        try:
            await visit.veraz.exams.run(visit.actor, self.agent.id, self._show_progress)
            if not self.busy.is_deleted:  # the result is kept, whoever still looks
                await self.renew()
                await self.ran()
        except errors.VerazError as error:
            self._failed(error)
        finally:
            self.running = None
            self._busy(False)

    def _failed(self, error: errors.VerazError) -> None:
        if not self.problem.is_deleted:
            self.problem.set_text(error.message(self.visit.language))

    def _show_progress(self, asked: int, of: int) -> None:
        if self.busy.is_deleted:
            return
        self.words.set_text(self.visit.t("Questions asked: {n} of {of}", n=asked, of=of or "…"))
        self.bar.set_value(asked / of if of else 0)

    def _busy(self, busy: bool) -> None:
        if self.busy.is_deleted:
            return
        self.busy.set_visibility(busy)
        self.start.set_enabled(not busy)

    def _stop(self) -> None:
        if self.running:
            self.running.cancel()

    def _show(self, run: ExamRun) -> None:
        """One run, what changed first."""
        self.result.clear()
        with self.result, ui.card().classes("w-full"):
            _summary(self.visit, run)
            for words, results in _parts(run):
                if results:
                    with (
                        ui.expansion(
                            f"{self.visit.t(words)} · {len(results)}",
                            value=words != "Right",
                        )
                        .classes("w-full")
                        .props("dense"),
                        ui.column().classes("w-full gap-2 q-pt-sm"),
                    ):
                        for result in results:
                            _result(self.visit, result)

    def _run_row(self, run: ExamRun) -> Row:
        return {
            "id": str(run.id),
            "created_at": when(self.visit, run.created_at),
            "passed": f"{run.passed}/{run.passed + run.failed}",
            "broken": number(self.visit, len(run.newly_failed)) if run.compared else "–",
            "model": _model(self.visit, run),
            "words_show": self.visit.t("Show"),
        }

    def _question_row(self, question: ExamQuestion) -> Row:
        return {
            "id": str(question.id),
            "question": question.question,
            "expected": _expected(self.visit, question),
            "origin": self.visit.t(_ORIGINS[question.origin]),
            "words_edit": self.visit.t("Edit"),
            "words_remove": self.visit.t("Remove"),
        }

    async def _edit(self, question: ExamQuestion) -> None:
        await ask_for_question(self.visit, self.agent, self.renew, question)

    def _ask_remove(self, question: ExamQuestion) -> None:
        t = self.visit.t

        async def remove() -> None:
            await self.visit.veraz.exams.remove(self.visit.actor, self.agent.id, question.id)
            await self.renew()

        confirm(self.visit, t("Remove this question?"), question.question, t("Remove"), remove)


def _one(items: list[Any], wanted: str) -> Any:
    return next(item for item in items if item.id == UUID(wanted))


def _model(visit: Visit, run: ExamRun) -> str:
    return visit.t("quotations, without a model") if run.model == QUOTES else run.model or "–"


def _expected(visit: Visit, question: ExamQuestion) -> str:
    if question.must_refuse:
        return visit.t("No answer")
    parts = [f"«{question.expected_text}»"] if question.expected_text else []
    if question.expected_document_id:
        name = question.expected_document_name
        parts.append(
            visit.t("cites «{name}»", name=name) if name else visit.t("cites a document that is gone")
        )
    return " · ".join(parts)


def _summary(visit: Visit, run: ExamRun) -> None:
    t, total = visit.t, run.passed + run.failed
    with ui.row().classes("w-full items-center"):
        heading(t("Result of {when}", when=when(visit, run.created_at)), 2)
        ui.space()
        good = run.failed == 0
        with ui.element("span").classes("state good" if good else "state bad"):
            ui.icon("check_circle" if good else "error").props("aria-hidden=true")
            ui.label(t("Passed") if good else t("Not passed"))
    with ui.element("div").classes("stats"):
        stat(f"{number(visit, run.passed)} / {number(visit, total)}", t("Right"))
        if run.compared:
            stat(number(visit, len(run.newly_failed)), t("Newly wrong"))
        stat(_model(visit, run), t("Model"))


def _parts(run: ExamRun) -> list[tuple[str, list[Row]]]:
    def those(passed: bool, *before: bool | None) -> list[Row]:
        return [one for one in run.results if one["passed"] is passed and one["before"] in before]

    return [
        ("Newly wrong", those(False, True)),
        ("Newly right", those(True, False)),
        ("Wrong", those(False, False, None)),
        ("Right", those(True, True, None)),
    ]


def _result(visit: Visit, result: Row) -> None:
    with ui.column().classes("w-full gap-0"):
        with ui.row().classes("w-full items-start no-wrap gap-2"):
            icon, kind = ("check_circle", "good") if result["passed"] else ("error", "bad")
            with ui.element("span").classes(f"state {kind}"):
                ui.icon(icon).props("aria-hidden=true")
            ui.label(result["question"]).classes("text-bold small break")
        if not result["passed"]:
            ui.label(_why(visit, result)).classes("small text-negative break q-pl-lg")
        answer = answer_html(result["answer"] or visit.t("Without answer"), ())
        shown = ui.html(answer, sanitize=lambda ready: ready)  # cleaned when made
        shown.classes("nicegui-markdown quiet small break q-pl-lg")


def _why(visit: Visit, result: Row) -> str:
    if result["why"] == "text" and result.get("expected_text"):
        return visit.t("The expected text is missing: «{words}»", words=result["expected_text"])
    return visit.t(_WHY.get(result["why"], "Another reason"))


def _curve(visit: Visit, runs: list[ExamRun]) -> Row:
    form = "%d/%m %H:%M" if visit.language == "es" else "%m-%d %H:%M"
    shares = [round(100 * run.passed / max(1, run.passed + run.failed)) for run in runs]
    days = [run.created_at.astimezone(visit.zone).strftime(form) for run in runs]
    return {
        "xAxis": {"type": "category", "data": days, "axisLabel": {"hideOverlap": True}},
        "yAxis": {
            "type": "value",
            "min": 0,
            "max": 100,
            "splitNumber": 2,
            "axisLabel": {"formatter": "{value} %"},
        },
        "series": [
            {"type": "line", "name": visit.t("Right"), "data": shares, "color": GREEN, "symbolSize": 7}
        ],
    }
