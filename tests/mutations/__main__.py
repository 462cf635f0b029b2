"""The mutation run: prints what was taken out, who missed it, and what leaked.

It fails when a filter of the application leaks or nobody misses a policy. Behind a condition of a function stands its owner's policy,
a foreign key or a second condition, so one that nobody misses is told and fails nothing.

Without arguments: every filter and every policy. Arguments are patterns of names (`^policy edition_term`, `[.]sql:`, `[(]` for the
conditions of functions, which take an hour): only what matches one of them is taken out.
"""

import re
import sys
import time
from collections import Counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.mutations import filters, walls
    from tests.mutations.stage import Stage, stage
else:
    from mutations import filters, walls
    from mutations.stage import Stage, stage


_SHARED = "changed embedding_space"
"""The names of models, which every tenant may add to: what it is there for."""


def main() -> int:
    """The exit code."""
    with stage() as place:
        assert not list(place.differences()), "something differs before anything was taken out"
        place.broken_before = walls.broken_laws(place.owner)
        leaks = _filters(place)
        return bool(leaks) | bool(_walls(place))


def _wanted(name: str) -> bool:
    return any(re.search(pattern, name) for pattern in sys.argv[1:] or (r"[.]sql:", "^policy "))


def _walls(place: Stage) -> list[str]:
    began, by, survivors = time.monotonic(), Counter[str](), []
    for mutant in filter(lambda one: _wanted(one.name), list(walls.mutants(place.owner))):
        missed = walls.judge(place, mutant)
        by[missed.split(":")[0]] += 1
        if not missed:
            survivors.append(mutant.name)
        print(f"{missed[:160] or 'SURVIVED'} | {mutant.name}", flush=True)
    tried = by.total() - by["?"]
    print(
        f"\npieces of the wall: {tried} taken out, {by['attack']} missed by attacks, {by['rights']} by the rule of rights, "
        f"{by['law']} by laws of the catalogue, {len(survivors)} by nobody ({by['?']} were no valid SQL); "
        f"{time.monotonic() - began:.0f} s"
    )
    for name in survivors:
        print(f"  survived: {name}")
    return [name for name in survivors if name.startswith("policy ")]


def _filters(place: Stage) -> list[str]:
    began, tried, runs, leaks = time.monotonic(), 0, 0, []
    for mutant in filter(lambda one: _wanted(one.name), filters.mutants()):
        statements = filters.statements(place, mutant)
        found = [f for f in place.as_everybody(statements[:6]) if not f.endswith(_SHARED)]
        tried, runs = tried + bool(statements), runs + len(statements[:6])
        if found:
            leaks.append(f"{mutant.name}\n    {found[0]}")
    print(
        f"\nfilters of the application: {tried} taken out, {runs} statements as each role and scope, {len(leaks)} leaks; "
        f"{time.monotonic() - began:.0f} s"
    )
    for leak in leaks:
        print(f"  leaked: {leak}")
    return leaks


if __name__ == "__main__":
    sys.exit(main())
