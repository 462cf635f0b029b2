"""The attack sees what it looks for: leaky routes mounted beside the real ones are caught, and owners get their own."""

import base64
from collections.abc import AsyncIterator
from typing import TYPE_CHECKING, Any
from uuid import UUID

from fastapi import FastAPI, Response
from fastapi.responses import JSONResponse, StreamingResponse

if TYPE_CHECKING:
    from tests.attacks.conftest import Attacked
    from tests.support.attacks.doors import doors_of
    from tests.support.attacks.run import Campaign
    from tests.support.isolation_world import Owner
else:
    from support.attacks.doors import doors_of
    from support.attacks.run import Campaign
    from support.isolation_world import Owner

LEAK = "/api/v1/leak"
REACHED = 0.7
CANARIES = 50


async def test_a_leaky_route_is_caught_whatever_way_it_leaks(attacked: "Attacked") -> None:
    world = attacked.world
    agent = next(a.id for a in world.world.agents.values() if a.tenant == world.world.tenants[0])
    _leaks(attacked.app, world.owner, next(iter(world.secrets)), agent)
    campaign = await _campaign(attacked)
    leaky = [op for op in campaign.doors.operations if op.path.startswith(LEAK)]
    assert len(leaky) == 9
    campaign.at_home = 0.6
    attackers = world.attackers(world.world.tenants[1])
    for attacker in [one for one in attackers if one.strength < 4][::4]:
        await campaign.attack(attacker, leaky, rounds=8)
    found = "\n".join(campaign.record.findings)
    for what in (
        "GET /api/v1/leak/text/{document_id}: the canary of another company's document",
        "GET /api/v1/leak/text/{document_id}: the canary of its own company's document",
        "GET /api/v1/leak/header/{kb_id}: the canary of another company's knowledge_base",
        "GET /api/v1/leak/stream/{kb_id}: the canary of another company's knowledge_base",
        "GET /api/v1/leak/cursor: the id of another company's agent",
        "GET /api/v1/leak/secret: a secret of",
        "GET /api/v1/leak/crash: status 500",
        "GET /api/v1/leak/insides: a traceback",
        "GET /api/v1/leak/insides: words of SQL",
        "GET /api/v1/leak/mirror: a script that was sent",
        "rows of agent of another company",
    ):
        assert what in found, f"{what} was not seen; seed {attacked.seed}\n{found}"


async def test_the_same_requests_reach_the_code_when_the_rows_are_ones_own(attacked: "Attacked") -> None:
    campaign = await _campaign(attacked)
    reached = await campaign.own(attacked.world.owner_of(attacked.world.world.tenants[1]))
    missed = "\n".join(reached.last[label] for label, fine in reached.answered.items() if not fine)
    print(f"{reached.share:.0%} of {len(reached.answered)} answered, {len(reached.canaries)} with canaries")
    assert reached.share >= REACHED, f"seed {attacked.seed}: {reached.share:.0%}\n{missed}"
    assert len(reached.canaries) >= CANARIES, f"seed {attacked.seed}: {sorted(reached.canaries)}"


async def _campaign(attacked: "Attacked") -> Campaign:
    tenant = attacked.world.world.tenants[1]
    doors = await doors_of(attacked.app, attacked.world.owner_of(tenant).headers)
    return Campaign(app=attacked.app, doors=doors, world=attacked.world, random=attacked.random)


def _leaks(app: FastAPI, owner: Owner, secret: str, row_id: UUID) -> None:  # noqa: C901 - nine small routes
    """Routes that forget to ask who is there, each in its own way."""

    def name(table: str, row_id: UUID) -> str:
        query = f"select name from veraz.{table} where id = %s"
        found = owner.execute(query.encode(), (row_id,)).fetchone()
        return str(found[0]) if found else ""

    async def text(document_id: UUID) -> str:
        return name("document", document_id)

    async def header(kb_id: UUID) -> Response:
        return Response("", headers={"X-Name": name("knowledge_base", kb_id)})

    async def stream(kb_id: UUID) -> Response:
        async def pieces() -> AsyncIterator[str]:
            for sign in name("knowledge_base", kb_id):
                yield sign

        return StreamingResponse(pieces(), media_type="text/event-stream")

    async def cursor() -> dict[str, str]:
        inside = base64.urlsafe_b64encode(row_id.bytes)
        return {"next_cursor": inside.decode()}

    async def hidden() -> dict[str, str]:
        return {"key": secret}

    async def crash() -> None:
        raise ValueError("x")

    async def insides() -> Response:
        said = 'Traceback (most recent call last): duplicate key value violates unique constraint "x"'
        return JSONResponse({"detail": said}, 400)

    async def mirror(words: str = "") -> Response:
        return Response(f"<p>{words}</p><script>alert(219359)</script>", media_type="text/html")

    async def change(agent_id: UUID) -> None:
        owner.execute("update veraz.agent set description = description || 'x' where id = %s", (agent_id,))

    routes: dict[str, Any] = {
        "/text/{document_id}": text, "/header/{kb_id}": header, "/stream/{kb_id}": stream, "/cursor": cursor,
        "/secret": hidden, "/crash": crash, "/insides": insides, "/mirror": mirror,
    }  # fmt: skip
    for path, leak in routes.items():
        app.add_api_route(LEAK + path, leak, methods=["GET"], response_model=None)
    app.add_api_route(f"{LEAK}/change/{{agent_id}}", change, methods=["POST"])
