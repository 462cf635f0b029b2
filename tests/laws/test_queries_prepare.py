"""Every named query in every .sql file prepares on the migrated database: names, columns and types are right."""

import re
from pathlib import Path

import psycopg
import pytest

import veraz
from veraz.db.sql import Queries

ROOT = Path(veraz.__file__).parent
FILES = sorted(
    path for path in ROOT.rglob("*.sql") if path.parent.parent.name != "db" and path.parent.name != "db"
)
QUERIES = {path: Queries(path).by_name for path in FILES}
NAMED = [(path, name) for path, named in QUERIES.items() for name in named]
_PARAMETER = re.compile(r"%\((\w+)\)[sbt]")


def numbered(query: str) -> str:
    """psycopg's named parameters as PostgreSQL's numbered ones."""
    order: dict[str, int] = {}
    text = _PARAMETER.sub(lambda found: f"${order.setdefault(found[1], len(order) + 1)}", query)
    return text.replace("%%", "%")


def test_there_are_queries() -> None:
    assert len(NAMED) > 100


@pytest.mark.parametrize(("path", "name"), NAMED, ids=[f"{p.relative_to(ROOT)}:{n}" for p, n in NAMED])
def test_the_query_prepares(path: Path, name: str, template_connection: psycopg.Connection) -> None:
    query = numbered(QUERIES[path][name]).encode()
    with template_connection.transaction(force_rollback=True):
        if query.startswith(b"set "):
            template_connection.execute(query)  # a setting cannot be prepared, but it can be set
        else:
            template_connection.execute(b"prepare law as " + query)
            template_connection.execute("deallocate law")


def test_every_sql_file_stands_beside_its_module() -> None:
    assert not [path for path in FILES if not path.with_suffix(".py").exists()]


def test_every_query_is_used() -> None:
    unused = [f"{p.relative_to(ROOT)}:{n}" for p, n in NAMED if not re.search(rf"\.{n}\b", sources(p))]
    assert not unused


def sources(path: Path) -> str:
    """Everything that may use a file's queries: the modules of its package."""
    return "\n".join(module.read_text(encoding="utf-8") for module in path.parent.glob("*.py"))
