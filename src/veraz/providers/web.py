"""The guarded way out to the public web, for pages we read and webhooks we send.

A name is resolved here, every address it has must be public, and the connection goes to exactly the
address that was checked: a name that answers differently the second time gains nothing. The host
keeps its name in TLS and in the `Host` header. Redirects are new requests and are checked again.

Give the client `trust_env=False`, so that no proxy or netrc of the machine is used.
"""

import asyncio
import socket
import ssl
from collections.abc import AsyncIterable, AsyncIterator, Awaitable, Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache
from ipaddress import ip_address

import httpcore
import httpx

from veraz.errors import FetchRefused, Phrase
from veraz.providers.web_rules import (
    WEB_PORTS,
    checked_url,
    is_public,
    literal_address,
    private_reason,
    shown,
    tell_refused,
)
from veraz.settings import Settings

Resolver = Callable[[str, int], Awaitable[Sequence[str]]]

ADDRESSES_TRIED = 3
HTTPCORE_FAULTS = (
    httpcore.TimeoutException,
    httpcore.NetworkError,
    httpcore.ProtocolError,
    httpcore.UnsupportedProtocol,
)


def safe_transport(settings: Settings, *, ports: frozenset[int] | None = WEB_PORTS) -> "PublicOnlyTransport":
    """The transport for addresses that other people chose; closed networks may open it by a setting."""
    private = settings.fetch_allow_private
    return PublicOnlyTransport(allow_private=private, ports=None if private else ports)


async def system_addresses(host: str, port: int) -> Sequence[str]:
    """Every address the system's resolver knows for a name."""
    found = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(entry[4][0]) for entry in found))


class PublicOnlyTransport(httpx.AsyncBaseTransport):
    """An httpx transport that only reaches public web servers; anything else is `FetchRefused`."""

    def __init__(
        self,
        *,
        allow_private: bool = False,
        ports: frozenset[int] | None = WEB_PORTS,
        resolve: Resolver = system_addresses,
        network: httpcore.AsyncNetworkBackend | None = None,
        ssl_context: ssl.SSLContext | None = None,
    ) -> None:
        self._allow_private, self._ports = allow_private, ports
        self._pool = httpcore.AsyncConnectionPool(
            ssl_context=ssl_context or _public_trust(),
            network_backend=_CheckedNetwork(network or httpcore.AnyIOBackend(), resolve, allow_private),
            max_connections=20,
            keepalive_expiry=5.0,
        )

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Check the address, then send; the checked network decides about the host's own addresses."""
        checked_url(request.url, allow_private=self._allow_private, ports=self._ports)
        try:
            with _httpx_faults(request):
                response = await self._pool.handle_async_request(_as_httpcore(request))
        except _RefusedError as refused:
            if not refused.nobody:
                tell_refused(request.url, refused.reason)
            about = {"url": shown(request.url), "reason": refused.reason, "nobody": refused.nobody}
            raise FetchRefused(**about) from None
        assert isinstance(response.stream, AsyncIterable)
        return httpx.Response(
            status_code=response.status,
            headers=response.headers,
            stream=_Body(response.stream, request),
            extensions=response.extensions,
            request=request,
        )

    async def aclose(self) -> None:
        """Close the kept connections."""
        await self._pool.aclose()


class _CheckedNetwork(httpcore.AsyncNetworkBackend):
    """Resolves by itself and dials only addresses that passed the check."""

    def __init__(self, network: httpcore.AsyncNetworkBackend, resolve: Resolver, allow_private: bool) -> None:
        self._network, self._resolve, self._allow_private = network, resolve, allow_private

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,  # noqa: ASYNC109 — httpcore's signature
        local_address: str | None = None,
        socket_options: Iterable[httpcore.SOCKET_OPTION] | None = None,
    ) -> httpcore.AsyncNetworkStream:
        """Try the checked addresses in the resolver's order."""
        problem: httpcore.ConnectError | httpcore.ConnectTimeout | None = None
        for address in (await self._checked(host, port, timeout))[:ADDRESSES_TRIED]:
            try:
                return await self._network.connect_tcp(address, port, timeout, local_address, socket_options)
            except (httpcore.ConnectError, httpcore.ConnectTimeout) as failed:
                problem = failed
        raise problem or httpcore.ConnectError("no address")

    async def sleep(self, seconds: float) -> None:
        """Wait between attempts."""
        await self._network.sleep(seconds)

    async def _checked(self, host: str, port: int, seconds: float | None) -> Sequence[str]:
        """All addresses of the host; one private address among public ones condemns it."""
        found = [host] if literal_address(host) else await self._addresses(host, port, seconds)
        addresses = [ip_address(address) for address in found]
        if not self._allow_private and not all(is_public(address) for address in addresses):
            raise _RefusedError(private_reason(host))
        return [str(address) for address in addresses]

    async def _addresses(self, host: str, port: int, seconds: float | None) -> Sequence[str]:
        try:
            async with asyncio.timeout(seconds):
                return await self._resolve(host, port)
        except TimeoutError as problem:
            raise httpcore.ConnectTimeout("name lookup took too long") from problem
        except (socket.gaierror, UnicodeError) as problem:
            if isinstance(problem, socket.gaierror) and problem.errno not in _NO_SUCH_NAME:
                raise httpcore.ConnectError(f"name lookup failed: {problem.strerror}") from problem
            raise _RefusedError(
                Phrase(f"there is no server «{host}»", es=f"no existe el servidor «{host}»"), nobody=True
            ) from problem


class _Body(httpx.AsyncByteStream):
    """The response's bytes, with httpcore's errors as httpx's."""

    def __init__(self, stream: AsyncIterable[bytes], request: httpx.Request) -> None:
        self._stream, self._request = stream, request

    async def __aiter__(self) -> AsyncIterator[bytes]:
        with _httpx_faults(self._request):
            async for piece in self._stream:
                yield piece

    async def aclose(self) -> None:
        close = getattr(self._stream, "aclose", None)
        if close is not None:
            await close()


class _RefusedError(Exception):
    """Carries a reason from the socket level up to where the whole address is known."""

    def __init__(self, reason: Phrase, *, nobody: bool = False) -> None:
        super().__init__(reason)
        self.reason = reason
        self.nobody = nobody
        """Whether nobody has this name now; somebody may have it tomorrow."""


_NO_SUCH_NAME = {socket.EAI_NONAME, getattr(socket, "EAI_NODATA", socket.EAI_NONAME)}


def _as_httpcore(request: httpx.Request) -> httpcore.Request:
    url = request.url
    return httpcore.Request(
        method=request.method,
        url=httpcore.URL(scheme=url.raw_scheme, host=url.raw_host, port=url.port, target=url.raw_path),
        headers=request.headers.raw,
        content=request.stream,
        extensions=request.extensions,
    )


@contextmanager
def _httpx_faults(request: httpx.Request) -> Iterator[None]:
    """httpx names its transport errors like httpcore, class by class."""
    try:
        yield
    except HTTPCORE_FAULTS as problem:
        kind = getattr(httpx, type(problem).__name__, httpx.TransportError)
        raise kind(str(problem), request=request) from problem


@lru_cache(maxsize=1)
def _public_trust() -> ssl.SSLContext:
    """Loading the root certificates takes some 20 ms, so it is done once."""
    return httpx.create_ssl_context(trust_env=False)
