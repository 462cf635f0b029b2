"""Too many requests: told with 429, a stable code and when to come back, over every door; others go on."""

from collections.abc import AsyncIterator
from typing import TYPE_CHECKING

import pytest

from veraz.db.pool import Database
from veraz.settings import Settings

if TYPE_CHECKING:
    from tests.support.door import Door, open_door
else:
    from support.door import Door, open_door

CALLS = 8


@pytest.fixture
async def strict(door_settings: Settings, db: Database) -> AsyncIterator[Door]:
    """An application where an account may call eight times a minute, and a stranger too."""
    few = {"caller_requests_per_minute": CALLS, "stranger_requests_per_minute": CALLS}
    async with open_door(door_settings.model_copy(update=few), db) as opened:
        yield opened


async def test_who_calls_too_often_is_told_when_to_come_back_and_others_go_on(strict: Door) -> None:
    answers = [await strict.acme.send("GET", "/me") for _ in range(CALLS)]
    refused = answers[-1]  # the story began with some calls
    assert (refused.status_code, refused.json()["code"]) == (429, "rate_limited")
    assert int(refused.headers["retry-after"]) >= 1
    assert (await strict.rival.send("GET", "/me")).status_code == 200
    assert (await strict.http.get("/healthz")).status_code == 200


@pytest.mark.parametrize(
    "path", ["//mcp", "//v1/chat/completions", "//rest/v1/rpc/match_documents", "/search"]
)
async def test_every_door_counts_the_same_caller(strict: Door, path: str) -> None:
    for _ in range(CALLS):
        await strict.acme.send("GET", "/me")
    answer = await strict.acme.send("POST", path, json={})
    assert answer.status_code == 429
    assert "rate_limited" in answer.text


async def test_a_stranger_who_tries_secrets_is_slowed_down_and_those_who_have_one_are_not(
    strict: Door,
) -> None:
    wrong = {"Authorization": "Bearer vzk_wrong"}
    answers = [await strict.http.get("/api/v1/me", headers=wrong) for _ in range(CALLS + 1)]
    assert [answer.status_code for answer in answers] == [401] * CALLS + [429]
    assert (await strict.rival.send("GET", "/me")).status_code == 200


async def test_a_header_does_not_make_another_stranger(strict: Door) -> None:
    statuses = []
    for number in range(CALLS + 1):
        headers = {"Authorization": "Bearer vzk_wrong", "X-Forwarded-For": f"203.0.113.{number}"}
        statuses.append((await strict.http.get("/api/v1/me", headers=headers)).status_code)
    assert statuses[-1] == 429


@pytest.mark.parametrize(
    "path",
    [
        "/s/guessed",
        "/s/guessed/page.png",
        "/api/webhooks/whatsapp?hub.mode=subscribe&hub.verify_token=guessed",
    ],
)
async def test_doors_without_a_sign_in_count_who_knocks_by_address(strict: Door, path: str) -> None:
    statuses = [(await strict.http.get(path)).status_code for _ in range(3 * CALLS)]
    assert statuses[0] != 429
    assert 429 in statuses
