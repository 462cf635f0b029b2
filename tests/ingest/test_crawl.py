"""A site found link by link: bounded, polite, on its own host. Only loopback is contacted."""

import time
from collections.abc import AsyncIterator
from typing import TYPE_CHECKING

import pytest

from veraz.errors import Corrupt, FetchRefused, OutsideBusy, OutsideDown
from veraz.ingest.crawl import CrawledLink, crawl
from veraz.ingest.fetch_rules import FetchLimits
from veraz.ingest.links import page_links
from veraz.ingest.sitemap import sitemap_addresses

if TYPE_CHECKING:
    from tests.support.web_site import WebSite, redirect, reply, web_site
else:
    from support.web_site import WebSite, redirect, reply, web_site

LIMITS = FetchLimits(seconds=20, allow_private=True, ports=None)


@pytest.fixture
async def site() -> AsyncIterator[WebSite]:
    async with web_site() as running:
        yield running


async def found(site: WebSite, path: str = "/", **given: object) -> list[CrawledLink]:
    wanted = {"max_depth": 3, "max_pages": 100, "limits": LIMITS, "delay": 0.0} | given
    return [link async for link in crawl(site.url(path), **wanted)]  # type: ignore[arg-type]


def paths(site: WebSite, links: list[CrawledLink]) -> list[str]:
    return [link.url.removeprefix(site.url("")) for link in links]


def page(*links: str) -> bytes:
    return reply("".join(f'<p><a href="{link}">x</a></p>' for link in links).encode())


async def test_a_site_is_walked_from_near_to_far(site: WebSite) -> None:
    site.pages |= {
        "/": page("/a", "b", "/a#part"),
        "/a": page("/c", "/"),
        "/b": page("/c?x=1", "../a"),
        "/c": page("/d"),
    }
    links = await found(site, max_depth=2)
    assert paths(site, links) == ["/", "/a", "/b", "/c", "/c?x=1"]
    assert [link.depth for link in links] == [0, 1, 1, 2, 2]
    assert links[3].found_on == site.url("/a") and not any(link.problem for link in links)
    assert site.visits == ["/robots.txt", "/", "/sitemap.xml", "/a", "/b"]


async def test_depth_zero_is_the_page_itself(site: WebSite) -> None:
    site.pages["/"] = page("/a")
    assert paths(site, await found(site, max_depth=0)) == ["/"]


async def test_the_count_is_a_bound_also_against_endless_sites(site: WebSite) -> None:
    site.pages["/"] = page(*[f"/{n}" for n in range(500)])
    site.pages |= {f"/{n}": page(*[f"/{n}/{m}" for m in range(500)]) for n in range(500)}
    links = await found(site, max_pages=7)
    assert len(links) == 7 and len(site.visits) < 12


async def test_only_documents_of_the_same_host_are_taken(site: WebSite) -> None:
    site.pages["/"] = page(
        "https://other.example/", f"http://127.0.0.1:{site.port + 1}/", "//other.example/x", "mailto:a@b.c",
        "javascript:void(0)", "/photo.JPG", "/style.css", "/file.zip", "http://u:p@127.0.0.1:1/", "http://[bad",
        "/manual.pdf", "/ok", f"http://u:p@127.0.0.1:{site.port}/secret",
    )  # fmt: skip
    assert paths(site, await found(site, max_depth=1)) == ["/", "/manual.pdf", "/ok"]


async def test_tracking_marks_and_fragments_do_not_make_new_pages(site: WebSite) -> None:
    site.pages["/"] = page(
        "/a?utm_source=x", "/a#1", "/a", "/a?fbclid=2", "/a?id=1&utm_medium=m", "/a?id=1", "/./a"
    )
    assert paths(site, await found(site, max_depth=1)) == ["/", "/a", "/a?id=1"]


async def test_where_the_start_redirects_to_is_the_site_and_pages_that_leave_are_dropped(
    site: WebSite,
) -> None:
    site.pages |= {"/": redirect("/es/"), "/es/": page("a", "away", "again"), "/es/a": page()}
    site.pages |= {"/es/away": redirect("http://127.0.0.1:9/"), "/es/again": redirect("/es/a")}
    links = await found(site)
    assert paths(site, links) == ["/es/", "/es/a", "/es/away"]
    assert isinstance(links[2].problem, OutsideDown)


async def test_what_asks_not_to_be_followed_is_not_followed(site: WebSite) -> None:
    site.pages["/"] = reply(
        b'<a href="/a" rel="external nofollow">x</a><a href="/meta">x</a><a href="/header">x</a><a href="/b">x</a>'
    )
    site.pages["/meta"] = reply(b'<META content="noindex, NoFollow" name="Robots"><a href="/never">x</a>')
    site.pages["/header"] = reply(b'<a href="/never">x</a>', X_Robots_Tag="nofollow")
    assert paths(site, await found(site)) == ["/", "/meta", "/header", "/b"]


async def test_robots_close_parts_of_the_site_to_the_crawl(site: WebSite) -> None:
    site.pages["/robots.txt"] = reply(b"User-agent: *\nDisallow: /private\nDisallow: /*?\n")
    site.pages["/"] = page("/private/x", "/a?b=1", "/open")
    assert paths(site, await found(site)) == ["/", "/open"]
    site.pages["/robots.txt"] = reply(b"User-agent: VerazBot\nDisallow: /\n")
    with pytest.raises(FetchRefused, match=r"robots\.txt"):
        await found(site)


async def test_a_page_that_fails_is_told_and_the_crawl_goes_on(site: WebSite) -> None:
    site.pages |= {
        "/": page("/gone", "/broken", "/busy", "/ok"),
        "/broken": reply(status="500 Error"),
        "/ok": page("/z"),
    }
    site.pages["/busy"] = reply(status="429 Slow", Retry_After="0.1")
    links = await found(site)
    kinds = {path: type(link.problem) for path, link in zip(paths(site, links), links, strict=True)}
    assert (
        kinds["/gone"] is FetchRefused and kinds["/broken"] is OutsideDown and kinds["/busy"] is OutsideBusy
    )
    assert kinds["/ok"] is type(None) and "/z" in kinds


async def test_a_start_that_fails_is_an_error(site: WebSite) -> None:
    with pytest.raises(FetchRefused):
        await found(site, "/missing")


async def test_other_formats_are_named_but_not_read_for_links(site: WebSite) -> None:
    site.pages |= {"/": page("/doc.pdf"), "/doc.pdf": reply(b'<a href="/x">', kind="application/pdf")}
    assert paths(site, await found(site)) == ["/", "/doc.pdf"]


async def test_the_crawl_is_polite(site: WebSite) -> None:
    site.pages |= {"/": page("/a", "/b", "/c"), "/robots.txt": reply(b"User-agent: *\nCrawl-delay: 0.2\n")}
    began = time.monotonic()
    await found(site)
    assert time.monotonic() - began >= 0.6


async def test_a_sitemap_names_pages_nobody_links_to(site: WebSite) -> None:
    site.pages["/robots.txt"] = reply(
        f"Sitemap: {site.url('/maps.xml')}\nSitemap: http://other.example/s.xml".encode()
    )
    site.pages["/maps.xml"] = reply(
        f"<sitemapindex xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'><sitemap><loc>{site.url('/s1.xml')}</loc>"
        f"</sitemap><sitemap><loc>{site.url('/maps.xml')}</loc></sitemap></sitemapindex>".encode()
    )
    site.pages["/s1.xml"] = reply(
        f"<urlset><url><loc> {site.url('/hidden?a=1&amp;b=2')} </loc></url><url><loc>http://other.example/</loc></url>"
        "</urlset>".encode()
    )
    site.pages["/"] = page("/a")
    assert paths(site, await found(site, max_depth=1)) == ["/", "/a", "/hidden?a=1&b=2"]
    assert paths(site, await found(site, max_depth=1, use_sitemap=False)) == ["/", "/a"]


def test_a_sitemap_with_a_document_type_is_refused() -> None:
    bomb = b'<!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><urlset><url><loc>&b;</loc></url></urlset>'
    for xml in (bomb, bomb.decode().encode("utf-16"), b"<urlset><url>", b"", b"\0\0"):
        with pytest.raises(Corrupt):
            sitemap_addresses(xml)


def test_links_are_read_like_a_browser_reads_them() -> None:
    html = """<BASE HREF='/x/'><!-- <a href="no1"> --><script>"<a href=no2>"</script><A title="a>b" HREF = "yes1?a=1&amp;b=2">
    <a href=yes2><a
      href='yes3 ' ><abbr href=no3><a name=x><a href=""><area href="ñ"><a data-href="no4" href="yes2">"""
    assert page_links(html.encode()) == ("/x/", ("yes1?a=1&b=2", "yes2", "yes3", "ñ"))
    assert page_links("<a href='/año'>".encode("latin-1")) == (None, ("/año",))


@pytest.mark.parametrize(
    "piece",
    [
        b"<a href=",
        b"<!--",
        b"<div>",
        b"<a href='",
        b"<a href=x>",
        b"<",
        b"\0",
        b'<a a="',
        b"<script>",
        b"<a>",
        b"<a ",
    ],
)
def test_a_hostile_page_costs_little(piece: bytes) -> None:
    began = time.monotonic()
    page_links(piece * (2_000_000 // len(piece)))
    page_links(b"<a " + piece * (2_000_000 // len(piece)))
    assert time.monotonic() - began < 15
