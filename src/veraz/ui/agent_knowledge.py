"""What an agent reads: its knowledge bases with their figures, how much each counts, and more of them."""

from collections.abc import Awaitable, Callable
from decimal import Decimal
from uuid import UUID

from nicegui import ui

from veraz.library.model import Agent, Assignment, KnowledgeBase
from veraz.paging import PageRequest
from veraz.ui.assigning import priority_choice, weight_choice
from veraz.ui.knowledge_bases import shelves
from veraz.ui.parts import buttons, dialog, empty, icon_button, number
from veraz.ui.visit import Visit

Renew = Callable[[], Awaitable[None]]


async def knowledge(visit: Visit, agent: Agent, changed: Renew) -> Renew:
    """The knowledge bases the agent reads; how to bring them up to date. `changed` is called when it reads others."""
    shown = _Knowledge(visit, agent, changed)
    shown.draw()
    await shown.renew()
    return shown.renew


class _Knowledge:
    """One manager deciding what one agent reads."""

    def __init__(self, visit: Visit, agent: Agent, changed: Renew) -> None:
        self.visit, self.agent, self.changed = visit, agent, changed

    def draw(self) -> None:
        """The button and the place of the list."""
        t = self.visit.t
        with ui.column().classes("w-full gap-4"):
            with ui.element("div").classes("toolbar"):
                ui.label(t("The agent answers only from what is listed here.")).classes("quiet grow")
                self.add = ui.button(
                    t("Add knowledge"), icon="add", on_click=self.visit.act(self._ask_for_more)
                )
            self.list = ui.column().classes("w-full gap-3")

    async def renew(self) -> None:
        """As it is now."""
        visit, t = self.visit, self.visit.t
        given = await visit.veraz.assignments.of_agent(visit.actor, self.agent.id)
        pages = await visit.veraz.agent_overviews.pages(visit.actor, self.agent.id)
        self.kbs = {kb.id: kb for kb in await self._usable()}
        own = await visit.veraz.agents.own_kb(visit.actor, self.agent.id)
        self.given = {one.kb_id for one in given}
        self.list.clear()
        with self.list:
            for one in given:
                self._row(one, pages.get(one.kb_id, 0), own=one.kb_id == own)
            if not given:
                empty(
                    "library_books",
                    t("It knows nothing yet"),
                    t("Add a knowledge base: the agent answers only from its documents."),
                )

    async def _usable(self) -> list[KnowledgeBase]:
        """Those of the agent's project and of all, and the manager's own."""
        visit = self.visit
        found = await visit.veraz.knowledge_bases.all(visit.actor, PageRequest(limit=500), kind="global")
        fitting = [one for one in found.items if one.project_id in (None, self.agent.project_id)]
        return fitting + (await shelves(visit, "personal") if self.agent.allows_personal_corpus else [])

    def _row(self, one: Assignment, pages: int, *, own: bool) -> None:
        visit, t = self.visit, self.visit.t
        name = t("Manual entries") if own else one.kb_name
        with ui.card().classes("w-full"):
            with ui.row().classes("w-full items-start no-wrap"):
                with ui.column().classes("grow gap-0"):
                    with ui.element("h2"):
                        ui.link(name, visit.to(f"/knowledge-bases/{one.kb_id}")).classes("break")
                    ui.label(self._figures(one, pages)).classes("small")
                    if one.kb_kind == "personal":
                        ui.label(t("Only yours")).classes("quiet small")
                if not own:
                    words = t("Stop reading «{name}»", name=name)
                    icon_button("link_off", words, visit.act(lambda: self._remove(one, name)))
            with ui.row().classes("w-full items-center gap-4"):
                self._counts(one)

    def _figures(self, one: Assignment, pages: int) -> str:
        visit, kb = self.visit, self.kbs.get(one.kb_id)
        parts = [visit.t("Documents: {n}", n=number(visit, one.total_documents))]
        if kb:
            parts.append(visit.t("chunks: {n}", n=number(visit, kb.total_chunks)))
        if pages:
            parts.append(visit.t("pages: {n}", n=number(visit, pages)))
        return " · ".join(parts)

    def _counts(self, one: Assignment) -> None:
        visit = self.visit

        async def save() -> None:
            await self._put(one.kb_id, int(priority.value), Decimal(str(weight.value)))
            visit.done("Saved")

        weight = weight_choice(visit, one)
        priority = priority_choice(visit, one)
        for field in (weight, priority):
            field.on_value_change(visit.act(save))

    async def _put(self, kb_id: UUID, priority: int, weight: Decimal) -> None:
        await self.visit.veraz.assignments.put(
            self.visit.actor, kb_id, [self.agent.id], priority=priority, search_weight=weight
        )

    async def _remove(self, one: Assignment, name: str) -> None:
        await self.visit.veraz.assignments.remove(self.visit.actor, one.kb_id, self.agent.id)
        self.visit.done("The agent no longer reads «{name}»", name=name)
        await self.renew()
        await self.changed()

    async def _ask_for_more(self) -> None:
        visit, t = self.visit, self.visit.t
        free = [kb for kb in self.kbs.values() if kb.id not in self.given and kb.agent_id is None]

        async def add() -> None:
            for kb, box_ in zip(free, boxes, strict=True):
                if box_.value:
                    await self._put(kb.id, 1, Decimal(1))
            box.close()
            visit.done("Added")
            await self.renew()
            await self.changed()

        with dialog(t("Add knowledge")) as box:
            ui.label(
                t("What should the agent read?") if free else t("There is no other knowledge base yet.")
            ).classes("quiet")
            boxes = [ui.checkbox(f"{kb.name} · {self._documents(kb)}").classes("break") for kb in free]
            ui.link(t("Create a knowledge base"), visit.to("/knowledge-bases")).classes("small")
            buttons(visit, box, t("Add"), visit.act(add))

    def _documents(self, kb: KnowledgeBase) -> str:
        return self.visit.t("Documents: {n}", n=number(self.visit, kb.total_documents))
