"""Wrong requests get a clear answer: problem+json with a stable code, in the caller's language, never a crash."""

import json
from collections.abc import AsyncIterator
from typing import TYPE_CHECKING

import httpx
import pytest

from veraz.api.app import create_app
from veraz.db.pool import Database
from veraz.settings import Settings
from veraz.wiring import assemble

if TYPE_CHECKING:
    from tests.support.door import Door

JSON = {"Content-Type": "application/json"}
MEMBERS = {"type", "title", "status", "detail", "code", "request_id"}
NOWHERE = "00000000-0000-7000-8000-000000000000"


async def test_a_problem_says_what_happened_and_can_be_found_in_the_log(door: "Door") -> None:
    answer = await door.acme.send("GET", f"/agents/{NOWHERE}", headers={"X-Request-ID": "abc-123"})
    body = answer.json()
    assert answer.status_code == 404
    assert answer.headers["content-type"] == "application/problem+json"
    assert set(body) >= MEMBERS
    assert body["status"] == 404 and body["code"] == "not_found"
    assert body["type"] == "urn:veraz:error:not_found"
    assert body["request_id"] == answer.headers["x-request-id"] == "abc-123"


async def test_a_request_id_that_could_forge_log_lines_is_replaced(door: "Door") -> None:
    answer = await door.acme.send("GET", "/me", headers={"X-Request-ID": "a b\tc" + "x" * 100})
    assert " " not in answer.headers["x-request-id"] and len(answer.headers["x-request-id"]) == 36


@pytest.mark.parametrize(
    ("language", "words"),
    [
        ("", "No se encontró"),
        ("es-MX", "No se encontró"),
        ("en-GB,en;q=0.9", "No agent"),
        ("de", "No se encontró"),
        ("fr, en;q=0.8", "No agent"),
        ("en;q=0.3, es-CO;q=0.9", "No se encontró"),
        ("en;q=nonsense", "No agent"),
    ],
)
async def test_problems_speak_spanish_unless_english_is_preferred(
    door: "Door", language: str, words: str
) -> None:
    answer = await door.acme.send("GET", f"/agents/{NOWHERE}", headers={"Accept-Language": language})
    assert answer.json()["detail"].startswith(words)
    assert answer.json()["code"] == "not_found"


async def test_spanish_reaches_the_last_word(door: "Door") -> None:
    missing = await door.acme.send("GET", f"/knowledge-bases/{NOWHERE}")
    assert "base de conocimiento" in missing.json()["detail"]
    wrong = await door.acme.send("POST", "/projects", json={"name": "", "extra": 1})
    assert {e["reason"] for e in wrong.json()["errors"]} == {
        "hacen falta al menos 1 caracteres",
        "este campo no existe",
    }


async def test_a_text_is_counted_in_characters_and_choices_are_joined_in_spanish(door: "Door") -> None:
    kb = f"/knowledge-bases/{door.acme.kb}"
    empty = await door.acme.send("POST", f"{kb}/documents/text", json={"title": "G", "content": " "})
    assert empty.json()["errors"][0]["reason"] == "hacen falta al menos 1 caracteres"
    choice = await door.acme.send("PATCH", kb, json={"status": "processing"})
    assert choice.json()["errors"][0]["reason"] == "tiene que ser 'active' o 'archived'"


async def test_a_problem_has_no_gaps_and_no_words_of_the_database(door: "Door") -> None:
    acme = door.acme
    await acme.call("POST", "/projects", 201, json={"name": "Uno"})
    agent = await acme.call("POST", "/agents", 422, json={"name": "Sin proyecto"})
    assert "elija uno de sus proyectos" in agent["detail"]
    await acme.call("POST", "/licences", 201, json={"machine_id": "m-7", "user_name": "Ana"})
    taken = await acme.call("POST", "/licences", 409, json={"machine_id": "m-7", "user_name": "Ana"})
    nul = await acme.call("POST", "/auth/login", 422, json={"email": "a\x00@b.c", "password": "x"})
    light = f"/agents/{NOWHERE}/knowledge-bases/{acme.kb}"
    weight = await acme.call("PUT", light, 422, json={"search_weight": 0.001})
    for problem in (taken, nul, weight):
        assert "…" not in problem["detail"] and "constraint" not in problem["detail"]


@pytest.mark.parametrize("moment", ["2001-01-01T00:00:00Z", "9999-12-31T23:59:59-12:00"])
async def test_a_key_that_could_never_work_is_not_made(door: "Door", moment: str) -> None:
    refused = await door.acme.call("POST", "/api-keys", 422, json={"name": "k", "expires_at": moment})
    assert refused["errors"][0]["reason"] == "hace falta un momento en el futuro"


WRONG_BODIES = {
    "not JSON": (b"{", 422),
    "not UTF-8": (b'{"machine_id": "\xf1"}', 400),
    "a list": (b"[]", 422),
    "nothing": (b"", 422),
    "an unknown field": (b'{"machine_id": "m", "machin": 1}', 422),
    "a NUL in a string": (b'{"machine_id": "a\\u0000b"}', 422),
    "half a character in a string": (b'{"machine_id": "\\ud800"}', 422),
    "a NUL in metadata": (b'{"machine_id": "m", "metadata": {"a": ["\\u0000"]}}', 422),
    "a NUL in a name in metadata": (b'{"machine_id": "m", "metadata": {"a": {"\\u0000": 1}}}', 422),
    "half a character in metadata": (b'{"machine_id": "m", "metadata": {"a": "\\udfff"}}', 422),
    "half a character in a name": (b'{"machine_id": "m", "\\ud800": 1}', 422),
    "NaN": (b'{"machine_id": "m", "metadata": {"a": NaN}}', 422),
    "a number beyond all": (b'{"machine_id": "m", "metadata": {"a": 1e999}}', 422),
    "a number of 5,000 digits": (b'{"machine_id": "m", "metadata": {"a": ' + b"9" * 5000 + b"}}", 400),
    "500 levels": (b'{"machine_id": "m", "metadata": {"a": ' + b"[" * 500 + b"]" * 500 + b"}}", 422),
    "100,000 levels": (b"[" * 100_000, 413),
    "the wrong type": (b'{"machine_id": 5}', 422),
    "too long": (json.dumps({"machine_id": "m" * 201}).encode(), 422),
}


@pytest.mark.parametrize("what", WRONG_BODIES)
async def test_a_wrong_body_is_refused_in_words(door: "Door", what: str) -> None:
    content, status = WRONG_BODIES[what]
    answer = await door.acme.send("POST", "/licences", content=content, headers=JSON)
    assert answer.status_code == status, answer.text
    assert answer.json()["code"] in ("invalid", "bad_request", "too_large")
    assert set(answer.json()) >= MEMBERS


@pytest.mark.parametrize(
    "kind", ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data", ""]
)
async def test_only_json_is_read_as_json(door: "Door", kind: str) -> None:
    """A page of another site can send these three without asking the browser; they must do nothing."""
    headers = {"Content-Type": kind} if kind else {}
    answer = await door.acme.send("POST", "/licences", content=b'{"machine_id": "m"}', headers=headers)
    assert answer.status_code == 422
    assert (await door.acme.call("GET", "/licences", 200))["items"] == []


WRONG_PATHS = {
    "/users/1": 422,
    "/users/%00": 422,
    "/users?cursor=zzz": 422,
    "/users?cursor=%00": 422,
    "/users?limit=0": 422,
    "/users?limit=99999999999999999999999": 422,
    "/audit?cursor=-1": 422,
    "/audit?cursor=99999999999999999999": 422,
    "/audit?thing=%00": 422,
    "/nothing": 404,
    f"/projects/{NOWHERE}/members": 404,
    f"/agents?project_id={NOWHERE}": 200,
}


@pytest.mark.parametrize("path", WRONG_PATHS)
async def test_a_wrong_address_is_refused_in_words(door: "Door", path: str) -> None:
    answer = await door.acme.send("GET", path)
    assert answer.status_code == WRONG_PATHS[path], answer.text
    assert answer.status_code == 200 or set(answer.json()) >= MEMBERS


async def test_a_method_that_does_not_exist_says_so(door: "Door") -> None:
    answer = await door.acme.send("PUT", "/users")
    assert (answer.status_code, answer.json()["code"]) == (405, "method_not_allowed")


async def test_a_header_that_names_nobody_possible_is_refused(door: "Door") -> None:
    key = await door.acme.call("POST", "/api-keys", 201, json={"name": "k", "scopes": ["read"]})
    for name in ("X-Veraz-User", "X-Veraz-Machine"):
        headers = {"Authorization": f"Bearer {key['key']}", name: "x" * 201}
        assert (await door.acme.send("GET", "/me", headers=headers)).status_code == 422


# size


@pytest.fixture
async def small_door(settings: Settings, db: Database) -> AsyncIterator[httpx.AsyncClient]:
    """An application that takes 2,000 bytes of JSON and 5,000 of files."""
    small = settings.model_copy(
        update={"max_body_bytes": 2_000, "max_upload_bytes": 5_000, "embedding_model": "fake:hash@8"}
    )
    transport = httpx.ASGITransport(create_app(assemble(small, db)), raise_app_exceptions=False)
    async with httpx.AsyncClient(transport=transport, base_url="http://veraz.test/api/v1") as http:
        yield http


async def pieces(number: int) -> AsyncIterator[bytes]:
    """A body that does not say how long it is."""
    for _ in range(number):
        yield b" " * 500


async def test_a_body_that_says_it_is_too_long_is_not_read(small_door: httpx.AsyncClient) -> None:
    answer = await small_door.post("/auth/login", content=b" " * 2_001, headers=JSON)
    assert (answer.status_code, answer.json()["code"]) == (413, "too_large")
    for nonsense in ("-1", "9" * 5_000, "abc"):
        refused = await small_door.post(
            "/auth/login", content=b"{}", headers=JSON | {"Content-Length": nonsense}
        )
        assert refused.status_code == 413


async def test_a_body_that_grows_too_long_is_cut_off(small_door: httpx.AsyncClient) -> None:
    answer = await small_door.post("/auth/login", content=pieces(20), headers=JSON)
    assert (answer.status_code, answer.json()["code"]) == (413, "too_large")
    assert (await small_door.post("/auth/login", content=pieces(2), headers=JSON)).status_code == 422


async def test_calling_it_a_form_does_not_lift_the_limit_where_no_files_are_taken(
    small_door: httpx.AsyncClient,
) -> None:
    form = {"Content-Type": "multipart/form-data; boundary=x"}
    assert (await small_door.post("/auth/login", content=b" " * 3_000, headers=form)).status_code == 413
    upload = f"/knowledge-bases/{NOWHERE}/documents"
    assert (await small_door.post(upload, content=b" " * 3_000, headers=form)).status_code == 401
    assert (await small_door.post(upload, content=b" " * 6_000, headers=form)).status_code == 413


# headers


async def test_every_answer_carries_the_security_headers(door: "Door") -> None:
    for path in ("/api/v1/me", "/api/v1/nothing", "/healthz", "/openapi.json", "/docs"):
        headers = (await door.http.get(path)).headers
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["x-frame-options"] == "DENY"
        assert headers["referrer-policy"] == "same-origin"
        assert "frame-ancestors 'none'" in headers["content-security-policy"]
        assert "x-request-id" in headers
    assert (await door.acme.send("GET", "/me")).headers["cache-control"] == "no-store"
    assert "strict-transport-security" not in (await door.http.get("/healthz")).headers


async def test_behind_https_browsers_are_told_to_stay_there(settings: Settings, db: Database) -> None:
    secure = settings.model_copy(
        update={"public_url": "https://veraz.example", "embedding_model": "fake:hash@8"}
    )
    transport = httpx.ASGITransport(create_app(assemble(secure, db)))
    async with httpx.AsyncClient(transport=transport, base_url="https://veraz.example") as http:
        assert "max-age" in (await http.get("/healthz")).headers["strict-transport-security"]


async def test_other_sites_may_not_call_unless_they_are_named(
    door: "Door", settings: Settings, db: Database
) -> None:
    asks = {"Origin": "https://app.example", "Access-Control-Request-Method": "POST"}
    refused = await door.http.options("/api/v1/projects", headers=asks)
    assert "access-control-allow-origin" not in refused.headers
    named = settings.model_copy(
        update={"cors_origins": ("https://app.example",), "embedding_model": "fake:hash@8"}
    )
    transport = httpx.ASGITransport(create_app(assemble(named, db)))
    async with httpx.AsyncClient(transport=transport, base_url="http://veraz.test") as http:
        allowed = await http.options("/api/v1/projects", headers=asks)
        assert allowed.headers["access-control-allow-origin"] == "https://app.example"
        assert "access-control-allow-credentials" not in allowed.headers
        other = await http.options("/api/v1/projects", headers=asks | {"Origin": "https://evil.example"})
        assert "access-control-allow-origin" not in other.headers


async def test_the_operators_pages_need_no_sign_in_and_tell_nothing(door: "Door") -> None:
    assert (await door.http.get("/healthz")).json() == {"status": "ok"}
    ready = (await door.http.get("/readyz")).json()
    assert ready["database"] is True and ready["migrations"] is True
    metrics = (await door.http.request("BREW", "/api/v1/me"), await door.http.get("/metrics"))[1].text
    assert "veraz_http_requests_total" in metrics
    assert "BREW" not in metrics, "a label anybody can choose fills the memory"
    assert "acme" not in metrics.lower()
