"""Cookies are bounded before they are read, whoever brings them and wherever."""

import time
from typing import TYPE_CHECKING

import pytest

from veraz.api.caller import COOKIE
from veraz.api.cookies import MOST_COOKIES

if TYPE_CHECKING:
    from tests.support.door import Door
else:
    from support.door import Door


@pytest.mark.parametrize("path", ["/", "/healthz", "/api/v1/me", "/mcp"])
async def test_more_cookies_than_a_browser_sends_are_refused(door: Door, path: str) -> None:
    answer = await door.http.get(path, headers={"Cookie": 'a="' + "\\" * 60_000 + '"'})
    assert answer.status_code == 431


async def test_backslashes_in_a_cookie_cost_no_time_and_hide_no_session(door: Door) -> None:
    token = door.acme.headers["Authorization"].removeprefix("Bearer ")
    quoted = 'a="' + "\\" * (MOST_COOKIES - len(token) - len(COOKIE) - 8) + '"'
    began = time.thread_time()
    answer = await door.http.get("/api/v1/me", headers={"Cookie": f"{quoted}; {COOKIE}={token}"})
    assert answer.status_code == 200
    assert time.thread_time() - began < 0.1


async def test_a_cookie_signs_in_its_own_person_alone(door: Door) -> None:
    tokens = [who.headers["Authorization"].removeprefix("Bearer ") for who in (door.acme, door.rival)]
    seen = [
        (await door.http.get("/api/v1/me", headers={"Cookie": f"{COOKIE}={token}"})).json()["tenant_id"]
        for token in tokens
    ]
    assert seen == [door.acme.tenant_id, door.rival.tenant_id]
