"""`veraz doctor`: is everything there that an answer needs, and what does a similarity of 0.7 mean here?"""

import json
from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer
from rich.table import Table

from veraz.cli.common import Home, Json, TenantName, operator, out, run_async, settings_for, with_veraz
from veraz.cli.vectors import examine

if TYPE_CHECKING:
    from veraz.db.health import Readiness
    from veraz.search.curves import SpaceCurve
    from veraz.wiring import Veraz

_BARS = "▁▂▃▄▅▆▇█"


def doctor(
    home: Home = None,
    tenant: TenantName = None,
    repair: Annotated[
        bool, typer.Option("--repair", help="Mend what differs between PostgreSQL and Qdrant.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Check that everything an answer needs is there, and show what cosines mean under each embedding model."""
    from veraz.db.health import readiness
    from veraz.search.curves import curves

    async def work(veraz: "Veraz") -> "tuple[Readiness, list[SpaceCurve]]":
        state = await readiness(veraz.db)
        if not (state.database and state.migrations):
            return state, []
        return state, await curves(veraz.db, await operator(veraz, tenant))

    state, found = with_veraz(home, work)
    if as_json:
        out.print_json(json.dumps(asdict(state) | {"curves": [asdict(one) for one in found]}, default=str))
    else:
        out.print(_states(state))
        if found:
            out.print(curve_table(found))
    if not (state.database and state.migrations):
        raise typer.Exit(1)
    settings = settings_for(home, log_level="warning")
    if settings.qdrant_url and not as_json and not run_async(examine(settings, repair=repair)):
        raise typer.Exit(1)


def _states(state: "Readiness") -> Table:
    table = Table("", "estado", box=None)
    for name, fine in (
        ("base de datos", state.database),
        ("migraciones", state.migrations),
        ("trabajador", state.worker),
    ):
        table.add_row(name, "[green]bien[/]" if fine else "[yellow]no está[/]")
    return table


def curve_table(found: "Sequence[SpaceCurve]") -> Table:
    """A line for each space; the curve goes from cosine 0 on the left to 1 on the right."""
    title = "Qué significa un coseno: similitud de 0 a 1 (curva: coseno 0 … 1)"
    table = Table(
        "espacio", "bases", "muestras", "edad", "ajeno", "propio", "0,7 =", "curva", title=title, box=None
    )
    for one in found:
        table.add_row(
            one.space,
            f"{one.measured}/{one.knowledge_bases}",
            str(one.samples) if one.samples else "lo habitual",
            "–" if one.age_days is None else f"{one.age_days:.0f} d",
            f"{one.unrelated:.2f}",
            f"{one.own:.2f}",
            f"{one.threshold_cosine:.3f}",
            sparkline([similarity for _, similarity in one.points]),
        )
    return table


def sparkline(shares: Sequence[float]) -> str:
    """Numbers from 0 to 1 as bars."""
    return "".join(_BARS[min(int(share * len(_BARS)), len(_BARS) - 1)] for share in shares)
