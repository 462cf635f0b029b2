"""Reading one page of the web safely: public servers only, politely, within bounds.

    async with fetch(url, limits) as page:
        await files.put(key, page.body, max_bytes=limits.max_bytes)

`FetchRefused` and `TooLarge` are for good; `OutsideDown` and `OutsideBusy` may be tried again.
"""

import asyncio
import ssl
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager

import httpx

from veraz.errors import FetchRefused, OutsideDown, Phrase
from veraz.ingest.fetch_rules import FetchedPage, FetchLimits, Unpacker, judge, page_of
from veraz.ingest.robots import ROBOT_NAME, ROBOTS_BYTES_MAX, RobotsCache, RobotsRules, parse_robots
from veraz.providers.web import PublicOnlyTransport
from veraz.providers.web_rules import checked_url, shown

HEADERS = {
    "User-Agent": f"{ROBOT_NAME}/1.0",
    "Accept": "text/html,application/xhtml+xml,application/pdf,*/*;q=0.8",
    "Accept-Language": "es,en;q=0.8",
    "Accept-Encoding": "gzip",
}
REDIRECTS = (301, 302, 303, 307, 308)


@asynccontextmanager
async def fetch(
    url: str,
    limits: FetchLimits,
    *,
    transport: httpx.AsyncBaseTransport | None = None,
    robots: RobotsCache | None = None,
) -> AsyncIterator[FetchedPage]:
    """Read a page; give a transport and a cache to share connections and robots rules between pages."""
    async with way_out(limits, transport) as out:
        trip = Trip(out, limits, robots or RobotsCache())
        start = trip.checked(url)
        final, response = await trip.follow(start)
        try:
            judge(final, response)
            yield page_of(start, final, response, trip.body(final, response, limits.max_bytes))
        finally:
            await response.aclose()


@asynccontextmanager
async def way_out(
    limits: FetchLimits, transport: httpx.AsyncBaseTransport | None = None
) -> AsyncIterator[httpx.AsyncBaseTransport]:
    """The given transport, or a guarded one of its own for the time of the visit."""
    if transport is not None:
        yield transport
        return
    async with PublicOnlyTransport(allow_private=limits.allow_private, ports=limits.ports) as own:
        yield own


class Trip:
    """One visit with one deadline: the robots file, the redirects and the body share it."""

    def __init__(self, transport: httpx.AsyncBaseTransport, limits: FetchLimits, robots: RobotsCache) -> None:
        self._transport, self._limits, self._robots = transport, limits, robots
        self._deadline = asyncio.get_running_loop().time() + limits.seconds

    def checked(self, url: str | httpx.URL) -> httpx.URL:
        """The address without its fragment, or `FetchRefused`."""
        checked = checked_url(url, allow_private=self._limits.allow_private, ports=self._limits.ports)
        return checked.copy_with(fragment=None)

    async def follow(self, url: httpx.URL, *, as_robot: bool = True) -> tuple[httpx.URL, httpx.Response]:
        """Go where the redirects lead, asking every site on the way whether robots may come."""
        visited = {str(url)}
        while True:
            if as_robot and not (await self.rules(url)).allows(url.raw_path.decode("ascii")):
                raise FetchRefused(url=shown(url), reason=ROBOTS_REASON)
            response = await self._get(url)
            if response.status_code not in REDIRECTS:
                return url, response
            await response.aclose()
            url = self._next(url, response, visited)
            visited.add(str(url))

    async def rules(self, url: httpx.URL) -> RobotsRules:
        """What the site's robots.txt says; a site without one is open, one that fails is tried later."""
        site = url.copy_with(raw_path=b"/robots.txt")
        known = self._robots.get(str(site))
        if known is None:
            known = await self._ask_rules(site)
            self._robots.keep(str(site), known)
        return known

    async def body(self, url: httpx.URL, response: httpx.Response, max_bytes: int) -> AsyncIterator[bytes]:
        """The unpacked bytes, until the limit of size or time."""
        unpacker = Unpacker(url, response, max_bytes)
        chunks = response.aiter_raw()
        while (chunk := await self._next_chunk(url, chunks)) is not None:
            for piece in unpacker.feed(chunk):
                yield piece
        for piece in unpacker.finish():
            yield piece

    async def _get(self, url: httpx.URL) -> httpx.Response:
        seconds = httpx.Timeout(self._limits.seconds, connect=self._limits.connect_seconds)
        request = httpx.Request("GET", url, headers=HEADERS, extensions={"timeout": seconds.as_dict()})
        with _outside(url, self._limits.seconds):
            async with asyncio.timeout_at(self._deadline):
                return await self._transport.handle_async_request(request)

    def _next(self, url: httpx.URL, response: httpx.Response, visited: set[str]) -> httpx.URL:
        try:
            target = self.checked(url.join(response.headers.get("location", "")))
        except httpx.InvalidURL as problem:
            raise FetchRefused(url=shown(url), reason=NOWHERE_REASON) from problem
        if str(target) in visited:
            raise FetchRefused(url=shown(url), reason=CIRCLE_REASON)
        if len(visited) > self._limits.redirects:
            raise FetchRefused(url=shown(url), reason=TOO_MANY_REASON)
        return target

    async def _ask_rules(self, site: httpx.URL) -> RobotsRules:
        final, response = await self.follow(site, as_robot=False)
        try:
            if 400 <= response.status_code < 500 and response.status_code != 429:
                return RobotsRules()
            judge(final, response)
            return parse_robots((await self._start_of_body(final, response)).decode("utf-8", "replace"))
        finally:
            await response.aclose()

    async def _start_of_body(self, url: httpx.URL, response: httpx.Response) -> bytes:
        """At most as much as a robots file may say; the rest is not read."""
        text = bytearray()
        async for piece in self.body(url, response, sys.maxsize):
            text += piece
            if len(text) > ROBOTS_BYTES_MAX:
                break
        return bytes(text)

    async def _next_chunk(self, url: httpx.URL, chunks: AsyncIterator[bytes]) -> bytes | None:
        with _outside(url, self._limits.seconds):
            async with asyncio.timeout_at(self._deadline):
                return await anext(chunks, None)


ROBOTS_REASON = Phrase(
    "the site asks robots not to read it (robots.txt)",
    es="el sitio pide que los robots no la lean (robots.txt)",
)
NOWHERE_REASON = Phrase("it redirects to no valid address", es="redirige a una dirección no válida")
CIRCLE_REASON = Phrase("it redirects in a circle", es="redirige en círculo")
TOO_MANY_REASON = Phrase("it redirects too many times", es="redirige demasiadas veces")
CERTIFICATE_REASON = Phrase(
    "its security certificate is not valid", es="su certificado de seguridad no es válido"
)


@contextmanager
def _outside(url: httpx.URL, seconds: float) -> Iterator[None]:
    """What the network's errors mean: a wrong certificate stays wrong, the rest may pass."""
    try:
        yield
    except (TimeoutError, httpx.TimeoutException) as problem:
        reason = Phrase(f"it took longer than {seconds:g} seconds", es=f"tardó más de {seconds:g} segundos")
        raise OutsideDown(host=url.host, reason=reason) from problem
    except httpx.TransportError as problem:
        if _is_certificate(problem):
            raise FetchRefused(url=shown(url), reason=CERTIFICATE_REASON) from problem
        reason = Phrase("the connection failed", es="la conexión falló")
        raise OutsideDown(host=url.host, reason=reason) from problem


def _is_certificate(problem: BaseException | None) -> bool:
    while problem is not None and not isinstance(problem, ssl.SSLCertVerificationError):
        problem = problem.__cause__ or problem.__context__
    return problem is not None
