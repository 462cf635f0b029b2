"""The second factor at the HTTP door: set up, shown, used once, lost, demanded; and what half a sign-in cannot do."""

import asyncio
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pytest
from psycopg import Connection
from psycopg.rows import TupleRow
from pyotp.totp import TOTP

from veraz.tenancy import totp

if TYPE_CHECKING:
    from tests.support.door import PASSWORD, Door, Person
    from tests.support.people import NOBODY, add_key, add_person, my_id, sign_in
else:
    from support.door import PASSWORD, Door, Person
    from support.people import NOBODY, add_key, add_person, my_id, sign_in

EVA = "eva@acme.test"


class Clock:
    """The time codes are made and checked with."""

    now = 1_900_000_000.0

    def later(self, seconds: float = 30) -> None:
        """Some time passes."""
        self.now += seconds

    def code(self, secret: str, seconds: float = 0) -> str:
        """What the app shows then."""
        return TOTP(secret).at(int(self.now + seconds))


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Iterator[Clock]:
    one = Clock()
    monkeypatch.setattr(totp, "time", lambda: one.now)
    yield one


async def log_in(door: Door, email: str = EVA) -> Any:
    """The first step of a sign-in: its status and body."""
    body = {"email": email, "password": PASSWORD}
    answer = await door.acme.send("POST", "/auth/login", json=body, headers=NOBODY)
    door.http.cookies.clear()
    return answer.status_code, answer.json()


async def challenge(door: Door, email: str = EVA) -> str:
    """A sign-in that waits for its second step."""
    status, body = await log_in(door, email)
    assert status == 401, body
    return str(body["challenge"])


async def second_step(door: Door, token: str, code: str, path: str = "") -> Any:
    answer = await door.acme.send(
        "POST", f"/auth/second-factor{path}", json={"challenge": token, "code": code}, headers=NOBODY
    )
    door.http.cookies.clear()
    return answer.status_code, answer.json()


async def enrol(person: Person, clock: Clock) -> tuple[str, list[str]]:
    """The secret and recovery codes of a second factor just set up."""
    made = await person.call("POST", "/me/second-factor", 200, json={"password": PASSWORD})
    body = {"code": clock.code(made["secret"])}
    done = await person.call("POST", "/me/second-factor/confirm", 200, json=body)
    clock.later()
    return made["secret"], done["recovery_codes"]


# setting it up and showing it


async def test_a_second_factor_is_set_up_with_a_code_and_asked_for_from_then_on(
    door: Door, clock: Clock
) -> None:
    eva = await add_person(door.acme, EVA)
    secret, codes = await enrol(eva, clock)
    assert len(set(codes)) == totp.RECOVERY_CODES
    mine = await eva.call("GET", "/me/second-factor", 200)
    assert mine["enabled"] and mine["recovery_codes_left"] == 10 and not mine["required"]
    status, body = await log_in(door)
    assert (status, body["code"]) == (401, "second_factor_required")
    status, body = await second_step(door, body["challenge"], clock.code(secret))
    assert status == 200
    signed_in = {"Authorization": f"Bearer {body['access_token']}"}
    assert (await eva.send("GET", "/me", headers=signed_in)).status_code == 200


async def test_a_second_step_leaves_its_address_and_device_and_knows_it_again(
    door: Door, clock: Clock
) -> None:
    secret, _ = await enrol(await add_person(door.acme, EVA), clock)
    token, headers = await challenge(door), NOBODY | {"User-Agent": "Navegador/1.0"}
    body = {"challenge": token, "code": clock.code(secret)}
    answer = await door.acme.send("POST", "/auth/second-factor", json=body, headers=headers)
    assert answer.cookies["veraz_device"]
    signed_in = {"Authorization": f"Bearer {answer.json()['access_token']}"}
    door.http.cookies.clear()
    listed = await door.acme.call("GET", "/me/sessions", 200, headers=signed_in)
    here = next(one for one in listed if one["current"])
    assert (here["address"], here["device"]) == ("127.0.0.1", "Navegador/1.0")


async def test_the_app_gets_an_address_and_a_picture(door: Door) -> None:
    eva = await add_person(door.acme, EVA)
    made = await eva.call("POST", "/me/second-factor", 200, json={"password": PASSWORD})
    assert made["uri"].startswith("otpauth://totp/Veraz:eva%40acme.test?secret=")
    assert made["qr_svg"].startswith("<svg") and "<script" not in made["qr_svg"]


async def test_without_a_code_nothing_counts_yet(door: Door, clock: Clock) -> None:
    eva = await add_person(door.acme, EVA)
    made = await eva.call("POST", "/me/second-factor", 200, json={"password": PASSWORD})
    wrong = await eva.send("POST", "/me/second-factor/confirm", json={"code": "000000"})
    assert (wrong.status_code, wrong.json()["code"]) == (422, "wrong_code")
    assert (await log_in(door))[0] == 200
    again = await eva.call("POST", "/me/second-factor", 200, json={"password": PASSWORD})
    assert made["secret"] != again["secret"], "begun anew, the first picture is worth nothing"
    old = await eva.send("POST", "/me/second-factor/confirm", json={"code": clock.code(made["secret"])})
    assert old.status_code == 422


async def test_setting_one_up_asks_for_the_password(door: Door) -> None:
    eva = await add_person(door.acme, EVA)
    for body in ({}, {"password": "wrong"}):
        answer = await eva.send("POST", "/me/second-factor", json=body)
        assert (answer.status_code, answer.json()["code"]) == (422, "invalid")


async def test_one_that_is_there_is_not_replaced(door: Door, clock: Clock) -> None:
    eva = await add_person(door.acme, EVA)
    await enrol(eva, clock)
    answer = await eva.send("POST", "/me/second-factor", json={"password": PASSWORD})
    assert (answer.status_code, answer.json()["code"]) == (409, "second_factor_there")


async def test_setting_one_up_ends_the_other_sessions(door: Door, clock: Clock) -> None:
    eva = await add_person(door.acme, EVA)
    elsewhere = await sign_in(door.acme, EVA)
    await enrol(eva, clock)
    assert (await eva.send("GET", "/me")).status_code == 200
    assert (await elsewhere.send("GET", "/me")).json()["code"] == "session_expired"


# codes


async def test_a_code_works_once(door: Door, clock: Clock) -> None:
    secret, _ = await enrol(await add_person(door.acme, EVA), clock)
    code = clock.code(secret)
    assert (await second_step(door, await challenge(door), code))[0] == 200
    status, body = await second_step(door, await challenge(door), code)
    assert (status, body["code"]) == (422, "wrong_code")
    assert (await second_step(door, await challenge(door), clock.code(secret, -30)))[0] == 422, (
        "nor an older one"
    )


async def test_of_two_who_send_the_same_code_at_once_one_comes_in(door: Door, clock: Clock) -> None:
    secret, _ = await enrol(await add_person(door.acme, EVA), clock)
    first, second = await challenge(door), await challenge(door)
    code = clock.code(secret)
    answers = await asyncio.gather(*(second_step(door, token, code) for token in (first, second)))
    assert sorted(status for status, _ in answers) == [200, 422]


@pytest.mark.parametrize(("seconds", "status"), [(-60, 422), (-30, 200), (30, 200), (60, 422)])
async def test_clocks_may_differ_by_one_step(door: Door, clock: Clock, seconds: int, status: int) -> None:
    secret, _ = await enrol(await add_person(door.acme, EVA), clock)
    clock.later(300)
    assert (await second_step(door, await challenge(door), clock.code(secret, seconds)))[0] == status


async def test_a_challenge_bears_five_tries(door: Door, clock: Clock) -> None:
    secret, _ = await enrol(await add_person(door.acme, EVA), clock)
    token = await challenge(door)
    for _ in range(5):
        assert (await second_step(door, token, "000000"))[0] == 422
    status, body = await second_step(door, token, clock.code(secret))
    assert (status, body["code"]) == (401, "session_expired")
    assert (await second_step(door, await challenge(door), clock.code(secret)))[0] == 200


async def test_many_wrong_codes_make_all_wait_but_a_recovery_code_lets_the_owner_in(
    door: Door, clock: Clock
) -> None:
    secret, codes = await enrol(await add_person(door.acme, EVA), clock)
    wrong = [second_step(door, await challenge(door), "000000") for _ in range(14)]
    statuses = [status for status, _ in await asyncio.gather(*wrong)]
    assert statuses.count(422) == 10, "however many at once"
    status, body = await second_step(door, await challenge(door), clock.code(secret))
    assert (status, body["code"]) == (429, "rate_limited")
    assert (await second_step(door, await challenge(door), codes[0]))[0] == 200


async def test_a_recovery_code_works_once_however_it_is_typed(door: Door, clock: Clock) -> None:
    eva = await add_person(door.acme, EVA)
    _, codes = await enrol(eva, clock)
    typed = codes[0].upper().replace("-", " ")
    assert (await second_step(door, await challenge(door), typed))[0] == 200
    assert (await second_step(door, await challenge(door), codes[0]))[0] == 422
    assert (await eva.call("GET", "/me/second-factor", 200))["recovery_codes_left"] == 9


async def test_new_recovery_codes_end_the_old_ones(door: Door, clock: Clock) -> None:
    eva = await add_person(door.acme, EVA)
    secret, old = await enrol(eva, clock)
    path = "/me/second-factor/recovery-codes"
    assert (await eva.send("POST", path, json={"code": "000000"})).status_code == 422
    new = (await eva.call("POST", path, 200, json={"code": clock.code(secret)}))["recovery_codes"]
    assert (await second_step(door, await challenge(door), old[1]))[0] == 422
    assert (await second_step(door, await challenge(door), new[1]))[0] == 200


async def test_no_secret_and_no_code_reaches_the_database_in_the_clear(
    door: Door, clock: Clock, owner: Connection[TupleRow]
) -> None:
    secret, codes = await enrol(await add_person(door.acme, EVA), clock)
    waiting = await challenge(door)
    for table in ("second_factor", "recovery_code", "sign_in_challenge", "audit_entry"):
        text = str(owner.execute(f"select t::text from veraz.{table} t".encode()).fetchall())
        raw = text + bytes.fromhex("".join(re.findall(r"\\\\x([0-9a-f]+)", text))).decode("latin-1")
        assert not [one for one in (secret, waiting, *codes) if one in raw], table


async def test_the_application_reads_no_secret_and_skips_no_challenge(door: Door, clock: Clock) -> None:
    """What an injected statement could do: nothing."""
    eva = await add_person(door.acme, EVA)
    await enrol(eva, clock)
    actor = await door.veraz.callers.authenticate(eva.headers["Authorization"].removeprefix("Bearer "))
    for statement in (
        "select secret_sealed from veraz.second_factor",
        "delete from veraz.second_factor",
        "select code_hash from veraz.recovery_code",
        "update veraz.sign_in_challenge set tries = 0",
        "select veraz.remove_factor(veraz.current_user_id())",
        "select * from veraz.factor_of(veraz.current_user_id())",
        "select veraz.use_factor_step(1)",
    ):
        with pytest.raises(Exception, match="do this"):
            async with door.veraz.db.transaction(actor.scope()) as tx:
                await tx.run(statement)


# half a sign-in


async def test_half_a_sign_in_is_nobody(door: Door, clock: Clock) -> None:
    await enrol(await add_person(door.acme, EVA), clock)
    status, body = await log_in(door)
    assert status == 401 and "access_token" not in body
    for header in (
        {"Authorization": f"Bearer {body['challenge']}"},
        {"apikey": body["challenge"], "Authorization": ""},
        {"Cookie": f"veraz_session={body['challenge']}", "Authorization": ""},
    ):
        for method, path in (("GET", "/me"), ("GET", "/knowledge-bases"), ("POST", "/me/second-factor")):
            answer = await door.acme.send(method, path, headers=header, json={} if method == "POST" else None)
            assert answer.status_code in (401, 403), (header, path)


async def test_who_must_show_a_code_cannot_set_up_a_new_secret_instead(door: Door, clock: Clock) -> None:
    await enrol(await add_person(door.acme, EVA), clock)
    body = {"challenge": await challenge(door)}
    answer = await door.acme.send("POST", "/auth/second-factor/enrolment", json=body, headers=NOBODY)
    assert (answer.status_code, answer.json()["code"]) == (401, "session_expired")


async def test_a_user_who_is_disabled_meanwhile_stays_out(door: Door, clock: Clock) -> None:
    eva = await add_person(door.acme, EVA)
    secret, _ = await enrol(eva, clock)
    token, path = await challenge(door), f"/users/{await my_id(eva)}"
    await door.acme.call("PATCH", path, 200, json={"disabled": True})
    assert (await second_step(door, token, clock.code(secret)))[0] == 401


# taking it away


async def test_half_a_sign_in_ends_with_the_password_it_stood_on(door: Door, clock: Clock) -> None:
    """Whoever began with a stolen password does not go on after its owner has another."""
    eva = await add_person(door.acme, EVA)
    secret, _ = await enrol(eva, clock)
    begun = await challenge(door)
    new = {"current_password": PASSWORD, "new_password": "siete nubes sobre Lugo"}
    await eva.call("POST", "/me/password", 204, json=new)
    status, body = await second_step(door, begun, clock.code(secret))
    assert (status, body["code"]) == (401, "session_expired")


async def test_half_a_sign_in_does_not_come_back_with_who_was_disabled(door: Door, clock: Clock) -> None:
    eva = await add_person(door.acme, EVA)
    secret, _ = await enrol(eva, clock)
    begun, user = await challenge(door), await my_id(eva)
    for disabled in (True, False):
        await door.acme.call("PATCH", f"/users/{user}", 200, json={"disabled": disabled})
    assert (await second_step(door, begun, clock.code(secret)))[0] == 401


async def test_removing_it_takes_the_password_or_a_code(door: Door, clock: Clock) -> None:
    eva = await add_person(door.acme, EVA)
    secret, _ = await enrol(eva, clock)
    path = "/me/second-factor/remove"
    for wrong in ({}, {"password": "wrong"}, {"code": "000000"}):
        assert (await eva.send("POST", path, json=wrong)).status_code == 422
    await eva.call("POST", path, 204, json={"password": PASSWORD})
    assert (await log_in(door))[0] == 200
    secret, _ = await enrol(eva, clock)
    await eva.call("POST", path, 204, json={"code": clock.code(secret)})
    assert (await log_in(door))[0] == 200


async def test_an_admin_resets_the_factor_of_who_lost_their_telephone(door: Door, clock: Clock) -> None:
    eva = await add_person(door.acme, EVA)
    await enrol(eva, clock)
    path = f"/users/{await my_id(eva)}/second-factor"
    assert (await eva.send("DELETE", path)).status_code == 403, "not one's own, without a code"
    await door.acme.call("DELETE", path, 204)
    assert (await eva.send("GET", "/me")).status_code == 401, "whoever has the telephone is out"
    assert (await log_in(door))[0] == 200


async def test_a_key_neither_sets_up_nor_removes_nor_resets(door: Door, clock: Clock) -> None:
    eva = await add_person(door.acme, EVA, role="admin")
    await enrol(eva, clock)
    personal = await add_key(eva, "admin", personal=True)
    service = await add_key(door.acme, "admin", personal=False)
    for key in (personal, service):
        for method, path, body in (
            ("POST", "/me/second-factor", {}),
            ("POST", "/me/second-factor/remove", {"password": PASSWORD}),
            ("PUT", "/tenant/sign-in", {"second_factor": "optional"}),
        ):
            assert (await key.send(method, path, json=body)).status_code == 403, path
        path = f"/users/{await my_id(eva)}/second-factor"
        assert (await key.send("DELETE", path)).status_code == 403


async def test_an_admin_of_the_tenant_does_not_reset_the_platforms_admin(door: Door, clock: Clock) -> None:
    deputy = await add_person(door.acme, "deputy@acme.test", role="admin")
    await enrol(door.acme, clock)
    path = f"/users/{await my_id(door.acme)}/second-factor"
    assert (await deputy.send("DELETE", path)).status_code == 403


async def test_the_other_tenant_cannot(door: Door, clock: Clock) -> None:
    eva = await add_person(door.acme, EVA)
    secret, _ = await enrol(eva, clock)
    assert (await door.rival.send("DELETE", f"/users/{await my_id(eva)}/second-factor")).status_code == 404
    await door.rival.call("POST", "/me/second-factor", 200, json={"password": PASSWORD})
    own = await door.rival.send("POST", "/me/second-factor/confirm", json={"code": clock.code(secret)})
    assert own.status_code == 422, "somebody else's secret is no secret of mine"
    assert (await log_in(door))[1]["code"] == "second_factor_required"


# the tenant's rule


async def test_people_with_rights_set_one_up_before_anything_else(door: Door, clock: Clock) -> None:
    refused = await door.acme.send("PUT", "/tenant/sign-in", json={"second_factor": "rights"})
    assert refused.json()["code"] == "second_factor_missing", "or the admin would be shut out first"
    await enrol(door.acme, clock)
    deputy = await add_person(door.acme, "deputy@acme.test", role="admin")
    member = await add_person(door.acme, "member@acme.test")
    await door.acme.call("PUT", "/tenant/sign-in", 200, json={"second_factor": "rights"})
    assert (await deputy.send("GET", "/me")).status_code == 401, "at once, also whoever is signed in"
    assert (await member.send("GET", "/me")).status_code == 200
    status, body = await log_in(door, "deputy@acme.test")
    assert (status, body["code"]) == (401, "second_factor_enrolment")
    made = await door.acme.call(
        "POST", "/auth/second-factor/enrolment", 200, json={"challenge": body["challenge"]}, headers=NOBODY
    )
    status, done = await second_step(
        door, body["challenge"], clock.code(made["secret"]), "/enrolment/confirm"
    )
    assert status == 200 and len(done["recovery_codes"]) == 10
    deputy.headers["Authorization"] = f"Bearer {done['access_token']}"
    assert (await deputy.send("GET", "/me")).status_code == 200
    removal = await deputy.send("POST", "/me/second-factor/remove", json={"password": PASSWORD})
    assert (removal.status_code, removal.json()["code"]) == (403, "second_factor_ruled")


async def test_who_becomes_a_manager_owes_one_from_then_on(door: Door, clock: Clock) -> None:
    await enrol(door.acme, clock)
    await door.acme.call("PUT", "/tenant/sign-in", 200, json={"second_factor": "rights"})
    eva = await add_person(door.acme, EVA)
    assert (await eva.send("GET", "/me")).status_code == 200
    project = (await door.acme.call("GET", "/projects", 200))["items"][0]["id"]
    body = {"email": EVA, "role": "manager"}
    await door.acme.call("POST", f"/projects/{project}/members", 201, json=body)
    assert (await eva.send("GET", "/me")).status_code == 401
    assert (await log_in(door))[1]["code"] == "second_factor_enrolment"


async def test_a_rule_for_everyone_is_for_members_too_and_only_in_its_tenant(
    door: Door, clock: Clock
) -> None:
    await enrol(door.acme, clock)
    eva = await add_person(door.acme, EVA)
    assert (await eva.send("PUT", "/tenant/sign-in", json={"second_factor": "everyone"})).status_code == 403
    await door.acme.call("PUT", "/tenant/sign-in", 200, json={"second_factor": "everyone"})
    assert (await log_in(door))[1]["code"] == "second_factor_enrolment"
    assert (await door.rival.call("GET", "/tenant/sign-in", 200)) == {"second_factor": "optional"}
    assert (await door.rival.send("GET", "/me")).status_code == 200


async def test_whoever_has_the_machine_resets_the_factor_of_the_last_admin(door: Door, clock: Clock) -> None:
    await enrol(door.acme, clock)
    service, operator = door.veraz.second_factor, await door.veraz.tenants.operator()
    user_id = await service.user_named(operator, " Ana@acme.test")
    assert user_id is not None
    await service.reset(operator, user_id)
    assert (await log_in(door, "ana@acme.test"))[0] == 200
    assert await service.user_named(operator, "raul@rival.test") is None, "of another tenant"
