"""Exact facts of a claim that code can hold against the quotes it stands on: figures, dates, names.

A fact is known when it stands in a quote, in the place of a quoted passage (title, headings, sheet, column), in the
question, or follows from figures that stand there by plain arithmetic. Rules only reject, and only what is certain:
a figure that stands nowhere, a unit, currency, rhythm or bound that differs from the one written beside the same figure,
the value of another column. Everything else is left to the judge.
"""

from veraz.text.injection import visible
from veraz.verify.facts.columns import other_column
from veraz.verify.facts.dates import unknown_date
from veraz.verify.facts.figures import odd_figure, unknown_figure
from veraz.verify.facts.ground import MOST_READ, Ground
from veraz.verify.facts.names import unknown_name

__all__ = ["Ground", "flaw_in"]


def flaw_in(claim: str, ground: Ground) -> str | None:
    """What is certainly wrong with a claim, as «kind: words»; None when code finds nothing.

    Kinds: date, figure, unit, rate, day_kind, bound, column, name.
    """
    claim = visible(claim)[:MOST_READ]
    checks = (unknown_date, odd_figure, unknown_figure, other_column, unknown_name)
    return next((flaw for check in checks if (flaw := check(claim, ground))), None)
