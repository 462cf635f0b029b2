"""Signing in at a real issuer on loopback: the way in, the rules for who comes in, and every attack on the way."""

import json
import re
import time
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from uuid import UUID

import httpx
import pytest
from fastapi import FastAPI
from joserfc import jwt
from joserfc.jwk import OctKey
from psycopg import Connection
from psycopg.rows import TupleRow
from pyotp.totp import TOTP

from veraz import errors, security
from veraz.api.app import create_app
from veraz.db.pool import Database
from veraz.paging import FIRST_PAGE
from veraz.settings import Settings
from veraz.sso.model import GroupRole, ProviderChange
from veraz.tenancy.model import Actor
from veraz.tenancy.security_events import Wanted
from veraz.tenancy.tenants import NewTenant
from veraz.tenancy.users import NewUser
from veraz.ui import login, login_factor, login_sso
from veraz.wiring import Veraz, assemble

if TYPE_CHECKING:
    from tests.support import issuer as outside
    from tests.support.issuer import CLIENT, SECRET, Claims, Issuer, issuing, visited
else:
    from support import issuer as outside
    from support.issuer import CLIENT, SECRET, Claims, Issuer, issuing, visited

PASSWORD = "correcto caballo batería"
HERE = "http://veraz.test"


@dataclass(kw_only=True)
class House:
    """Two tenants; «acme» signs in at the issuer. `browser` keeps cookies as one does."""

    veraz: Veraz
    admin: Actor
    rival: Actor
    issuer: Issuer
    browser: httpx.AsyncClient
    provider: str = ""

    async def provide(self, actor: Actor | None = None, **rules: Any) -> str:
        """Sets the issuer up for a tenant."""
        change = ProviderChange(
            name="Acme", issuer=self.issuer.url, client_id=CLIENT, client_secret=SECRET, **rules
        )
        made = await self.veraz.identity_providers.create(actor or self.admin, change)
        self.provider = str(made.id)
        return self.provider

    async def user(self, email: str = "eva@acme.test", role: Any = "member") -> Any:
        """Somebody of acme with a password."""
        return await self.veraz.users.add(
            self.admin, NewUser(email=email, password=PASSWORD, must_change_password=True, role=role)
        )

    async def leave(self, next: str = "") -> str:
        """To the issuer; the address it sends the browser back to."""
        answer = await self.browser.get(f"/auth/sso/{self.provider}", params={"next": next})
        assert answer.status_code == 303
        return await visited(answer.headers["location"])

    async def come(self, next: str = "") -> str:
        """The whole way; where the browser ends up."""
        return await self.back(await self.leave(next))

    async def back(self, address: str) -> str:
        """Back from the issuer; where it is sent."""
        return str((await self.browser.get(address)).headers["location"])

    async def me(self) -> Actor | None:
        """Who the browser is signed in as."""
        token = self.browser.cookies.get("veraz_session", "")
        return await self.veraz.callers.authenticate(token) if token else None


@pytest.fixture
async def house(settings: Settings, db: Database) -> AsyncIterator[House]:
    ours = settings.model_copy(
        update={
            "embedding_model": "fake:hash@8",
            "public_url": HERE,
            "fetch_allow_private": True,
            "login_attempts_per_minute": 1000,
        }
    )
    veraz = assemble(ours, db)
    await veraz.tenants.first_start(email="ana@acme.test", password=PASSWORD)
    admin = (await veraz.sign_in.login("ana@acme.test", PASSWORD)).actor
    new = NewTenant(name="Rival", admin_email="raul@rival.test", admin_password=PASSWORD)
    await veraz.tenants.create(admin, new)
    rival = (await veraz.sign_in.login("raul@rival.test", PASSWORD)).actor
    app: FastAPI = create_app(veraz)
    for part in (login, login_factor, login_sso):
        app.include_router(part.router)
    transport = httpx.ASGITransport(app, raise_app_exceptions=False)
    async with (
        issuing() as issuer,
        httpx.AsyncClient(transport=transport, base_url=HERE) as browser,
    ):
        yield House(veraz=veraz, admin=admin, rival=rival, issuer=issuer, browser=browser)


REFUSED = "/es/login?reason=refused"
OUTSIDE = "/es/login?reason=outside"
LATE = "/es/login?reason=late"


# coming in


async def test_who_is_linked_comes_in_and_stays_linked_when_the_email_changes(house: House) -> None:
    eva = await house.user()
    await house.provide(links_users=True)
    assert await house.come("/es/knowledge-bases") == "/es/knowledge-bases"
    me = await house.me()
    assert me is not None and (me.user_id, me.tenant_id) == (eva.id, house.admin.tenant_id)
    house.issuer.person |= {"email": "eva.new@elsewhere.test", "email_verified": False}
    house.browser.cookies.clear()
    assert await house.come() == "/es/"
    again = await house.me()
    assert again is not None and again.user_id == eva.id


async def test_the_session_has_its_address_and_device_and_the_device_is_known(house: House) -> None:
    await house.user()
    await house.provide(links_users=True)
    house.browser.headers["User-Agent"] = "Navegador/1.0"
    await house.come()
    me = await house.me()
    assert me is not None
    (here,) = [one for one in await house.veraz.sessions.all(me) if one.id == me.session_id]
    assert (here.address, here.device) == ("127.0.0.1", "Navegador/1.0")
    assert house.browser.cookies["veraz_device"]


async def test_the_request_is_code_with_pkce_state_and_nonce(house: House) -> None:
    await house.provide()
    answer = await house.browser.get(f"/auth/sso/{house.provider}")
    asked = dict(httpx.URL(answer.headers["location"]).params)
    assert asked["response_type"] == "code" and asked["code_challenge_method"] == "S256"
    assert asked["redirect_uri"] == f"{HERE}/auth/sso/{house.provider}/callback"
    assert len({asked[name] for name in ("state", "nonce", "code_challenge")}) == 3
    assert asked["scope"] == "openid email profile"
    cookies = answer.headers.get_list("set-cookie")
    assert all("HttpOnly" in one and "SameSite=lax" in one for one in cookies)
    assert not [one for one in cookies if asked["state"] in one or asked["nonce"] in one], "sealed"


async def test_a_new_person_of_a_named_domain_becomes_a_user(house: House) -> None:
    await house.provide(creates_users=True, domains=["@Acme.test"])
    assert await house.come() == "/es/"
    me = await house.me()
    assert me is not None
    user = await house.veraz.users.me(me)
    assert user is not None
    assert (user.email, user.display_name, user.role) == ("eva@acme.test", "Eva Outside", "member")
    with pytest.raises(errors.WrongCredentials):
        await house.veraz.sign_in.login("eva@acme.test", "")


async def test_what_the_token_leaves_out_is_asked_for(house: House) -> None:
    await house.provide(creates_users=True, domains=["acme.test"])
    house.issuer.userinfo = house.issuer.person
    house.issuer.person = {"sub": "outside-1"}
    assert await house.come() == "/es/"


async def test_a_verification_is_not_borrowed_from_another_answer(house: House) -> None:
    """The token names one e-mail without a word about it, the userinfo says that another one is verified."""
    await house.user()
    await house.provide(links_users=True)
    house.issuer.person = {"sub": "outside-1", "email": "eva@acme.test"}
    house.issuer.userinfo = {"sub": "outside-1", "email": "mallory@acme.test", "email_verified": True}
    assert await house.come() == REFUSED


async def test_the_issuer_may_change_its_keys_at_any_time(house: House) -> None:
    await house.user()
    await house.provide(links_users=True)
    await house.come()
    house.issuer.key = outside.new_key()
    house.issuer.sign = lambda claims: jwt.encode({"alg": "RS256", "kid": "second"}, claims, house.issuer.key)
    house.browser.cookies.clear()
    assert await house.come() == "/es/"


@pytest.mark.parametrize(("seconds", "end"), [(-50, "/es/"), (50, "/es/"), (-400, OUTSIDE), (400, OUTSIDE)])
async def test_clocks_may_differ_by_a_minute(house: House, seconds: int, end: str) -> None:
    await house.user()
    await house.provide(links_users=True)
    house.issuer.lie = lambda claims: (
        claims
        | {
            "iat": claims["iat"] + seconds,
            "exp": claims["iat"]
            + max(seconds, -100)
            + (1 if seconds < 0 else 300)
            + (50 if seconds == -50 else 0),
        }
    )
    assert await house.come() == end


# who does not come in


@pytest.mark.parametrize(
    ("rules", "person"),
    [
        ({}, {}),
        ({"links_users": True}, {"email_verified": False}),
        ({"links_users": True}, {"email_verified": "false"}),
        ({"links_users": True}, {"email_verified": None}),
        ({"links_users": True}, {"email": ""}),
        ({"links_users": True, "domains": ["other.test"]}, {}),
        ({"links_users": True}, {"email": "ana@acme.test"}),
        ({"links_users": True}, {"email": "raul@rival.test"}),
        ({"creates_users": True, "domains": ["acme.test"]}, {"email": "x@evil.test"}),
        ({"creates_users": True, "domains": ["acme.test"]}, {"email": "x@evil.test@acme.test.evil"}),
    ],
    ids=[
        "nobody-is-linked", "unverified", "verified-as-text-false", "not-said", "no-email", "another-domain",
        "the-platforms-admin", "another-tenants-user", "a-stranger", "two-ats",
    ],
)  # fmt: skip
async def test_who_may_not_come_in_is_told_nothing_more(
    house: House, rules: dict[str, Any], person: Claims
) -> None:
    await house.user()
    await house.provide(**rules)
    house.issuer.person |= person
    assert await house.come() == REFUSED
    assert await house.me() is None


async def test_a_user_who_is_disabled_stays_out(house: House) -> None:
    from veraz.tenancy.users import UserChange

    eva = await house.user()
    await house.provide(links_users=True)
    await house.come()
    await house.veraz.users.change(house.admin, eva.id, UserChange(disabled=True))
    assert await house.come() == REFUSED


async def test_a_second_subject_does_not_take_over_a_linked_user(house: House) -> None:
    """At the issuer somebody else got the e-mail of a person who left."""
    await house.user()
    await house.provide(links_users=True)
    await house.come()
    house.browser.cookies.clear()
    house.issuer.person |= {"sub": "outside-2"}
    assert await house.come() == REFUSED


async def test_the_platforms_admin_stays_out_even_when_linked_before(
    house: House, owner: Connection[TupleRow]
) -> None:
    """Whoever holds an issuer would hold the platform."""
    await house.provide(links_users=True)
    owner.execute(
        "insert into veraz.identity_link (provider_id, subject, tenant_id, user_id) values (%s, 'outside-1', %s, %s)",
        (house.provider, house.admin.tenant_id, house.admin.user_id),
    )
    assert await house.come() == REFUSED
    assert await house.me() is None


async def test_whoever_comes_back_too_often_waits(house: House) -> None:
    """Each answer of an issuer is looked up there; so is each way out."""
    house.veraz.rates.settings = house.veraz.settings.model_copy(update={"stranger_requests_per_minute": 2})
    await house.provide()
    back = f"/auth/sso/{house.provider}/callback?state=x&code=y"
    assert [await house.back(back) for _ in range(3)] == [LATE, LATE, "/es/login?reason=slow"]
    left = await house.browser.get(f"/auth/sso/{house.provider}/leave")
    assert left.headers["location"] == "/es/login?reason=slow"


async def test_an_issuer_of_another_tenant_opens_nothing_here(house: House) -> None:
    eva = await house.user()
    await house.provide(house.rival, links_users=True, creates_users=True, domains=["acme.test"])
    assert await house.come() == "/es/"
    me = await house.me()
    assert me is not None and me.tenant_id == house.rival.tenant_id and me.user_id != eva.id, "a namesake"
    house.browser.cookies.clear()
    house.issuer.person |= {"email": "eve@acme.test", "sub": str(eva.id)}
    assert await house.come() == "/es/"
    me = await house.me()
    assert me is not None and me.tenant_id == house.rival.tenant_id and me.user_id != eva.id


# attacks on the way


LIES: dict[str, Any] = {
    "another nonce": lambda claims: claims | {"nonce": "x"},
    "no nonce": lambda claims: {name: value for name, value in claims.items() if name != "nonce"},
    "another audience": lambda claims: claims | {"aud": "another-application"},
    "an audience too many": lambda claims: claims | {"aud": [CLIENT, "another-application"]},
    "another party": lambda claims: claims | {"azp": "another-application"},
    "another issuer": lambda claims: claims | {"iss": "https://accounts.google.com"},
    "expired": lambda claims: claims | {"exp": claims["iat"] - 61},
    "not yet": lambda claims: claims | {"nbf": claims["iat"] + 600},
    "of yesterday": lambda claims: claims | {"iat": claims["iat"] - 86400},
    "no end": lambda claims: {name: value for name, value in claims.items() if name != "exp"},
    "an end that is no number": lambda claims: claims | {"exp": "tomorrow"},
    "nobody": lambda claims: claims | {"sub": ""},
}


@pytest.mark.parametrize("lie", LIES)
async def test_a_token_that_is_not_for_this_sign_in_is_not_believed(house: House, lie: str) -> None:
    await house.user()
    await house.provide(links_users=True)
    house.issuer.lie = LIES[lie]
    assert await house.come() == OUTSIDE
    assert await house.me() is None


@pytest.mark.parametrize(
    "sign", [outside.unsigned, outside.signed_with_the_public_key, outside.signed_by_somebody_else, lambda _: "x", lambda _: ""]
)  # fmt: skip
async def test_a_token_that_is_not_signed_by_the_issuer_is_not_believed(house: House, sign: Any) -> None:
    await house.user()
    await house.provide(links_users=True)
    house.issuer.sign = sign
    assert await house.come() == OUTSIDE


async def test_a_shared_key_among_the_published_ones_signs_nothing(house: House) -> None:
    await house.user()
    await house.provide(links_users=True)
    shared = OctKey.generate_key(256, {"kid": "first"})
    house.issuer.published = [shared.as_dict(private=True)]
    house.issuer.sign = lambda claims: jwt.encode(
        {"alg": "HS256", "kid": "first"}, claims, shared, algorithms=["HS256"]
    )
    assert await house.come() == OUTSIDE


async def test_a_stolen_state_is_worth_nothing_in_another_browser(house: House) -> None:
    await house.user()
    await house.provide(links_users=True)
    address = await house.leave()
    house.browser.cookies.clear()
    assert await house.back(address) == LATE
    await house.leave()
    assert await house.back(address) == LATE, "nor in one with an attempt of its own"
    assert house.issuer.exchanges == 0


async def test_a_code_and_its_answer_work_once(house: House) -> None:
    await house.user()
    await house.provide(links_users=True)
    address = await house.leave()
    kept = dict(house.browser.cookies)
    assert await house.back(address) == "/es/"
    assert await house.back(address) == LATE, "the browser has forgotten the attempt"
    house.browser.cookies.clear()
    for name, value in kept.items():
        house.browser.cookies.set(name, value)
    assert await house.back(address) == OUTSIDE, "and the issuer the code"


async def test_an_answer_for_one_provider_is_none_for_another(house: House) -> None:
    """A mixed-up issuer: both are known here, and one of them is evil."""
    await house.user()
    honest = await house.provide(links_users=True)
    address = await house.leave()
    evil = await house.provide(links_users=True)
    assert await house.back(address.replace(honest, evil)) == LATE
    house.provider = honest
    address = await house.leave()
    other = re.sub(r"iss=[^&]*", "iss=https%3A%2F%2Fevil.test", address)
    assert await house.back(other) == OUTSIDE
    house.provider = honest
    without = re.sub(r"&iss=[^&]*", "", await house.leave())
    assert await house.back(without) == OUTSIDE, "it says that it names itself"
    assert house.issuer.exchanges == 0


async def test_an_attempt_ends_after_ten_minutes(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    await house.user()
    await house.provide(links_users=True)
    address = await house.leave()
    now = time.time()
    monkeypatch.setattr("veraz.sso.sign_in.time.time", lambda: now + 601)
    assert await house.back(address) == LATE


async def test_who_says_no_at_the_issuer_is_not_signed_in(house: House) -> None:
    await house.provide()
    address = re.sub(r"code=[^&]*", "error=access_denied", await house.leave())
    assert await house.back(address) == REFUSED


@pytest.mark.parametrize(
    "next", ["//evil.test/", "https://evil.test", "/\\evil.test", "/es/\\..\\evil", "javascript:alert(1)", "/es/ x", "evil"]
)  # fmt: skip
async def test_nobody_is_led_to_another_site_afterwards(house: House, next: str) -> None:
    await house.user()
    await house.provide(links_users=True)
    assert await house.come(next) == "/es/"


async def test_an_issuer_that_is_down_is_told_in_a_plain_sentence(house: House) -> None:
    await house.provide()
    house.issuer.down = True
    assert (await house.browser.get(f"/auth/sso/{house.provider}")).headers["location"] == OUTSIDE
    with pytest.raises(errors.IssuerFailed, match="could not confirm the sign-in: it answered 503"):
        await house.veraz.identity_providers.test(house.admin, UUID(house.provider))


async def test_admins_hear_of_a_secret_that_the_issuer_refuses_and_the_other_tenant_does_not(
    house: House,
) -> None:
    events = house.veraz.security_events
    security.kept_by(events.accept, salt="a test's")
    await house.user()
    await house.provide(links_users=True)
    change = ProviderChange(
        name="Acme", issuer=house.issuer.url, client_id=CLIENT, client_secret="another", links_users=True
    )
    await house.veraz.identity_providers.change(house.admin, UUID(house.provider), change)
    assert await house.come() == OUTSIDE
    wanted = Wanted(kinds=["sign_in_failed"])
    (told,) = (await events.all(house.admin, FIRST_PAGE, wanted)).items
    assert told.details == {"provider": house.provider, "reason": "the issuer failed"}
    assert not (await events.all(house.rival, FIRST_PAGE, wanted)).items


async def test_an_issuer_that_calls_itself_otherwise_is_not_believed(house: House) -> None:
    await house.provide()
    house.issuer.named = "https://accounts.google.com"
    assert (await house.browser.get(f"/auth/sso/{house.provider}")).headers["location"] == OUTSIDE


# roles


async def test_groups_give_and_take_roles_with_every_sign_in(house: House) -> None:
    await house.user("second@acme.test", role="admin")
    project = (await house.veraz.projects.all(house.admin)).items[0].id
    mapping = [
        GroupRole(group="it", role="admin"),
        GroupRole(group="staff", role="member", project_id=project),
        GroupRole(group="leads", role="manager", project_id=project),
    ]
    await house.provide(
        creates_users=True, domains=["acme.test"], groups=mapping, groups_claim="realm_access.roles"
    )
    for held, role, level in (
        (["staff", "leads", "x"], "member", "manager"),
        (["it", "staff"], "admin", "member"),
        ([], "member", None),
        ("leads", "member", None),
    ):
        house.issuer.person["realm_access"] = {"roles": held}
        house.browser.cookies.clear()
        assert await house.come() == "/es/"
        me = await house.me()
        assert me is not None and me.user_role == role, held
        members = await house.veraz.projects.members(house.admin, project)
        assert next((m.role for m in members if m.user_id == me.user_id), None) == level, held


async def test_a_group_does_not_take_the_last_admin_away(house: House) -> None:
    """Raúl, the only admin of his tenant, is linked, and the issuer forgets his group."""
    await house.provide(house.rival, links_users=True, groups=[GroupRole(group="it", role="admin")])
    house.issuer.person |= {"email": "raul@rival.test", "groups": []}
    assert await house.come() == "/es/"
    me = await house.me()
    assert me is not None and me.user_role == "admin"


# together with the second factor


async def test_our_second_factor_is_asked_for_unless_the_issuer_is_trusted_with_it(house: House) -> None:
    await house.user()
    session = await house.veraz.sign_in.login("eva@acme.test", PASSWORD)
    made = await house.veraz.second_factor.begin(session.actor, account="eva", password=PASSWORD)
    totp = TOTP(made.secret)
    await house.veraz.second_factor.confirm(
        session.actor, totp.at(int(time.time()) - 30), session_token=session.token
    )
    provider = await house.provide(links_users=True)
    assert await house.come("/es/agents") == "/es/login/code?next=%2Fes%2Fagents"
    assert await house.me() is None
    answer = await house.browser.post(
        "/es/login/code", data={"code": totp.now(), "next": "/es/agents"}, headers={"Origin": HERE}
    )
    assert answer.headers["location"] == "/es/agents"
    assert await house.veraz.sso.leaving(house.browser.cookies["veraz_session"]) == UUID(house.provider)
    house.browser.cookies.clear()
    house.provider = provider
    await house.veraz.identity_providers.change(
        house.admin, UUID(house.provider), ProviderChange(shows_factor=True)
    )
    assert await house.come("/es/agents") == "/es/agents"
    assert await house.me() is not None


# leaving


async def test_signing_out_offers_the_way_out_of_the_issuer_too(house: House) -> None:
    await house.user()
    await house.provide(links_users=True)
    await house.come()
    answer = await house.browser.post("/es/logout", headers={"Origin": HERE})
    assert answer.headers["location"] == f"/es/login?reason=out&provider={house.provider}"
    left = await house.browser.get(f"/auth/sso/{house.provider}/leave")
    assert left.headers["location"].startswith(f"{house.issuer.url}/leave?client_id={CLIENT}&post_logout_")


async def test_a_provider_that_is_removed_takes_its_sessions_along(house: House) -> None:
    await house.user()
    await house.provide(links_users=True)
    await house.come()
    await house.veraz.identity_providers.delete(house.admin, UUID(house.provider))
    with pytest.raises(errors.SessionExpired):
        await house.me()
    assert (await house.browser.get(f"/auth/sso/{house.provider}")).headers["location"] == LATE


@pytest.mark.parametrize("change", [{"enabled": False}, {"issuer": "http://127.0.0.1:9/other"}])
async def test_a_provider_that_vouches_no_more_takes_its_sessions_along(
    house: House, change: dict[str, Any]
) -> None:
    await house.user()
    await house.provide(links_users=True)
    await house.come()
    assert await house.me()
    password = await house.veraz.sign_in.login("eva@acme.test", PASSWORD)
    provider = UUID(house.provider)
    await house.veraz.identity_providers.change(house.admin, provider, ProviderChange(**change))
    with pytest.raises(errors.SessionExpired):
        await house.me()
    await house.veraz.identity_providers.change(house.admin, provider, ProviderChange(enabled=True))
    with pytest.raises(errors.SessionExpired):
        await house.me()
    assert await house.veraz.callers.before_password(password.token), "what did not come through it goes on"


async def test_no_secret_reaches_the_database_in_the_clear(house: House, owner: Connection[TupleRow]) -> None:
    await house.provide()
    rows = owner.execute(
        "select p::text, a::text from veraz.identity_provider p, veraz.audit_entry a"
    ).fetchall()
    text = json.dumps([[str(one) for one in row] for row in rows])
    raw = bytes.fromhex("".join(re.findall(r"x([0-9a-f]{40,})", text))).decode("latin-1")
    assert SECRET not in text + raw
