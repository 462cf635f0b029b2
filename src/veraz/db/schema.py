"""`schema.sql`: what all migrations and always/ make together, for people to read and reviews to compare.

`python -m veraz.db.schema` (make schema) writes it again; a law fails when it is not what a migration gives.
"""

import re
import subprocess
import tempfile
from pathlib import Path

from psycopg.conninfo import conninfo_to_dict

from veraz import errors
from veraz.db import embedded
from veraz.db.access import Access
from veraz.db.embedded.account import installed_programs
from veraz.db.migrate import migrate

SCHEMA_FILE = Path(__file__).with_name("schema.sql")
_HEAD = "-- Generated from migrations/ and always/ by «make schema»; not applied to any database.\n\n"
_NOISE = re.compile(
    r"^(--.*|\\(un)?restrict .*|SET .*|SELECT pg_catalog\.set_config.*|CREATE EXTENSION .*|COMMENT ON EXTENSION .*|"
    r"REVOKE ALL ON FUNCTION pg_catalog\..*|ALTER .* OWNER TO (?!veraz_search|veraz_ledger|veraz_gate).*|(CREATE|COMMENT ON) SCHEMA public.*)\n",
    re.MULTILINE,
)
_BLANKS = re.compile(r"\n{3,}")


def main() -> None:
    """Writes schema.sql from a fresh database."""
    with tempfile.TemporaryDirectory(prefix="veraz-schema-") as folder:
        home = Path(folder)
        home.chmod(0o755)  # started as root, the server runs as another user
        with embedded.running(home, {"fsync": "off"}) as address:
            migrate(address.url, Access.closed())
            SCHEMA_FILE.write_text(dump(address.url), encoding="utf-8")


def dump(owner_url: str) -> str:
    """The migrated database as SQL, without what differs between servers and runs."""
    program = installed_programs() / "pg_dump"
    given = conninfo_to_dict(owner_url)
    password = str(given.pop("password", "") or "")
    address = " ".join(f"{name}='{value}'" for name, value in given.items())
    done = subprocess.run(
        [program, "--schema-only", "--no-tablespaces", "--no-security-labels", f"--dbname={address}"],
        capture_output=True,
        text=True,
        check=False,
        env={"PGPASSWORD": password, "LC_ALL": "C"},
    )
    if done.returncode:
        raise errors.DatabaseUnavailable(reason=done.stderr.strip())
    return _HEAD + _normal(done.stdout)


def _normal(text: str) -> str:
    without_noise = _NOISE.sub("", text)
    return _BLANKS.sub("\n\n", without_noise).strip() + "\n"


if __name__ == "__main__":
    main()
