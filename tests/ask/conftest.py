"""Fixtures of search.

library   fills knowledge bases with chunks
search    the search service with the fake embedder
"""

from collections.abc import AsyncIterator
from typing import TYPE_CHECKING

import pytest

from veraz.ask.service import Search
from veraz.db.pool import Database
from veraz.library.spaces import Spaces
from veraz.settings import Settings

if TYPE_CHECKING:
    from tests.support.searchable import Library
else:
    from support.searchable import Library


@pytest.fixture
def library(worker_db: Database) -> Library:
    """Somebody who fills shelves."""
    return Library(worker_db)


@pytest.fixture
async def search(db: Database, settings: Settings) -> AsyncIterator[Search]:
    """The service; calibrations it starts are awaited before the database goes."""
    service = Search(db, Spaces(settings.model_copy(update={"embedding_model": "fake:words@64"})))
    yield service
    await service.settle()
