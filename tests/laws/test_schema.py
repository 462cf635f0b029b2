"""schema.sql is what the migrations make, and applying always/ twice changes nothing."""

import psycopg

from veraz.db.access import Access
from veraz.db.migrate import migrate
from veraz.db.schema import SCHEMA_FILE, dump


def test_schema_sql_is_what_the_migrations_make(database_url: str) -> None:
    assert dump(database_url) == SCHEMA_FILE.read_text(encoding="utf-8"), (
        "run «make schema» and commit schema.sql"
    )


def test_applying_everything_again_changes_nothing(database_url: str) -> None:
    before = dump(database_url)
    with psycopg.connect(database_url, autocommit=True) as connection:
        connection.execute("update veraz.migration set checksum = 'older' where number = -1")
    migrate(database_url, Access.closed())
    assert dump(database_url) == before
