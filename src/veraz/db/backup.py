"""The database into one file and back, with PostgreSQL's own programs.

Only the schema `veraz` travels; roles, functions elsewhere and grants are made again by migrating.
"""

import subprocess
from pathlib import Path

import psycopg
from psycopg.conninfo import conninfo_to_dict

from veraz import errors
from veraz.db.embedded.account import installed_programs
from veraz.db.migrate import prepare_roles


def dump(owner_url: str, target: Path) -> None:
    """Writes a consistent copy while everything goes on working."""
    _run(
        "pg_dump",
        owner_url,
        "--format=custom",
        "--schema=veraz",
        "--exclude-table-data=veraz.scope_key",  # every migrate writes it again
        "--no-owner",
        "--no-acl",
        "--file",
        str(target),
    )


def is_empty(owner_url: str) -> bool:
    """Whether nobody lives in this database yet."""
    with psycopg.connect(owner_url, autocommit=True) as connection:
        row = connection.execute("select to_regclass('veraz.tenant') is null").fetchone()
        if row and row[0]:
            return True
        row = connection.execute("select not exists (select from veraz.tenant)").fetchone()
        return bool(row and row[0])


def load(owner_url: str, source: Path) -> None:
    """Replaces the schema by the copy, all or nothing; migrate afterwards."""
    with psycopg.connect(owner_url, autocommit=True) as connection:
        connection.execute("create extension if not exists vector")
        connection.execute("drop schema if exists veraz cascade")
        prepare_roles(connection)
        connection.execute("drop schema if exists veraz cascade")
    _run(
        "pg_restore", owner_url, "--single-transaction", "--exit-on-error", "--no-owner", "--no-acl",
        f"--dbname={owner_url}", str(source), dbname=False,
    )  # fmt: skip
    with psycopg.connect(owner_url, autocommit=True) as connection:
        connection.execute("delete from veraz.migration where number = -1")
        if connection.execute("select to_regclass('veraz.vector_home')").fetchone() != (None,):
            # vectors that were searched elsewhere are filled in again from here
            connection.execute("truncate veraz.vector_home, veraz.vector_outbox")


def storage_keys(owner_url: str) -> list[str]:
    """The files that belong to the rows, of every tenant."""
    with psycopg.connect(owner_url, autocommit=True) as connection:
        rows = connection.execute(
            "select storage_key from veraz.document where storage_key is not null "
            "union select storage_key from veraz.document_version where storage_key is not null"
        ).fetchall()
    return [row[0] for row in rows]


def _run(program: str, owner_url: str, *arguments: str, dbname: bool = True) -> None:
    """Runs a client program; the password travels in its environment, never on the command line."""
    parts = conninfo_to_dict(owner_url)
    password = str(parts.pop("password", "") or "")
    address = " ".join(f"{key}={_quoted(str(value))}" for key, value in parts.items())
    command = [str(installed_programs() / program), *(a.replace(owner_url, address) for a in arguments)]
    if dbname:
        command.append(f"--dbname={address}")
    done = subprocess.run(
        command,
        env={"PGPASSWORD": password, "PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise errors.DatabaseUnavailable(reason=done.stderr.strip().split("\n")[-1])


def _quoted(value: str) -> str:
    escaped = value.replace("\\", "\\\\").replace("'", "\\'")
    return f"'{escaped}'"
