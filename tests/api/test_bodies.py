"""A request costs no more than the portion of its route: bytes, values and levels are counted before anything is built."""

import asyncio
import json
import random
from collections.abc import AsyncIterator, Iterator
from typing import TYPE_CHECKING, Any

import pytest

from veraz import errors
from veraz.api.bodies import DEEPEST, QUESTION, SIGN_IN, SMALL, TEXT, JsonMeter, Portion, Portions
from veraz.api.validation import MOST_FINDINGS

if TYPE_CHECKING:
    from tests.support.door import Door
else:
    from support.door import Door

LOGIN = "/api/v1/auth/login"
JSON = {"Content-Type": "application/json"}


def keys(number: int) -> bytes:
    """An object of so many keys nobody knows."""
    return json.dumps(dict.fromkeys(map("k{}".format, range(number)), 1)).encode()


async def streamed(body: bytes) -> AsyncIterator[bytes]:
    """A body that does not say how long it is."""
    for at in range(0, len(body), 65_536):
        yield body[at : at + 65_536]


# through the door


async def test_a_sign_in_of_seven_hundred_thousand_keys_is_refused_unread(door: Door) -> None:
    body = keys(700_000)
    for content in (body, streamed(body)):
        answer = await door.http.post(LOGIN, content=content, headers=JSON)
        assert (answer.status_code, answer.json()["code"]) == (413, "too_large")


async def test_health_answers_while_hostile_sign_ins_arrive(door: Door) -> None:
    body = keys(700_000)
    attacks = [
        asyncio.create_task(door.http.post(LOGIN, content=streamed(body), headers=JSON)) for _ in range(5)
    ]
    for _ in range(20):
        assert (await door.http.get("/healthz")).status_code == 200
    await asyncio.gather(*attacks)


async def test_few_findings_are_told_and_many_typos_are_one(door: Door) -> None:
    wrong = {"email": 1, "password": 2, **dict.fromkeys("abcdefghi", 1)}
    few = await door.http.post(LOGIN, json=wrong)
    assert few.status_code == 422
    assert len(few.json()["errors"]) == MOST_FINDINGS
    many = await door.http.post(LOGIN, json=dict.fromkeys(map(str, range(15)), 1))
    assert [one["reason"] for one in many.json()["errors"]] == ["tiene demasiados campos que no existen"]


async def test_a_metadata_filter_of_three_hundred_thousand_keys_is_refused(door: Door) -> None:
    acme = door.acme
    for number, status in ((300_000, 413), (2_000, 413), (200, 422), (20, 200)):
        filters = {"metadata": dict.fromkeys(map("k{}".format, range(number)), 1)}
        body = {"query": "cuota", "filters": filters}
        answer = await acme.send("POST", f"/knowledge-bases/{acme.kb}/search", json=body)
        assert answer.status_code == status, (number, answer.text[:300])


async def test_metadata_in_a_form_has_the_same_bounds(door: Door) -> None:
    refused = await door.acme.upload(("nota.txt", b"Una nota."), metadata=keys(10_000).decode())
    assert (refused.status_code, refused.json()["code"]) == (413, "too_large")


async def test_a_long_list_of_wrong_ids_is_refused_at_the_first(door: Door) -> None:
    acme = door.acme
    path = f"/knowledge-bases/{acme.kb}/documents/bulk-delete"
    answer = await acme.send("POST", path, json={"ids": ["x"] * 10_000})
    assert answer.status_code == 422
    assert len(answer.json()["errors"]) == 1


async def test_a_text_of_ten_megabytes_is_still_taken(door: Door) -> None:
    acme = door.acme
    body = {"title": "Larga", "content": "palabra, otra: {} []\n" * 490_000}
    await acme.call("POST", f"/knowledge-bases/{acme.kb}/documents/text", 202, json=body)


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-32", "utf-32-be"])
async def test_json_in_another_encoding_hides_nothing(door: Door, encoding: str) -> None:
    body = json.dumps({"email": "ana@acme.test", "password": "∀" * 10}, ensure_ascii=False)
    answer = await door.http.post(LOGIN, content=body.encode(encoding), headers=JSON)
    assert (answer.status_code, answer.json()["code"]) == (422, "invalid")


@pytest.mark.parametrize("ahead", [1, 2, 3, 7])
async def test_json_in_another_encoding_hides_nothing_however_it_is_cut(door: Door, ahead: int) -> None:
    body = ('{"a":["\u0122",' + "[]," * 1_000 + "0]}").encode("utf-16-le")

    async def cut() -> AsyncIterator[bytes]:
        yield body[:ahead]
        yield body[ahead:]

    answer = await door.http.post(LOGIN, content=cut(), headers=JSON)
    assert (answer.status_code, answer.json()["code"]) == (422, "invalid")
    assert "UTF-8" in answer.text


async def test_other_protocols_have_portions_too(door: Door) -> None:
    acme = door.acme
    for path in (
        "//mcp",
        "//rest/v1/rpc/match_documents",
        "//v1/chat/completions",
        "//api/webhooks/whatsapp",
    ):
        answer = await acme.send("POST", path, content=keys(400_000), headers=JSON)
        assert answer.status_code == 413, (path, answer.text[:200])
        answer = await acme.send("POST", path, content=streamed(keys(30_000)), headers=JSON)
        assert answer.status_code in (401, 403, 413), (
            path,
            answer.text[:200],
        )  # or refused before it was read


async def test_what_declares_nothing_is_small(door: Door) -> None:
    routes = Portions(door.http._transport.app.routes)  # type: ignore[attr-defined]
    assert routes.of("POST", LOGIN) is SIGN_IN
    assert routes.of("POST", "/api/v1/agents/7e1b8f9e-2c9f-4d2c-9be1-1b4d2e2f9d11/ask") is QUESTION
    assert routes.of("GET", LOGIN) is SMALL
    assert routes.of("POST", "/api/v1/api-keys") is SMALL
    assert routes.of("POST", "/nowhere") is SMALL
    assert TEXT.within(1_000).bytes == 1_000


# the meter


PLENTY = Portion(bytes=10**9, values=10**9)


def count(pieces: list[bytes]) -> int:
    """How many values the meter saw."""
    meter = JsonMeter(PLENTY)
    for piece in pieces:
        meter.feed(piece)
    return meter._values


def cut(data: bytes, size: int) -> list[bytes]:
    """The data in pieces."""
    return [data[at : at + size] for at in range(0, len(data), size)]


def odd(chance: random.Random, levels: int = 4) -> Any:
    """Some JSON whose texts look like structure."""
    kind = chance.randrange(4 if levels else 2)
    if kind == 0:
        return chance.randrange(10**6)
    if kind == 1:
        return "".join(chance.choice('{}[],:"\\\\"ñ\n \'') for _ in range(chance.randrange(12)))
    if kind == 2:
        return [odd(chance, levels - 1) for _ in range(chance.randrange(4))]
    return {f"{n}{odd(chance, 0)}": odd(chance, levels - 1) for n in range(chance.randrange(4))}


def signs(value: Any) -> Iterator[int]:
    """Brackets, colons and commas that stand outside of texts."""
    if isinstance(value, dict | list):
        yield 1 + max(0, len(value) - 1) + (len(value) if isinstance(value, dict) else 0)
        for inner in value.values() if isinstance(value, dict) else value:
            yield from signs(inner)


def test_the_meter_counts_what_stands_outside_of_texts_however_it_is_cut() -> None:
    chance = random.Random(7)
    for _ in range(300):
        value = odd(chance)
        text = json.dumps(value, ensure_ascii=chance.random() < 0.5).encode()
        for size in (1, 2, 3, 7, 10_000):
            assert count(cut(text, size)) == sum(signs(value)), text


def test_levels_are_counted_over_pieces() -> None:
    deep = b'{"a":' * (DEEPEST + 1)
    assert count(cut(deep[: 5 * DEEPEST], 3))
    with pytest.raises(errors.Invalid):
        count(cut(deep, 3))


def test_a_text_full_of_escapes_is_passed_once() -> None:
    assert count(cut(b'["' + b'\\"' * 2_000_000 + b'"]', 65_536)) == 1
