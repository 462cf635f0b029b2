"""How much a knowledge base counts for an agent, in the same words wherever it is said."""

from collections.abc import Mapping
from typing import Final

from nicegui import ui

from veraz.library.model import Assignment
from veraz.ui.formats import number
from veraz.ui.visit import Visit

_WEIGHTS: Final = {0.5: "Counts less", 1.0: "Counts as usual", 1.5: "Counts more", 2.0: "Counts much more"}
_PRIORITIES: Final = range(1, 6)


def weight_choice(visit: Visit, given: Assignment | None) -> ui.select:
    """How much its passages count in the search."""
    words = {value: visit.t(text) for value, text in _WEIGHTS.items()}
    return _choice(visit, "In the search", float(given.search_weight) if given else 1.0, words)


def priority_choice(visit: Visit, given: Assignment | None) -> ui.select:
    """Whose passage comes first where several fit equally well; bases may have the same."""
    words: dict[float, str] = {n: visit.t("Priority {n}", n=n) for n in _PRIORITIES}
    words[1] = visit.t("Priority {n} (the highest)", n=1)
    return _choice(visit, "When passages tie", given.priority if given else 1, words)


def _choice(visit: Visit, label: str, value: float, words: Mapping[float, str]) -> ui.select:
    """A short list; a value that a program set is one of its rows."""
    offered = {value: number(visit, value, 0 if isinstance(value, int) else 2), **words}
    return ui.select(offered, value=value, label=visit.t(label)).style("min-width: 190px")
