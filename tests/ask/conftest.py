"""Fixtures of search.

library   fills knowledge bases with chunks
search    the search service with the fake embedder
answers   the answers of scripted models, by words alone
"""

from collections.abc import AsyncIterator, Callable
from typing import TYPE_CHECKING, Any

import pytest

from veraz.answer.service import Answers
from veraz.db.pool import Database
from veraz.library.spaces import Spaces
from veraz.providers.chat.fake import ScriptedChat
from veraz.search.service import Search
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


class Apart:
    """No meaning is compared."""

    async def closeness(self, pairs: Any) -> list[float]:
        """Nothing is close to anything."""
        return [0.0 for _ in pairs]


@pytest.fixture
def answers(db: Database, search: Search, settings: Settings) -> Callable[..., Answers]:
    """Makes the service with these models, each under its name."""

    def make(*models: ScriptedChat) -> Answers:
        by_name = {model.name: model for model in models}
        return Answers(db, search, settings, chats=lambda name, fallback: by_name[name], meaning=Apart())

    return make
