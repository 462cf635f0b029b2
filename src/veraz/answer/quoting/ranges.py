"""Whether a figure of the question lies in a cell's range: 5 years in «4 a 6 años», 140 m² in «más de 100 m²»."""

from collections.abc import Sequence
from decimal import Decimal
from functools import lru_cache

from veraz.text.measures import Measure, measures

_ENDLESS = Decimal("Infinity")
_LONGEST = 80
_MONEY = frozenset(
    {
        "peso",
        "dollar",
        "euro",
        "pound",
        "real",
        "sol",
        "guarani",
        "quetzal",
        "boliviano",
        "cent",
        "€",
        "$",
        "£",
        "%",
    }
)
"""What costs 500 is not asked for by saying 500."""
Range = tuple[Decimal, Decimal, str]
"""From, to, and the unit both are in."""


@lru_cache(maxsize=8192)
def range_of(text: str) -> Range | None:
    """The range a short text says; a single figure is a range of one."""
    found = [measure for measure in measures(text) if measure.certain] if len(text) <= _LONGEST else []
    unit = next((measure.unit for measure in reversed(found) if measure.unit), "")
    if not unit or unit in _MONEY or len(found) > 2:
        return None
    if len(found) == 2:
        low, high = sorted(measure.value for measure in found)
        return low, high, unit
    value, bound = found[0].value, found[0].bound
    return (
        value if bound != "upper" else -_ENDLESS,
        value if bound != "lower" else _ENDLESS,
        unit,
    )


def fits(text: str, asked: Sequence[Measure]) -> bool | None:
    """Whether a figure of the question lies in the range; None where the two cannot be compared."""
    found = range_of(text)
    if found is None:
        return None
    low, high, unit = found
    values = [value for measure in asked for value in (measure.in_unit(unit) or _same(measure, unit))]
    return any(low <= value <= high for value in values) if values else None


def _same(measure: Measure, unit: str) -> frozenset[Decimal]:
    return frozenset({measure.value}) if measure.unit == unit else frozenset()
