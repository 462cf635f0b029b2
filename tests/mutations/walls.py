"""Every policy, and every condition of a function that runs as somebody else, taken out one by one: each must be missed.

A mutant is killed by what is attacked (rows, rights, functions) or, where two pieces of the wall stand behind each other, by the
laws of the catalogue that ask for both. What nobody misses survives, and is either not needed or not tested.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import psycopg

if TYPE_CHECKING:
    from tests.laws import test_catalogue
    from tests.mutations.stage import Owner, Stage
    from tests.support import hostile_sql as h
else:
    from laws import test_catalogue
    from mutations.stage import Owner, Stage
    from support import hostile_sql as h

_CONDITION = re.compile(
    r"(?<![\w.])[\w.]+ (?:=|IS NOT DISTINCT FROM|in|IN) \(\s*(?:SELECT|select) veraz\.(?:current|projects_with|kbs_with|users_seen)\w*\([^()]*\)[^()]*\)"
    r"|(?<![\w.])[\w.]+ = (?:ANY|any) \(editions\)|(?<![\w.])[\w.]+\.tenant_id = (?:[\w.]+\.tenant_id|tenant|\$3)(?![\w.])"
    r"|\([\w.]+ = 'global'(?:::text)?\)? (?:OR|or) \(?[\w.]+ = \(?(?:[^()]|\([^()]*\))*\)+",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Mutant:
    """A piece taken out, and how to put it back."""

    name: str
    about: str
    """The table or function it guards."""
    take_out: str
    put_back: str


def mutants(owner: Owner) -> Iterator[Mutant]:
    """Of everything the catalogue lists."""
    yield from _policies(owner)
    yield from _conditions(owner)


_POLICIES = """
    select tablename, policyname, permissive, array_to_string(roles, ', '), cmd, qual, with_check
    from pg_policies where schemaname = 'veraz' order by 1, 2"""


def _policies(owner: Owner) -> Iterator[Mutant]:
    for table, name, kind, roles, command, using, check in owner.execute(_POLICIES).fetchall():
        if {using, check} <= {"true", None}:
            continue
        there = f"create policy {name} on veraz.{table} as {kind} for {command} to {roles}"
        drop = f"drop policy {name} on veraz.{table}"
        whole = there + (f" using ({using})" if using else "") + (f" with check ({check})" if check else "")
        opened = (
            there
            + (" using (true)" if using else "")
            + (" with check (true)" if check or command == "INSERT" else "")
        )
        gone = drop if kind == "RESTRICTIVE" else f"{drop}; {opened}"
        back = whole if kind == "RESTRICTIVE" else f"{drop}; {whole}"
        yield Mutant(name=f"policy {table}.{name} ({roles})", about=str(table), take_out=gone, put_back=back)


_DEFINERS = """
    select p.oid::regprocedure::text, p.proname, pg_get_functiondef(p.oid) from pg_proc p
    where p.prosecdef and p.pronamespace = 'veraz'::regnamespace and p.proname not in ('scope', 'audit')
      and exists (select from unnest(array['veraz_app', 'veraz_worker']) r where has_function_privilege(r, p.oid, 'execute'))
    order by 1"""


def _conditions(owner: Owner) -> Iterator[Mutant]:
    for signature, name, text in owner.execute(_DEFINERS).fetchall():
        for number, found in enumerate(_CONDITION.finditer(text), 1):
            if found.group().startswith("("):  # the rest of its brackets stays balanced
                part = "(" * (found.group().count("(") - found.group().count(")")) + "true"
                if found.group().count(")") > found.group().count("("):
                    continue
            else:
                part = "true"
            changed = text[: found.start()] + part + text[found.end() :]
            yield Mutant(
                name=f"{signature} #{number}: {' '.join(found.group().split())[:80]}",
                about=str(name), take_out=changed, put_back=text,
            )  # fmt: skip


def judge(stage: Stage, mutant: Mutant) -> str:
    """Who misses the piece: '' when nobody does, '?' when the mutant is no valid SQL."""
    try:
        stage.owner.execute(mutant.take_out.encode())
    except psycopg.Error:
        return "?"
    try:
        return next(_missed(stage, mutant), "")
    finally:
        stage.owner.execute(mutant.put_back.encode())


def _missed(stage: Stage, mutant: Mutant) -> Iterator[str]:
    """Quick looks first."""
    for found in stage.differences(writes=0):
        yield f"rights: {found.splitlines()[0]}"
    of_table = mutant.name.startswith("policy")
    names = [mutant.about] if of_table else callers_of(stage.owner, mutant.about)
    named = re.compile(rf"veraz\.({'|'.join(names)})\b")
    kinds = (h.readings, h.changes) if of_table else (h.calls,)
    for found in stage.as_everybody([s for kind in kinds for s in kind(stage.world) if named.search(s)]):
        yield f"attack: {found}"
    for broken in broken_laws(stage.owner) - stage.broken_before:
        yield f"law: {broken}"
    for found in stage.differences(writes=2):
        yield f"rights: {found.splitlines()[0]}"


def callers_of(owner: Owner, function: str) -> list[str]:
    """The function, and those that call it, directly or through others."""
    bodies = owner.execute(
        "select proname, pg_get_functiondef(oid) from pg_proc where pronamespace = 'veraz'::regnamespace and prokind = 'f'"
    ).fetchall()
    names, known = [function], 0
    while known < len(names):
        known = len(names)
        called = re.compile(rf"veraz\.({'|'.join(names)})\(")
        names += {str(name) for name, body in bodies if called.search(body) and name not in names}
    return names


def broken_laws(owner: Owner) -> set[str]:
    """The laws of the catalogue that do not hold now."""
    broken = set()
    for law in _laws():
        try:
            law(owner)
        except AssertionError:
            broken.add(law.__name__)
    return broken


def _laws() -> Iterator[Callable[[Owner], None]]:
    for name, law in vars(test_catalogue).items():
        if name.startswith("test_") and law.__code__.co_varnames[: law.__code__.co_argcount] == ("owner",):
            yield law
