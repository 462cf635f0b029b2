"""Large bodies are read from those who are known; strangers share a small sum."""

import asyncio
import json
from collections.abc import AsyncIterator
from typing import TYPE_CHECKING

import httpx
import pytest

from veraz import errors
from veraz.api.bodies import MB
from veraz.api.strangers import FROM_ANYBODY, Held

if TYPE_CHECKING:
    from tests.support.door import Door
else:
    from support.door import Door

LONG = json.dumps({"title": "t", "content": "palabra " * 100_000}).encode()
JSON = {"Content-Type": "application/json"}


class Sent:
    """A body, and how much of it was wanted."""

    def __init__(self, body: bytes) -> None:
        self.body, self.read = body, 0

    async def __aiter__(self) -> AsyncIterator[bytes]:
        for at in range(0, len(self.body), 16_384):
            self.read += 16_384
            yield self.body[at : at + 16_384]
            await asyncio.sleep(0)


async def send(
    door: Door, path: str, headers: dict[str, str], kind: str = "application/json"
) -> tuple[httpx.Response, int]:
    """The answer, and how many bytes were read for it."""
    body = Sent(LONG)
    answer = await door.http.post(path, content=body, headers={"Content-Type": kind} | headers)
    return answer, body.read


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("documents/text", "application/json"),
        ("documents", "multipart/form-data; boundary=x"),
        ("documents/bulk-delete", "application/json"),
    ],
)
@pytest.mark.parametrize("credential", ["", "vzk_guessed", "vzs_guessed"])
async def test_a_strangers_large_body_is_not_read(door: Door, path: str, kind: str, credential: str) -> None:
    headers = {"Authorization": f"Bearer {credential}"} if credential else {}
    answer, read = await send(door, f"/api/v1/knowledge-bases/{door.acme.kb}/{path}", headers, kind)
    assert answer.status_code == 401
    assert read <= 4 * FROM_ANYBODY


async def test_who_is_known_sends_it_and_another_tenant_is_still_refused(door: Door) -> None:
    path = f"/api/v1/knowledge-bases/{door.acme.kb}/documents/text"
    assert (await send(door, path, door.acme.headers))[0].status_code == 202
    assert (await send(door, path, door.rival.headers))[0].status_code == 404


async def test_a_cookie_of_another_site_is_no_credential(door: Door) -> None:
    token = door.acme.headers["Authorization"].removeprefix("Bearer ")
    headers = {"Cookie": f"veraz_session={token}", "Origin": "https://evil.example"}
    answer, read = await send(door, f"/api/v1/knowledge-bases/{door.acme.kb}/documents/text", headers)
    assert answer.status_code == 403
    assert read <= 4 * FROM_ANYBODY


def test_strangers_share_a_sum_and_each_address_a_part_of_it() -> None:
    held = Held()
    held.add("a", 4 * MB)
    with pytest.raises(errors.RateLimited):
        held.add("a", 1)
    held.free("a", 4 * MB + 1)
    for place in "abcdefgh":
        held.add(place, 4 * MB)
    with pytest.raises(errors.RateLimited):
        held.add("i", 1)
    for place in "abcdefgh":
        held.free(place, 4 * MB)
    held.free("i", 1)
    assert not held.all and not held.of


async def test_what_a_service_tells_is_read_whole_and_given_back(door: Door) -> None:
    for _ in range(8):
        answer, read = await send(door, "/api/webhooks/whatsapp", {})
        assert answer.status_code in (401, 403, 404)
        assert read in (0, len(LONG) // 16_384 * 16_384 + 16_384)
