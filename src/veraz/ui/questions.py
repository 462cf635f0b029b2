"""The questions behind the numbers: which were answered, which not, which were slow; each leads to how it was answered."""

from typing import Any, Final, cast
from urllib.parse import urlencode
from uuid import UUID

from nicegui import ui

from veraz.learn.traces import AskedQuestion, QuestionFilter
from veraz.paging import Page, PageRequest
from veraz.search.log import Origin, Outcome
from veraz.ui.parts import called, empty, when
from veraz.ui.shell import shell
from veraz.ui.tables import NAME_CELL, STATE_CELL, CursorTable, Row, column
from veraz.ui.usage_words import ORIGINS, OUTCOMES, channel, seconds
from veraz.ui.visit import Visit, Visiting

_ASKED: Final = ("person", "exam", "studio")
"""Origins of questions to agents; searches have no answer to look at."""
_SLOW: Final = {0: "Any time", 2: "Over 2 s", 5: "Over 5 s", 10: "Over 10 s"}


async def page(
    visit: Visiting,
    agent: UUID | None = None,
    outcome: str = "",
    origin: str = "person",
    words: str = "",
    slow: int = 0,
) -> None:
    """The list; what is chosen stands in the address."""
    chosen = {
        "words": words[:200],
        "outcome": outcome if outcome in OUTCOMES else "",
        "agent": str(agent or ""),
        "origin": origin if origin in _ASKED else "person",
        "slow": slow if slow in _SLOW else 0,
    }
    with shell(visit, visit.t("Questions"), active="/usage", back=(visit.t("Usage"), "/usage")):
        await _Questions(visit, chosen).draw()


class _Questions:
    """Filters and the table they fill."""

    def __init__(self, visit: Visit, chosen: dict[str, Any]) -> None:
        self.visit, self.chosen = visit, chosen

    async def draw(self) -> None:
        """Everything once."""
        t = self.visit.t
        await self._filters()
        columns = [
            column("name", t("What was asked"), sortable=False),
            column("state", t("How it ended"), sortable=False),
            column("time", t("Time"), sortable=False, align="right", classes="num gt-xs"),
            column("when", t("When"), sortable=False, classes="gt-xs"),
        ]
        cells = (("name", NAME_CELL), ("state", STATE_CELL))
        self.table = CursorTable(self.visit, columns, self._load, self._row, cells=cells)
        self.nothing = empty(
            "search_off",
            t("No question fits"),
            t("Choose another outcome, agent or time, or look for other words."),
        )
        await self.table.refresh()
        self._say_if_empty()

    async def _filters(self) -> None:
        visit, t = self.visit, self.visit.t
        agents = (await visit.veraz.agents.all(visit.actor, PageRequest(limit=500))).items
        with ui.element("div").classes("toolbar usage-filters"):
            words = ui.input(t("Words of the question"), value=self.chosen["words"])
            words.props("dense outlined clearable debounce=400 maxlength=200 type=search").classes(
                "usage-words"
            )
            words.on_value_change(self._choose("words"))
            outcomes = {"": t("Any outcome")} | {name: t(one[2]) for name, one in OUTCOMES.items()}
            self._select("outcome", t("How it ended"), outcomes)
            self._select(
                "agent", t("Agent"), {"": t("Every agent")} | {str(one.id): one.name for one in agents}
            )
            self._select("slow", t("Time"), {bound: t(said) for bound, said in _SLOW.items()})
            self._select("origin", t("Asked by"), {name: t(ORIGINS[name]) for name in _ASKED})

    def _select(self, name: str, label: str, options: dict[Any, str]) -> None:
        value = self.chosen[name] if self.chosen[name] in options else next(iter(options))
        select = ui.select(options, value=value, label=label)
        select.classes("usage-filter").props("dense outlined options-dense")
        select.on_value_change(self._choose(name))

    def _choose(self, name: str) -> Any:
        async def choose(event: Any) -> None:
            self.chosen[name] = event.value or ("" if name != "slow" else 0)
            given = {key: value for key, value in self.chosen.items() if value and value != "person"}
            ui.navigate.history.replace(f"{self.visit.to('/usage/questions')}?{urlencode(given)}")
            await self.table.first()
            self._say_if_empty()

        return self.visit.act(choose)

    async def _load(self, page: PageRequest) -> Page[AskedQuestion]:
        chosen = self.chosen
        wanted = QuestionFilter(
            agent_id=UUID(chosen["agent"]) if chosen["agent"] else None,
            outcome=cast(Outcome, chosen["outcome"]) if chosen["outcome"] else None,
            origins=(cast(Origin, chosen["origin"] or "person"),),
            words=chosen["words"].strip() or None,
            slower_ms=chosen["slow"] * 1000 or None,
        )
        return await self.visit.veraz.traces.questions(self.visit.actor, wanted, page)

    def _row(self, one: AskedQuestion) -> Row:
        visit = self.visit
        kind, icon, words = OUTCOMES[one.outcome or "failed"]
        return {
            "id": str(one.id),
            "name": one.question if len(one.question) <= 240 else f"{one.question[:240]}…",
            "href": visit.to(f"/usage/questions/{one.id}"),
            "note": f"{one.agent} · {channel(visit, one.channel)}",
            "state": visit.t(words),
            "state_kind": kind,
            "state_icon": icon,
            "time": seconds(visit, one.latency_ms),
            "when": when(visit, one.created_at),
        }

    def _say_if_empty(self) -> None:
        self.nothing.set_visibility(not self.table.items)
        self.table.table.set_visibility(bool(self.table.items))
        called(self.table.table, self.visit.t("Questions"))
