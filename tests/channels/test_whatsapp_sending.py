"""What goes wrong on the way to Meta: told, tried again or given up, and sent once as far as anybody can know."""

import asyncio
from typing import TYPE_CHECKING, Any

import pytest
from psycopg import Connection
from psycopg.rows import TupleRow

from veraz.channels.whatsapp import outbox, turns
from veraz.db.pool import Database

if TYPE_CHECKING:
    from tests.channels.conftest import Desk
    from tests.support import graph_server as meta
    from tests.support.door import working
else:
    from support import graph_server as meta
    from support.door import working

Owner = Connection[TupleRow]

QUESTION = "¿Cuánto es la cuota mensual del gimnasio municipal?"


async def failed_once(owner: Owner, seconds: float = 20) -> str:
    """The error of the one WhatsApp job, once its first attempt has ended in one."""
    async with asyncio.timeout(seconds):
        while True:
            query = "select error_code from veraz.job where kind = 'whatsapp' and error_code is not null"
            if row := owner.execute(query).fetchone():
                return str(row[0])
            await asyncio.sleep(0.01)


def at_once(owner: Owner) -> None:
    """Nobody waits for the backoff."""
    owner.execute("update veraz.job set run_after = now() where kind = 'whatsapp' and status = 'PENDING'")
    owner.execute("notify veraz_job")


@pytest.mark.parametrize("faults", [("429 0.01", "500"), ("131056", "429 0.02")])
async def test_a_busy_meta_is_tried_again_after_the_time_it_asks_for(
    desk: "Desk", faults: tuple[str, ...]
) -> None:
    desk.graph.misbehave(*faults)
    await desk.write(meta.text(QUESTION))
    assert "30 euros" in (await desk.sent(1))[0]
    assert len(desk.graph.refused) == 2
    _, out = await desk.deliveries()
    assert (out["state"], out["error_code"]) == ("sent", None)


async def test_a_long_wait_is_left_to_the_queue_and_the_answer_is_not_asked_again(
    desk: "Desk", owner: Owner
) -> None:
    desk.graph.misbehave("429 120")
    await desk.write(meta.text(QUESTION))
    assert await failed_once(owner) == "outside_busy"
    row = owner.execute("select run_after > now() + interval '100 s' from veraz.job where kind = 'whatsapp'")
    assert row.fetchone() == (True,)
    _, out = await desk.deliveries()
    assert (out["state"], out["error_code"]) == ("ready", 130429)
    at_once(owner)
    await desk.sent(1)
    assert len(await desk.said()) == 2


@pytest.mark.parametrize(("fault", "code"), [("131047", 131047), ("190", 190), ("131030", 131030)])
async def test_what_meta_refuses_for_good_is_recorded_and_the_next_message_goes_on(
    desk: "Desk", fault: str, code: int
) -> None:
    desk.graph.misbehave(fault)
    await desk.write(meta.text(QUESTION))
    await desk.quiet()
    await desk.write(meta.text("¿Quién dirige el gimnasio municipal?"))
    assert "Ana García" in (await desk.sent(1))[0]
    first = next(one for one in await desk.deliveries() if one["direction"] == "out")
    assert (first["state"], first["error_code"]) == ("failed", code)
    told = {
        language: next(
            one["error_message"]
            for one in await desk.deliveries(headers={"Accept-Language": language})
            if one["direction"] == "out"
        )
        for language in ("es", "en")
    }
    assert told["es"] != told["en"]
    assert all(first["error_text"] in sentence for sentence in told.values()), (
        "Meta's own words come after ours"
    )
    assert [event["error_code"] for event in await desk.events("whatsapp.failed")] == [code]
    path = f"/whatsapp-numbers/{desk.number['id']}"
    number = await desk.acme.call("GET", path, 200)
    assert number["error_code"] == (190 if code == 190 else None)
    number = await desk.acme.call("PATCH", path, 200, json={"access_token": "EAAG-new-token"})
    assert number["error_code"] is None


async def test_a_message_that_may_have_gone_out_waits_for_a_report(desk: "Desk", owner: Owner) -> None:
    desk.graph.misbehave("lost")
    await desk.write(meta.text(QUESTION))
    assert await failed_once(owner) == "outside_down"
    sent = desk.graph.sent[0]
    await desk.report(meta.status(sent["wamid"], "delivered", ours=sent["biz_opaque_callback_data"]))
    at_once(owner)
    await desk.quiet()
    assert len(desk.graph.sent) == 1
    _, out = await desk.deliveries()
    assert out["state"] == "delivered"


async def test_where_no_report_comes_it_is_sent_again(desk: "Desk", owner: Owner) -> None:
    desk.graph.misbehave("lost")
    await desk.write(meta.text(QUESTION))
    await failed_once(owner)
    owner.execute("update veraz.job set error_code = null where kind = 'whatsapp'")
    at_once(owner)
    assert await failed_once(owner) == "outside_down", "too early to know"
    assert len(desk.graph.sent) == 1
    owner.execute(
        "update veraz.whatsapp_message set sending_at = now() - interval '1 minute' where state = 'sending'"
    )
    at_once(owner)
    assert len(await desk.sent(2)) == 2
    assert len(await desk.said()) == 2


async def test_a_crash_between_answer_and_sending_sends_once_and_asks_once(
    desk: "Desk", owner: Owner, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = outbox.put
    crashed: list[bool] = []

    async def crash(*given: Any, **more: Any) -> Any:
        if not crashed:
            crashed.append(True)
            raise RuntimeError("power cut")
        return await real(*given, **more)

    monkeypatch.setattr(turns, "put", crash)
    await desk.write(meta.text(QUESTION))
    await failed_once(owner)
    assert len(await desk.said()) == 2
    at_once(owner)
    assert "30 euros" in (await desk.sent(1))[0]
    assert [role for role, _ in await desk.said()] == ["user", "assistant"]
    assert len((await desk.acme.call("GET", f"/queries?agent={desk.agent}", 200))["items"]) == 1


async def test_a_job_given_up_keeps_its_message_for_whoever_starts_it_again(
    desk: "Desk", owner: Owner
) -> None:
    desk.graph.misbehave("500", "500", "500")
    owner.execute("alter table veraz.job alter column max_attempts set default 1")
    await desk.write(meta.text(QUESTION))
    assert await failed_once(owner) == "outside_down"
    await desk.quiet()
    _, out = await desk.deliveries()
    assert (out["state"], out["error_code"]) == ("failed", 131000)
    await desk.write(meta.text("¿Quién dirige el gimnasio municipal?"))
    assert "Ana García" in (await desk.sent(1))[0], "the next message has a job of its own"
    await desk.acme.call("POST", "/jobs/retry-dlq", 200)
    assert "30 euros" in (await desk.sent(2))[1]


async def test_short_messages_in_a_row_are_one_turn(desk: "Desk") -> None:
    texts = ("oigan", "una pregunta", "¿cuánto es la cuota mensual del gimnasio municipal?")
    await desk.write(*(meta.text(text, at=1e9 + place) for place, text in enumerate(texts)))
    await desk.quiet()
    assert [text for role, text in await desk.said() if role == "user"] == ["\n".join(texts)]
    (answer,) = desk.graph.texts
    assert "30 euros" in answer


async def test_long_messages_in_a_row_are_turns_of_their_own(desk: "Desk") -> None:
    long = "¿Cuánto es la cuota mensual del gimnasio municipal? " * 25
    await desk.write(*(meta.text(f"{number} {long}", at=1e9 + number) for number in (1, 2)))
    await desk.quiet()
    assert [text[0] for role, text in await desk.said() if role == "user"] == ["1", "2"]
    assert len(desk.graph.texts) == 2


async def test_answers_keep_their_order_with_several_workers(desk: "Desk", worker_db: Database) -> None:
    settings = desk.door.veraz.settings
    async with working(settings, worker_db), working(settings, worker_db):
        for number in range(6):
            await desk.write(
                *(meta.text(f"{number} {part} ¿" + QUESTION[1:], at=1e9 + number) for part in "ab")
            )
        await desk.quiet()
    asked = [line[:3] for role, text in await desk.said() if role == "user" for line in text.split("\n")]
    assert sorted(asked) == [f"{number} {part}" for number in range(6) for part in "ab"]
    assert [word[0] for word in asked] == [str(n) for n in range(6) for _ in "ab"]
    outs = [one for one in await desk.deliveries() if one["direction"] == "out"]
    order = [message["biz_opaque_callback_data"] for message in desk.graph.sent]
    assert order == [one["id"] for one in outs]


async def test_a_burst_of_a_thousand_messages_is_answered_and_each_asked_once(
    desk: "Desk", owner: Owner
) -> None:
    """Twenty calls at once, three of them twice, with ten messages from each of a hundred people."""
    agent = await desk.acme.call("POST", "/agents", 201, json={"name": "Sol", "fallback_message": "Ni idea."})
    path = f"/whatsapp-numbers/{desk.number['id']}"
    await desk.acme.call("PATCH", path, 200, json={"agent_id": agent["id"]})
    people, each, size = 100, 10, 50
    texts = [f"¿Quién dirige el gimnasio {number}?" for number in range(people * each)]
    messages = [meta.text(text, phone=str(number % people)) for number, text in enumerate(texts)]
    calls = [messages[start : start + size] for start in range(0, len(messages), size)]
    await asyncio.gather(*(desk.write(*call) for call in [*calls, *calls[:3]]))
    await desk.quiet(seconds=240)
    assert set(desk.graph.texts) == {"Ni idea."}
    assert {message["to"] for message in desk.graph.sent} == {str(number) for number in range(people)}
    turns = owner.execute("select text from veraz.message where role = 'user'").fetchall()
    assert sorted(line for (text,) in turns for line in text.split("\n")) == sorted(texts)
    assert len(desk.graph.sent) == len(turns), "every turn has one answer"
