"""Plots that can be read in the light, in the dark and by a screen reader."""

from typing import Any, Final

from nicegui import ui

GREEN: Final = "#0f766e"
PALE: Final = "#94a3b8"
_GREY: Final = "#74859b"  # readable on light and on dark


def chart(options: dict[str, Any], *, height: int = 260) -> ui.echart:
    """A plot with one horizontal and one vertical axis."""
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
    for axis in ("xAxis", "yAxis"):
        label = {"color": _GREY} | options[axis].get("axisLabel", {})
        options[axis] |= {
            "axisLabel": label,
            "splitLine": {"lineStyle": {"color": "rgba(128, 140, 160, 0.25)"}},
        }
    if "legend" in options:
        options["legend"] |= {"textStyle": {"color": _GREY}}
    return ui.echart(common | options).classes("w-full").style(f"height: {height}px")
