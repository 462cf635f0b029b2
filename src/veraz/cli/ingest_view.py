"""What a person sees of `veraz ingest`: a live bar on a terminal, plain lines elsewhere, a table at the end."""

import time
from collections.abc import Sequence
from types import TracebackType
from typing import Final, Self

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskID, TextColumn
from rich.table import Table
from rich.text import Text

from veraz.cli.ingest_items import Item

_MARK: Final = {
    "completed": ("✔", "green"),
    "failed": ("✘", "red"),
    "skipped": ("–", "yellow"),
}
_STAGE: Final = {
    "FETCH": "descargando",
    "PARSE": "leyendo",
    "CHUNK": "dividiendo",
    "EMBED": "calculando vectores",
    "STORE": "guardando",
}
_ACTIVE_SHOWN = 8
_NAME_WIDTH = 44
_REMEMBERED = 20
"""So many lines are still on the screen; failures among more are said again at the end."""


class View:
    """Shows how far the items have come."""

    def __init__(self, items: Sequence[Item], console: Console) -> None:
        self.items, self.console = items, console
        self.started = time.monotonic()
        self.told: set[int] = set()
        self.bars: dict[int, TaskID] = {}
        self.progress = Progress(
            TextColumn("{task.description}", markup=False),
            BarColumn(bar_width=None),
            TextColumn("{task.percentage:>3.0f} %"),
            TextColumn("{task.fields[note]}", markup=False),
            console=console,
            transient=True,
            refresh_per_second=8,
            disable=not console.is_terminal,
        )
        self.total = self.progress.add_task("", total=sum(item.weight for item in items), note="")

    def __enter__(self) -> Self:
        self.progress.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, _: object, __: TracebackType | None) -> None:
        self.progress.stop()
        if kind is not None and (left := sum(not item.ended for item in self.items)):
            self.console.print(
                f"Interrumpido. Lo ya recibido sigue en la cola; faltan {left} de {len(self.items)}. "
                "La misma orden continúa donde quedó.",
                style="yellow",
                highlight=False,
            )

    def update(self) -> None:
        """Draws the present state."""
        for number, item in enumerate(self.items):
            if item.ended and number not in self.told:
                self.told.add(number)
                self.console.print(_line(item), soft_wrap=True)
        if not self.progress.disable:
            self._draw()

    def _draw(self) -> None:
        done = sum(item.done_weight for item in self.items)
        description = f"{len(self.told)}/{len(self.items)} documentos"
        self.progress.update(self.total, completed=done, description=description, note=self._pace(done))
        active = [n for n, item in enumerate(self.items) if item.state == "processing"][:_ACTIVE_SHOWN]
        for number in set(self.bars) - set(active):
            self.progress.remove_task(self.bars.pop(number))
        for number in active:
            item = self.items[number]
            if number not in self.bars:
                self.bars[number] = self.progress.add_task(f"  {_short(item.shown)}", total=100, note="")
            note = _STAGE.get(item.stage, item.stage.lower())
            self.progress.update(self.bars[number], completed=item.percent, note=note)

    def _pace(self, done: float) -> str:
        """How fast it goes, and how long it will take at that speed."""
        seconds = time.monotonic() - self.started
        chunks = sum(item.chunks for item in self.items)
        if done <= 0 or seconds < 1:
            return ""
        left = seconds * (sum(item.weight for item in self.items) - done) / done
        return f"{chunks / seconds:.1f} fragmentos/s · quedan {_clock(left)}"


def summary(console: Console, items: Sequence[Item], kb: str, seconds: float) -> None:
    """The counts, and every failure with its reason."""
    counts = {state: sum(item.state == state for item in items) for state in (*_MARK, "pending")}
    chunks = sum(item.chunks for item in items)
    table = Table(box=None, show_header=False, padding=(0, 1))
    table.add_row("base", Text(kb))
    table.add_row("listos", Text(str(counts["completed"]), style="green"))
    if counts["pending"]:
        table.add_row("en cola", str(counts["pending"]))
    if counts["skipped"]:
        table.add_row("repetidos", Text(str(counts["skipped"]), style="yellow"))
    if counts["failed"]:
        table.add_row("con error", Text(str(counts["failed"]), style="red"))
    table.add_row("fragmentos", f"{chunks}  ({chunks / max(seconds, 0.001):.1f}/s)")
    table.add_row("tiempo", _clock(seconds))
    console.print()
    console.print(table, highlight=False)
    if len(items) > _REMEMBERED:
        for item in items:
            if item.state == "failed":
                console.print(_line(item), soft_wrap=True)


def _line(item: Item) -> Text:
    mark, style = _MARK[item.state]
    line = Text.assemble((mark, style), " ", item.shown)
    if item.state == "completed":
        line.append(f"  {item.chunks} fragmento{'' if item.chunks == 1 else 's'}", style="dim")
    if item.reason:
        line.append(f"  {item.reason}", style=style if item.state == "failed" else "dim")
    return line


def _short(name: str) -> str:
    return name if len(name) <= _NAME_WIDTH else f"…{name[-_NAME_WIDTH + 1 :]}"


def _clock(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"
