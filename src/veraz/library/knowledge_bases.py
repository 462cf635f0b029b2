"""Creating, finding, changing and deleting knowledge bases."""

from dataclasses import dataclass, field
from uuid import UUID

from veraz import errors
from veraz.db.pool import Database, Transaction
from veraz.db.sql import queries
from veraz.ids import new_id
from veraz.library.configs import ChunkingConfig, EmbeddingConfig
from veraz.library.model import KbKind, KbStatus, KnowledgeBase
from veraz.library.spaces import Spaces
from veraz.paging import FIRST_PAGE, Page, PageRequest
from veraz.tenancy.model import Actor
from veraz.tenancy.permissions import KeyScope, need
from veraz.tenancy.plans import Plans
from veraz.tenancy.projects import managed_projects, need_role

Q = queries(__file__)


@dataclass(frozen=True, slots=True, kw_only=True)
class NewKnowledgeBase:
    """What is asked for; what is not said comes from the settings."""

    name: str
    description: str = ""
    language: str = "es"
    kind: KbKind = "global"
    project_id: UUID | None = None
    chunking: ChunkingConfig = field(default_factory=ChunkingConfig)
    embedding: EmbeddingConfig | None = None


class KnowledgeBases:
    """The shelves of a tenant."""

    def __init__(self, db: Database, plans: Plans, spaces: Spaces) -> None:
        self.db = db
        self.plans = plans
        self.spaces = spaces

    async def all(
        self,
        actor: Actor,
        page: PageRequest = FIRST_PAGE,
        *,
        kind: KbKind | None = None,
        project_id: UUID | None = None,
    ) -> Page[KnowledgeBase]:
        """The knowledge bases the caller may look into, newest first."""
        need(actor, "read")
        async with self.db.transaction(actor.scope()) as tx:
            return page.page(await _select(tx, page=page, kind=kind, project_id=project_id))

    async def listed(
        self,
        actor: Actor,
        page: PageRequest = FIRST_PAGE,
        *,
        kind: KbKind | None = None,
        project_id: UUID | None = None,
    ) -> Page[KnowledgeBase]:
        """Those the caller may look into and, by name, the global ones their agents read for them, newest first."""
        need(actor, "read")
        async with self.db.transaction(actor.scope()) as tx:
            rows = await tx.all(
                KnowledgeBase,
                Q.listed,
                after=page.after_id,
                limit=page.fetch,
                kind=kind,
                project_id=project_id,
            )
            return page.page(rows)

    async def get(self, actor: Actor, kb_id: UUID) -> KnowledgeBase:
        """One knowledge base with its statistics."""
        need(actor, "read")
        async with self.db.transaction(actor.scope()) as tx:
            return await get_kb(tx, kb_id)

    async def by_name(self, actor: Actor, name: str) -> KnowledgeBase | None:
        """The knowledge base of that name or id, if there is one."""
        need(actor, "read")
        async with self.db.transaction(actor.scope()) as tx:
            found = await _select(tx, name=name) or await _select_by_text_id(tx, name)
        if len(found) > 1:
            raise errors.AmbiguousName(thing="knowledge base", name=name)
        return found[0] if found else None

    async def named(self, actor: Actor, new: NewKnowledgeBase) -> KnowledgeBase:
        """The one of this name, made if there is none; of several who make it at once all get the same."""
        if found := await self.by_name(actor, new.name):
            return found
        try:
            return await self.create(actor, new)
        except errors.NameTaken:
            if found := await self.by_name(actor, new.name):
                return found
            raise

    async def create(self, actor: Actor, new: NewKnowledgeBase) -> KnowledgeBase:
        """An empty knowledge base, ready for documents."""
        need(actor, "ingest" if new.kind == "personal" else "manage")
        embedding = self.spaces.resolve(new.embedding)
        async with self.db.transaction(actor.scope()) as tx:
            await self.plans.need_feature(tx, "ai_agents_enabled")
            project_id = await _home_project(tx, actor, new)
            await self.plans.room_for_kb(tx)
            return await self.add(tx, actor, new, embedding, project_id=project_id)

    async def add(
        self,
        tx: Transaction,
        actor: Actor,
        new: NewKnowledgeBase,
        embedding: EmbeddingConfig,
        *,
        project_id: UUID | None,
        agent_id: UUID | None = None,
    ) -> KnowledgeBase:
        """The rows of a new knowledge base and its first edition, in the caller's transaction."""
        kb_id = new_id()
        await tx.run(
            Q.add_kb,
            id=kb_id,
            project_id=project_id,
            kind=new.kind,
            owner_id=actor.user_id if new.kind == "personal" else None,
            agent_id=agent_id,
            name=new.name,
            description=new.description,
            language=new.language,
            created_by=actor.user_id,
        )
        edition_id = await tx.value(
            Q.add_edition,
            kb_id=kb_id,
            space_id=await self.spaces.ensure(tx, embedding),
            chunking=new.chunking.to_json(),
            embedding=embedding.to_json(),
        )
        await tx.run(Q.set_edition, id=kb_id, edition_id=edition_id)
        return await get_kb(tx, kb_id)

    async def change(
        self,
        actor: Actor,
        kb_id: UUID,
        *,
        name: str | None = None,
        description: str | None = None,
        language: str | None = None,
        status: KbStatus | None = None,
    ) -> KnowledgeBase:
        """Renames, describes, archives or wakes a knowledge base."""
        async with self.db.transaction(actor.scope()) as tx:
            await need_writable(tx, actor, kb_id)
            await tx.run(
                Q.change, id=kb_id, name=name, description=description, language=language, status=status
            )
            return await get_kb(tx, kb_id)

    async def delete(self, actor: Actor, kb_id: UUID) -> None:
        """Deletes it with documents, chunks, assignments and files."""
        async with self.db.transaction(actor.scope()) as tx:
            await need_writable(tx, actor, kb_id)
            await tx.run(Q.delete, id=kb_id)


async def get_kb(tx: Transaction, kb_id: UUID) -> KnowledgeBase:
    """The knowledge base as the caller may see it; somebody else's is not found."""
    found = await _select(tx, kb_id=kb_id)
    if not found:
        raise errors.NotFound(thing="knowledge base", id=kb_id)
    return found[0]


async def need_writable(
    tx: Transaction, actor: Actor, kb_id: UUID, *, scope: KeyScope = "manage"
) -> KnowledgeBase:
    """The knowledge base, if the caller may change it: unseen is not found, seen but not theirs is forbidden."""
    kb = await get_kb(tx, kb_id)
    need(actor, "ingest" if kb.kind == "personal" else scope)
    if not await tx.value(Q.may_write, id=kb_id):
        raise errors.Forbidden(action="change this knowledge base")
    return kb


async def _home_project(tx: Transaction, actor: Actor, new: NewKnowledgeBase) -> UUID | None:
    """Where a global kb lives: the project named, or the only one managed; an admin's may serve the whole tenant."""
    if new.kind == "personal":
        if actor.user_id is None:
            raise errors.Invalid(field="kind", reason="X-Veraz-User")
        if new.project_id:
            raise errors.Invalid(field="project_id", reason="kind = personal")
        return None
    if new.project_id:
        await need_role(tx, new.project_id, "manager", "create knowledge bases in this project")
        return new.project_id
    if actor.is_tenant_admin or (actor.key_id and actor.user_role is None and not actor.key_project):
        return None
    managed = await managed_projects(tx)
    if not managed:
        raise errors.Forbidden(action="create global knowledge bases")
    if len(managed) > 1:
        raise errors.Invalid(field="project_id", reason=", ".join(str(p) for p in managed))
    return managed[0]


async def _select(
    tx: Transaction,
    *,
    page: PageRequest = FIRST_PAGE,
    kb_id: UUID | None = None,
    name: str | None = None,
    kind: KbKind | None = None,
    project_id: UUID | None = None,
) -> list[KnowledgeBase]:
    return await tx.all(
        KnowledgeBase,
        Q.kbs,
        after=page.after_id,
        limit=page.fetch,
        id=kb_id,
        name=name,
        kind=kind,
        project_id=project_id,
    )


async def _select_by_text_id(tx: Transaction, text: str) -> list[KnowledgeBase]:
    try:
        return await _select(tx, kb_id=UUID(text))
    except ValueError:
        return []
