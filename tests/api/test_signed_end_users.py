"""A tenant may require that end users and machines are signed: then a leaked service key opens nobody's memory."""

import json
import time
import warnings
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import pytest
from joserfc import jwt
from joserfc.jwk import OctKey, OKPKey
from psycopg import Connection
from psycopg.rows import TupleRow

from veraz.client import EndUserKey

if TYPE_CHECKING:
    from tests.support.door import Door, Person
    from tests.support.people import acting, add_key, add_person
else:
    from support.door import Door, Person
    from support.people import acting, add_key, add_person


@dataclass(frozen=True, kw_only=True)
class Signed:
    """A company that requires signatures, a service key of it, and a key that signs."""

    door: Door
    service: Person
    key: EndUserKey

    def carrying(self, token: str, **more: str) -> Person:
        return replace(self.service, headers=self.service.headers | {"X-Veraz-Acting": token} | more)

    def token(self, *, header: dict[str, Any] | None = None, secret: str | None = None, **claims: Any) -> str:
        """A token made by hand, right unless told otherwise; None leaves a claim out."""
        usual = {"sub": "ana", "aud": self.key.tenant, "exp": int(time.time()) + 60}
        head = {"alg": "HS256", "kid": self.key.id} | (header or {})
        body = {name: value for name, value in (usual | claims).items() if value is not None}
        return jwt.encode(head, body, OctKey.import_key(secret or self.key.secret))


async def _key_of(person: Person) -> EndUserKey:
    made = await person.call("POST", "/end-user-keys", 201, json={"name": "Portal"})
    return EndUserKey(id=made["id"], secret=made["secret"], tenant=person.tenant_id)


@pytest.fixture
async def signed(door: Door) -> Signed:
    key = await _key_of(door.acme)
    await door.acme.call("PATCH", "/tenant", 200, json={"signed_end_users": True})
    return Signed(door=door, service=await add_key(door.acme, "ask", "read", "ingest"), key=key)


async def _refused(person: Person) -> str:
    answer = await person.send("GET", "/me")
    assert answer.status_code == 403, answer.text
    assert answer.json()["code"] == "end_user_unproven"
    return str(answer.json()["detail"])


async def test_a_signed_end_user_on_a_signed_machine_is_who_the_token_says(signed: Signed) -> None:
    me = await signed.carrying(signed.key.sign(user="ana", machine="PC-7")).call("GET", "/me", 200)
    assert (me["user"]["external_id"], me["machine_id"]) == ("ana", "PC-7")
    only = await signed.carrying(signed.key.sign(machine="PC-7")).call("GET", "/me", 200)
    assert (only["user"], only["machine_id"]) == (None, "PC-7")
    same = signed.carrying(signed.key.sign(user="ana", machine="PC-7"), **{"X-Veraz-User": "ana"})
    assert (await same.call("GET", "/me", 200))["user"]["external_id"] == "ana"


async def test_plain_headers_are_refused_where_signatures_are_required(signed: Signed) -> None:
    for person in (acting(signed.service, user="ana"), acting(signed.service, machine="PC-7")):
        assert "X-Veraz-Acting" in await _refused(person)
    assert (await signed.service.call("GET", "/me", 200))["user"] is None, "the key alone acts for nobody"
    body = {"query_embedding": [0.1] * 64, "filter_machine_id": "PC-7"}
    answer = await signed.service.send("POST", "//rest/v1/rpc/match_documents", json=body)
    assert answer.status_code == 403, "a machine is not named by an argument either"
    rival = acting(await add_key(signed.door.rival, "ask"), user="ana", machine="PC-7")
    assert (await rival.call("GET", "/me", 200))["machine_id"] == "PC-7", "each tenant has its own rule"


async def test_a_leaked_service_key_opens_no_personal_corpus(signed: Signed) -> None:
    ana = signed.carrying(signed.key.sign(user="ana"))
    kb = await ana.call("POST", "/knowledge-bases", json={"name": "Notas", "kind": "personal"})
    path = f"/knowledge-bases/{kb['id']}"
    assert (await signed.carrying(signed.key.sign(user="ana")).send("GET", path)).status_code == 200
    assert (await signed.carrying(signed.key.sign(user="berta")).send("GET", path)).status_code == 404
    assert (await acting(signed.service, user="ana").send("GET", path)).status_code == 403
    assert (await signed.service.send("GET", path)).status_code == 404


def _bad(signed: Signed) -> Iterator[tuple[str, str]]:
    now, good = int(time.time()), signed.token()
    head, body, mark = good.split(".")
    yield "no signature", f"{head}.{body}."
    yield "another signature", f"{head}.{body}.{mark[:-4]}AAAA"
    yield (
        "another body",
        f"{head}.{_part({'sub': 'berta', 'aud': signed.key.tenant, 'exp': now + 60})}.{mark}",
    )
    none = _part({"alg": "none", "kid": signed.key.id})
    yield "alg none", f"{none}.{body}."
    yield "alg none with a signature", f"{none}.{body}.{mark}"
    yield "alg None", f"{_part({'alg': 'None', 'kid': signed.key.id})}.{body}."
    yield (
        "another alg",
        signed.token(header={"alg": "HS512"})
        if False
        else f"{_part({'alg': 'HS512', 'kid': signed.key.id})}.{body}.{mark}",
    )
    yield "another secret", signed.token(secret="x" * 40)
    yield "no kid", f"{_part({'alg': 'HS256'})}.{body}.{mark}"
    yield "a kid nobody has", signed.token(header={"kid": "0198aaaa-0000-7000-8000-000000000000"})
    yield "a kid that is no id", signed.token(header={"kid": "' or 1=1 --"})
    yield "a key of its own", signed.token(header={"jwk": {"kty": "oct", "k": "eA"}}, secret="x" * 40)
    yield "expired", signed.token(exp=now - 60)
    yield "for a day", signed.token(exp=now + 86_400)
    yield "for ever", signed.token(exp=None)
    yield "until a word", signed.token(exp="mañana")
    yield "not yet", signed.token(nbf=now + 300)
    yield "made tomorrow", signed.token(iat=now + 86_400)
    yield "for nobody", signed.token(aud=None)
    yield "for somebody else", signed.token(aud=signed.door.rival.tenant_id)
    yield "of nobody", signed.token(sub=None)
    yield "of a number", signed.token(sub=7)
    yield "of a list", signed.token(sub=["ana"])
    yield "empty", ""
    yield "no token", "a.b.c"
    yield "not base64", "\u00f1.\u00f1.\u00f1"
    yield "a long one", "a" * 7_000


def _part(values: dict[str, Any]) -> str:
    return urlsafe_b64encode(json.dumps(values).encode()).rstrip(b"=").decode()


async def test_a_token_that_is_not_right_in_every_part_is_refused(signed: Signed) -> None:
    assert (await signed.carrying(signed.token()).send("GET", "/me")).status_code == 200
    for what, token in _bad(signed):
        raw = [
            (name.encode(), value.encode("latin-1")) for name, value in signed.carrying(token).headers.items()
        ]
        answer = await signed.door.http.get("/api/v1/me", headers=raw)
        assert (answer.status_code, answer.json()["code"]) == (403, "end_user_unproven"), (what, answer.text)
    for unfit in (signed.token(sub=" "), signed.token(sub="x" * 201), signed.token(machine="")):
        assert (await signed.carrying(unfit).send("GET", "/me")).status_code == 422, unfit


async def test_another_tenants_key_signs_nothing_here(signed: Signed) -> None:
    theirs = await _key_of(signed.door.rival)
    for tenant in (theirs.tenant, signed.key.tenant):
        await _refused(signed.carrying(replace(theirs, tenant=tenant).sign(user="ana")))
    await _refused(
        signed.carrying(replace(theirs, id=signed.key.id, tenant=signed.key.tenant).sign(user="ana"))
    )
    assert (await signed.door.rival.send("DELETE", f"/end-user-keys/{signed.key.id}")).status_code == 404
    assert (
        await signed.door.rival.send("POST", f"/end-user-keys/{signed.key.id}/rotate", json={})
    ).status_code == 404
    assert [key["id"] for key in await signed.door.rival.call("GET", "/end-user-keys", 200)] == [theirs.id]


async def test_a_token_that_disagrees_with_the_headers_is_refused(signed: Signed) -> None:
    token = signed.key.sign(user="ana", machine="PC-7")
    for more in ({"X-Veraz-User": "berta"}, {"X-Veraz-Machine": "PC-8"}):
        await _refused(signed.carrying(token, **more))
    await _refused(signed.carrying(signed.key.sign(user="ana"), **{"X-Veraz-Machine": "PC-7"}))
    twice = [*signed.service.headers.items(), ("X-Veraz-Acting", token), ("X-Veraz-Acting", token)]
    assert (await signed.door.http.get("/api/v1/me", headers=twice)).status_code == 422


async def test_a_token_for_one_use_is_believed_once(signed: Signed) -> None:
    token = signed.key.sign(user="ana", once=True)
    assert (await signed.carrying(token).send("GET", "/me")).status_code == 200
    assert "ya se usó" in await _refused(signed.carrying(token, **{"Accept-Language": "es"}))
    again = signed.key.sign(user="ana")
    for _ in range(2):
        assert (await signed.carrying(again).send("GET", "/me")).status_code == 200


async def test_a_rotated_key_goes_on_for_a_while_and_an_ended_one_not(
    signed: Signed, owner: Connection[TupleRow]
) -> None:
    acme, old = signed.door.acme, signed.key
    made = await acme.call("POST", f"/end-user-keys/{old.id}/rotate", 201, json={"overlap_minutes": 5})
    new = EndUserKey(id=made["id"], secret=made["secret"], tenant=old.tenant)
    assert new.secret != old.secret
    for key in (old, new):
        assert (await signed.carrying(key.sign(user="ana")).send("GET", "/me")).status_code == 200
    owner.execute("update veraz.end_user_key set ends_at = now() where id = %s", (old.id,))
    await _refused(signed.carrying(old.sign(user="ana")))
    await acme.call("DELETE", f"/end-user-keys/{new.id}", 204)
    await _refused(signed.carrying(new.sign(user="ana")))


async def test_a_key_of_theirs_signs_with_ed25519(signed: Signed) -> None:
    own = OKPKey.generate_key("Ed25519")
    public = own.as_pem(private=False).decode()
    for wrong in (None, "no", own.as_pem(private=True).decode()):
        body = {"name": "ed", "algorithm": "EdDSA", "public_key": wrong}
        assert (await signed.door.acme.send("POST", "/end-user-keys", json=body)).status_code == 422
    body = {"name": "ed", "algorithm": "EdDSA", "public_key": public}
    made = await signed.door.acme.call("POST", "/end-user-keys", 201, json=body)
    assert made["secret"] is None
    claims = {"sub": "ana", "aud": signed.key.tenant, "exp": int(time.time()) + 60}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        token = jwt.encode({"alg": "EdDSA", "kid": made["id"]}, claims, own, algorithms=["EdDSA"])
    assert (await signed.carrying(token).send("GET", "/me")).status_code == 200
    confused = EndUserKey(id=made["id"], secret=public, tenant=signed.key.tenant)
    await _refused(signed.carrying(confused.sign(user="ana")))


async def test_secrets_are_shown_once_and_stored_sealed(signed: Signed, owner: Connection[TupleRow]) -> None:
    listed = await signed.door.acme.send("GET", "/end-user-keys")
    assert signed.key.secret not in listed.text
    stored = owner.execute(
        "select secret_sealed from veraz.end_user_key where id = %s", (signed.key.id,)
    ).fetchone()
    assert stored is not None and signed.key.secret.encode() not in bytes(stored[0])
    audit = await signed.door.acme.send("GET", "/audit")
    assert signed.key.secret not in audit.text


async def test_only_admins_handle_keys_and_the_rule(signed: Signed) -> None:
    member = await add_person(signed.door.acme, "marta@acme.test")
    for person in (member, signed.service, await add_key(signed.door.acme, "manage")):
        assert (await person.send("POST", "/end-user-keys", json={"name": "k"})).status_code == 403
        assert (await person.send("GET", "/end-user-keys")).status_code == 403
        assert (await person.send("DELETE", f"/end-user-keys/{signed.key.id}")).status_code == 403
        assert (await person.send("PATCH", "/tenant", json={"signed_end_users": False})).status_code == 403


async def test_where_nothing_is_required_both_ways_are_believed(door: Door) -> None:
    key, service = await _key_of(door.acme), await add_key(door.acme, "ask")
    signed = Signed(door=door, service=service, key=key)
    assert (await acting(service, user="ana").call("GET", "/me", 200))["user"]["external_id"] == "ana"
    assert (await signed.carrying(key.sign(user="ana")).call("GET", "/me", 200))["user"][
        "external_id"
    ] == "ana"
    await _refused(signed.carrying(key.sign(user="ana") + "x"))
    person = replace(door.acme, headers=door.acme.headers | {"X-Veraz-Acting": key.sign(user="ana")})
    assert (await person.send("GET", "/me")).status_code == 403, "who signs in is nobody else"


def test_the_helper_signs_what_any_library_reads() -> None:
    key = EndUserKey(id="k", secret="secreto" * 6, tenant="t")
    token = jwt.decode(
        key.sign(user="maría", machine="PC-7"), OctKey.import_key(key.secret), algorithms=["HS256"]
    )
    assert (token.claims["sub"], token.claims["machine"], token.claims["aud"]) == ("maría", "PC-7", "t")
    head = json.loads(urlsafe_b64decode(key.sign(user="a").split(".")[0] + "=="))
    assert head == {"alg": "HS256", "typ": "JWT", "kid": "k"}
    assert key.secret not in repr(key)


async def test_a_leaked_service_key_sees_and_feeds_no_machine(signed: Signed) -> None:
    """Also one that names no machine at all: what machines asked, and what is bound to them, needs a proof."""
    acme, path = signed.door.acme, f"/knowledge-bases/{signed.door.acme.kb}/documents"
    project = (await acme.call("GET", "/projects", 200))["items"][0]["id"]
    agent = (await acme.call("POST", "/agents", 201, json={"name": "A", "project_id": project}))["id"]
    await acme.call("PUT", f"/agents/{agent}/knowledge-bases/{acme.kb}", 200)
    on_pc = signed.carrying(signed.key.sign(machine="PC-B"))
    talk = await on_pc.call("POST", f"/agents/{agent}/ask", 200, json={"question": "¿Cuándo vence Orion?"})
    bound = {"title": "Orion", "content": "# Orion", "machine_id": "PC-B"}
    await on_pc.call("POST", f"{path}/text", 202, json=bound)
    shared = {"title": "Horario", "content": "# Horario"}
    await signed.service.call("POST", f"{path}/text", 202, json=shared)
    only_ana = signed.carrying(signed.key.sign(user="ana"))
    for person in (signed.service, only_ana):
        assert (await person.call("GET", "/conversations", 200))["items"] == []
        messages = f"/conversations/{talk['conversation_id']}/messages"
        assert (await person.send("GET", messages)).status_code == 404
        again = {"question": "¿Y cuándo más?", "conversation_id": talk["conversation_id"]}
        assert (await person.send("POST", f"/agents/{agent}/ask", json=again)).status_code == 404
        assert [d["name"] for d in (await person.call("GET", path, 200))["items"]] == ["Horario"]
        assert (await person.call("GET", f"{path}?machine_id=PC-B", 200))["items"] == []
        assert (await person.call("GET", "/queries", 200))["items"] == []
        assert len((await person.call("GET", "/jobs", 200))["items"]) == 1
    assert len((await on_pc.call("GET", "/conversations", 200))["items"]) == 1
    assert {d["name"] for d in (await on_pc.call("GET", path, 200))["items"]} == {"Orion", "Horario"}
    free = await signed.service.call(
        "POST", f"/agents/{agent}/ask", 200, json={"question": "¿A qué hora abren?"}
    )
    seen = [one["id"] for one in (await signed.service.call("GET", "/conversations", 200))["items"]]
    assert seen == [free["conversation_id"]]
    assert free["conversation_id"] in str(await on_pc.call("GET", "/conversations", 200)), "of no machine"


async def test_a_machine_or_end_user_is_not_named_in_a_body_either(signed: Signed) -> None:
    acme, service = signed.door.acme, await add_key(signed.door.acme, "manage", "ask")
    path = f"/knowledge-bases/{acme.kb}/documents"
    named = {"machine_id": "PC-B"}
    file = ("x.md", b"# x")
    page = {"url": "https://example.com/a"} | named
    answers = [
        await service.send("POST", f"{path}/text", json={"title": "x", "content": "# x"} | named),
        await service.send("POST", path, files={"files": file}, data=named),
        await service.send("POST", f"{path}/url", json=page),
        await service.send("POST", f"{path}/url", json=page | {"crawl": {"max_pages": 2}}),
        await service.send("POST", "//functions/v1/ingest-file", files={"file": file}, data=named),
    ]
    project = (await acme.call("GET", "/projects", 200))["items"][0]["id"]
    agent = (await acme.call("POST", "/agents", 201, json={"name": "A", "project_id": project}))["id"]
    lead = {"leadId": "1", "agentId": agent, "projectId": project, "message": "Hola"}
    answers.append(await service.send("POST", "//webhook/kairo-ai-handler", json=lead))
    assert [(one.status_code, one.json()["code"]) for one in answers] == [(403, "end_user_unproven")] * 6
    assert (await acme.call("GET", path, 200))["items"] == []
    assert (await acme.call("GET", "/licences", 200))["items"] == [], "no machine was let in by it"
    rival = await add_key(signed.door.rival, "ingest")
    body = {"title": "x", "content": "# x"} | named
    assert (
        await rival.send("POST", f"/knowledge-bases/{rival.kb}/documents/text", json=body)
    ).status_code == 202
