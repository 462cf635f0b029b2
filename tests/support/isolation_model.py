"""Who may see and do what, as PRODUCT.md says it, in plain Python. Written without looking at the SQL it judges.

`World` is everything there is; `Caller` is somebody knocking; `Eyes(world, caller)` answers for every row.
"""

from dataclasses import dataclass, field
from typing import Literal
from uuid import UUID

Level = Literal["member", "manager", "admin"]
RANK = {"member": 1, "manager": 2, "admin": 3}
IMPLIED = {
    "admin": {"admin", "manage", "ingest", "read", "ask"},
    "manage": {"manage", "ingest", "read"},
    "ingest": {"ingest", "read"},
    "read": {"read"},
    "ask": {"ask"},
}


@dataclass(kw_only=True)
class Row:
    """Something that belongs to a tenant."""

    id: UUID
    tenant: UUID


@dataclass(kw_only=True)
class User(Row):
    """A person who signs in, or an end user (external)."""

    admin: bool = False
    platform: bool = False
    external: str | None = None
    disabled: bool = False
    session: UUID | None = None
    token: str = ""


@dataclass(kw_only=True)
class Project(Row):
    """A room."""

    members: dict[UUID, Level] = field(default_factory=dict)


@dataclass(kw_only=True)
class Key(Row):
    """A key of the tenant (user None) or of a person."""

    scopes: frozenset[str]
    project: UUID | None = None
    user: UUID | None = None
    revoked: bool = False
    expired: bool = False
    token: str = ""


@dataclass(kw_only=True)
class Licence(Row):
    """A machine."""

    machine: str
    revoked: bool = False


@dataclass(kw_only=True)
class Webhook(Row):
    """Somebody outside who hears of the events of a project, or of the whole tenant; with one delivery."""

    project: UUID | None = None
    delivery: UUID


@dataclass(kw_only=True)
class Agent(Row):
    """Somebody who answers."""

    project: UUID
    allows_personal: bool


@dataclass(kw_only=True)
class Number(Row):
    """A WhatsApp number of an agent, with somebody who wrote to it and one message."""

    project: UUID
    agent: UUID
    contact: UUID
    message: UUID


@dataclass(kw_only=True)
class Kb(Row):
    """A shelf: of the tenant, of a project, of an agent, or of a person."""

    project: UUID | None = None
    owner: UUID | None = None
    agent: UUID | None = None
    archived: bool = False
    edition: int = 0

    @property
    def personal(self) -> bool:
        """Whether it is somebody's own."""
        return self.owner is not None


@dataclass(kw_only=True)
class Document(Row):
    """A document with one chunk, one job and one vector in the cache."""

    kb: UUID
    machine: str
    indexed: bool = True
    chunk: UUID
    job: UUID

    @property
    def storage_key(self) -> str:
        """Where its file lies."""
        return f"{self.tenant}/{self.kb}/{self.id}"


@dataclass(kw_only=True)
class Assignment(Row):
    """An agent reads a kb."""

    agent: UUID
    kb: UUID


@dataclass(kw_only=True)
class Question(Row):
    """Somebody asked an agent, or searched one kb (no agent), maybe on a machine."""

    user: UUID | None
    agent: UUID | None
    kb: UUID
    machine: str | None


@dataclass(kw_only=True)
class Conversation(Row):
    """With one agent, by a user or by a key alone; one message (and its rating), maybe from a personal kb."""

    agent: UUID
    user: UUID | None
    key: UUID | None
    machine: str | None
    message: UUID
    personal: bool


@dataclass(kw_only=True)
class World:
    """Everything there is."""

    tenants: list[UUID] = field(default_factory=list)
    users: dict[UUID, User] = field(default_factory=dict)
    projects: dict[UUID, Project] = field(default_factory=dict)
    keys: dict[UUID, Key] = field(default_factory=dict)
    licences: dict[UUID, Licence] = field(default_factory=dict)
    webhooks: dict[UUID, Webhook] = field(default_factory=dict)
    agents: dict[UUID, Agent] = field(default_factory=dict)
    numbers: dict[UUID, Number] = field(default_factory=dict)
    kbs: dict[UUID, Kb] = field(default_factory=dict)
    documents: dict[UUID, Document] = field(default_factory=dict)
    assignments: dict[UUID, Assignment] = field(default_factory=dict)
    questions: dict[UUID, Question] = field(default_factory=dict)
    conversations: dict[UUID, Conversation] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class Caller:
    """Somebody knocking: a signed-in user, or a key, maybe for an end user and a machine."""

    user: UUID | None = None
    key: UUID | None = None
    external: str | None = None
    machine: str | None = None

    def headers(self, world: World) -> dict[str, str]:
        """What the request carries."""
        secret = world.keys[self.key].token if self.key else world.users[self.user].token if self.user else ""
        named = {"X-Veraz-User": self.external, "X-Veraz-Machine": self.machine}
        return {"Authorization": f"Bearer {secret}"} | {k: v for k, v in named.items() if v}


class Eyes:
    """What one caller may see and do in the world as it is now."""

    def __init__(self, world: World, caller: Caller) -> None:
        self.world = world
        self.caller = caller
        self.key = world.keys[caller.key] if caller.key else None
        self.tenant = self.key.tenant if self.key else world.users[caller.user or UUID(int=0)].tenant
        self.user = self._user()
        self.scopes = (
            set().union(*(IMPLIED[s] for s in self.key.scopes)) if self.key else set(IMPLIED["admin"])
        )
        self.bound = self.key.project if self.key else None
        self.whole = "admin" in self.scopes and self.bound is None
        self.is_person = self.key is None or self.key.user is not None
        person_is_admin = bool(self.is_person and self.user and self.user.admin)
        self.admin = self.whole and (person_is_admin or not self.is_person)
        self.platform = self.admin and person_is_admin and bool(self.user and self.user.platform)
        self.by_membership = self.is_person and not person_is_admin
        named = caller.machine if self.key and not self.key.user else None
        self.machine = named

    def _user(self) -> User | None:
        if self.key is None:
            return self.world.users[self.caller.user or UUID(int=0)]
        if self.key.user:
            return self.world.users[self.key.user]
        acting = (u for u in self.world.users.values() if u.tenant == self.key.tenant and u.external)
        return next((u for u in acting if u.external == self.caller.external), None)

    # may they come in?

    def refused(self) -> int | None:
        """The status at the door: 401 for a dead token, 403 for a dead end user or machine."""
        if self.key and (self.key.revoked or self.key.expired):
            return 401
        if self.is_person:
            if self.user is None or self.user.disabled:
                return 401
            return 403 if self.caller.machine else None  # a person is no machine
        if self.user and self.user.disabled:
            return 403
        licences = (x for x in self.world.licences.values() if x.tenant == self.tenant)
        return 403 if any(x.machine == self.machine and x.revoked for x in licences) else None

    # levels

    def level(self, project_id: UUID | None) -> int:
        """0 outside, 1 member, 2 manager, 3 admin of a project; a person's key is no more than either of them."""
        project = self.world.projects.get(project_id or UUID(int=0))
        if project is None or project.tenant != self.tenant:
            return 0
        if self.admin:
            return 3
        if self.bound not in (None, project.id):
            return 0
        if self.by_membership:
            mine = RANK.get(project.members.get(self.user.id, ""), 0) if self.user else 0
            return min(mine, self._key_level()) if self.key else mine
        return self._key_level()

    def _key_level(self) -> int:
        if "admin" in self.scopes:
            return 3
        return 2 if self.scopes & {"manage", "ingest", "read"} else 1

    def manages_something(self) -> bool:
        """A manager anywhere in the tenant."""
        return any(self.level(p) >= 2 for p in self.world.projects)

    # rows

    def is_me(self, user_id: UUID | None) -> bool:
        """The user the caller is, or acts for."""
        return self.user is not None and user_id == self.user.id

    def sees_tenant(self, tenant: UUID) -> bool:
        """One's own; all for the platform."""
        return self.platform or tenant == self.tenant

    def sees_user(self, user: User) -> bool:
        """Oneself, the members of what one manages, everybody for an admin."""
        if user.tenant != self.tenant:
            return False
        managed = (p for p in self.world.projects.values() if self.level(p.id) >= 2)
        return self.admin or self.is_me(user.id) or any(user.id in p.members for p in managed)

    def sees_project(self, project: Project) -> bool:
        """Those one may use."""
        return self.level(project.id) >= 1

    def sees_member(self, project: Project, user_id: UUID) -> bool:
        """Oneself, and everybody in what one manages."""
        return project.tenant == self.tenant and (self.is_me(user_id) or self.level(project.id) >= 2)

    def sees_key(self, key: Key) -> bool:
        """One's own; the tenant's for an admin."""
        mine = key.user is not None and self.is_me(key.user)
        return key.tenant == self.tenant and (self.admin or mine)

    def sees_licence(self, licence: Licence) -> bool:
        """An admin, or the machine itself."""
        return licence.tenant == self.tenant and (self.admin or licence.machine == self.machine)

    def manages_webhook(self, webhook: Webhook) -> bool:
        """The tenant's only by its admins, a project's by who manages it."""
        if webhook.project:
            return self.level(webhook.project) >= 2
        return self.admin and webhook.tenant == self.tenant

    def sees_agent(self, agent: Agent) -> bool:
        """The agents of one's projects."""
        return self.level(agent.project) >= 1

    def manages_number(self, number: Number) -> bool:
        """Who manages the project, also the people who write there and what they say."""
        return self.level(number.project) >= 2

    def sees_kb(self, kb: Kb) -> bool:
        """Personal: its owner and nobody else. Global: who manages its project, or anything when it has none."""
        if kb.tenant != self.tenant:
            return False
        if kb.personal:
            return self.is_me(kb.owner)
        return self.level(kb.project) >= 2 if kb.project else self.admin or self.manages_something()

    def lists_kb(self, kb: Kb) -> bool:
        """Those seen, and by name the global ones that agents read for the caller."""
        return self.sees_kb(kb) or any(
            self.lists_assignment(a) for a in self.world.assignments.values() if a.kb == kb.id
        )

    def changes_kb(self, kb: Kb) -> bool:
        """The tenant's own kbs only by its admins and its unbound managing keys."""
        if kb.project is None and not kb.personal and kb.tenant == self.tenant:
            tenant_key = not self.by_membership and self.bound is None and self._key_level() >= 2
            return self.admin or tenant_key
        return self.sees_kb(kb)

    def sees_document(self, document: Document) -> bool:
        """With its kb, and not another machine's when acting for one."""
        mine = self.machine is None or document.machine in ("global", self.machine)
        return mine and self.sees_kb(self.world.kbs[document.kb])

    def changes_document(self, document: Document) -> bool:
        """Who sees it and may change its kb."""
        return self.sees_document(document) and self.changes_kb(self.world.kbs[document.kb])

    def sees_assignment(self, assignment: Assignment) -> bool:
        """Of a personal kb its owner, of others the managers."""
        if assignment.tenant != self.tenant:
            return False
        kb = self.world.kbs[assignment.kb]
        if kb.personal:
            return self.is_me(kb.owner)
        return self.level(self.world.agents[assignment.agent].project) >= 2

    def lists_assignment(self, assignment: Assignment) -> bool:
        """Those seen, and those of global kbs to agents one may use."""
        kb, agent = self.world.kbs[assignment.kb], self.world.agents[assignment.agent]
        told = not kb.personal and not kb.archived and self.level(agent.project) >= 1
        return self.sees_assignment(assignment) or told

    def changes_assignment(self, assignment: Assignment) -> bool:
        """Seen, and still in a project one may use."""
        return (
            self.sees_assignment(assignment) and self.level(self.world.agents[assignment.agent].project) >= 1
        )

    def may_assign(self, agent: Agent, kb: Kb) -> bool:
        """Own personal kbs to agents that allow them; others by the manager of the agent's project."""
        if agent.tenant != self.tenant or not fits(agent, kb):
            return False
        if kb.personal:
            return self.is_me(kb.owner) and self.level(agent.project) >= 1
        return self.level(agent.project) >= 2 and self.sees_kb(kb)

    # the one rule

    def reading_set(self, agent: Agent) -> set[UUID]:
        """What the agent may read for this caller."""
        if agent.tenant != self.tenant or self.level(agent.project) < 1:
            return set()
        assigned = {a.kb for a in self.world.assignments.values() if a.agent == agent.id}
        return {kb for kb in assigned if self._readable(agent, self.world.kbs[kb])}

    def found(self, kbs: set[UUID]) -> set[UUID]:
        """The chunks a search in these kbs may bring."""
        machines = {"global", self.machine}
        documents = (d for d in self.world.documents.values() if d.kb in kbs and d.indexed)
        return {d.chunk for d in documents if d.machine in machines}

    def looks_at(self, document: Document) -> bool:
        """Whoever may look into its kb, and whoever an agent may tell about it."""
        agents = self.world.agents.values()
        told = any(document.chunk in self.found(self.reading_set(agent)) for agent in agents)
        here = document.machine in ("global", self.machine)
        return document.indexed and (told or (here and self.sees_document(document)))

    def lists_contents(self, kb: Kb) -> bool:
        """Global kbs only: those seen, and those agents read for the caller."""
        return not kb.personal and self.lists_kb(kb)

    def lists_document(self, document: Document) -> bool:
        """By its title: with its kb, of no other machine than the caller's."""
        return document.machine in ("global", self.machine) and self.lists_contents(
            self.world.kbs[document.kb]
        )

    def sees_question(self, question: Question) -> bool:
        """One's own; those put to agents one manages; searches in kbs one may look into; not from another machine."""
        if question.tenant != self.tenant or not self._is_here(question.machine):
            return False
        if question.user is not None and self.is_me(question.user):
            return True
        if question.agent:
            return self.level(self.world.agents[question.agent].project) >= 2
        return self.sees_kb(self.world.kbs[question.kb])

    def sees_trace(self, question: Question) -> bool:
        """Who manages the agent, for no single machine; from a personal kb only the person who asked."""
        if question.tenant != self.tenant or question.agent is None or self.machine:
            return False
        mine = question.user is not None and self.is_me(question.user)
        personal = self.world.kbs[question.kb].personal
        return self.level(self.world.agents[question.agent].project) >= 2 and (mine or not personal)

    def sees_conversation(self, talk: Conversation) -> bool:
        """Who started it, while they may use the agent, and the agent's managers; not from another machine."""
        if not self._is_here(talk.machine):
            return False
        level = self.level(self.world.agents[talk.agent].project)
        started = self.is_me(talk.user) if talk.user else bool(self.key) and talk.key == self.caller.key
        return level >= 2 or (started and level >= 1)

    def sees_message(self, talk: Conversation) -> bool:
        """With its conversation; what comes from a personal kb only who asked."""
        return self.sees_conversation(talk) and (
            not talk.personal or (bool(talk.user) and self.is_me(talk.user))
        )

    def _is_here(self, machine: str | None) -> bool:
        """Who acts for a machine sees nothing that was said on another."""
        return self.machine is None or machine in (None, self.machine)

    def _readable(self, agent: Agent, kb: Kb) -> bool:
        if kb.tenant != self.tenant or kb.archived:
            return False
        return not kb.personal or (self.is_me(kb.owner) and agent.allows_personal)


def fits(agent: Agent, kb: Kb) -> bool:
    """Rules of assignment that hold for everybody."""
    if agent.tenant != kb.tenant or (kb.personal and not agent.allows_personal):
        return False
    return kb.project in (None, agent.project) and kb.agent in (None, agent.id)
