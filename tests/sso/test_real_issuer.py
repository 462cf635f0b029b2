"""Signing in at a real issuer, the npm package oidc-provider, with its own pages in between: `make test-oidc`."""

from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import httpx
import pytest

from veraz.api.app import create_app
from veraz.db.pool import Database
from veraz.settings import Settings
from veraz.sso.model import GroupRole, ProviderChange
from veraz.ui import login, login_factor, login_sso
from veraz.wiring import assemble

if TYPE_CHECKING:
    from tests.support.oidc_provider import free_port, installed, real_issuer, say_yes
else:
    from support.oidc_provider import free_port, installed, real_issuer, say_yes

HERE = "http://127.0.0.1:18089"
PASSWORD = "correcto caballo batería"

pytestmark = pytest.mark.skipif(not installed(), reason="make test-oidc installs it")


async def test_a_real_issuer_lets_somebody_in_with_their_groups(settings: Settings, db: Database) -> None:
    ours = settings.model_copy(
        update={"embedding_model": "fake:hash@8", "public_url": HERE, "fetch_allow_private": True}
    )
    veraz = assemble(ours, db)
    await veraz.tenants.first_start(email="ana@acme.test", password=PASSWORD)
    admin = (await veraz.sign_in.login("ana@acme.test", PASSWORD)).actor
    port = free_port()
    change = ProviderChange(
        name="Acme",
        issuer=f"http://127.0.0.1:{port}",
        client_id="veraz",
        client_secret="a secret agreed with the issuer",
        scopes=["openid", "email", "profile", "groups"],
        domains=["acme.test"],
        creates_users=True,
        groups=[GroupRole(group="it", role="admin")],
    )
    provider = await veraz.identity_providers.create(admin, change)
    app = create_app(veraz)
    for part in (login, login_factor, login_sso):
        app.include_router(part.router)
    transport = httpx.ASGITransport(app, raise_app_exceptions=False)
    async with (
        real_issuer(port, veraz.sso.redirect_uri(provider.id)),
        httpx.AsyncClient(transport=transport, base_url=HERE) as browser,
    ):
        started = await browser.get(f"/auth/sso/{provider.id}", params={"next": "/es/agents"})
        back = urlsplit(await say_yes(started.headers["location"], HERE))
        landed = await browser.get(f"{back.path}?{back.query}")
        assert landed.headers["location"] == "/es/agents"
        me = await veraz.callers.authenticate(browser.cookies["veraz_session"])
        user = await veraz.users.me(me)
        assert user is not None
        assert (user.email, user.display_name, user.role) == ("eva@acme.test", "Eva Outside", "admin")
        again = await browser.get(f"{back.path}?{back.query}")
        assert again.headers["location"] == "/es/login?reason=late", "the answer works once"
        left = await browser.get(f"/auth/sso/{provider.id}/leave")
        async with httpx.AsyncClient() as other:
            page = await other.get(left.headers["location"])
        assert page.status_code == 200, "it knows where to send people back after signing out"
