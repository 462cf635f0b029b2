"""Drawing pages: each once, few at a time, and what failed is not tried again at once."""

import asyncio
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from veraz import errors
from veraz.passages import drawing_slots, failures, pictures

if TYPE_CHECKING:
    from tests.ingest.parse import made_files as made
    from tests.support.door import Door, Person
else:
    from ingest.parse import made_files as made
    from support.door import Door, Person

PNG = b"\x89PNG\r\n\x1a\n"


class Drawing:
    """Stands in for the process that draws: counts, waits until it may go on, fails when told so."""

    def __init__(self) -> None:
        self.pages: list[int] = []
        self.at_once = self.most_at_once = 0
        self.go_on = asyncio.Event()
        self.error: errors.VerazError | None = None

    async def __call__(self, path: Path, *, page: int, **_: Any) -> bytes:
        self.pages.append(page)
        self.at_once += 1
        self.most_at_once = max(self.most_at_once, self.at_once)
        await self.go_on.wait()
        self.at_once -= 1
        if self.error is not None:
            raise self.error
        return PNG + str(page).encode()


@pytest.fixture
def drawing(monkeypatch: pytest.MonkeyPatch) -> Drawing:
    """Drawing that waits."""
    drawing = Drawing()
    monkeypatch.setattr(pictures, "draw_page", drawing)
    return drawing


async def test_a_page_that_was_slow_is_not_drawn_again_for_some_minutes(
    at_work: Door, drawing: Drawing, monkeypatch: pytest.MonkeyPatch
) -> None:
    (page,) = await pages_of(at_work.acme, "lento.pdf", 1)
    drawing.error = errors.ParseTimeout(seconds=20)
    drawing.go_on.set()
    first = await at_work.acme.send("GET", page)
    again = await at_work.acme.send("GET", page)
    assert (first.status_code, first.json()["code"]) == (422, "parse_timeout")
    assert (again.status_code, again.json()["detail"]) == (422, first.json()["detail"])
    assert drawing.pages == [1], "the second was answered from memory"
    drawing.error = None
    assert (await at_work.acme.send("GET", f"{page}&scale=1.2345")).status_code == 422, "each would be drawn"
    assert (await at_work.acme.send("GET", f"{page}&scale=0.5")).status_code == 200, (
        "another size is another try"
    )
    assert (await at_work.rival.send("GET", page)).status_code == 404
    monkeypatch.setattr(failures, "monotonic", lambda: time.monotonic() + 3600)
    assert (await at_work.acme.send("GET", page)).status_code == 200, "an hour later it is tried again"


async def test_a_fault_that_is_not_the_files_is_tried_again_at_once(at_work: Door, drawing: Drawing) -> None:
    (page,) = await pages_of(at_work.acme, "bien.pdf", 1)
    drawing.error = errors.Unavailable(reason="x")
    drawing.go_on.set()
    assert (await at_work.acme.send("GET", page)).status_code == 503
    drawing.error = None
    assert (await at_work.acme.send("GET", page)).status_code == 200


async def test_who_asks_at_once_for_the_same_picture_gets_the_same_drawing(
    at_work: Door, drawing: Drawing
) -> None:
    (page,) = await pages_of(at_work.acme, "libro.pdf", 1)
    asked = [asyncio.create_task(at_work.acme.send("GET", page)) for _ in range(6)]
    await until(lambda: bool(drawing.pages))
    asked[0].cancel()
    await asyncio.sleep(0.3)
    drawing.go_on.set()
    answers = await asyncio.gather(*asked[1:])
    assert [answer.status_code for answer in answers] == [200] * 5
    assert drawing.pages == [1]
    assert len({answer.headers["etag"] for answer in answers}) == 1


async def test_slow_pages_of_one_organisation_leave_room_for_others(at_work: Door, drawing: Drawing) -> None:
    acme = [await pages_of(at_work.acme, f"lento{n}.pdf", 2) for n in range(3)]
    rival = await pages_of(at_work.rival, "otro.pdf", 1)
    asked = [asyncio.create_task(at_work.acme.send("GET", page)) for pages in acme for page in pages]
    await until(lambda: drawing.at_once == drawing_slots.AT_ONCE_OF_TENANT)
    await asyncio.sleep(0.2)
    assert drawing.at_once == drawing_slots.AT_ONCE_OF_TENANT
    other = asyncio.create_task(at_work.rival.send("GET", rival[0]))
    await until(lambda: drawing.at_once == drawing_slots.AT_ONCE)
    drawing.go_on.set()
    assert [answer.status_code for answer in await asyncio.gather(*asked, other)] == [200] * 7
    assert drawing.most_at_once <= drawing_slots.AT_ONCE


async def test_who_asks_for_more_pictures_than_may_wait_is_told_to_come_back(
    at_work: Door, drawing: Drawing, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(drawing_slots, "MOST_WAITING", 2)
    one, two, three = await pages_of(at_work.acme, "libro.pdf", 3)
    asked = [asyncio.create_task(at_work.acme.send("GET", page)) for page in (one, two)]
    await until(lambda: bool(drawing.pages))
    await asyncio.sleep(0.2)
    refused = await at_work.acme.send("GET", three)
    assert (refused.status_code, refused.json()["code"]) == (429, "rate_limited")
    drawing.go_on.set()
    assert [answer.status_code for answer in await asyncio.gather(*asked)] == [200, 200]
    assert (await at_work.acme.send("GET", three)).status_code == 200


async def pages_of(person: Person, name: str, count: int) -> list[str]:
    """The addresses of a new document's page pictures, one for each page."""
    texts = [
        f"# Hoja {n}\nEl apartado {n} de {name} de {person.tenant_id} dice lo suyo." for n in range(count)
    ]
    document = await person.bring(name, made.pdf(*texts))
    (ended,) = await person.ended(document)
    assert ended["status"] == "completed", ended
    chunks = await person.chunks(document)
    marks = [chunks[0]["content"].index(f"El apartado {n}") for n in range(count)]
    return [f"/passages/{chunks[0]['id']}/page.png?start={at}&end={at + 10}" for at in marks]


async def until(met: Any) -> None:
    async with asyncio.timeout(20):
        while True:
            if met():
                return
            await asyncio.sleep(0.02)
