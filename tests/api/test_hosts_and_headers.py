"""Under which names we answer, what is open to strangers, and what browsers are told."""

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import TYPE_CHECKING, Any

import httpx
import pytest
from starlette.datastructures import MutableHeaders

from veraz.api.app import create_app
from veraz.api.headers import add_headers
from veraz.api.hosts import is_ours, names_of
from veraz.db.pool import Database
from veraz.settings import Settings
from veraz.wiring import assemble

if TYPE_CHECKING:
    from tests.support.door import PASSWORD, Door
else:
    from support.door import PASSWORD, Door

Site = Callable[..., AbstractAsyncContextManager[httpx.AsyncClient]]
OUTSIDE = {"host": "0.0.0.0", "public_url": "https://veraz.example.com"}
HTTPS = "https://veraz.example.com"


@pytest.fixture
def site(door_settings: Settings, db: Database) -> Site:
    """The application with other settings, at an address."""

    @asynccontextmanager
    async def opened(
        base_url: str = "http://127.0.0.1:8080", **changes: Any
    ) -> AsyncIterator[httpx.AsyncClient]:
        veraz = assemble(door_settings.model_copy(update=changes), db)
        await veraz.tenants.first_start(email="ana@acme.test", password=PASSWORD)
        transport = httpx.ASGITransport(create_app(veraz), raise_app_exceptions=False)
        async with httpx.AsyncClient(transport=transport, base_url=base_url) as http:
            yield http

    return opened


@pytest.mark.parametrize(
    "host",
    ["rebound.evil.example", "veraz.example.com.evil.example", "evil.example:8080", "", "a b", "127.0.0.1.evil.example",
     "localhost.evil.example", "example.com", "[::1].evil", "127.0.0.1@evil.example", "2130706433"],
)  # fmt: skip
def test_names_of_others_are_not_ours(host: str) -> None:
    settings = Settings(public_url=HTTPS, allowed_hosts=("*.ours.example",))
    assert not is_ours(host, names_of(settings))


@pytest.mark.parametrize(
    "host",
    ["veraz.example.com", "VERAZ.example.com.", "a.ours.example:443", "127.0.0.1:8080", "[::1]:8080", "10.1.2.3",
     "localhost:9", "veraz.localhost"],
)  # fmt: skip
def test_our_own_names_are(host: str) -> None:
    settings = Settings(public_url=HTTPS, allowed_hosts=("*.ours.example",))
    assert is_ours(host, names_of(settings))


async def test_a_rebound_name_gets_no_answer_and_is_told(door: Door) -> None:
    for path in ("/api/v1/me", "/openapi.json", "/rest/v1/rpc/x", "/nothing"):
        answer = await door.http.get(path, headers={"Host": "rebound.evil.example"} | door.acme.headers)
        assert (answer.status_code, answer.json()["code"]) == (403, "host_not_allowed")
    told = await door.acme.call("GET", "/security-events?kind=host_refused&installation=true", 200)
    assert len(told["items"]) == 4


async def test_a_request_under_two_names_is_under_none(door: Door) -> None:
    """A proxy in front may have chosen by the one, and we would believe the other."""
    ours = str(door.http.base_url.netloc, "ascii")
    for hosts in ((ours, "evil.example"), ("evil.example", ours), (ours, ours)):
        headers = [*door.acme.headers.items(), *(("Host", host) for host in hosts)]
        answer = await door.http.get("/api/v1/me", headers=headers)
        assert (answer.status_code, answer.json()["code"]) == (403, "host_not_allowed"), hosts


async def test_who_asks_whether_we_live_may_use_any_name(door: Door) -> None:
    assert (await door.http.get("/healthz", headers={"Host": "balancer"})).status_code == 200


async def test_documentation_and_metrics_are_closed_where_strangers_get_in(site: Site) -> None:
    async with site() as here:
        for path in ("/docs", "/openapi.json", "/metrics", "/swagger/swagger-ui.css"):
            assert (await here.get(path)).status_code == 200, path
    async with site(HTTPS, **OUTSIDE) as there:
        for path in ("/docs", "/openapi.json", "/swagger/swagger-ui.css"):
            assert (await there.get(path)).status_code == 404, path
        assert (await there.get("/metrics")).status_code == 401
    async with site(HTTPS, **OUTSIDE, docs="open", metrics="open") as opened:
        assert (await opened.get("/docs")).status_code == 200
        assert (await opened.get("/metrics")).status_code == 200
    async with site(docs="closed", metrics="closed") as closed:
        assert (await closed.get("/docs")).status_code == 404


async def test_closed_metrics_open_for_the_platform_and_not_for_another_tenant(
    door: Door, site: Site
) -> None:
    async with site(HTTPS, **OUTSIDE) as there:
        assert (await there.get("/metrics", headers=door.acme.headers)).status_code == 200
        assert (await there.get("/metrics", headers=door.rival.headers)).status_code == 403


async def test_over_https_only_a_cookie_of_this_very_host_is_a_session(site: Site) -> None:
    login = {"email": "ana@acme.test", "password": PASSWORD}
    async with site(HTTPS, **OUTSIDE) as http:
        answer = await http.post("/api/v1/auth/login", json=login)
        token, given = answer.json()["access_token"], answer.headers["set-cookie"]
        assert given.startswith("__Host-veraz_session=")
        assert "Domain" not in given
        for flag in ("HttpOnly", "Secure", "SameSite=lax", "Path=/"):
            assert flag in given
        http.cookies.clear()
        tossed = await http.get("/api/v1/me", headers={"Cookie": f"veraz_session={token}"})
        assert tossed.status_code == 401
        ours = await http.get("/api/v1/me", headers={"Cookie": f"__Host-veraz_session={token}"})
        assert ours.status_code == 200


async def test_every_answer_says_what_a_browser_may_do_with_it(site: Site) -> None:
    async with site(HTTPS, **OUTSIDE) as http:
        for path in ("/api/v1/me", "/nothing", "/healthz", "/s/nothing", "/widget.js"):
            headers = (await http.get(path, headers={"Accept": "text/html"})).headers
            assert headers["x-content-type-options"] == "nosniff"
            assert "frame-ancestors 'none'" in headers["content-security-policy"]
            assert headers["strict-transport-security"] == "max-age=63072000; includeSubDomains"
            assert headers["cross-origin-opener-policy"] == "same-origin"
            assert "camera=()" in headers["permissions-policy"]
            expected = "no-referrer" if path.startswith("/s/") else "same-origin"
            assert headers["referrer-policy"] == expected


async def test_each_response_lets_other_inline_scripts_run(site: Site) -> None:
    async with site() as http:
        first, second = [(await http.get("/docs")) for _ in range(2)]
    policy = first.headers["content-security-policy"]
    assert policy != second.headers["content-security-policy"]
    nonce = policy.split("'nonce-")[1].split("'")[0]
    assert f'<script nonce="{nonce}">' in first.text
    assert "unsafe" not in policy.split("script-src")[1].split(";")[0]


async def test_signing_out_clears_what_the_browser_keeps(door: Door) -> None:
    answer = await door.acme.send("POST", "/auth/logout")
    assert '"storage"' in answer.headers["clear-site-data"]
    assert "veraz_session=" in answer.headers["set-cookie"]
    assert (await door.acme.send("GET", "/me")).status_code == 401


async def test_over_https_every_cookie_stays_there_whichever_door_sets_it() -> None:
    headers = MutableHeaders()
    headers.append("set-cookie", "a=1; Path=/; HttpOnly")
    headers.append("set-cookie", "b=2; Secure")
    add_headers({"type": "http", "path": "/es/login"}, headers, https=True)
    assert headers.getlist("set-cookie") == ["a=1; Path=/; HttpOnly; Secure", "b=2; Secure"]
