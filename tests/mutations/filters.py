"""Every condition on a tenant, project, machine, person or id in the application's own SQL, taken out one by one: nothing leaks.

The queries are run as each role within the scopes of one company, with ids of the other as their parameters.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import psycopg

import veraz
from veraz.db.sql import Queries

if TYPE_CHECKING:
    from tests.mutations.stage import Stage
    from tests.support.hostile_sql import argument
else:
    from mutations.stage import Stage
    from support.hostile_sql import argument

_ROOT = Path(veraz.__file__).parent
_FILTER = re.compile(
    r"(?<![\w.])(?:\w+\.)?(?:id|\w+_id|email|name)\s*(?:=|is not distinct from)\s*"
    r"(?:any \(%\(\w+\)s(?:::[\w\[\]]+)?\)|%\(\w+\)s(?:::\w+)?|\(select veraz\.current_\w+\(\)\))"
)
_PARAMETER = re.compile(r"%\((\w+)\)[sbt]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Filterless:
    """A query without one of its conditions."""

    name: str
    text: str


def mutants() -> Iterator[Filterless]:
    """Of every named query beside the application's modules."""
    for path in sorted(_ROOT.rglob("*.sql")):
        if "db" in path.relative_to(_ROOT).parts[:1]:
            continue
        for name, text in Queries(path).by_name.items():
            where = re.search(r"\b(where|on)\b", text)
            for number, found in enumerate(_FILTER.finditer(text), 1):
                if where and found.start() > where.start():
                    mutated = text[: found.start()] + "true" + text[found.end() :]
                    yield Filterless(
                        name=f"{path.relative_to(_ROOT)}:{name} #{number} {found.group()}", text=mutated
                    )


def statements(stage: Stage, mutant: Filterless) -> list[str]:
    """The query with the other company's ids, and the attacker's own, for its parameters; none when it cannot be prepared."""
    order: dict[str, int] = {}
    numbered = _PARAMETER.sub(lambda p: f"${order.setdefault(p[1], len(order) + 1)}", mutant.text).replace(
        "%%", "%"
    )
    try:
        with stage.owner.transaction(force_rollback=True):
            stage.owner.execute(b"prepare mutant as " + numbered.encode())
            row = stage.owner.execute(
                "select parameter_types::text[] from pg_prepared_statements where name = 'mutant'"
            ).fetchone()
            stage.owner.execute("deallocate mutant")
    except psycopg.Error:
        return []
    kinds = list(row[0]) if row else []
    choices = {name: argument(stage.world, name, kinds[place - 1]) for name, place in order.items()}
    tries = max((len(values) for values in choices.values()), default=1)
    return [_filled(mutant.text, choices, number) for number in range(tries)]


def _filled(text: str, choices: dict[str, tuple[str, ...]], number: int) -> str:
    return _PARAMETER.sub(lambda p: choices[p[1]][number % len(choices[p[1]])], text).replace("%%", "%")
