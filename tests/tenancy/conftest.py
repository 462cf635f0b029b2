"""Fixtures of who is here.

door_settings   settings with the fake embedder
door            the HTTP door with two companies, whose passwords cost no time
"""

from collections.abc import AsyncIterator
from typing import TYPE_CHECKING

import pytest
from argon2 import PasswordHasher

from veraz.db.pool import Database
from veraz.settings import Settings
from veraz.tenancy import tokens

if TYPE_CHECKING:
    from tests.support.door import Door, open_door
else:
    from support.door import Door, open_door


@pytest.fixture
def door_settings(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> Settings:
    """Settings without a real model, with passwords that cost no time."""
    monkeypatch.setattr(tokens, "_hasher", PasswordHasher(time_cost=1, memory_cost=8, parallelism=1))
    return settings.model_copy(
        update={"embedding_model": "fake:hash@64", "login_attempts_per_minute": 10_000}
    )


@pytest.fixture
async def door(door_settings: Settings, db: Database) -> AsyncIterator[Door]:
    """Two companies that know nothing of each other."""
    async with open_door(door_settings, db) as opened:
        yield opened
