"""Keys that only read, or only ask, at every door that changes something: nothing that stands there is touched."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any
from uuid import UUID

import pytest

if TYPE_CHECKING:
    from tests.attacks.conftest import Attacked
    from tests.support.attacks.asgi import send
    from tests.support.attacks.doors import Operation, doors_of
    from tests.support.attacks.forge import Forger
    from tests.support.attacks.rows import Rows, difference, rows_of
    from tests.support.attacks.world import Attacker, AttackWorld
else:
    from support.attacks.asgi import send
    from support.attacks.doors import doors_of
    from support.attacks.forge import Forger
    from support.attacks.rows import Rows, difference, rows_of

ROUNDS = 2
ADDED_BY_ANYBODY = {
    "security_event",  # what is refused is told
    "query_log",  # a search is a question, and logged
}
ADDED_BY_ASKING = {
    "conversation",  # one's own, with what is said in it
    "message",
    "query_trace",
    "event",  # a person is called
    "webhook_delivery",  # and whoever listens hears of it
    "job",
    "audit_entry",  # one's own conversation was renamed, rated or forgotten
    "feedback",
    "credit_entry",  # answers are paid
    "credit_balance",
    "forgetting",  # one's own conversation went
}
CHANGED_BY_ASKING = {"credit_balance"}


@pytest.mark.parametrize("scope", ["read", "ask"])
async def test_a_key_that_only_reads_or_asks_changes_nothing_that_stands_there(
    attacked: "Attacked", scope: str
) -> None:
    world, seed = attacked.world, attacked.seed
    tried = 0
    for tenant in world.world.tenants[:2]:
        for key in weak_keys(world, tenant, scope):
            before = rows_of(world.owner, tenant)
            done = await at_every_door(attacked, key, tenant)
            gone, added = difference(before, rows_of(world.owner, tenant))
            tried += len(done)
            told = f"seed {seed}, {key.name}\n" + "\n".join(done)
            asking, paid = (ADDED_BY_ASKING, CHANGED_BY_ASKING) if scope == "ask" else (set(), set())
            mine = own_talks(before, key) if asking else set()
            assert not [one for one in gone if one[0] not in paid and not mine & ids_in(one[1])], told
            assert not added - ADDED_BY_ANYBODY - asking, f"{added}\n{told}"
    assert tried > 100, f"only {tried} requests were answered"


async def test_the_same_requests_change_much_for_whoever_may(attacked: "Attacked") -> None:
    tenant = attacked.world.world.tenants[0]
    before = rows_of(attacked.world.owner, tenant)
    await at_every_door(attacked, attacked.world.owner_of(tenant), tenant)
    gone, added = difference(before, rows_of(attacked.world.owner, tenant))
    tables = {table for table, _ in gone} | added
    assert {"conversation", "feedback", "agent", "knowledge_base", "document", "webhook", "project"} <= tables
    assert len(tables) >= 20, sorted(tables)


def weak_keys(world: "AttackWorld", tenant: UUID, scope: str) -> Iterator["Attacker"]:
    """Every key with this scope alone: of the company, of a project, of an admin and of people; for somebody and for nobody."""
    for one in world.attackers(tenant):
        key = one.eyes.key if one.eyes else None
        if key is not None and key.scopes == {scope} and not one.name.endswith("stranger's user"):
            yield one


async def at_every_door(attacked: "Attacked", caller: "Attacker", tenant: UUID) -> list[str]:
    """What was answered of all that may change something."""
    world = attacked.world
    doors = await doors_of(attacked.app, world.owner_of(tenant).headers)
    forger = Forger(doors, attacked.random)
    done = []
    for operation in changing(doors.operations):
        for _ in range(ROUNDS):
            request = forger.right(operation, world.family(tenant, attacked.random), caller.headers)
            answer = await send(attacked.app, request)
            if answer.status < 400:
                done.append(f"{answer.status} {operation.label} {request.target}")
    return done


def changing(operations: list["Operation"]) -> list["Operation"]:
    """Those that may change something, deletions last."""
    found = [op for op in operations if op.method not in ("get", "head", "options") and op.door != "widget"]
    return sorted(found, key=lambda op: (op.path.endswith("logout"), op.method == "delete"))


def own_talks(rows: Rows, caller: "Attacker") -> set[str]:
    """The ids of the caller's own conversations, and of what was said in them."""
    eyes = caller.eyes
    assert eyes and eyes.key
    me = ("user_id", str(eyes.user.id)) if eyes.user else ("key_id", str(eyes.key.id))
    talks = {
        row["id"]
        for (table, _), row in rows.items()
        if table == "conversation" and row[me[0]] == me[1] and (eyes.user or row["user_id"] is None)
    }
    return talks | {row["id"] for row in rows.values() if row.get("conversation_id") in talks and "id" in row}


def ids_in(row: dict[str, Any]) -> set[str]:
    """What it is, and what it hangs on."""
    return {str(row.get(name)) for name in ("id", "conversation_id", "message_id")}
