"""Stories made up from the OpenAPI document, each step with what the step before answered: none of them crashes.

`ATTACK_SECONDS` lets it run longer; `make attacks` does.
"""

import asyncio
import os
import time
from collections import Counter
from collections.abc import Awaitable, Iterator
from contextlib import suppress
from random import Random
from typing import TYPE_CHECKING, Any, TypeVar

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, settings
from hypothesis.errors import Unsatisfiable
from hypothesis.stateful import run_state_machine_as_test
from schemathesis.core.transport import Response

from veraz.db.pool import Database
from veraz.settings import Settings

if TYPE_CHECKING:
    from tests.api.test_schemathesis import prepared, send
    from tests.support.access import ACCESS
    from tests.support.attacks.world import UNHURRIED
    from tests.support.door import Door, open_door
else:
    from api.test_schemathesis import prepared, send
    from support.access import ACCESS
    from support.attacks.world import UNHURRIED
    from support.door import Door, open_door

T = TypeVar("T")
SECONDS = float(os.environ.get("ATTACK_SECONDS", 20))
STEPS = 25
STORIES_AT_A_TIME = 2
NOT_TOLD = ("/api/v1/auth/logout", "/readyz")
ANNOUNCED = (502, 503)


@pytest.fixture
def runner() -> Iterator[asyncio.Runner]:
    """A loop for the synchronous test."""
    with asyncio.Runner() as one:
        yield one


def test_no_story_of_requests_ends_in_a_crash(
    app_url: str, settings: Settings, runner: asyncio.Runner, quiet: None
) -> None:
    async def main(work: Awaitable[T]) -> T:
        return await work

    config = settings.model_copy(update=UNHURRIED | {"embedding_model": "fake:hash@64"})
    db = Database(app_url, ACCESS, size=3)
    runner.run(main(db.__aenter__()))
    opened = open_door(config, db)
    door: Door = runner.run(main(opened.__aenter__()))
    runner.run(main(prepared(door.rival)))
    told = Told(door, runner)
    told.until_time_is_over()
    runner.run(main(opened.__aexit__(None, None, None)))
    runner.run(main(db.__aexit__()))
    print(f"stateful: {told.statuses.total()} steps, {told.followed} from an answer: {dict(told.statuses)}")
    assert not told.crashes, "\n".join(told.crashes.values())
    assert told.followed > 5


class Told:
    """Tells stories and keeps what crashed."""

    def __init__(self, door: Door, runner: asyncio.Runner) -> None:
        self.door, self.runner, self.random = door, runner, Random(7)
        self.statuses: Counter[int] = Counter()
        self.followed = 0
        self.crashes: dict[str, str] = {}

    def until_time_is_over(self) -> None:
        """A few stories at a time."""
        document = self.door.http._transport.app.openapi()  # type: ignore[attr-defined]
        for path in NOT_TOLD:
            document["paths"].pop(path, None)
        machine = self._machine(schemathesis.openapi.from_dict(document))
        until = time.monotonic() + SECONDS
        while time.monotonic() < until:
            with suppress(Unsatisfiable):
                run_state_machine_as_test(machine, settings=_BRIEF)

    def _machine(self, schema: Any) -> Any:
        told = self

        class Story(schema.as_state_machine()):  # type: ignore[misc]
            def call(self, case: Any, **_: Any) -> Response:
                return told.step(case)

            def step(self, input: Any) -> Any:
                told.followed += input.transition is not None and input.is_applied
                return super().step(input)

            def validate_response(self, *_: Any, **__: Any) -> None:
                """What was answered has been looked at already."""

        return Story

    def step(self, case: Any) -> Response:
        """One request, and a look at its status."""
        answer = self.runner.run(send(self.door.http, self.door.rival, case))
        self.statuses[answer.status_code] += 1
        if answer.status_code >= 500 and answer.status_code not in ANNOUNCED:
            shown = f"{case.method} {answer.request.url} {str(case.body)[:300]!r} -> {answer.status_code} {answer.text[:300]}"
            self.crashes.setdefault(case.operation.label, shown)
        return Response.from_any(answer)


_BRIEF = settings(
    max_examples=STORIES_AT_A_TIME,
    stateful_step_count=STEPS,
    deadline=None,
    database=None,
    phases=[Phase.generate],
    suppress_health_check=list(HealthCheck),
)
