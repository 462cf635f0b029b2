"""The model of this machine, loaded once."""

from typing import TYPE_CHECKING

import pytest

from veraz.answer.quoting.meanings import Meanings
from veraz.providers.embedding.local import LocalEmbedder

if TYPE_CHECKING:
    from tests.support.quoting import Quoter
else:
    from support.quoting import Quoter


@pytest.fixture(scope="session")
def quoter() -> Quoter:
    """Asks passages questions."""
    return Quoter(Meanings(LocalEmbedder(2)))
