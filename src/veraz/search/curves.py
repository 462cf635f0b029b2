"""What a cosine means in each embedding space, for people who look after an installation."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import groupby

from veraz.db.pool import Database
from veraz.db.sql import queries
from veraz.search.calibration import Calibration
from veraz.tenancy.model import Actor
from veraz.tenancy.permissions import need

Q = queries(__file__)

THRESHOLD = 0.7
_STEPS = tuple(step / 10 for step in range(11))


@dataclass(frozen=True, slots=True, kw_only=True)
class SpaceCurve:
    """The curve of one space: what its knowledge bases measured, weighed by their samples."""

    space: str
    knowledge_bases: int
    measured: int
    """Knowledge bases that have measured their own; the others use what is usual for the model."""
    samples: int
    oldest: datetime | None
    """When the oldest of them was measured."""
    unrelated: float
    own: float
    threshold_cosine: float
    """The raw cosine that reads as a similarity of 0.7."""
    points: tuple[tuple[float, float], ...]
    """Cosines 0, 0.1 … 1 and the similarity each reads as."""

    @property
    def age_days(self) -> float | None:
        """Days since the oldest measurement."""
        return (datetime.now(UTC) - self.oldest).total_seconds() / 86_400 if self.oldest else None


async def curves(db: Database, actor: Actor) -> list[SpaceCurve]:
    """The curve of every space the tenant's live editions use."""
    need(actor, "read")
    async with db.transaction(actor.scope()) as tx:
        rows = await tx.rows(Q.live)
    return [
        _curve(space, [Calibration.of(space, row["calibration"]) for row in group])
        for space, group in groupby(rows, key=lambda row: str(row["space"]))
    ]


def _curve(space: str, found: Sequence[Calibration]) -> SpaceCurve:
    measured = [one for one in found if one.samples] or [Calibration.of(space, None)]
    samples = sum(one.samples for one in measured)
    weights = [one.samples / samples if samples else 1.0 for one in measured]
    curve = Calibration(
        unrelated=sum(w * one.unrelated for w, one in zip(weights, measured, strict=True)),
        own=sum(w * one.own for w, one in zip(weights, measured, strict=True)),
    )
    times = [datetime.fromisoformat(one.measured_at) for one in measured if one.measured_at]
    return SpaceCurve(
        space=space,
        knowledge_bases=len(found),
        measured=sum(bool(one.samples) for one in found),
        samples=samples,
        oldest=min(times, default=None),
        unrelated=round(curve.unrelated, 4),
        own=round(curve.own, 4),
        threshold_cosine=round(curve.cosine_at(THRESHOLD), 4),
        points=tuple((cosine, round(curve.similarity(cosine), 4)) for cosine in _STEPS),
    )
