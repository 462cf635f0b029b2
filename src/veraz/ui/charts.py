"""Plots that can be read in the light, in the dark and by a screen reader."""

from typing import Any, Final

from nicegui import ui

GREEN: Final = "#0f766e"
PALE: Final = "#94a3b8"
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
