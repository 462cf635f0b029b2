"""The same callers through the HTTP door: every list, every row of everybody, every change that must be refused.

Changes that may succeed say nothing new (a name as it is), so the world stays; deletes are only tried where they
must be refused (that they are not refused where allowed is what the SQL attack shows).
"""

from collections.abc import AsyncIterator, Iterable, Iterator
from dataclasses import dataclass
from random import Random
from typing import TYPE_CHECKING, Any, TypeVar
from uuid import UUID

import httpx

if TYPE_CHECKING:
    from tests.support import isolation_model as m
else:
    from support import isolation_model as m

T = TypeVar("T")


@dataclass(frozen=True, kw_only=True)
class Attempt:
    """One request on one row, with what the model says about it."""

    method: str
    path: str
    sees: bool
    may: bool
    scope: str | None = None
    """The key scope the verb needs; without it 403 is right whatever the row."""
    json: dict[str, Any] | None = None
    whole: bool = False
    """Keys bound to a project are refused like keys without the scope."""


class HttpAttack:
    """One caller with a client of their own."""

    def __init__(self, client: httpx.AsyncClient, world: m.World, caller: m.Caller, random: Random) -> None:
        self.client, self.world, self.random = client, world, random
        self.eyes = m.Eyes(world, caller)
        self.headers = caller.headers(world)
        self.attempts = 0

    async def run(self, *, lists: int, rows: int) -> AsyncIterator[str]:
        """So many lists, then so many attempts on rows, whosever they are, then searches."""
        if refused := self.eyes.refused():
            for path in ("/me", "/projects", "/knowledge-bases"):
                answer = await self._send("GET", path)
                if answer.status_code != refused:
                    yield f"GET {path}: {answer.status_code} instead of {refused}"
            return
        async for difference in self.lists(lists):
            yield difference
        attempts = list(self._attempts())
        for attempt in self.random.sample(attempts, min(rows, len(attempts))):
            if found := await self._try(attempt):
                yield found
        async for difference in self.searches():  # last, because they are logged
            yield difference

    # lists

    async def lists(self, number: int) -> AsyncIterator[str]:
        """Every list equals the model, page by page."""
        for path, scope, key, expected in _some(self.random, self._lists(), number):
            if scope not in (None, *self.eyes.scopes):
                answer = await self._send("GET", path)
                if answer.status_code != 403:
                    yield f"GET {path} without scope {scope}: {answer.status_code}"
                continue
            found = await self._all(path, key)
            wanted = sorted(str(x) for x in expected)
            if sorted(found) != wanted:
                yield f"GET {path}: leaked {set(found) - set(wanted)}, denied {set(wanted) - set(found)}"

    def _lists(self) -> Iterator[tuple[str, str | None, str, list[UUID]]]:
        w, e = self.world, self.eyes
        yield "/users", "read", "id", [u.id for u in w.users.values() if e.sees_user(u)]
        yield "/projects", None, "id", [p.id for p in w.projects.values() if e.sees_project(p)]
        yield "/agents", None, "id", [a.id for a in w.agents.values() if e.sees_agent(a)]
        yield "/knowledge-bases", "read", "id", [k.id for k in w.kbs.values() if e.lists_kb(k)]
        numbers = [n.id for n in w.numbers.values() if e.manages_number(n)]
        yield "/whatsapp-numbers", "read", "id", numbers
        yield "/licences", None, "id", [x.id for x in w.licences.values() if e.sees_licence(x)]
        yield "/api-keys", "read", "id", [k.id for k in w.keys.values() if e.sees_key(k)]
        yield "/webhooks", "manage", "id", [x.id for x in w.webhooks.values() if e.manages_webhook(x)]
        for project in _some(self.random, (p for p in w.projects.values() if e.sees_project(p))):
            members = [u for u in project.members if e.sees_member(project, u)]
            yield f"/projects/{project.id}/members", "read", "user_id", members
        jobs = [d.job for d in w.documents.values() if e.sees_document(d)]
        yield "/jobs", "read", "id", jobs
        yield "/queries", "read", "id", [q.id for q in w.questions.values() if e.sees_question(q)]
        for kb in _some(self.random, (k for k in w.kbs.values() if e.sees_kb(k)), 2):
            documents = [d.id for d in w.documents.values() if d.kb == kb.id and e.sees_document(d)]
            yield f"/knowledge-bases/{kb.id}/documents", "read", "id", documents
        for kb in _some(self.random, (k for k in w.kbs.values() if e.lists_contents(k)), 2):
            titles = [d.id for d in w.documents.values() if d.kb == kb.id and e.lists_document(d)]
            yield f"/knowledge-bases/{kb.id}/contents", "read", "id", titles
        for agent in _some(self.random, (a for a in w.agents.values() if e.sees_agent(a))):
            read = [a.kb for a in w.assignments.values() if a.agent == agent.id and e.lists_assignment(a)]
            yield f"/agents/{agent.id}/knowledge-bases", "read", "kb_id", read
        for kb in _some(self.random, (k for k in w.kbs.values() if e.sees_kb(k))):
            readers = [a.agent for a in w.assignments.values() if a.kb == kb.id and e.sees_assignment(a)]
            yield f"/knowledge-bases/{kb.id}/agents", "read", "agent_id", readers

    async def _all(self, path: str, key: str) -> list[str]:
        found: list[str] = []
        cursor: str | None = None
        while True:
            answer = await self._send(
                "GET", path, params={"limit": 17} | ({"cursor": cursor} if cursor else {})
            )
            assert answer.status_code == 200, f"GET {path}: {answer.status_code} {answer.text}"
            page = answer.json()
            found += [item[key] for item in page["items"]]
            cursor = page["next_cursor"]
            if cursor is None:
                return found

    async def searches(self) -> AsyncIterator[str]:
        """What a search brings is in the reading set; an agent one cannot use is not found."""
        w, e = self.world, self.eyes
        for agent in _some(self.random, w.agents.values(), 2):
            found = await self._send(
                "POST", f"/agents/{agent.id}/search", json={"query": "a secret", "top_k": 50}
            )
            if not e.sees_agent(agent) or not e.scopes & {"ask", "read"}:
                fine = found.status_code in (403, 404)
            else:
                chunks = (
                    {UUID(hit["chunk_id"]) for hit in found.json()["results"]} if found.is_success else set()
                )
                fine = found.is_success and chunks <= e.found(e.reading_set(agent))
            if not fine:
                yield f"search of {agent.id}: {found.status_code} {found.text[:300]}"

    # rows

    def _attempts(self) -> Iterator[Attempt]:
        yield from self._administration()
        yield from self._people()
        yield from self._keys_and_machines()
        yield from self._webhooks()
        yield from self._projects()
        yield from self._agents()
        yield from self._kbs()
        yield from self._numbers()
        yield from self._assignments()
        yield from self._documents()

    def _administration(self) -> Iterator[Attempt]:
        e = self.eyes
        yield Attempt(method="GET", path="/tenants", sees=True, may=e.platform)
        yield Attempt(method="GET", path="/tenant", sees=True, may=True)
        yield Attempt(method="GET", path="/me", sees=True, may=True)
        yield Attempt(method="GET", path="/plans", sees=True, may=True)
        for path in ("/audit", "/credits", "/security-events"):
            yield Attempt(method="GET", path=path, sees=True, may=e.admin, scope="admin")
        for tenant in self.world.tenants:
            sees = e.sees_tenant(tenant)
            path = f"/tenants/{tenant}"
            yield Attempt(
                method="PATCH", path=path, json={"name": "T"}, sees=sees, may=sees and e.admin, scope="admin"
            )
            if not e.platform:
                yield Attempt(
                    method="PATCH", path=path, json={"plan": "free"}, sees=sees, may=False, scope="admin"
                )
                grant = {"credits": 5}
                yield Attempt(method="POST", path=f"{path}/credits", json=grant, sees=sees, may=False)

    def _people(self) -> Iterator[Attempt]:
        w, e = self.world, self.eyes
        for user in w.users.values():
            sees, path = e.sees_user(user), f"/users/{user.id}"
            scope = None if e.is_me(user.id) else "read"
            yield Attempt(method="GET", path=path, sees=sees, may=sees, scope=scope)
            may = sees and (e.admin or e.is_me(user.id))
            yield Attempt(
                method="PATCH",
                path=path,
                json={"language": "es"},
                sees=sees,
                may=may,
                scope="admin",
                whole=True,
            )
            if e.key and not user.external:
                other = {"role": "member" if user.admin else "admin"}  # a power that would outlive the key
                yield Attempt(
                    method="PATCH", path=path, json=other, sees=sees, may=False, scope="admin", whole=True
                )
            if not may or (user.platform and not e.platform and not e.is_me(user.id)):
                for body in ({"disabled": True}, {"role": "member"}):
                    if user.admin or "role" not in body:
                        yield Attempt(
                            method="PATCH",
                            path=path,
                            json=body,
                            sees=sees,
                            may=False,
                            scope="admin",
                            whole=True,
                        )
                yield Attempt(method="DELETE", path=path, sees=sees, may=False, scope="admin")

    def _keys_and_machines(self) -> Iterator[Attempt]:
        w, e = self.world, self.eyes
        for key in w.keys.values():
            if not e.sees_key(key):
                yield Attempt(
                    method="DELETE",
                    path=f"/api-keys/{key.id}",
                    sees=False,
                    may=False,
                    scope="admin",
                    whole=True,
                )
        for licence in w.licences.values():
            sees, path = e.sees_licence(licence), f"/licences/{licence.id}"
            yield Attempt(method="GET", path=path, sees=sees, may=sees)
            may = sees and e.admin
            yield Attempt(
                method="PATCH", path=path, json={"user_name": ""}, sees=sees, may=may, scope="admin"
            )
            if not may:
                yield Attempt(method="DELETE", path=path, sees=sees, may=False, scope="admin")

    def _webhooks(self) -> Iterator[Attempt]:
        w, e = self.world, self.eyes
        for hook in w.webhooks.values():
            may, path = e.manages_webhook(hook), f"/webhooks/{hook.id}"
            for end in ("", "/deliveries"):
                yield Attempt(method="GET", path=path + end, sees=may, may=may, scope="manage")
            yield Attempt(method="PATCH", path=path, json={"name": "w"}, sees=may, may=may, scope="manage")
            if not may:
                for end in ("/secret", "/test", f"/deliveries/{hook.delivery}/resend"):
                    yield Attempt(method="POST", path=path + end, sees=False, may=False, scope="manage")
                yield Attempt(method="DELETE", path=path, sees=False, may=False, scope="manage")
            if not may and (hook.project or hook.tenant == e.tenant):
                body = {"name": "x", "url": "https://example.com", "events": ["document.failed"]}
                room = {"project_id": str(hook.project)} if hook.project else {}
                seen = hook.project is None or e.level(hook.project) >= 1
                yield Attempt(
                    method="POST", path="/webhooks", json=body | room, sees=seen, may=False, scope="manage"
                )

    def _projects(self) -> Iterator[Attempt]:
        w, e = self.world, self.eyes
        for project in w.projects.values():
            sees, path = e.sees_project(project), f"/projects/{project.id}"
            runs = e.level(project.id) >= 3
            yield Attempt(method="GET", path=path, sees=sees, may=sees)
            yield Attempt(
                method="PATCH", path=path, json={"description": ""}, sees=sees, may=runs, scope="manage"
            )
            if not e.admin:
                yield Attempt(method="DELETE", path=path, sees=sees, may=False, scope="manage")
            user = self.random.choice(list(w.users))
            if not runs:
                body = {"user_id": str(user), "role": "admin"}
                yield Attempt(
                    method="POST", path=f"{path}/members", json=body, sees=sees, may=False, scope="manage"
                )
                yield Attempt(
                    method="DELETE", path=f"{path}/members/{user}", sees=sees, may=False, scope="manage"
                )
            if runs and w.users[user].tenant != e.tenant:
                body = {"user_id": str(user)}
                yield Attempt(
                    method="POST", path=f"{path}/members", json=body, sees=False, may=False, scope="manage"
                )
            if not sees or e.level(project.id) < 2:
                for where in ("/agents", "/knowledge-bases"):
                    body = {"project_id": str(project.id), "name": "new"}
                    yield Attempt(method="POST", path=where, json=body, sees=sees, may=False, scope="manage")

    def _agents(self) -> Iterator[Attempt]:
        for agent in self.world.agents.values():
            sees, path = self.eyes.sees_agent(agent), f"/agents/{agent.id}"
            may = self.eyes.level(agent.project) >= 2
            yield Attempt(method="GET", path=path, sees=sees, may=sees)
            yield Attempt(method="GET", path=f"{path}/knowledge-bases", sees=sees, may=sees, scope="read")
            yield Attempt(
                method="PATCH", path=path, json={"description": ""}, sees=sees, may=may, scope="manage"
            )
            if not may:
                yield Attempt(method="DELETE", path=path, sees=sees, may=False, scope="manage")
            widget = f"{path}/widget"
            yield Attempt(method="GET", path=widget, sees=sees, may=may, scope="read")
            yield Attempt(
                method="PATCH", path=widget, json={"title": "x"}, sees=sees, may=may, scope="manage"
            )

    def _numbers(self) -> Iterator[Attempt]:
        for number in self.world.numbers.values():
            may, path = self.eyes.manages_number(number), f"/whatsapp-numbers/{number.id}"
            yield Attempt(method="GET", path=path, sees=may, may=may, scope="read")
            yield Attempt(method="PATCH", path=path, json={"name": "n"}, sees=may, may=may, scope="manage")
            talk = next(t for t in self.world.conversations.values() if t.agent == number.agent)
            sees = self.eyes.sees_conversation(talk)
            reports = f"/conversations/{talk.id}/deliveries"
            yield Attempt(method="GET", path=reports, sees=sees, may=sees, scope="read")
            if not may:
                yield Attempt(method="DELETE", path=path, sees=False, may=False, scope="manage")
                agent = self.world.agents[number.agent]
                body = {"agent_id": str(agent.id), "phone_number_id": "1", "access_token": "x" * 9}
                body["app_secret"] = "y" * 9
                yield Attempt(
                    method="POST",
                    path="/whatsapp-numbers",
                    json=body,
                    sees=self.eyes.sees_agent(agent),
                    may=False,
                    scope="manage",
                )

    def _kbs(self) -> Iterator[Attempt]:
        for kb in self.world.kbs.values():
            sees, may, path = self.eyes.sees_kb(kb), self.eyes.changes_kb(kb), f"/knowledge-bases/{kb.id}"
            scope = "ingest" if kb.personal else "manage"
            yield Attempt(method="GET", path=path, sees=sees, may=sees, scope="read")
            yield Attempt(method="GET", path=f"{path}/agents", sees=sees, may=sees, scope="read")
            lists = self.eyes.lists_contents(kb)
            yield Attempt(method="GET", path=f"{path}/contents", sees=lists, may=lists, scope="read")
            yield Attempt(
                method="PATCH", path=path, json={"description": ""}, sees=sees, may=may, scope=scope
            )
            if not may:
                yield Attempt(method="DELETE", path=path, sees=sees, may=False, scope=scope)

    def _documents(self) -> Iterator[Attempt]:
        w, e = self.world, self.eyes
        for d in w.documents.values():
            kb, sees, may = w.kbs[d.kb], e.sees_document(d), e.changes_document(d)
            scope = "ingest" if kb.personal else "manage"
            path = f"/knowledge-bases/{d.kb}/documents/{d.id}"
            for end in ("", "/status", "/chunks"):
                yield Attempt(method="GET", path=path + end, sees=sees, may=sees, scope="read")
            looks, ask = e.looks_at(d), "read" if "read" in e.scopes else "ask"
            yield Attempt(method="GET", path=f"/passages/{d.chunk}", sees=looks, may=looks, scope=ask)
            yield Attempt(method="PATCH", path=path, json={"name": "d"}, sees=sees, may=may, scope=scope)
            if not may:
                yield Attempt(method="DELETE", path=path, sees=sees, may=False, scope=scope)
                edit = {"content": "x", "revision": 1}
                yield Attempt(
                    method="PATCH",
                    path=f"{path}/chunks/{d.chunk}",
                    json=edit,
                    sees=sees,
                    may=False,
                    scope=scope,
                )
            other = self.random.choice(list(w.kbs))
            if other != d.kb:  # the right document in the wrong knowledge base
                wrong = f"/knowledge-bases/{other}/documents/{d.id}"
                yield Attempt(method="GET", path=wrong, sees=False, may=False, scope="read")

    def _assignments(self) -> Iterator[Attempt]:
        w, e = self.world, self.eyes
        taken = {(a.agent, a.kb) for a in w.assignments.values()}
        for agent in w.agents.values():
            for kb in w.kbs.values():
                sees = e.sees_agent(agent) and e.sees_kb(kb)
                may = e.may_assign(agent, kb)
                scope = "ingest" if kb.personal else "manage"
                path = f"/agents/{agent.id}/knowledge-bases/{kb.id}"
                # two rows one sees that do not fit each other are a wrong request, not a forbidden one
                if (agent.id, kb.id) in taken or not may:
                    fits = not sees or m.fits(agent, kb)
                    if fits:
                        yield Attempt(method="PUT", path=path, sees=sees, may=may, scope=scope)
                if not sees:
                    yield Attempt(method="DELETE", path=path, sees=False, may=False, scope=scope)

    async def _try(self, attempt: Attempt) -> str | None:
        answer = await self._send(attempt.method, attempt.path, json=attempt.json)
        status, code = answer.status_code, _code(answer)
        lacks_scope = attempt.scope not in (None, *self.eyes.scopes) or (attempt.whole and self.eyes.bound)
        if lacks_scope:
            fine = status == 403 or (status == 404 and not attempt.sees)
        elif attempt.may:
            fine = status < 300
        else:
            fine = status == (403 if attempt.sees else 404)
        said = f"{attempt.method} {attempt.path} {attempt.json or ''}"
        return None if fine else f"{said}: {status} {code}, sees={attempt.sees} may={attempt.may}"

    async def _send(self, method: str, path: str, **more: Any) -> httpx.Response:
        self.attempts += 1
        return await self.client.request(method, f"/api/v1{path}", headers=self.headers, **more)


def _code(answer: httpx.Response) -> str:
    return "" if answer.status_code < 400 else str(answer.json().get("code"))


def _some(random: Random, rows: Iterable[T], number: int = 4) -> list[T]:
    every = list(rows)
    return random.sample(every, min(number, len(every)))
