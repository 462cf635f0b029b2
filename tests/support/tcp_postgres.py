"""A PostgreSQL that listens on 127.0.0.1 with passworded roles, from the same programs as the embedded one.

For tests of `VERAZ_DATABASE_URL`, and for trying Veraz against «a real server» without installing one:

    with tcp_server(folder) as url: ...
"""

import secrets
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg

from veraz.db.embedded import running

QUICK = {"fsync": "off", "synchronous_commit": "off", "full_page_writes": "off"}


@contextmanager
def tcp_server(folder: Path, port: int | None = None, *, superuser: bool = False) -> Iterator[str]:
    """Yields the owner's address, `postgresql://owner:…@127.0.0.1:port/veraz`.

    The owner is a superuser, or what careful hosts give: CREATEDB, CREATEROLE and BYPASSRLS, with the
    `vector` extension already in every new database.
    """
    port = port or _free_port()
    password = secrets.token_urlsafe(12)
    with running(folder, {**QUICK, "listen_addresses": "127.0.0.1", "port": str(port)}) as address:
        rights = "superuser" if superuser else "nosuperuser createdb createrole bypassrls"
        _as_administrator(
            address.url,
            "drop database if exists veraz with (force)",
            "drop role if exists owner",
            f"create role owner login {rights} password '{password}'",
        )
        if not superuser:
            for database in ("template1", "postgres"):
                _as_administrator(address.url, "create extension if not exists vector", database=database)
        _as_administrator(address.url, "create database veraz owner owner")
        yield f"postgresql://owner:{password}@127.0.0.1:{port}/veraz"


def _as_administrator(url: str, *statements: str, database: str = "postgres") -> None:
    with psycopg.connect(url, dbname=database, autocommit=True) as connection:
        for statement in statements:
            connection.execute(statement.encode())


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
