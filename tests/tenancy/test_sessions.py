"""Seeing and ending one's own sessions, and how long they last."""

from typing import TYPE_CHECKING

from psycopg import Connection
from psycopg.rows import TupleRow

if TYPE_CHECKING:
    from tests.support.door import PASSWORD, Door
    from tests.support.people import NOBODY, add_key, add_person, my_id, sign_in
else:
    from support.door import PASSWORD, Door
    from support.people import NOBODY, add_key, add_person, my_id, sign_in

Owner = Connection[TupleRow]


async def test_somebody_sees_where_they_are_signed_in(door: Door) -> None:
    body = {"email": "ana@acme.test", "password": PASSWORD}
    agent = NOBODY | {"User-Agent": "Navegador/1.0"}
    await door.acme.call("POST", "/auth/login", 200, json=body, headers=agent)
    door.http.cookies.clear()
    listed = await door.acme.call("GET", "/me/sessions", 200)
    assert [one["current"] for one in listed].count(True) == 1
    assert listed[0]["device"] == "Navegador/1.0" and listed[0]["address"] == "127.0.0.1"
    assert "token" not in str(listed)


async def test_one_session_ends_or_all_others_do(door: Door) -> None:
    one, two, three = [await sign_in(door.acme, "ana@acme.test") for _ in range(3)]
    mine = next(s for s in await two.call("GET", "/me/sessions", 200) if s["current"])
    await one.call("DELETE", f"/me/sessions/{mine['id']}", 204)
    assert [(await who.send("GET", "/me")).status_code for who in (one, two, three)] == [200, 401, 200]
    assert (await one.call("DELETE", "/me/sessions", 200))["ended"] == 2
    assert [(await who.send("GET", "/me")).status_code for who in (one, three)] == [200, 401]


async def test_nobody_sees_or_ends_the_sessions_of_others(door: Door) -> None:
    eva = await add_person(door.acme, "eva@acme.test")
    anas = (await door.acme.call("GET", "/me/sessions", 200))[0]["id"]
    assert anas not in str(await eva.call("GET", "/me/sessions", 200))
    for stranger in (eva, door.rival):
        assert (await stranger.send("DELETE", f"/me/sessions/{anas}")).status_code == 404
        await stranger.call("DELETE", "/me/sessions", 200)
    assert (await door.acme.send("GET", "/me")).status_code == 200


async def test_keys_have_no_sessions(door: Door) -> None:
    for personal in (True, False):
        key = await add_key(door.acme, "admin", personal=personal)
        assert (await key.send("GET", "/me/sessions")).status_code == 403
        assert (await key.send("DELETE", "/me/sessions")).status_code == 403


async def test_a_session_ends_when_nobody_used_it_and_after_its_whole_time(door: Door, owner: Owner) -> None:
    eva = await add_person(door.acme, "eva@acme.test")
    rows = "update veraz.session set {} where user_id = '" + await my_id(eva) + "'"
    owner.execute(rows.format("last_seen_at = now() - interval '119 minutes'").encode())
    assert (await eva.send("GET", "/me")).status_code == 200, "and was marked as used"
    owner.execute(rows.format("created_at = created_at").encode())
    assert (await eva.call("GET", "/me/sessions", 200))[0]["last_seen_at"] > (
        await eva.call("GET", "/me", 200)
    )["user"]["created_at"]
    owner.execute(rows.format("last_seen_at = now() - interval '121 minutes'").encode())
    assert (await eva.send("GET", "/me")).status_code == 401
    again = await sign_in(door.acme, "eva@acme.test")
    owner.execute(rows.format("expires_at = now()").encode())
    assert (await again.send("GET", "/me")).status_code == 401


async def test_a_page_that_asks_by_itself_does_not_keep_a_session(door: Door, owner: Owner) -> None:
    eva = await add_person(door.acme, "eva@acme.test")
    me = await my_id(eva)
    token = eva.headers["Authorization"].removeprefix("Bearer ")
    seen = f"select last_seen_at from veraz.session where user_id = '{me}'"
    rows = f"update veraz.session set last_seen_at = now() - interval '119 minutes' where user_id = '{me}'"
    owner.execute(rows.encode())
    before = owner.execute(seen.encode()).fetchone()
    assert str((await door.veraz.callers.by_clock(token)).user_id) == me
    assert owner.execute(seen.encode()).fetchone() == before
    await door.veraz.callers.authenticate(token)
    assert owner.execute(seen.encode()).fetchone() != before, "an act of the person does"
