"""An agent that reads two short documents; and passages without a database, asked with the model of this machine."""

from typing import TYPE_CHECKING
from uuid import UUID

import pytest

from veraz.answer.quoting.meanings import Meanings
from veraz.providers.embedding.local import LocalEmbedder

if TYPE_CHECKING:
    from tests.conftest import MakeTenant, Tenant
    from tests.support.asking import PRICES, TEAM
    from tests.support.quoting import Quoter
    from tests.support.searchable import Library
else:
    from support.asking import PRICES, TEAM
    from support.quoting import Quoter
    from support.searchable import Library


@pytest.fixture
async def agent(library: Library, make_tenant: "MakeTenant") -> tuple["Tenant", UUID]:
    """A tenant and its agent, which has no model yet."""
    tenant = make_tenant()
    kb = await library.kb(tenant)
    await library.document(kb, "precios.md", PRICES)
    await library.document(kb, "equipo.md", TEAM)
    return tenant, await library.agent(tenant, kb)


@pytest.fixture(scope="session")
def quoter() -> Quoter:
    """Asks passages questions; the model is loaded once."""
    return Quoter(Meanings(LocalEmbedder(2)))
