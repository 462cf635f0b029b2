"""The client without a server: what it sends, what it tries again, what it makes of answers."""

import subprocess
import sys
from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any

import httpx
import pytest

from veraz.client import (
    AsyncVeraz,
    ConnectionFailed,
    Delta,
    NotFound,
    RateLimited,
    Searching,
    Unavailable,
    Veraz,
)
from veraz.client.events import EventReader

Handler = Callable[[httpx.Request], httpx.Response]
DONE = {"status": "completed", "progress_percent": 100, "chunks_created": 2}


def client(handler: Handler, **more: Any) -> Veraz:
    transport = httpx.MockTransport(handler)
    return Veraz(key="vzk_x", http=httpx.Client(transport=transport, base_url="http://veraz.test"), **more)


def answers(*given: httpx.Response | Exception) -> tuple[Handler, list[httpx.Request]]:
    """Answers one after the other; the requests that came."""
    seen: list[httpx.Request] = []

    def handle(request: httpx.Request) -> httpx.Response:
        seen.append(request)
        outcome = given[len(seen) - 1]
        if isinstance(outcome, Exception):
            raise outcome
        return outcome

    return handle, seen


def busy(status: int = 503) -> httpx.Response:
    return httpx.Response(status, headers={"retry-after": "0"}, json={"code": "unavailable", "detail": "x"})


def test_what_changes_nothing_is_tried_again_until_it_works() -> None:
    handle, seen = answers(busy(503), httpx.ReadTimeout("slow"), httpx.Response(200, json=DONE))
    assert client(handle).status("kb", "doc").status == "completed"
    assert len(seen) == 3


def test_after_the_last_try_the_error_stands() -> None:
    handle, seen = answers(busy(429), busy(429), busy(429))
    with pytest.raises(RateLimited) as raised:
        client(handle).search("hola", kb="k")
    assert len(seen) == 3
    assert (raised.value.status, raised.value.code) == (429, "unavailable")
    handle, seen = answers(*[httpx.ConnectError("no")] * 2)
    with pytest.raises(ConnectionFailed):
        client(handle, attempts=2).status("kb", "doc")


def test_a_question_is_never_sent_twice_but_dialled_twice() -> None:
    handle, seen = answers(busy())
    with pytest.raises(Unavailable):
        client(handle).ask("agent", "¿Cuánto?")
    handle, seen = answers(httpx.ReadError("gone"))
    with pytest.raises(ConnectionFailed):
        client(handle).ask("agent", "¿Cuánto?")
    assert len(seen) == 1
    handle, seen = answers(httpx.ConnectError("nobody"), busy())
    with pytest.raises(Unavailable):
        client(handle).ask("agent", "¿Cuánto?")
    assert len(seen) == 2


def test_an_answer_that_is_no_problem_document_is_still_the_right_error() -> None:
    for body in (b"<html>", b"[1]", b""):
        handle, _ = answers(httpx.Response(404, content=body))
        with pytest.raises(NotFound) as raised:
            client(handle).status("kb", "doc")
        assert raised.value.code == "http_404"


@pytest.mark.parametrize(
    "answer",
    [
        httpx.Response(200, html="<h1>Another program</h1>"),
        httpx.Response(200, json=["another", "program"]),
        httpx.Response(200, json={"another": "program"}),
        httpx.Response(200),
        httpx.Response(301, headers={"location": "https://veraz.test/api/v1/agents"}),
    ],
    ids=["html", "a list", "an object", "nothing", "a redirect"],
)
def test_an_address_where_somebody_else_answers_is_said_so(answer: httpx.Response) -> None:
    for use in (
        lambda veraz: list(veraz.agents()),
        lambda veraz: veraz.ask("a", "¿Cuánto?"),
        lambda veraz: veraz.stream("a", "¿Cuánto?").__enter__(),
        lambda veraz: veraz.upload("kb", b"hola"),
    ):
        handle, _ = answers(answer)
        with pytest.raises(ConnectionFailed):
            use(client(handle))


def test_an_address_that_is_none_is_said_so() -> None:
    with Veraz("localhost:8080", key="vzk_x", attempts=1) as veraz, pytest.raises(ConnectionFailed):
        veraz.status("kb", "doc")


STREAM = {"content-type": "text/event-stream"}
FIRST = b'event: delta\ndata: {"text": "Hola"}\n\n'


def _breaks_off() -> Iterator[bytes]:
    yield FIRST
    raise httpx.RemoteProtocolError("gone")


def _cut() -> Iterator[bytes]:
    yield FIRST
    yield b'event: answered\ndata: {"answer": "Ho'


def _garbled() -> Iterator[bytes]:
    yield FIRST
    yield b"event: delta\ndata: {\n\n"


@pytest.mark.parametrize("stream", [_breaks_off, _cut, _garbled])
def test_a_stream_that_breaks_off_is_never_taken_for_an_answer(stream: Callable[[], Iterator[bytes]]) -> None:
    handle, _ = answers(httpx.Response(200, headers=STREAM, content=stream()))
    with client(handle).stream("a", "¿Cuánto?") as events:
        assert next(events) == Delta(text="Hola")
        with pytest.raises(ConnectionFailed):
            list(events)


async def test_the_other_client_notices_broken_streams_too() -> None:
    async def broken() -> AsyncIterator[bytes]:
        yield FIRST

    cut = httpx.Response(200, headers=STREAM, content=broken())
    handle, _ = answers(cut, httpx.ConnectError("nobody"))
    http = httpx.AsyncClient(transport=httpx.MockTransport(handle), base_url="http://veraz.test")
    async with AsyncVeraz(key="vzk_x", http=http) as veraz:
        with pytest.raises(ConnectionFailed):
            async with veraz.stream("a", "¿Cuánto?") as events:
                assert [event async for event in events]
        with pytest.raises(ConnectionFailed):
            async with veraz.stream("a", "¿Cuánto?"):
                raise AssertionError("nobody answered")


def test_what_no_header_can_carry_is_said_before_anything_is_sent() -> None:
    handle, seen = answers()
    for veraz in (client(handle).acting(user="李"), client(handle).acting(machine="a\nX-Other: b")):
        with pytest.raises(ValueError, match="header"):
            veraz.status("kb", "doc")
    assert not seen


def test_a_key_acts_for_a_user_on_a_machine() -> None:
    handle, seen = answers(httpx.Response(200, json=DONE), httpx.Response(200, json=DONE))
    veraz = client(handle, language="en")
    veraz.acting(user="maría-7", machine="m1").status("kb/..", "doc")
    veraz.status("kb", "doc")
    for_her, own = seen
    assert dict(for_her.headers.raw)[b"X-Veraz-User"] == "maría-7".encode("latin-1")
    assert for_her.headers["X-Veraz-Machine"] == "m1"
    assert for_her.headers["Accept-Language"] == own.headers["Accept-Language"] == "en"
    assert "X-Veraz-User" not in own.headers
    assert for_her.url.raw_path == b"/api/v1/knowledge-bases/kb%2F../documents/doc/status"


def test_a_machine_without_a_name_is_sent_as_it_is_so_that_the_service_refuses_it() -> None:
    handle, seen = answers(httpx.Response(200, json=DONE))
    client(handle).acting(user="", machine="").status("kb", "doc")
    assert (seen[0].headers["X-Veraz-User"], seen[0].headers["X-Veraz-Machine"]) == ("", "")


def test_pages_are_followed_to_the_end() -> None:
    def page(name: str, cursor: str | None) -> httpx.Response:
        agent = {"id": name, "name": name, "project_id": "p", "new_field": 1}
        return httpx.Response(200, json={"items": [agent], "next_cursor": cursor})

    handle, seen = answers(page("Ana", "c1"), page("Beto", None))
    agents = list(client(handle).agents())
    assert [agent.name for agent in agents] == ["Ana", "Beto"]
    assert agents[0].raw["new_field"] == 1
    assert seen[1].url.params["cursor"] == "c1"


async def test_the_other_client_tries_again_too() -> None:
    handle, seen = answers(busy(502), httpx.Response(200, json=DONE))
    http = httpx.AsyncClient(transport=httpx.MockTransport(handle), base_url="http://veraz.test")
    async with AsyncVeraz(key="vzk_x", http=http) as veraz:
        assert (await veraz.status("kb", "doc")).ended
    assert len(seen) == 2


def test_events_are_read_line_by_line_and_unknown_ones_are_skipped() -> None:
    reader = EventReader()
    lines = ["event: searching", 'data: {"question":"q"}', "", "event: later", "data: {}", "", ": ping", ""]
    lines += ["event: delta", 'data: {"text":', 'data: "hola"}', ""]
    assert [event for line in lines if (event := reader.feed(line))] == [
        Searching(question="q"),
        Delta(text="hola"),
    ]
    with pytest.raises(Unavailable):
        [reader.feed(line) for line in ("event: error", 'data: {"status":503,"code":"x"}', "")]


def test_a_search_needs_one_place() -> None:
    handle, _ = answers()
    for kb, agent in ((None, None), ("k", "a")):
        with pytest.raises(ValueError, match="kb or agent"):
            client(handle).search("x", kb=kb, agent=agent)


def test_it_loads_nothing_else_of_the_platform() -> None:
    code = (
        "import sys, veraz.client;"
        "ours = [m for m in sys.modules if m.startswith('veraz.') and not m.startswith('veraz.client')];"
        "sys.exit(bool(ours) or bool({'psycopg', 'pydantic', 'fastapi', 'numpy'} & set(sys.modules)))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
