"""Plots that can be read in the light, in the dark and by a screen reader."""

from collections.abc import Sequence
from typing import Any, Final

from nicegui import ui

GREEN: Final = "#0f766e"
PALE: Final = "#94a3b8"
TEAL: Final = "#0d9488"
AMBER: Final = "#d97706"
INDIGO: Final = "#6366f1"
SLATE: Final = "#64748b"
"""Four that can be told from each other and from the paper, light or dark."""
_GREY: Final = "#74859b"  # readable on light and on dark


def chart(options: dict[str, Any], *, height: int = 260) -> ui.echart:
    """A plot with one horizontal axis, and one or two vertical ones."""
    common = {
        "grid": {
            "left": 8,
            "right": 28,
            "top": 34 if "legend" in options else 14,
            "bottom": 8,
            "containLabel": True,
        },
        "tooltip": {"trigger": "axis"},
        "aria": {"enabled": True},
    }
    vertical = options["yAxis"] if isinstance(options["yAxis"], list) else [options["yAxis"]]
    for axis in (options["xAxis"], *vertical):
        line = {"lineStyle": {"color": "rgba(128, 140, 160, 0.25)"}}
        axis |= {
            "axisLabel": {"color": _GREY} | axis.get("axisLabel", {}),
            "splitLine": line | axis.get("splitLine", {}),
        }
    if "legend" in options:
        options["legend"] |= {"textStyle": {"color": _GREY}}
    return ui.echart(common | options).classes("w-full").style(f"height: {height}px")


def stacked(names: Sequence[str], series: Sequence[tuple[str, str, Sequence[float]]]) -> dict[str, Any]:
    """Bars over each other, one per name; each series is words, colour and values."""
    return {
        "legend": {"top": 0, "type": "scroll", "data": [words for words, _, _ in series]},
        "xAxis": {"type": "category", "data": list(names)},
        "yAxis": {"type": "value", "minInterval": 1},
        "series": [
            {
                "type": "bar",
                "stack": "all",
                "name": words,
                "data": list(values),
                "color": colour,
                "barMaxWidth": 36,
            }
            for words, colour, values in series
        ],
    }


def as_table(words: str, columns: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """What a plot shows, to be read: folded away below it, and built when somebody unfolds it."""
    fold = ui.expansion(words, icon="table_rows").classes("w-full chart-table").props("dense")

    def unfold() -> None:
        if not fold.default_slot.children:
            with fold:
                _table(columns, rows)

    fold.on_value_change(unfold)


def _table(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    table = ui.table(
        columns=[
            {
                "name": str(place),
                "label": label,
                "field": str(place),
                "align": "right" if place else "left",
            }
            for place, label in enumerate(columns)
        ],
        rows=[{str(place): cell for place, cell in enumerate(row)} for row in rows],
        row_key="0",
        pagination={"rowsPerPage": 0},
    )
    table.props("dense flat hide-pagination").classes("w-full")
