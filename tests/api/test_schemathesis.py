"""The API keeps its own word: requests made up from the OpenAPI document, right and wrong, never crash it,
and every answer is one the document announces."""

import asyncio
import time
import warnings
from collections.abc import Awaitable, Iterator
from contextlib import suppress
from random import Random
from typing import TYPE_CHECKING, Any, TypeVar

import httpx
import pytest
import requests
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis.errors import Unsatisfiable
from schemathesis import GenerationMode
from schemathesis.checks import (
    content_type_conformance,
    not_a_server_error,
    response_schema_conformance,
    status_code_conformance,
)
from schemathesis.core.failures import Failure, FailureGroup

from veraz.db.pool import Database
from veraz.settings import Settings

if TYPE_CHECKING:
    from tests.support.access import ACCESS
    from tests.support.door import Door, Person, open_door
    from tests.support.people import add_person, my_id
else:
    from support.access import ACCESS
    from support.door import Door, Person, open_door
    from support.people import add_person, my_id

T = TypeVar("T")
CHECKS = [not_a_server_error, status_code_conformance, content_type_conformance, response_schema_conformance]
SECONDS = 28.0
"""For each caller; how many requests that makes depends on the machine."""
EXAMPLES = 4
NOT_TRIED = {"/api/v1/auth/logout", "/readyz"}
"""The one would end the caller's session, the other rightly says 503 while no worker runs."""


class Caller:
    """Somebody with a session, and rows of every kind to aim at."""

    def __init__(self, person: Person, rows: dict[str, str]) -> None:
        self.person, self.rows = person, rows
        self.random = Random(7)

    def aim(self, case: Any) -> None:
        """Mostly at rows that exist: a request that finds nothing proves little."""
        for name in case.path_parameters or {}:
            if name in self.rows and self.random.random() < 0.8:
                case.path_parameters[name] = self.rows[name]


@pytest.fixture
def runner() -> Iterator[asyncio.Runner]:
    """A loop for the synchronous test."""
    with asyncio.Runner() as one:
        yield one


@pytest.mark.parametrize("who", ["acme", "rival"])
def test_made_up_requests_get_announced_answers(
    who: str, app_url: str, door_settings: Settings, runner: asyncio.Runner
) -> None:
    """`acme` is the platform's admin too, `rival` only its tenant's."""

    async def main(work: Awaitable[T]) -> T:
        return await work

    db = Database(app_url, ACCESS, size=3)
    runner.run(main(db.__aenter__()))
    opened = open_door(door_settings, db)
    door: Door = runner.run(main(opened.__aenter__()))
    caller = runner.run(prepared(getattr(door, who)))
    with warnings.catch_warnings():
        warnings.simplefilter("error", UserWarning)  # FastAPI warns of two operations with one name
        document = door.http._transport.app.openapi()  # type: ignore[attr-defined]
    probe = Probe(door.http, caller, runner)
    for operation in in_order(schemathesis.openapi.from_dict(document), who):
        for mode in (GenerationMode.POSITIVE, GenerationMode.NEGATIVE):
            probe.try_out(operation, mode)
    runner.run(main(opened.__aexit__(None, None, None)))
    runner.run(main(db.__aexit__()))
    print(
        f"schemathesis as {who}: {probe.count} requests to {len(probe.reached)} operations, {len(probe.found)} findings"
    )
    assert not probe.found, "\n".join(f"{name}\n    {told}" for name, told in probe.found.items())
    assert probe.count > 100


class Probe:
    """Tries operations until its time is over, and keeps what it finds."""

    def __init__(self, http: httpx.AsyncClient, caller: Caller, runner: asyncio.Runner) -> None:
        self.http, self.caller, self.runner = http, caller, runner
        self.until = time.monotonic() + SECONDS
        self.count = 0
        self.found: dict[str, str] = {}
        self.reached: set[str] = set()

    def try_out(self, operation: Any, mode: GenerationMode) -> None:
        """Some requests to one operation, right ones or wrong ones."""
        if time.monotonic() > self.until:
            return

        @settings(
            max_examples=EXAMPLES,
            deadline=None,
            database=None,
            derandomize=True,
            phases=[Phase.generate],
            suppress_health_check=list(HealthCheck),
        )
        @given(case=operation.as_strategy(generation_mode=mode))
        def attempt(case: Any) -> None:
            if time.monotonic() < self.until:
                self._attempt(operation.label, case)

        with suppress(Unsatisfiable):  # nothing can be wrong where nothing can be said
            attempt()

    def _attempt(self, label: str, case: Any) -> None:
        self.count += 1
        self.reached.add(label)
        self.caller.aim(case)
        answer = self.runner.run(send(self.http, self.caller.person, case))
        try:
            case.validate_response(answer, checks=CHECKS)
        except (FailureGroup, Failure) as error:
            self.found.setdefault(f"{label}: {_first_line(error)}", _told(case, answer))


async def prepared(person: Person) -> Caller:
    """Rows for the path parameters; the user to aim at is a colleague, not the caller."""
    project = (await person.call("POST", "/projects", 201, json={"name": "Target"}))["id"]
    eva = await add_person(person, f"eva@{person.tenant_id}.test", **{project: "member"})
    agent = (await person.call("POST", "/agents", 201, json={"name": "Target", "project_id": project}))["id"]
    await person.call("PUT", f"/agents/{agent}/knowledge-bases/{person.kb}", 200)
    licence = await person.call("POST", "/licences", 201, json={"machine_id": "target"})
    key = await person.call("POST", "/api-keys", 201, json={"name": "target"})
    text = {"title": "Target", "content": "Abrimos a las nueve."}
    made = await person.call("POST", f"/knowledge-bases/{person.kb}/documents/text", 202, json=text)
    rows = {
        "user_id": await my_id(eva),
        "tenant_id": person.tenant_id,
        "project_id": project,
        "agent_id": agent,
        "kb_id": person.kb,
        "licence_id": licence["id"],
        "key_id": key["id"],
        "document_id": made["document_id"],
        "code": "free",
    }
    return Caller(person, rows)


def in_order(schema: Any, who: str) -> list[Any]:
    """Deletes last, so that there is something to look at before. One caller starts in the middle: where time is
    short, the two together still try everything."""
    operations = [result.ok() for result in schema.get_all_operations()]
    wanted = [op for op in operations if op.path not in NOT_TRIED]
    middle = len(wanted) // 2 if who == "rival" else 0
    return sorted(wanted[middle:] + wanted[:middle], key=lambda op: op.method.lower() == "delete")


async def send(http: httpx.AsyncClient, person: Person, case: Any) -> httpx.Response:
    """The case as a request of this person."""
    given = case.as_transport_kwargs(base_url="http://veraz.test")
    given["headers"] = {**(given.get("headers") or {}), **person.headers}
    given.pop("cookies", None)
    wanted = requests.Request(**{k: v for k, v in given.items() if k in _KNOWN}).prepare()
    body = wanted.body.encode() if isinstance(wanted.body, str) else wanted.body
    return await http.request(
        wanted.method or "GET", wanted.url or "", headers=dict(wanted.headers), content=body
    )


_KNOWN = {"method", "url", "headers", "params", "json", "data", "files"}


def _first_line(error: BaseException) -> str:
    inner = getattr(error, "exceptions", [error])[0]
    return f"{type(inner).__name__}: {inner}".split("\n")[0][:200]


def _told(case: Any, answer: httpx.Response) -> str:
    return f"{answer.request.method} {answer.request.url} {str(case.body)[:200]!r} -> {answer.status_code} {answer.text[:300]}"
