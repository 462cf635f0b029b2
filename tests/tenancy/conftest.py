"""Fixtures of who is here.

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
async def door(settings: Settings, db: Database, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Door]:
    """Two companies that know nothing of each other."""
    monkeypatch.setattr(tokens, "_hasher", PasswordHasher(time_cost=1, memory_cost=8, parallelism=1))
    changed = settings.model_copy(
        update={"embedding_model": "fake:hash@64", "login_attempts_per_minute": 10_000}
    )
    async with open_door(changed, db) as opened:
        yield opened
