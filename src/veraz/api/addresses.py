"""Where a request comes from. A proxy is believed only when the installation names it; nobody else, not even this machine.

Each proxy appends the address it was called from to X-Forwarded-For, so that whatever a caller wrote stands on the
left: read from the right, the first address that is no proxy of ours is the caller's.
"""

from collections.abc import Iterable, Sequence
from ipaddress import IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from typing import Final

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

_MOST_HOPS: Final = 20


class TrustedProxies:
    """The networks whose word is believed."""

    def __init__(self, networks: Iterable[str] = ()) -> None:
        self._networks: list[IPv4Network | IPv6Network] = [ip_network(one, strict=False) for one in networks]

    def __contains__(self, address: str) -> bool:
        if not self._networks:
            return False
        try:
            place = ip_address(address)
        except ValueError:
            return False
        if isinstance(place, IPv6Address) and place.ipv4_mapped:
            place = place.ipv4_mapped
        return any(place in network for network in self._networks)

    def caller(self, peer: str, forwarded: Sequence[str]) -> str:
        """The nearest address that is none of ours; `peer` where nobody believable says otherwise."""
        nearest = peer
        hops = ",".join(forwarded).rsplit(",", _MOST_HOPS)[-_MOST_HOPS:] if peer in self else []
        for hop in reversed(hops):
            if nearest not in self or (address := _plain(hop)) is None:
                break
            nearest = address
        return nearest


class RealAddress:
    """Puts the caller's own address and scheme where everything behind it looks for them."""

    def __init__(self, app: ASGIApp, *, proxies: TrustedProxies) -> None:
        self.app = app
        self._proxies = proxies

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        client = scope.get("client")
        if client and client[0] in self._proxies:
            headers = Headers(scope=scope)
            address = self._proxies.caller(client[0], headers.getlist("x-forwarded-for"))
            scope = {**scope, "client": (address, 0)}
            scheme = headers.get("x-forwarded-proto", "").strip().lower()
            if scheme in ("http", "https"):
                scope["scheme"] = scheme.replace("http", "ws") if scope["type"] == "websocket" else scheme
        await self.app(scope, receive, send)


def _plain(hop: str) -> str | None:
    """An address without its port; None where it is none."""
    text = hop.strip()
    if text.startswith("["):
        text = text[1:].partition("]")[0]
    elif text.count(":") == 1:
        text = text.partition(":")[0]
    try:
        return str(ip_address(text))
    except ValueError:
        return None
