"""The HTTP door on real services, with two companies behind it and a real worker when a story wants one."""

import asyncio
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import httpx

from veraz.api.app import create_app
from veraz.db.pool import Database
from veraz.queue.worker import Worker
from veraz.settings import Settings
from veraz.tenancy.model import Actor, Tenant, User
from veraz.tenancy.tenants import NewTenant
from veraz.tenancy.users import NewUser
from veraz.wiring import Veraz, assemble, handlers

PASSWORD = "correcto caballo batería"
FILE = tuple[str, bytes]


@dataclass(frozen=True, kw_only=True)
class Person:
    """A signed-in caller with the knowledge base they work on."""

    http: httpx.AsyncClient
    headers: dict[str, str]
    tenant_id: str
    kb: str = ""

    async def call(self, method: str, path: str, status: int | None = None, **more: Any) -> Any:
        """Sends a request below /api/v1; the body, which must come with `status` when one is given."""
        answer = await self.send(method, path, **more)
        if status is not None:
            assert answer.status_code == status, f"{method} {path}: {answer.status_code} {answer.text[:500]}"
        return answer.json() if answer.content else None

    async def send(self, method: str, path: str, **more: Any) -> httpx.Response:
        """Sends a request below /api/v1 (or at the root with //)."""
        url = path[1:] if path.startswith("//") else f"/api/v1{path}"
        headers = self.headers | more.pop("headers", {})
        return await self.http.request(method, url, headers=headers, **more)

    async def upload(self, *files: FILE, kb: str = "", **fields: str) -> httpx.Response:
        """Uploads files as one form."""
        parts = [("files", (name, data)) for name, data in files]
        return await self.send(
            "POST", f"/knowledge-bases/{kb or self.kb}/documents", files=parts, data=fields
        )

    async def bring(self, name: str, data: bytes, **fields: str) -> str:
        """Uploads one file that must be accepted; its id."""
        answer = await self.upload((name, data), **fields)
        assert answer.status_code == 202, answer.text
        return str(answer.json()[0]["document_id"])

    async def ended(self, *ids: str, seconds: float = 60) -> list[dict[str, Any]]:
        """The documents once they have been processed."""
        return [await self._ended(one, seconds) for one in ids]

    async def _ended(self, document_id: str, seconds: float) -> dict[str, Any]:
        path = f"/knowledge-bases/{self.kb}/documents/{document_id}"
        async with asyncio.timeout(seconds):
            while True:
                document: dict[str, Any] = await self.call("GET", path, 200)
                if document["status"] in ("completed", "failed"):
                    return document
                await asyncio.sleep(0.05)

    async def idle(self, seconds: float = 60) -> None:
        """Until no job is waiting or running."""
        async with asyncio.timeout(seconds):
            while True:
                stats = await self.call("GET", "/jobs/stats", 200)
                if not stats["PENDING"] and not stats["RUNNING"]:
                    return
                await asyncio.sleep(0.05)

    async def chunks(self, document_id: str) -> list[dict[str, Any]]:
        """All chunks of a document."""
        path = f"/knowledge-bases/{self.kb}/documents/{document_id}/chunks?limit=500"
        return list((await self.call("GET", path, 200))["items"])

    async def credits(self) -> int:
        """What is left."""
        return int((await self.call("GET", "/tenant", 200))["credits"])


@dataclass(frozen=True, kw_only=True)
class Door:
    """The application and two companies that know nothing of each other."""

    veraz: Veraz
    http: httpx.AsyncClient
    acme: Person
    rival: Person


@asynccontextmanager
async def open_door(settings: Settings, db: Database) -> AsyncIterator[Door]:
    """The application on these settings; «acme» is the first tenant, «rival» the second."""
    veraz = assemble(settings, db)
    transport = httpx.ASGITransport(create_app(veraz), raise_app_exceptions=False)
    async with httpx.AsyncClient(transport=transport, base_url="http://veraz.test") as http:
        await veraz.tenants.first_start(email="ana@acme.test", password=PASSWORD)
        operator = await veraz.tenants.operator()
        new = NewTenant(name="Rival", admin_email="raul@rival.test", plan="business")
        await founded(veraz, operator, new)
        acme = await _signed_in(http, "ana@acme.test")
        rival = await _signed_in(http, "raul@rival.test")
        yield Door(veraz=veraz, http=http, acme=acme, rival=rival)


@asynccontextmanager
async def working(settings: Settings, worker_db: Database) -> AsyncIterator[Worker]:
    """A worker with every handler, in this loop."""
    worker = Worker(worker_db, handlers(settings, worker_db), settings, grace_seconds=2)
    task = asyncio.create_task(worker.run())
    try:
        yield worker
    finally:
        worker.stop()
        await task


async def founded(veraz: Veraz, operator: Actor, new: NewTenant) -> Tenant:
    """A company whose first admin has chosen a password."""
    tenant, link = await veraz.password_links.found(operator, new)
    await veraz.password_links.accept(link.token, PASSWORD)
    return tenant


async def welcome(veraz: Veraz, admin: Actor, new: NewUser) -> User:
    """Somebody who was invited and has chosen a password."""
    link = await veraz.password_links.invite(admin, new)
    await veraz.password_links.accept(link.token, PASSWORD)
    return link.user


async def _signed_in(http: httpx.AsyncClient, email: str) -> Person:
    token = await http.post("/api/v1/auth/login", json={"email": email, "password": PASSWORD})
    http.cookies.clear()
    headers = {"Authorization": f"Bearer {token.json()['access_token']}"}
    me = (await http.get("/api/v1/me", headers=headers)).json()
    person = Person(http=http, headers=headers, tenant_id=me["tenant_id"])
    kb = await person.call("POST", "/knowledge-bases", 201, json={"name": "Base"})
    return Person(http=http, headers=headers, tenant_id=me["tenant_id"], kb=kb["id"])


def names(rows: Iterable[dict[str, Any]]) -> list[str]:
    """The names in a list of documents."""
    return [row["name"] for row in rows]
