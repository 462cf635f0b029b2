"""A server of its own with the marked world of hostile SQL, and the judges that say what leaks on it."""

from collections.abc import Iterator
from contextlib import contextmanager
from random import Random
from typing import TYPE_CHECKING

import psycopg
from psycopg import Connection
from psycopg.rows import TupleRow

from veraz.db.migrate import migrate
from veraz.db.scope import Scope
from veraz.tenancy.model import Actor

if TYPE_CHECKING:
    from tests.conftest import EmbeddedServer
    from tests.laws.test_hostile_sql import Hands
    from tests.support import isolation_model as m
    from tests.support.access import ACCESS
    from tests.support.hostile_world import HostileWorld, alarms, attackers, build
    from tests.support.isolation_sql import SqlAttack
    from tests.support.isolation_world import callers
else:
    from conftest import EmbeddedServer
    from laws.test_hostile_sql import Hands
    from support import isolation_model as m
    from support.access import ACCESS
    from support.hostile_world import alarms, attackers, build
    from support.isolation_sql import SqlAttack
    from support.isolation_world import callers

    HostileWorld = object

Owner = Connection[TupleRow]
_CALLERS = 14


class Stage:
    """The database as owner, the world in it, and who looks."""

    def __init__(self, url: str, owner: Owner) -> None:
        self.url, self.owner = url, owner
        self.world: HostileWorld = build(owner)
        self.broken_before: set[str] = set()
        """Laws that the tripwire of this stage breaks by itself; they judge no mutant."""
        self.random = Random(7)
        here = self.world.world
        every = [c for c in callers(here, self.random) if not m.Eyes(here, c).refused()]
        people = [c for c in every if c.user]
        keys = [c for c in every if c.key]
        self.callers = [*people[:6], *self.random.sample(keys, _CALLERS - 6)]
        self.attackers = [Hands(url, owner, self.world, attacker) for attacker in attackers(self.world.world)]
        self.app = psycopg.connect(ACCESS.address(url, "veraz_app"), autocommit=True)
        self.app.prepare_threshold = None

    def differences(self, *, writes: int = 2) -> Iterator[str]:
        """What the story of isolation finds: rows and rights that differ from PRODUCT.md's rule, also inside a company."""
        for caller in self.callers:
            eyes = m.Eyes(self.world.world, caller)
            attack = SqlAttack(
                self.app, self.world.world, eyes, _scope(self.world.world, caller, eyes), self.random
            )
            try:
                yield from attack.run(writes=writes)
            except (AssertionError, psycopg.Error) as error:
                self.app.execute("rollback")
                yield f"failed: {error}"

    def as_everybody(self, statements: list[str]) -> Iterator[str]:
        """What hostile statements give away or change, as each role and scope."""
        alarms(self.owner)
        for attack in self.attackers if statements else ():
            yield from attack.run(statements)


def _scope(world: m.World, caller: m.Caller, eyes: m.Eyes) -> Scope:
    user = eyes.user
    key = world.keys[caller.key] if caller.key else None
    return Actor(
        tenant_id=eyes.tenant,
        user_id=user.id if user else None,
        user_role=("admin" if user.admin else "member") if user and not user.external else None,
        is_platform_admin=bool(user and user.platform),
        key_id=key.id if key else None,
        key_project=key.project if key else None,
        scopes=frozenset(key.scopes) if key else Actor.__dataclass_fields__["scopes"].default,  # type: ignore[arg-type]
        machine_id=eyes.machine,
        names_machines=bool(key and key.user is None),
    ).scope()


@contextmanager
def stage() -> Iterator[Stage]:
    """On a server that nobody else uses."""
    server = EmbeddedServer()
    try:
        migrate(server.url, ACCESS)
        with psycopg.connect(server.url, autocommit=True) as owner:
            yield Stage(server.url, owner)
    finally:
        server.close()
