"""Reading strangers' pages: nothing private is ever reached, nothing is unbounded. Only loopback is contacted."""

import asyncio
import gzip
import ipaddress
import socket
import ssl
import time
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from pathlib import Path
from typing import TYPE_CHECKING

import httpcore
import httpx
import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

from veraz.errors import FetchRefused, OutsideBusy, OutsideDown, TooLarge, VerazError
from veraz.ingest.fetch import fetch
from veraz.ingest.fetch_rules import FetchLimits, filename_of, retry_after
from veraz.ingest.robots import RobotsCache, parse_robots
from veraz.providers.web import PublicOnlyTransport, Resolver, safe_transport
from veraz.providers.web_rules import is_public
from veraz.settings import Settings

if TYPE_CHECKING:
    from tests.support.web_site import WebSite, redirect, reply, web_site
else:
    from support.web_site import WebSite, redirect, reply, web_site

MB = 1024 * 1024
OPEN = FetchLimits(seconds=20, allow_private=True, ports=None)
STRICT = FetchLimits(seconds=20)
PUBLIC = "93.184.216.34"


class Recorder(httpcore.AsyncNetworkBackend):
    """A network that goes nowhere: it notes the address dialled and answers by a script."""

    def __init__(self, *answers: bytes) -> None:
        self.dialled: list[tuple[str, int]] = []
        self.answers = list(answers)

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,  # noqa: ASYNC109
        local_address: str | None = None,
        socket_options: Iterable[httpcore.SOCKET_OPTION] | None = None,
    ) -> httpcore.AsyncNetworkStream:
        self.dialled.append((host, port))
        if not self.answers:
            raise httpcore.ConnectError("nobody there")
        return httpcore.AsyncMockStream([self.answers.pop(0)])

    async def sleep(self, seconds: float) -> None:
        return None


def resolver(names: Mapping[str, Sequence[str]]) -> Resolver:
    async def resolve(host: str, port: int) -> Sequence[str]:
        if host not in names:
            raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")
        return names[host]

    return resolve


@pytest.fixture
async def site() -> AsyncIterator[WebSite]:
    async with web_site() as running:
        yield running


async def read(url: str, limits: FetchLimits = OPEN, **given: object) -> bytes:
    async with fetch(url, limits, **given) as page:  # type: ignore[arg-type]
        return b"".join([piece async for piece in page.body])


async def refusal(url: str, limits: FetchLimits = OPEN, **given: object) -> str:
    with pytest.raises(FetchRefused) as caught:
        await read(url, limits, **given)
    return str(caught.value)


# ---- what is never visited


REFUSED_URLS = [
    "http://127.0.0.1/", "http://127.1/", "http://2130706433/", "http://0x7f000001/", "http://0x7f.1/",
    "http://0177.0.0.1/", "http://0177.1/", "http://017700000001/", "http://127.0.0.1./", "http://127。0。0。1/",
    "http://①②⑦.0.0.1/", "http://0/", "http://0.0.0.0/", "http://10.0.0.1/", "http://10.1/", "http://172.16.5.4/",
    "http://172.31.255.255/", "http://192.168.1.1/", "http://3232235777/", "http://169.254.169.254/latest/meta-data/",
    "http://0xa9fea9fe/", "http://2852039166/", "http://0251.0376.0251.0376/", "http://168.63.129.16/",
    "http://100.64.0.1/", "http://100.100.100.200/", "http://192.0.0.192/", "http://198.18.0.1/", "http://224.0.0.1/",
    "http://239.255.255.250/", "http://240.0.0.1/", "http://255.255.255.255/", "http://203.0.113.7/",
    "http://[::1]/", "http://[::]/", "http://[::ffff:127.0.0.1]/", "http://[::ffff:7f00:1]/", "http://[::127.0.0.1]/",
    "http://[::ffff:0:127.0.0.1]/", "http://[64:ff9b::7f00:1]/", "http://[64:ff9b::a9fe:a9fe]/",
    "http://[64:ff9b:1::a00:1]/", "http://[2002:7f00:1::]/", "http://[2002:a9fe:a9fe::1]/", "http://[2002:c0a8:101::]/",
    "http://[2001:0:7f00:1::]/", "http://[fe80::1]/", "http://[fe80::1%25eth0]/", "http://[fc00::1]/",
    "http://[fd00:ec2::254]/", "http://[fec0::1]/", "http://[ff02::1]/", "http://[2001:db8::1]/", "http://[100::1]/",
]  # fmt: skip


@pytest.mark.parametrize("url", REFUSED_URLS)
async def test_a_private_address_is_refused_in_every_spelling(url: str) -> None:
    network = Recorder()
    async with PublicOnlyTransport(network=network, resolve=resolver({})) as transport:
        await refusal(url, STRICT, transport=transport)
        with pytest.raises((FetchRefused, httpx.InvalidURL)):
            await transport.handle_async_request(httpx.Request("GET", url))
    assert network.dialled == []


NOT_THE_WEB = [
    ("ftp://example.com/x", "http and https"), ("file:///etc/passwd", "http and https"),
    ("gopher://example.com/", "http and https"), ("javascript:alert(1)", "http and https"),
    ("data:text/html,x", "http and https"), ("//example.com/", "http and https"), ("example.com", "http and https"),
    ("", "http and https"), ("http://", "not a valid"), ("http:///x", "not a valid"), ("http://[::1", "not a valid"),
    ("http://exa mple.com/", "not"), ("http://example.com:99999999/", "not a valid"), ("http://x\n.com/", "not a valid"),
    ("http://ana:secreto@example.com/", "password"), ("http://ana@example.com/", "password"),
    ("http://example.com\\@127.0.0.1/", "password"), ("http://example.com:22/", "port 22"),
    ("http://example.com:6379/", "port 6379"), ("https://example.com:5432/", "port 5432"),
    ("http://example.com/" + "x" * 5000, "not a valid"), ("http://example.com:0/", "not a valid"),
]  # fmt: skip


@pytest.mark.parametrize(("url", "words"), NOT_THE_WEB)
async def test_what_is_not_a_plain_web_address_is_refused_with_the_reason(url: str, words: str) -> None:
    network = Recorder()
    transport = PublicOnlyTransport(network=network, resolve=resolver({"example.com": [PUBLIC]}))
    message = await refusal(url, STRICT, transport=transport)
    assert words in message and "secreto" not in message
    assert network.dialled == []


def test_a_refusal_speaks_spanish_too() -> None:
    with pytest.raises(FetchRefused) as caught:
        asyncio.run(read("ftp://example.com/", STRICT))
    assert "solo se leen direcciones http y https" in caught.value.message("es")


@pytest.mark.parametrize(
    "address",
    [
        "8.8.8.8",
        "93.184.216.34",
        "100.63.255.255",
        "172.32.0.1",
        "2606:4700::1111",
        "::ffff:8.8.8.8",
        "64:ff9b::808:808",
    ],
)
def test_a_public_address_is_public(address: str) -> None:
    assert is_public(ipaddress.ip_address(address))


# ---- names and what they resolve to


@pytest.mark.parametrize(
    "addresses",
    [
        ["127.0.0.1"], ["10.0.0.5"], [PUBLIC, "10.0.0.5"], ["::1", PUBLIC], [PUBLIC, PUBLIC, "169.254.169.254"],
        ["::ffff:10.0.0.5"], ["fe80::1%eth0"], ["0.0.0.0"], ["2606:4700::1111", "fd00::1"],
    ],
)  # fmt: skip
async def test_a_name_with_any_private_address_is_refused(addresses: list[str]) -> None:
    network = Recorder()
    transport = PublicOnlyTransport(network=network, resolve=resolver({"intranet.example": addresses}))
    assert "not on the public internet" in await refusal(
        "http://intranet.example/", STRICT, transport=transport
    )
    assert network.dialled == []


async def test_a_name_that_does_not_exist_is_refused_and_a_lookup_that_fails_is_tried_again() -> None:
    async def broken(host: str, port: int) -> Sequence[str]:
        raise socket.gaierror(socket.EAI_AGAIN, "Temporary failure in name resolution")

    transport = PublicOnlyTransport(network=Recorder(), resolve=resolver({}))
    assert "there is no server" in await refusal("http://nowhere.example/", STRICT, transport=transport)
    with pytest.raises(OutsideDown):
        await read(
            "http://example.com/", STRICT, transport=PublicOnlyTransport(network=Recorder(), resolve=broken)
        )


async def test_the_connection_goes_to_the_address_that_was_checked() -> None:
    """A name that answers with another address the second time (DNS rebinding) gains nothing."""
    answers = [[PUBLIC], ["127.0.0.1"]]
    asked: list[str] = []

    async def rebinding(host: str, port: int) -> Sequence[str]:
        asked.append(host)
        return answers[len(asked) - 1]

    network = Recorder(reply(b"hola"), reply(b"stolen"))
    transport = PublicOnlyTransport(network=network, resolve=rebinding)
    response = await transport.handle_async_request(httpx.Request("GET", "http://rebind.example/"))
    assert await response.aread() == b"hola"
    assert network.dialled == [(PUBLIC, 80)] and asked == ["rebind.example"]
    await response.aclose()
    with pytest.raises(FetchRefused):
        await transport.handle_async_request(httpx.Request("GET", "http://rebind.example/"))
    assert network.dialled == [(PUBLIC, 80)]


async def test_every_checked_address_is_tried_but_not_endlessly() -> None:
    network = Recorder()
    many = [f"93.184.216.{n}" for n in range(1, 20)]
    with pytest.raises(OutsideDown):
        await read(
            "http://many.example/",
            STRICT,
            transport=PublicOnlyTransport(network=network, resolve=resolver({"many.example": many})),
        )
    assert [host for host, _ in network.dialled] == many[:3]


async def test_closed_networks_may_open_the_guard_by_a_setting(site: WebSite, tmp_path: Path) -> None:
    site.pages["/"] = reply(b"intranet")
    assert (
        await read(site.url(), FetchLimits.of(Settings(home=tmp_path, fetch_allow_private=True)))
        == b"intranet"
    )
    await refusal(site.url(), FetchLimits.of(Settings(home=tmp_path)))
    for allowed in (True, False):
        settings = Settings(home=tmp_path, fetch_allow_private=allowed)
        async with httpx.AsyncClient(transport=safe_transport(settings), trust_env=False) as client:
            if allowed:
                assert (await client.get(site.url())).text == "intranet"
            else:
                with pytest.raises(FetchRefused):
                    await client.post(site.url(), json={"hook": True})


# ---- redirects


async def test_redirects_are_followed_and_the_final_address_is_told(site: WebSite) -> None:
    site.pages |= {
        "/a": redirect("/b?x=1"),
        "/b?x=1": redirect(site.url("/c#part"), "308 Permanent Redirect"),
    }
    site.pages["/c"] = reply(b"fin")
    async with fetch(site.url("/a"), OPEN) as page:
        assert b"".join([piece async for piece in page.body]) == b"fin"
        assert (page.url, page.final_url) == (site.url("/a"), site.url("/c"))


@pytest.mark.parametrize(
    "target",
    ["http://127.0.0.1/", "http://169.254.169.254/latest/", "http://[::1]/", "http://0x7f.1/", "file:///etc/passwd",
     "http://intranet.example/", "http://u:p@public.example/", "http://public.example:22/", "//localhost.example/"],
)  # fmt: skip
async def test_a_redirect_to_what_is_not_allowed_is_refused(target: str) -> None:
    names = {"public.example": [PUBLIC], "intranet.example": ["10.1.1.1"], "localhost.example": ["127.0.0.1"]}
    network = Recorder(reply(status="404 Not Found"), redirect(target))
    await refusal(
        "http://public.example/",
        STRICT,
        transport=PublicOnlyTransport(network=network, resolve=resolver(names)),
    )
    assert network.dialled == [(PUBLIC, 80)] * 2


async def test_redirects_in_a_circle_or_without_end_or_aim_are_refused(site: WebSite) -> None:
    site.pages |= {"/a": redirect("/b"), "/b": redirect("/a"), "/self": redirect("/self")}
    site.pages |= {"/bad": redirect("http://[oops]/"), "/none": reply(status="302 Found")}
    site.pages |= {f"/{n}": redirect(f"/{n + 1}") for n in range(10)} | {"/10": reply(b"end")}
    assert "in a circle" in await refusal(site.url("/a"))
    assert "in a circle" in await refusal(site.url("/self"))
    assert "valid" in await refusal(site.url("/bad"))
    await refusal(site.url("/none"))
    assert "too many times" in await refusal(site.url("/0"))
    assert await read(site.url("/5")) == b"end"


# ---- size and time


async def test_a_body_over_the_limit_is_stopped(site: WebSite) -> None:
    sent = 0

    async def endless(writer: asyncio.StreamWriter) -> None:
        nonlocal sent
        writer.write(b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n")
        while True:
            writer.write(b"x" * 65536)
            sent += 65536
            await writer.drain()

    site.pages |= {"/big": reply(b"x" * 2 * MB), "/endless": endless, "/fits": reply(b"x" * MB)}
    small = FetchLimits(seconds=20, max_bytes=MB, allow_private=True, ports=None)
    with pytest.raises(TooLarge, match="1 MB"):
        await read(site.url("/big"), small)
    with pytest.raises(TooLarge, match="1 MB"):
        await read(site.url("/endless"), small)
    assert sent < 30 * MB
    assert len(await read(site.url("/fits"), small)) == MB


async def test_a_gzip_bomb_is_stopped_at_the_limit(site: WebSite) -> None:
    layer = gzip.compress(b"\0" * 200 * MB, 9)
    site.pages["/bomb"] = reply(layer, Content_Encoding="gzip")
    site.pages["/double"] = reply(gzip.compress(layer), Content_Encoding="gzip, gzip")
    site.pages["/br"] = reply(b"x", Content_Encoding="br")
    with pytest.raises(TooLarge):
        await read(site.url("/bomb"))
    assert "gzip, gzip" in await refusal(site.url("/double"))
    assert "br" in await refusal(site.url("/br"))


async def test_packed_pages_are_unpacked(site: WebSite) -> None:
    text = "¿Qué tal? ".encode() * 100_000
    site.pages["/one"] = reply(gzip.compress(text), Content_Encoding="gzip")
    site.pages["/two"] = reply(gzip.compress(text) + gzip.compress(b"fin") + b"\0\0", Content_Encoding="gzip")
    site.pages["/zeros"] = reply(gzip.compress(b"\0" * 3_000_001), Content_Encoding="gzip")
    site.pages["/cut"] = reply(gzip.compress(text)[:-10], Content_Encoding="gzip")
    site.pages["/damaged"] = reply(b"not gzip at all", Content_Encoding="gzip")
    assert await read(site.url("/one")) == text
    assert await read(site.url("/two")) == text + b"fin"
    assert await read(site.url("/zeros")) == b"\0" * 3_000_001
    with pytest.raises(OutsideDown, match="cut off"):
        await read(site.url("/cut"))
    assert "damaged" in await refusal(site.url("/damaged"))


async def test_an_endless_slow_page_ends_at_the_deadline(site: WebSite) -> None:
    async def drip(writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n")
        while True:
            writer.write(b"x")
            await writer.drain()
            await asyncio.sleep(0.02)

    async def silent(writer: asyncio.StreamWriter) -> None:
        await asyncio.Event().wait()

    async def slow_head(writer: asyncio.StreamWriter) -> None:
        while True:
            writer.write(b"HTTP/1.1 200 OK\r\nX" if not site.visits else b"x")
            await writer.drain()
            await asyncio.sleep(0.02)

    site.pages |= {"/drip": drip, "/silent": silent, "/head": slow_head}
    quick = FetchLimits(seconds=0.5, allow_private=True, ports=None)
    for path in ("/drip", "/silent", "/head"):
        began = time.monotonic()
        with pytest.raises(OutsideDown):
            await read(site.url(path), quick)
        assert time.monotonic() - began < 5


async def test_a_page_shorter_than_it_said_is_tried_again(site: WebSite) -> None:
    site.pages["/short"] = reply(b"only this", Content_Length="500")
    site.pages["/long"] = reply(b"only this and more", Content_Length="9")
    site.pages["/lies"] = reply(b"x", Content_Length="99999999999999999999999999")
    site.pages["/nonsense"] = b"SSH-2.0-OpenSSH_9.6\r\n"
    with pytest.raises(OutsideDown):
        await read(site.url("/short"))
    assert await read(site.url("/long")) == b"only this"
    with pytest.raises((TooLarge, OutsideDown)):
        await read(site.url("/lies"))
    with pytest.raises(OutsideDown):
        await read(site.url("/nonsense"))


async def test_a_dead_server_is_down() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        with pytest.raises(OutsideDown):
            await read(f"http://127.0.0.1:{taken.getsockname()[1]}/")


async def test_leaving_early_closes_the_connection(site: WebSite) -> None:
    gone = asyncio.Event()

    async def endless(writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n")
        try:
            while True:
                writer.write(b"x" * 65536)
                await writer.drain()
        except ConnectionError:
            gone.set()

    site.pages["/"] = endless
    async with fetch(site.url(), OPEN) as page:
        assert await anext(page.body)
    async with asyncio.timeout(10):
        await gone.wait()


# ---- what the server answers


@pytest.mark.parametrize(
    ("status", "kind", "words"),
    [
        ("404 Not Found", FetchRefused, "no longer there"), ("410 Gone", FetchRefused, "no longer there"),
        ("401 Unauthorized", FetchRefused, "does not let us in"), ("403 Forbidden", FetchRefused, "let us in"),
        ("418 Teapot", FetchRefused, "418"), ("204 No Content", FetchRefused, "204"), ("304 Not Modified", FetchRefused, "304"),
        ("300 Multiple", FetchRefused, "300"), ("500 Error", OutsideDown, "500"), ("502 Bad", OutsideDown, "502"),
        ("503 Unavailable", OutsideDown, "503"), ("408 Timeout", OutsideDown, "408"), ("429 Slow", OutsideBusy, "slow down"),
    ],
)  # fmt: skip
async def test_a_status_says_whether_to_try_again(
    site: WebSite, status: str, kind: type[VerazError], words: str
) -> None:
    site.pages |= {"/robots.txt": reply(b""), "/x": reply(status=status)}
    with pytest.raises(kind, match=words):
        await read(site.url("/x"))


async def test_a_busy_site_tells_when_to_come_back(site: WebSite) -> None:
    site.pages |= {
        "/a": reply(status="429 Slow", Retry_After="7"),
        "/b": reply(status="503 No", Retry_After="9"),
    }
    for path, seconds in (("/a", 7.0), ("/b", 9.0)):
        with pytest.raises(OutsideBusy) as caught:
            await read(site.url(path))
        assert caught.value.retry_after == seconds


def test_retry_after_reads_seconds_and_dates() -> None:
    soon = format_datetime(datetime.now(UTC) + timedelta(seconds=100), usegmt=True)
    assert 90 < (retry_after(soon) or 0) <= 100
    assert [retry_after(text) for text in ("5", "-3", "999999", "soon", "nan", None)] == [
        5,
        0,
        3600,
        None,
        None,
        None,
    ]


async def test_a_page_says_what_it_is(site: WebSite) -> None:
    site.pages["/doc/Informe%20a%C3%B1o.php?id=3"] = reply(
        b"%PDF", kind="application/PDF; x=1", X_Robots_Tag="NoFollow"
    )
    site.pages["/latin"] = reply(b"x", kind="text/html; charset=ISO-8859-1")
    async with fetch(site.url("/doc/Informe%20año.php?id=3"), OPEN) as page:
        assert (page.content_type, page.filename) == ("application/pdf", "Informe año.php.pdf")
        assert page.robots_tag == "nofollow"
    async with fetch(site.url("/latin"), OPEN) as page:
        assert (page.content_type, page.charset, page.filename) == ("text/html", "ISO-8859-1", "latin.html")
    assert "VerazBot" in site.requests[-1] and "cookie" not in site.requests[-1].lower()


@pytest.mark.parametrize(
    ("path", "kind", "disposition", "name"),
    [
        ("/", "text/html", None, "example.com.html"), ("/a/b.pdf", "application/pdf", None, "b.pdf"),
        ("/a/b.htm", "text/html", None, "b.htm"), ("/a/b", "application/octet-stream", None, "b"),
        ("/x", "", 'attachment; filename="plan 2025.docx"', "plan 2025.docx"),
        ("/x", "", "attachment; filename*=UTF-8''A%C3%B1o.pdf", "Año.pdf"),
        ("/x", "", 'attachment; filename="../../etc/passwd"', "passwd"),
        ("/x", "", 'attachment; filename="C:\\\\temp\\\\a.doc"', "a.doc"),
        ("/%2e%2e%2f%00x.txt", "text/plain", None, "x.txt"), ("/" + "y" * 400 + ".txt", "", None, "y" * 197 + ".txt"),
    ],
)  # fmt: skip
def test_a_file_name_is_safe(path: str, kind: str, disposition: str | None, name: str) -> None:
    assert filename_of(httpx.URL(f"http://example.com{path}"), kind, disposition) == name


# ---- robots


async def test_robots_are_asked_once_and_obeyed(site: WebSite) -> None:
    site.pages["/robots.txt"] = reply(b"User-agent: *\nDisallow: /private\n")
    site.pages |= {"/open": reply(b"ok"), "/private/x": reply(b"no"), "/hop": redirect("/private/x")}
    cache = RobotsCache()
    assert await read(site.url("/open"), robots=cache) == b"ok"
    assert "robots.txt" in await refusal(site.url("/private/x"), robots=cache)
    assert "robots.txt" in await refusal(site.url("/hop"), robots=cache)
    assert site.visits == ["/robots.txt", "/open", "/hop"]


async def test_a_site_without_robots_is_open_and_one_that_fails_is_tried_later(site: WebSite) -> None:
    site.pages["/x"] = reply(b"ok")
    assert await read(site.url("/x")) == b"ok"
    site.pages["/robots.txt"] = reply(status="403 Forbidden")
    assert await read(site.url("/x")) == b"ok"
    site.pages["/robots.txt"] = reply(status="500 Error")
    with pytest.raises(OutsideDown):
        await read(site.url("/x"))
    site.pages["/robots.txt"] = reply(status="429 Slow")
    with pytest.raises(OutsideBusy):
        await read(site.url("/x"))


async def test_a_huge_robots_file_is_read_only_at_its_start(site: WebSite) -> None:
    site.pages["/robots.txt"] = reply(b"User-agent: *\nDisallow: /no\n" + b"# filler\n" * 200_000)
    site.pages["/yes"] = reply(b"ok")
    assert await read(site.url("/yes")) == b"ok"
    assert "robots.txt" in await refusal(site.url("/no"))


@pytest.mark.parametrize(
    ("rules", "path", "allowed"),
    [
        ("", "/x", True), ("User-agent: *\nDisallow: /", "/x", False), ("User-agent: *\nDisallow:", "/x", True),
        ("User-agent: VerazBot\nDisallow: /a\n\nUser-agent: *\nDisallow: /", "/b", True),
        ("User-agent: other\nDisallow: /", "/x", True), ("User-agent: a\nUser-agent: VERAZBOT/2\nDisallow: /x", "/x", False),
        ("User-agent: *\nDisallow: /a\nAllow: /a/b", "/a/b/c", True), ("User-agent: *\nAllow: /a\nDisallow: /a", "/a", True),
        ("User-agent: *\nAllow: /\nDisallow: /secret", "/secret", False), ("User-agent: *\nDisallow: /*.pdf$", "/a/b.pdf", False),
        ("User-agent: *\nDisallow: /*.pdf$", "/a/b.pdf?x", True), ("User-agent: *\nDisallow: /*?", "/a?b=1", False),
        ("User-agent: *\nDisallow: /a*b*c", "/a1b2c3", False), ("User-agent: *\nDisallow: /a*b*c", "/a1c2b", True),
        ("User-agent: *\nDisallow: /x$", "/x/y", True), ("User-agent: *\nDisallow: /aa*a$", "/aa", True),
        ("User-agent: *\nDisallow: /ñ", "/%C3%B1andu", False), ("\ufeffUser-agent: * # all\nDISALLOW : /x # no", "/x", False),
        ("Disallow: /", "/x", True), ("User-agent: *\nDisallow: /", "/robots.txt", True),
    ],
)  # fmt: skip
def test_robots_rules_follow_the_standard(rules: str, path: str, allowed: bool) -> None:
    assert parse_robots(rules).allows(path) is allowed


def test_robots_tell_delay_and_sitemaps() -> None:
    rules = parse_robots("Sitemap: https://x.example/s.xml\nUser-agent: *\nCrawl-delay: 2.5\nDisallow: /a")
    assert (rules.delay, rules.sitemaps) == (2.5, ("https://x.example/s.xml",))


# ---- TLS


async def test_tls_and_host_keep_the_name_while_the_address_is_pinned(tmp_path: Path) -> None:
    asked: list[str | None] = []
    server_side, trust = _certificate(tmp_path, "docs.example")
    server_side.sni_callback = lambda _socket, name, _context: asked.append(name)
    names = resolver({"docs.example": ["127.0.0.1"], "other.example": ["127.0.0.1"]})
    async with (
        web_site(server_side) as site,
        PublicOnlyTransport(allow_private=True, ports=None, resolve=names, ssl_context=trust) as transport,
    ):
        site.pages["/"] = reply(b"seguro")
        assert await read(f"https://docs.example:{site.port}/", transport=transport) == b"seguro"
        assert asked == ["docs.example"] * 2 and site.hosts == [f"docs.example:{site.port}"] * 2
        assert "certificate" in await refusal(f"https://other.example:{site.port}/", transport=transport)
        untrusting = PublicOnlyTransport(allow_private=True, ports=None, resolve=names)
        assert "certificate" in await refusal(f"https://docs.example:{site.port}/", transport=untrusting)


def _certificate(folder: Path, host: str) -> tuple[ssl.SSLContext, ssl.SSLContext]:
    key, now = ec.generate_private_key(ec.SECP256R1()), datetime.now(UTC)
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, host)])
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName(host)]), critical=False)
        .sign(key, hashes.SHA256())
    )
    pem = certificate.public_bytes(serialization.Encoding.PEM)
    secret = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    (folder / "both.pem").write_bytes(secret + pem)
    server_side = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    server_side.load_cert_chain(folder / "both.pem")
    return server_side, ssl.create_default_context(cadata=pem.decode())
