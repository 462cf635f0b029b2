"""Which pages may show a widget: an origin is a scheme, a host and a port, as browsers say it."""

import re
from collections.abc import Iterable
from typing import Final
from urllib.parse import SplitResult, urlsplit

from veraz import errors

_PORTS: Final = {"http": 80, "https": 443}
_HOST: Final = re.compile(
    r"(\*\.)?(?=.{1,253}$)[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*"
)
_LOOPBACK: Final = re.compile(r"(.+\.)?localhost|127(\.\d{1,3}){3}|::1")
_NOT_ONE: Final = errors.Phrase(
    "write it as https://www.example.com, or https://*.example.com for all its sub-domains",
    es="escríbalo como https://www.ejemplo.mx, o https://*.ejemplo.mx para todos sus subdominios",
)
_TOO_WIDE: Final = errors.Phrase(
    "after *. name a domain of your own, such as https://*.example.com",
    es="después de *. escriba un dominio suyo, como https://*.ejemplo.mx",
)


def origin_of(address: str) -> str:
    """The origin of what a person wrote, perhaps a whole address; Invalid where it has none."""
    try:
        parts = _parts(address.strip())
        host, port = _ascii(parts.hostname or ""), parts.port
    except ValueError:
        raise errors.Invalid(field="origins", reason=_NOT_ONE) from None
    if parts.scheme not in _PORTS or parts.username is not None or not _is_host(parts, host):
        raise errors.Invalid(field="origins", reason=_NOT_ONE)
    if host.startswith("*.") and host.count(".") < 2:
        raise errors.Invalid(field="origins", reason=_TOO_WIDE)
    shown = f"[{host}]" if ":" in host else host
    return f"{parts.scheme}://{shown}" + (f":{port}" if port and port != _PORTS[parts.scheme] else "")


def understood(address: str) -> str | None:
    """The origin of what a person is still writing; None where it has none yet."""
    try:
        return origin_of(address)
    except errors.Invalid:
        return None


def _parts(written: str) -> SplitResult:
    """Without a scheme it is https, as sites are; this machine's own pages are http, as who builds a site has them."""
    if "://" in written:
        return urlsplit(written)
    parts = urlsplit(f"https://{written}")
    return parts._replace(scheme="http") if _LOOPBACK.fullmatch(parts.hostname or "") else parts


def allows(origins: Iterable[str], origin: str | None) -> bool:
    """Whether a page of this origin, as its browser names it, is among them."""
    if not origin or not origin.isascii():
        return False
    return any(_below(one, origin) if "*" in one else origin == one for one in origins)


def _below(rule: str, origin: str) -> bool:
    """Whether the origin is a sub-domain of the rule's domain, with the same scheme and port."""
    before, _, domain = rule.partition("*")
    name = origin.removeprefix(before).removesuffix(domain)
    return origin == f"{before}{name}{domain}" and "*" not in name and _HOST.fullmatch(name) is not None


def _is_host(parts: SplitResult, host: str) -> bool:
    return "[" in parts.netloc or _HOST.fullmatch(host) is not None


def _ascii(host: str) -> str:
    """As browsers send it: names in other letters in their ASCII form."""
    stars, name = ("*.", host[2:]) if host.startswith("*.") else ("", host)
    return stars + (name if name.isascii() else name.encode("idna").decode()).lower()
