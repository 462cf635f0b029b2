"""Lists in pages: sorted and cut by the server, so that ten thousand rows weigh as much as twenty-five."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final, Generic, TypeVar

from nicegui import ui
from nicegui.events import GenericEventArguments

from veraz.paging import Page, PageRequest
from veraz.ui.visit import Visit

T = TypeVar("T")
Row = dict[str, Any]

STATE_CELL: Final = """
<q-td :props="props">
  <span class="state" :class="props.row.state_kind">
    <q-icon :name="props.row.state_icon" aria-hidden="true"></q-icon>{{ props.row.state }}
  </span>
  <q-linear-progress v-if="props.row.progress !== null && props.row.progress !== undefined" :value="props.row.progress / 100"
    rounded size="5px" class="q-mt-xs" style="min-width: 90px" :aria-label="props.row.state + ' ' + props.row.progress + ' %'">
  </q-linear-progress>
</q-td>
"""
NAME_CELL: Final = """
<q-td :props="props" class="name">
  <a v-if="props.row.href" class="nicegui-link" :href="props.row.href">{{ props.value }}</a>
  <span v-else>{{ props.value }}</span>
  <div v-if="props.row.note" class="small" :class="props.row.note_bad ? 'text-negative' : 'quiet'">{{ props.row.note }}</div>
</q-td>
"""
TIER_CELL: Final = """
<q-td :props="props"><span v-if="props.row.tier_kind" class="tier" :class="props.row.tier_kind">{{ props.row.tier }}</span></q-td>
"""


def column(name: str, label: str, *, align: str = "left", sortable: bool = True, classes: str = "") -> Row:
    """One column; `gt-xs` among the classes hides it on phones."""
    return {
        "name": name,
        "label": label,
        "field": name,
        "align": align,
        "sortable": sortable,
        "classes": classes,
        "headerClasses": " ".join(c for c in classes.split() if c.startswith("gt-")),
    }


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """Which part of a list a table shows."""

    order: str
    descending: bool
    offset: int
    limit: int


class ServerTable:
    """A table that asks for the rows it shows, and only for those."""

    def __init__(
        self,
        visit: Visit,
        columns: list[Row],
        load: Callable[[Wanted], Awaitable[tuple[list[Row], int]]],
        *,
        order: str = "created_at",
        selectable: bool = False,
    ) -> None:
        self.visit, self.load = visit, load
        self.table = ui.table(
            columns=columns,
            rows=[],
            row_key="id",
            selection="multiple" if selectable else None,
            pagination={"page": 1, "rowsPerPage": 25, "rowsNumber": 0, "sortBy": order, "descending": True},
        ).classes("w-full")
        self.table.props(':rows-per-page-options="[10, 25, 50, 100]" binary-state-sort')
        self.table.on("request", visit.act(self._requested))
        if selectable:
            _name_checkboxes(visit, self.table)

    async def refresh(self) -> None:
        """The same part again."""
        pagination = self.table.pagination
        limit = pagination["rowsPerPage"] or 100
        rows, total = await self.load(
            Wanted(
                order=pagination["sortBy"] or "created_at",
                descending=bool(pagination["descending"]),
                offset=(pagination["page"] - 1) * limit,
                limit=limit,
            )
        )
        if self.table.rows != rows:
            self.table.rows = rows
        if pagination.get("rowsNumber") != total:
            self.table.pagination = pagination | {"rowsNumber": total}

    async def first(self) -> None:
        """From the start, after the filter changed."""
        self.table.pagination = self.table.pagination | {"page": 1}
        self.table.selected = []
        await self.refresh()

    async def _requested(self, event: GenericEventArguments) -> None:
        self.table.pagination = event.args["pagination"]
        await self.refresh()


class CursorTable(Generic[T]):
    """A list that is only read forwards, with buttons to go back and on; `words` are theirs, `nothing` is said of an empty list."""

    def __init__(
        self,
        visit: Visit,
        columns: list[Row],
        load: Callable[[PageRequest], Awaitable[Page[T]]],
        row: Callable[[T], Row],
        *,
        limit: int = 25,
        cells: Sequence[tuple[str, str]] = (),
        words: tuple[str, str] = ("Newer", "Older"),
        nothing: str = "",
    ) -> None:
        self.visit, self.load, self.row, self.limit = visit, load, row, limit
        self.cursors: list[str | None] = [None]
        self.items: list[T] = []
        self.table = (
            ui.table(columns=columns, rows=[], row_key="id").classes("w-full").props("hide-pagination")
        )
        self.table.props(':rows-per-page-options="[0]"')
        self.table.props["no-data-label"] = nothing or visit.t("Nothing here yet")
        for name, template in cells:
            self.table.add_slot(f"body-cell-{name}", template)
        with ui.row().classes("w-full justify-end items-center") as self.buttons:
            self.newer = ui.button(
                visit.t(words[0]), icon="chevron_left", on_click=visit.act(self._back)
            ).props("flat dense")
            self.older = ui.button(visit.t(words[1]), on_click=visit.act(self._on)).props(
                "flat dense icon-right=chevron_right"
            )

    async def refresh(self) -> None:
        """The same page again."""
        page = await self.load(PageRequest(limit=self.limit, cursor=self.cursors[-1]))
        self.items, self.next = page.items, page.next_cursor
        rows = [self.row(item) for item in page.items]
        if self.table.rows != rows:
            self.table.rows = rows
        self.newer.set_enabled(len(self.cursors) > 1)
        self.older.set_enabled(self.next is not None)
        self.buttons.set_visibility(len(self.cursors) > 1 or self.next is not None)

    async def first(self) -> None:
        """From the start."""
        self.cursors = [None]
        await self.refresh()

    async def _on(self) -> None:
        if self.next:
            self.cursors.append(self.next)
        await self.refresh()

    async def _back(self) -> None:
        self.cursors = self.cursors[:-1] or [None]
        await self.refresh()


class Pager:
    """Buttons to turn the pages of rows a page draws itself; hidden while one page is enough."""

    def __init__(self, visit: Visit, limit: int, turned: Callable[[], Awaitable[None]]) -> None:
        self.visit, self.limit, self.page = visit, limit, 0

        async def turn(by: int) -> None:
            self.page += by
            await turned()

        with ui.row().classes("w-full justify-end items-center") as self.row:
            self.shown = ui.label("").classes("quiet small")
            self.back = ui.button(
                visit.t("Previous"), icon="chevron_left", on_click=visit.act(lambda: turn(-1))
            ).props("flat dense")
            self.on = ui.button(visit.t("Next"), on_click=visit.act(lambda: turn(1))).props(
                "flat dense icon-right=chevron_right"
            )

    def show(self, total: int) -> None:
        """Where one is among so many rows."""
        first = self.page * self.limit
        last = min(total, first + self.limit)
        self.row.set_visibility(self.page > 0 or total > last)
        self.shown.set_text(
            self.visit.t("{first}–{last} of {total}", first=first + 1, last=last, total=total)
        )
        self.back.set_enabled(self.page > 0)
        self.on.set_enabled(last < total)


def _name_checkboxes(visit: Visit, table: ui.table) -> None:
    every, one = visit.t("Select all on this page"), visit.t("Select")
    table.add_slot(
        "header-selection", f'<q-checkbox v-model="props.selected" aria-label="{every}"></q-checkbox>'
    )
    table.add_slot(
        "body-selection",
        f'<q-checkbox v-model="props.selected" :aria-label="\'{one} \' + props.row.name"></q-checkbox>',
    )
