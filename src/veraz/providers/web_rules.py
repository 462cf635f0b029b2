"""Which web addresses may be visited at all, decided without any network.

A visitor can type any address, and a public page can redirect to any other. So everything that is
not plainly a public web server is refused: private and reserved networks in all their spellings,
IPv6 forms that carry a private IPv4 address inside, secrets in the address, odd ports.
"""

import re
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address

import httpx

from veraz.errors import FetchRefused, Phrase
from veraz.security import record

Address = IPv4Address | IPv6Address

WEB_PORTS = frozenset({80, 443, 8080, 8443})
URL_LENGTH_MAX = 4096

# Written out instead of trusting `is_global` alone, which has changed between Python versions.
NOT_PUBLIC_V4 = tuple(
    IPv4Network(network)
    for network in (
        "0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12",
        "192.0.0.0/24", "192.0.2.0/24", "192.88.99.0/24", "192.168.0.0/16", "198.18.0.0/15",
        "198.51.100.0/24", "203.0.113.0/24", "224.0.0.0/4", "240.0.0.0/4",
        "168.63.129.16/32",  # a cloud's inner service that looks public
    )
)  # fmt: skip
GLOBAL_UNICAST_V6 = IPv6Network("2000::/3")
NOT_PUBLIC_V6 = tuple(
    IPv6Network(network) for network in ("2001::/23", "2001:db8::/32", "3ffe::/16", "3fff::/20")
)
NAT64 = IPv6Network("64:ff9b::/96")

HOST = re.compile(r"[\w.-]+|[0-9a-f:.]+(%\w+)?", re.ASCII | re.IGNORECASE)
NUMBER_LABEL = re.compile(r"(0x[0-9a-f]*|[0-9]+)\Z", re.IGNORECASE)


def checked_url(
    url: str | httpx.URL, *, allow_private: bool = False, ports: frozenset[int] | None = WEB_PORTS
) -> httpx.URL:
    """The address, parsed, or `FetchRefused` with the reason; names are checked when they are resolved."""
    parsed = _parsed(url)
    reason = _refusal(parsed, allow_private, ports)
    if reason is not None:
        tell_refused(parsed, reason)
        raise FetchRefused(url=shown(parsed), reason=reason)
    return parsed


def tell_refused(url: httpx.URL, reason: Phrase) -> None:
    """Somebody wants us to go where we do not go."""
    record("address_refused", outcome="refused", host=url.host, reason=str(reason))


def is_public(address: Address) -> bool:
    """Whether an address belongs to the public internet, looking inside IPv6 forms that carry IPv4."""
    if isinstance(address, IPv4Address):
        return address.is_global and not any(address in network for network in NOT_PUBLIC_V4)
    inner = _carried_ipv4(address)
    if inner is not None:
        return is_public(inner)
    reserved = any(address in network for network in NOT_PUBLIC_V6)
    return address in GLOBAL_UNICAST_V6 and address.is_global and not reserved and address.scope_id is None


def literal_address(host: str) -> Address | None:
    """The address a host spells out, or None for a name."""
    try:
        return ip_address(host.strip("[]"))
    except ValueError:
        return None


def shown(url: httpx.URL) -> str:
    """The address as it may be shown and logged: without name and password."""
    return str(url.copy_with(userinfo=b"")) if url.userinfo else str(url)


def _parsed(url: str | httpx.URL) -> httpx.URL:
    if isinstance(url, httpx.URL):
        return url
    try:
        # Twice: only a scheme already in lower case loses its default port.
        parsed = httpx.URL(str(httpx.URL(url.strip()[: URL_LENGTH_MAX + 1])))
        assert isinstance(parsed.host, str)  # a name that says it is encoded, and is not, fails here
        return parsed
    except (httpx.InvalidURL, UnicodeError) as problem:
        raise FetchRefused(
            url=url[:200], reason=Phrase("it is not a valid address", es="no es una dirección válida")
        ) from problem


def _refusal(url: httpx.URL, allow_private: bool, ports: frozenset[int] | None) -> Phrase | None:
    port = (443 if url.scheme == "https" else 80) if url.port is None else url.port
    if url.scheme not in ("http", "https"):
        return Phrase("only http and https are read", es="solo se leen direcciones http y https")
    if len(str(url)) > URL_LENGTH_MAX or not 0 < port < 65536 or not HOST.fullmatch(url.raw_host.decode()):
        return Phrase("it is not a valid address", es="no es una dirección válida")
    if url.userinfo:
        return Phrase("it carries a name or password", es="lleva un usuario o una contraseña")
    if ports is not None and port not in ports:
        return Phrase(f"port {port} is not a web port", es=f"el puerto {port} no es un puerto web")
    return _host_refusal(url.raw_host.decode("ascii"), allow_private)


def _host_refusal(host: str, allow_private: bool) -> Phrase | None:
    address = literal_address(host)
    if address is None and NUMBER_LABEL.match(host.rstrip(".").rpartition(".")[2]):
        return Phrase(
            "its host is a number in an unusual spelling", es="su servidor es un número mal escrito"
        )
    if address is not None and not allow_private and not is_public(address):
        return private_reason(host)
    return None


def private_reason(host: str) -> Phrase:
    """Why a host on a private network is not visited."""
    return Phrase(f"«{host}» is not on the public internet", es=f"«{host}» no está en la internet pública")


def _carried_ipv4(address: IPv6Address) -> IPv4Address | None:
    if address in NAT64:
        return IPv4Address(int(address) & 0xFFFFFFFF)
    return address.ipv4_mapped or address.sixtofour
