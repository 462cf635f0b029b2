"""Fixtures of the pages.

site   the application with pages, started once for all tests: the page framework knows only one
pages  the same on this test's database, with a company and a rival; nobody is signed in
"""

from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import httpx
import pytest
from fastapi import FastAPI
from nicegui import app as pages_app

from veraz.api.app import create_app
from veraz.db.access import Access
from veraz.db.pool import Database
from veraz.settings import Settings
from veraz.tenancy.model import Actor
from veraz.tenancy.tenants import NewTenant
from veraz.ui.mount import add_pages
from veraz.ui.spanish import Translations
from veraz.wiring import Veraz, assemble

if TYPE_CHECKING:
    from tests.support.door import founded
else:
    from support.door import founded

PASSWORD = "correcto caballo batería"


@dataclass(frozen=True, kw_only=True)
class Pages:
    """The pages as a browser without JavaScript sees them."""

    http: httpx.AsyncClient
    veraz: Veraz
    admin: Actor
    rival: Actor

    async def sign_in(
        self, email: str = "ana@acme.test", password: str = PASSWORD, **more: str
    ) -> httpx.Response:
        """Posts the form of the sign-in page."""
        form = {"email": email, "password": password} | more
        return await self.http.post("/es/login", data=form, headers={"Origin": "http://veraz.test"})


@pytest.fixture(scope="session")
async def site(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[FastAPI]:
    """The application, without a database yet."""
    home: Path = tmp_path_factory.mktemp("pages")
    settings = Settings(home=home, embedding_model="fake:hash@64", login_attempts_per_minute=10_000)
    veraz = assemble(settings, Database("postgresql://nowhere", Access.closed(), size=1))
    app = create_app(veraz)
    add_pages(app, veraz)
    async with app.router.lifespan_context(app):
        yield app


@pytest.fixture
async def pages(
    site: FastAPI, settings: Settings, db: Database, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[Pages]:
    """The pages on this test's database; a sentence without its Spanish fails here instead of being shown in English."""
    monkeypatch.delattr(Translations, "__missing__")
    ours = settings.model_copy(
        update={"embedding_model": "fake:hash@64", "login_attempts_per_minute": 10_000}
    )
    veraz = assemble(ours, db)
    site.state.veraz = pages_app.state.veraz = veraz
    await veraz.tenants.first_start(email="ana@acme.test", password=PASSWORD)
    admin = (await veraz.sign_in.login("ana@acme.test", PASSWORD)).actor
    new = NewTenant(name="Rival", admin_email="raul@rival.test")
    await founded(veraz, admin, new)
    rival = (await veraz.sign_in.login("raul@rival.test", PASSWORD)).actor
    transport = httpx.ASGITransport(site, raise_app_exceptions=False)
    async with httpx.AsyncClient(transport=transport, base_url="http://veraz.test") as http:
        yield Pages(http=http, veraz=veraz, admin=admin, rival=rival)
