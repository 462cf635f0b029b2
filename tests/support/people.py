"""People and keys for stories at the HTTP door: added by the company's admin, signed in, ready to call."""

from dataclasses import replace
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tests.support.door import PASSWORD, Person
else:
    from support.door import PASSWORD, Person


async def add_person(
    admin: Person, email: str, *, role: str = "member", password: str = PASSWORD, **projects: str
) -> Person:
    """A new user who is signed in, with a level in each project named by id."""
    added = await admin.call("POST", "/users", 201, json={"email": email, "role": role})
    await choose_password(admin, added["invitation"]["url"], password)
    for project, level in projects.items():
        body = {"email": email, "role": level}
        await admin.call("POST", f"/projects/{project}/members", 201, json=body)
    body = {"email": email, "password": password, "tenant": admin.tenant_id}
    token = await admin.send("POST", "/auth/login", json=body, headers=NOBODY)
    admin.http.cookies.clear()
    return replace(admin, headers={"Authorization": f"Bearer {token.json()['access_token']}"})


async def choose_password(anybody: Person, link: str, password: str = PASSWORD) -> None:
    """What somebody does with an invitation."""
    body = {"token": link.partition("#")[2], "password": password}
    await anybody.call("POST", "/auth/password", 204, json=body, headers=NOBODY)


async def sign_in(anybody: Person, email: str, password: str = PASSWORD) -> Person:
    """Somebody with a session of their own."""
    token = await anybody.send(
        "POST", "/auth/login", json={"email": email, "password": password}, headers=NOBODY
    )
    anybody.http.cookies.clear()
    assert token.status_code == 200, token.text
    return replace(anybody, headers={"Authorization": f"Bearer {token.json()['access_token']}"})


async def add_key(admin: Person, *scopes: str, **more: Any) -> Person:
    """A caller with a key instead of a session."""
    body = {"name": "key", "scopes": list(scopes), **more}
    made = await admin.call("POST", "/api-keys", 201, json=body)
    return replace(admin, headers={"Authorization": f"Bearer {made['key']}"})


def acting(key: Person, *, user: str | None = None, machine: str | None = None) -> Person:
    """The same key on behalf of an end user or a machine."""
    named = {"X-Veraz-User": user, "X-Veraz-Machine": machine}
    return replace(key, headers=key.headers | {name: value for name, value in named.items() if value})


async def my_id(person: Person) -> str:
    """Whoever the caller is."""
    return str((await person.call("GET", "/me", 200))["user"]["id"])


NOBODY = {"Authorization": ""}
