"""What a page does by itself is no use of the session that opened it."""

import ast
from pathlib import Path
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

from babel import Locale
from psycopg import Connection
from psycopg.rows import TupleRow

from veraz.ui.visit import _visit

if TYPE_CHECKING:
    from tests.ui.conftest import PASSWORD, Pages
else:
    from ui.conftest import PASSWORD, Pages

UI = Path(__file__).parents[2] / "src" / "veraz" / "ui"


async def test_an_open_page_does_not_keep_its_session(pages: Pages, owner: Connection[TupleRow]) -> None:
    session = await pages.veraz.sign_in.login("ana@acme.test", PASSWORD)
    zone, locale = ZoneInfo("UTC"), Locale("es")
    visit = await _visit(pages.veraz, session.token, "es", "/es/", "", None, zone, locale)
    where = f"where id = '{session.actor.session_id}'"
    owner.execute(f"update veraz.session set last_seen_at = now() - interval '1 hour' {where}".encode())
    before = owner.execute(f"select last_seen_at from veraz.session {where}".encode()).fetchone()
    ticks: list[int] = []
    await visit.act(lambda: ticks.append(1), by_clock=True)()
    assert (
        ticks
        and owner.execute(f"select last_seen_at from veraz.session {where}".encode()).fetchone() == before
    )


def test_every_clock_of_the_pages_says_that_it_is_one() -> None:
    for path in sorted(UI.glob("*.py")):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        functions = {
            one.name: one for one in ast.walk(tree) if isinstance(one, ast.FunctionDef | ast.AsyncFunctionDef)
        }
        for timer in calls(tree, "timer"):
            if any(word.arg == "once" for word in timer.keywords):
                continue
            name = ast.unparse(timer.args[1]).removeprefix("self.")
            for act in calls(functions.get(name, timer), "act"):
                assert any(word.arg == "by_clock" for word in act.keywords), f"{path.name}: {name}"


def calls(tree: ast.AST, name: str) -> list[ast.Call]:
    """The calls of a method of this name."""
    return [
        one
        for one in ast.walk(tree)
        if isinstance(one, ast.Call) and isinstance(one.func, ast.Attribute) and one.func.attr == name
    ]
