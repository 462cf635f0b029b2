"""A whole site, link by link: bounded by depth and count, one host, politely slow.

The crawl only finds addresses; each becomes a document that is fetched, parsed and reported by
itself. What could not be looked into is yielded too, with its problem, so that nothing is lost
silently.
"""

import asyncio
import re
from collections import deque
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass, replace
from pathlib import PurePosixPath
from urllib.parse import urljoin

import httpx

from veraz.errors import OutsideBusy, TooLarge, VerazError
from veraz.ingest.fetch import Trip, fetch, way_out
from veraz.ingest.fetch_rules import FetchedPage, FetchLimits
from veraz.ingest.links import page_links
from veraz.ingest.robots import RobotsCache, RobotsRules
from veraz.ingest.sitemap import sitemap_addresses

HTML = ("text/html", "application/xhtml+xml")
HTML_BYTES_MAX = 5 * 1024 * 1024
SITEMAPS_MAX = 10
DELAY_MAX = 30.0
SEEN_PER_PAGE = 4
"""Addresses remembered for each page wanted: some turn out to be the same page or another site."""

TRACKING = re.compile(r"\b(utm_\w+|gclid|fbclid|mc_cid|mc_eid)=[^&]*&?")
NOT_DOCUMENTS = frozenset(
    [
        ".jpg",
        ".jpeg",
        ".png",
        ".gif",
        ".svg",
        ".webp",
        ".ico",
        ".bmp",
        ".tif",
        ".tiff",
        ".css",
        ".js",
        ".mjs",
        ".map",
        ".woff",
        ".woff2",
        ".ttf",
        ".eot",
        ".otf",
        ".mp3",
        ".mp4",
        ".m4a",
        ".avi",
        ".mov",
        ".webm",
        ".ogg",
        ".wav",
        ".zip",
        ".gz",
        ".tgz",
        ".bz2",
        ".xz",
        ".7z",
        ".rar",
        ".tar",
        ".exe",
        ".msi",
        ".dmg",
        ".iso",
        ".apk",
        ".deb",
        ".rpm",
        ".rss",
        ".atom",
        ".ics",
    ]
)


@dataclass(frozen=True, slots=True, kw_only=True)
class CrawledLink:
    """An address of the site worth a document."""

    url: str
    depth: int
    """Clicks away from the start; what the sitemap names counts as one."""
    found_on: str | None
    problem: VerazError | None = None
    """Why it could not be looked into; a document for it would fail the same way now."""


async def crawl(
    start_url: str,
    *,
    max_depth: int,
    max_pages: int,
    limits: FetchLimits,
    delay: float = 1.0,
    use_sitemap: bool = True,
    transport: httpx.AsyncBaseTransport | None = None,
    robots: RobotsCache | None = None,
) -> AsyncIterator[CrawledLink]:
    """Addresses from near to far; an error of the start page is raised, of any other yielded."""
    known = robots or RobotsCache()
    async with way_out(limits, transport) as out:
        site = _Site(out, limits, known, max_pages, delay)
        async for link in site.walk(start_url, max_depth, use_sitemap):
            yield link


class _Site:
    """What one crawl knows: where it may go, what it has seen, what is waiting."""

    def __init__(
        self,
        out: httpx.AsyncBaseTransport,
        limits: FetchLimits,
        robots: RobotsCache,
        max_pages: int,
        delay: float,
    ) -> None:
        self._out, self._robots, self._max_pages, self._delay = out, robots, max_pages, delay
        self._limits = limits
        self._html_limits = replace(limits, max_bytes=min(limits.max_bytes, HTML_BYTES_MAX))
        self._seen: set[str] = set()
        self._waiting: deque[CrawledLink] = deque()
        self._home = httpx.URL()
        self._rules = RobotsRules()

    async def walk(self, start_url: str, max_depth: int, use_sitemap: bool) -> AsyncIterator[CrawledLink]:
        """Breadth first; pages at the last depth are named without being read here."""
        start, links = await self._enter(start_url)
        yield start
        if max_depth > 0:
            await self._add(links, start.url, 1)
            if use_sitemap and self._room():
                await self._add(await self._sitemap_links(), None, 1)
        for _ in range(self._max_pages - 1):
            link = await self._next(max_depth)
            if link is None:
                return
            yield link

    async def _enter(self, start_url: str) -> tuple[CrawledLink, tuple[str, ...]]:
        """Read the start page; where it redirects to is the site."""
        async with fetch(start_url, self._html_limits, transport=self._out, robots=self._robots) as page:
            self._home = httpx.URL(page.final_url)
            trip = Trip(self._out, self._limits, self._robots)
            self._rules = await trip.rules(self._home)
            links = await _links(page)
        url = _normal(self._home)
        self._seen.add(url)
        return CrawledLink(url=url, depth=0, found_on=None), links

    async def _next(self, max_depth: int) -> CrawledLink | None:
        """The next address that is really another page of this site."""
        while self._waiting:
            link = self._waiting.popleft()
            looked = await self._look_into(link) if link.depth < max_depth else link
            if looked is not None:
                return looked
        return None

    async def _look_into(self, link: CrawledLink) -> CrawledLink | None:
        """Read the page for its links; None when it leads away or to a page seen already."""
        await asyncio.sleep(min(max(self._delay, self._rules.delay), DELAY_MAX))
        try:
            async with fetch(link.url, self._html_limits, transport=self._out, robots=self._robots) as page:
                final = _normal(httpx.URL(page.final_url))
                if not self._is_new_here(link.url, final):
                    return None
                self._seen.add(final)
                await self._add(await _links(page), final, link.depth + 1)
                return replace(link, url=final)
        except VerazError as problem:
            self._slow_down(problem)
            return replace(link, problem=problem)

    def _slow_down(self, problem: VerazError) -> None:
        if isinstance(problem, OutsideBusy):
            self._delay = max(2 * self._delay, problem.retry_after or 1.0)

    def _is_new_here(self, asked: str, final: str) -> bool:
        return final == asked or (self._is_here(httpx.URL(final)) and final not in self._seen)

    async def _add(self, links: tuple[str, ...], found_on: str | None, depth: int) -> None:
        # In a thread: thousands of links against a stranger's thousand rules is real work.
        for url in await asyncio.to_thread(lambda: list(self._worth(links))):
            if url not in self._seen and self._room():
                self._seen.add(url)
                self._waiting.append(CrawledLink(url=url, depth=depth, found_on=found_on))

    def _room(self) -> bool:
        return len(self._seen) < self._max_pages * SEEN_PER_PAGE

    def _worth(self, links: tuple[str, ...]) -> Iterator[str]:
        """Pages of this host that robots may read and that can be documents."""
        for link in links:
            url = _url(link)
            document = PurePosixPath(url.path).suffix.lower() not in NOT_DOCUMENTS
            if document and self._is_here(url) and self._rules.allows(url.raw_path.decode("ascii")):
                yield _normal(self._same_scheme(url))

    def _is_here(self, url: httpx.URL) -> bool:
        same_place = (url.host, url.port) == (self._home.host, self._home.port)
        return same_place and url.scheme in ("http", "https") and not url.userinfo

    def _same_scheme(self, url: httpx.URL) -> httpx.URL:
        return url.copy_with(scheme=self._home.scheme) if url.port is None else url

    async def _sitemap_links(self) -> tuple[str, ...]:
        """What the sitemaps name; a missing or broken sitemap is no trouble."""
        waiting = deque([*self._rules.sitemaps, str(self._home.copy_with(raw_path=b"/sitemap.xml"))])
        asked, found = set[str](), list[str]()
        while waiting and len(asked) < SITEMAPS_MAX:
            address = waiting.popleft()
            if address in asked or not self._is_here(_url(address)):
                continue
            asked.add(address)
            is_index, addresses = await self._read_sitemap(address)
            (waiting if is_index else found).extend(addresses)
        return tuple(found)

    async def _read_sitemap(self, address: str) -> tuple[bool, tuple[str, ...]]:
        try:
            async with fetch(address, self._html_limits, transport=self._out, robots=self._robots) as page:
                xml = await _whole(page)
            return await asyncio.to_thread(sitemap_addresses, xml)
        except VerazError:
            return False, ()


async def _links(page: FetchedPage) -> tuple[str, ...]:
    """The page's links as whole addresses; none for other formats or when it says nofollow."""
    if page.content_type not in HTML or "nofollow" in page.robots_tag:
        return ()
    try:
        return await asyncio.to_thread(_absolute_links, page.final_url, await _whole(page))
    except TooLarge:
        return ()


def _absolute_links(url: str, html: bytes) -> tuple[str, ...]:
    base, links = page_links(html)
    start = _joined(url, base or "")
    return tuple(_joined(start, link) for link in links)


def _joined(base: str, link: str) -> str:
    try:
        return urljoin(base, link)
    except ValueError:
        return base


def _url(text: str) -> httpx.URL:
    """The address, or an empty one, which is nowhere."""
    try:
        return httpx.URL(text)
    except httpx.InvalidURL:
        return httpx.URL()


async def _whole(page: FetchedPage) -> bytes:
    return b"".join([piece async for piece in page.body])


def _normal(url: httpx.URL) -> str:
    """One spelling per page: no fragment, no tracking marks, a path."""
    query = TRACKING.sub("", url.query.decode("ascii")).rstrip("&").encode()
    path = url.raw_path.partition(b"?")[0]
    return str(url.copy_with(fragment=None, raw_path=path + b"?" + query if query else path))
