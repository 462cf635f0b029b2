"""Fixtures of the HTTP door.

door_settings   settings with the fake embedder
door            the application with two companies: door.acme and door.rival
at_work         the same with a worker running
"""

import logging
from collections.abc import AsyncIterator, Iterator
from typing import TYPE_CHECKING

import pytest
import structlog
from argon2 import PasswordHasher

from veraz.db.pool import Database
from veraz.settings import Settings
from veraz.tenancy import tokens

if TYPE_CHECKING:
    from tests.support.door import Door, open_door, working
else:
    from support.door import Door, open_door, working


@pytest.fixture
def door_settings(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> Iterator[Settings]:
    """Settings without a real model, without a line for every request, with passwords that cost no time."""
    monkeypatch.setattr(tokens, "_hasher", PasswordHasher(time_cost=1, memory_cost=8, parallelism=1))
    before = structlog.get_config()["wrapper_class"]
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.ERROR))
    yield settings.model_copy(
        update={
            "embedding_model": "fake:hash@64",
            "login_attempts_per_minute": 10_000,
            "fetch_allow_private": True,
        }
    )
    structlog.configure(wrapper_class=before)


@pytest.fixture
async def door(door_settings: Settings, db: Database) -> AsyncIterator[Door]:
    """The application; nobody works on the queue."""
    async with open_door(door_settings, db) as opened:
        yield opened


@pytest.fixture
async def at_work(door: Door, door_settings: Settings, worker_db: Database) -> AsyncIterator[Door]:
    """The application with a worker."""
    async with working(door_settings, worker_db):
        yield door
