"""Who calls: a proxy is believed when it is named, and nobody else, not even this machine."""

from typing import TYPE_CHECKING

import httpx
import pytest

from veraz.api.addresses import RealAddress, TrustedProxies
from veraz.settings import Settings

if TYPE_CHECKING:
    from starlette.types import Receive, Scope, Send

PROXIES = ("10.0.0.0/8", "fd00::/8", "127.0.0.1")


@pytest.mark.parametrize(
    ("peer", "forwarded", "caller"),
    [
        ("127.0.0.1", ["203.0.113.7"], "203.0.113.7"),
        ("10.1.1.1", ["1.1.1.1, 203.0.113.7"], "203.0.113.7"),  # what stands on the left the caller wrote
        ("10.1.1.1", ["1.1.1.1, 203.0.113.7, 10.2.2.2"], "203.0.113.7"),
        ("10.1.1.1", ["1.1.1.1", "203.0.113.7"], "203.0.113.7"),  # in several headers
        ("10.1.1.1", [], "10.1.1.1"),
        ("10.1.1.1", ["nonsense"], "10.1.1.1"),
        ("10.1.1.1", ["203.0.113.7, <script>"], "10.1.1.1"),
        ("10.1.1.1", ["203.0.113.7:4711"], "203.0.113.7"),
        ("10.1.1.1", ["[2001:db8::1]:4711"], "2001:db8::1"),
        ("fd00::1", ["2001:db8::1"], "2001:db8::1"),
        ("::ffff:10.1.1.1", ["203.0.113.7"], "203.0.113.7"),
        ("203.0.113.9", ["203.0.113.7"], "203.0.113.9"),
        ("10.1.1.1", [",".join(["10.2.2.2"] * 5_000)], "10.2.2.2"),
    ],
)
def test_the_caller_is_the_rightmost_address_that_is_no_proxy(
    peer: str, forwarded: list[str], caller: str
) -> None:
    assert TrustedProxies(PROXIES).caller(peer, forwarded) == caller


async def seen(proxies: tuple[str, ...], headers: dict[str, str]) -> tuple[str, str]:
    """The address and the scheme that the application sees of a request from 127.0.0.1."""
    found: list[tuple[str, str]] = []

    async def app(scope: "Scope", receive: "Receive", send: "Send") -> None:
        found.append((scope["client"][0], scope["scheme"]))
        await send({"type": "http.response.start", "status": 204, "headers": []})
        await send({"type": "http.response.body"})

    transport = httpx.ASGITransport(RealAddress(app, proxies=TrustedProxies(proxies)))
    async with httpx.AsyncClient(transport=transport, base_url="http://veraz.test") as http:
        await http.get("/", headers=headers)
    return found[0]


async def test_nobody_is_believed_without_configuration() -> None:
    said = {"X-Forwarded-For": "203.0.113.7", "X-Forwarded-Proto": "https"}
    assert await seen((), said) == ("127.0.0.1", "http")
    assert await seen(("127.0.0.1",), said) == ("203.0.113.7", "https")
    assert await seen(("127.0.0.1",), {"X-Forwarded-Proto": "javascript"}) == ("127.0.0.1", "http")


def test_a_proxy_that_is_no_network_stops_the_start() -> None:
    with pytest.raises(ValueError, match="trusted_proxies"):
        Settings(trusted_proxies=("everyone",))
