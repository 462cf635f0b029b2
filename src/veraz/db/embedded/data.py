"""The data folder: made once, complete or not at all, with access rules written at every start."""

import os
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path

from veraz.db.embedded import lock
from veraz.db.embedded.account import POSTGRES_MAJOR, programs
from veraz.db.embedded.place import Place
from veraz.errors import DatabaseOfAnotherVersion, DatabaseUnavailable, Phrase
from veraz.observe import log

OWNER = "veraz_owner"


def _megabytes_to_share() -> int:
    """An eighth of this machine's memory, which PostgreSQL touches as it needs it; at most a gigabyte."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 2**20
    return min(max(memory // 8, 128), 1024)


TUNED = {
    "shared_buffers": f"{_megabytes_to_share()}MB",
    # what is in the system's memory is copied sooner than another process is asked to read it
    "io_method": "sync",
    "max_connections": "100",
    "work_mem": "16MB",
    "maintenance_work_mem": "256MB",
    "autovacuum_work_mem": "64MB",
    "effective_cache_size": "1GB",
    "random_page_cost": "1.1",
    "max_parallel_maintenance_workers": "2",
    "max_wal_size": "2GB",
    "huge_pages": "off",
    "jit": "off",
    "timezone": "UTC",
    "log_timezone": "UTC",
    "log_checkpoints": "off",
    # errors of statements reach Veraz anyway, and their texts may quote documents
    "log_min_messages": "log",
    "log_min_error_statement": "panic",
}
"""Written into postgresql.conf when the data folder is made; from then on the operator's to change."""

_HBA = f"""\
# Written by Veraz at every start. The owner is known by its system user, everybody else by password.
local all {OWNER} peer map=veraz
local all all scram-sha-256
host all all samehost scram-sha-256
"""


def make_data(place: Place, settings: Mapping[str, str]) -> None:
    """`initdb` into a folder of another name, so that the data folder is complete or absent."""
    if (place.data / "PG_VERSION").exists():
        _check_version(place.data)
        return
    if place.data.exists() and any(place.data.iterdir()):
        raise DatabaseUnavailable(reason=_not_a_database(place.data))
    staging = place.folder / "data.new"
    shutil.rmtree(staging, ignore_errors=True)
    place.make_private(staging)
    _initdb(place, staging, settings)
    staging.rename(place.data)
    _sync(place.folder)
    log.info("database_created", folder=str(place.data), user=place.account.name)


def write_access_rules(place: Place) -> None:
    """Only the account that runs the server, and root, are the owner; nobody is trusted unseen."""
    users = dict.fromkeys(("root", place.account.name))
    place.write(place.data / "pg_hba.conf", _HBA)
    place.write(place.data / "pg_ident.conf", "".join(f'veraz "{user}" {OWNER}\n' for user in users))


def _check_version(data: Path) -> None:
    found = (data / "PG_VERSION").read_text().strip()
    if found != str(POSTGRES_MAJOR):
        raise DatabaseOfAnotherVersion(folder=data, found=found, expected=POSTGRES_MAJOR)


def _initdb(place: Place, folder: Path, settings: Mapping[str, str]) -> None:
    with place.entrance(folder) as (name, handles), lock.locked(place.server) as held:
        command = [str(programs(place.account, place.folder) / "initdb"), "-D", name, *_options(settings)]
        done = place.account.run(command, (*handles, held), subprocess.PIPE)
    if done.returncode != 0:
        shutil.rmtree(folder, ignore_errors=True)
        raise place.explained(done.stdout.decode(errors="replace"))


def _options(settings: Mapping[str, str]) -> list[str]:
    options = [f"--username={OWNER}", "--auth=peer", "--encoding=UTF8", "--locale=C", "--no-instructions"]
    options += ["--locale-provider=builtin", "--builtin-locale=C.UTF-8", "--text-search-config=simple"]
    options += ["--no-sync"] if settings.get("fsync") == "off" else []
    return options + [f"--set={name}={value}" for name, value in TUNED.items()]


def _sync(folder: Path) -> None:
    """Makes the new name survive a power cut, as PostgreSQL does for everything inside."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _not_a_database(folder: Path) -> Phrase:
    return Phrase(
        f"{folder} holds files but no PostgreSQL data; move them away",
        es=f"{folder} contiene archivos pero no datos de PostgreSQL; muévalos a otro lugar",
    )
