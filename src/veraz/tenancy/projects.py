"""Projects and their members."""

from uuid import UUID

from veraz import errors
from veraz.db.pool import Database, Transaction
from veraz.db.sql import queries
from veraz.ids import new_id
from veraz.paging import FIRST_PAGE, Page, PageRequest
from veraz.security import record
from veraz.tenancy.model import Actor, Member, Project, ProjectRole
from veraz.tenancy.permissions import need, need_admin

Q = queries(__file__)


class Projects:
    """Rooms in a tenant, and who may enter them."""

    def __init__(self, db: Database) -> None:
        self.db = db

    async def all(self, actor: Actor, page: PageRequest = FIRST_PAGE) -> Page[Project]:
        """The projects the caller may use, newest first."""
        async with self.db.transaction(actor.scope()) as tx:
            return page.page(await tx.all(Project, Q.projects, after=page.after_id, limit=page.fetch))

    async def get(self, actor: Actor, project_id: UUID) -> Project:
        """One project."""
        async with self.db.transaction(actor.scope()) as tx:
            return await tx.get(Project, Q.project, thing="project", id=project_id)

    async def create(self, actor: Actor, *, name: str, description: str = "") -> Project:
        """A new project."""
        need_admin(actor, "create projects")
        async with self.db.transaction(actor.scope()) as tx:
            return await tx.get(
                Project, Q.add, thing="project", id=new_id(), name=name, description=description
            )

    async def change(
        self, actor: Actor, project_id: UUID, *, name: str | None = None, description: str | None = None
    ) -> Project:
        """Renames or describes a project."""
        need(actor, "manage")
        async with self.db.transaction(actor.scope()) as tx:
            await need_role(tx, project_id, "admin", "change the project")
            return await tx.get(
                Project, Q.change, thing="project", id=project_id, name=name, description=description
            )

    async def delete(self, actor: Actor, project_id: UUID) -> None:
        """Deletes a project with its agents and knowledge bases."""
        need(actor, "manage")
        async with self.db.transaction(actor.scope()) as tx:
            await tx.get(Project, Q.project, thing="project", id=project_id)
            need_admin(actor, "delete projects")
            await tx.run(Q.delete, id=project_id)

    async def members(self, actor: Actor, project_id: UUID) -> list[Member]:
        """Who is in the project; members see only themselves."""
        need(actor, "read")
        async with self.db.transaction(actor.scope()) as tx:
            await tx.get(Project, Q.project, thing="project", id=project_id)
            return await tx.all(Member, Q.members, project_id=project_id)

    async def put_member(
        self,
        actor: Actor,
        project_id: UUID,
        *,
        role: ProjectRole,
        user_id: UUID | None = None,
        email: str | None = None,
    ) -> Member:
        """Adds somebody, or changes their role."""
        need(actor, "manage")
        async with self.db.transaction(actor.scope()) as tx:
            await need_role(tx, project_id, "admin", "add members")
            who = user_id or await tx.value(Q.colleague_by_email, email=email or "")
            if who is None:
                raise errors.NotFound(thing="user", id=email)
            await tx.run(Q.put_member, project_id=project_id, user_id=who, role=role)
            member = await tx.get(Member, Q.member, thing="member", project_id=project_id, id=who)
        record("rights_changed", actor, about=who, thing="project", after=role)
        return member

    async def remove_member(self, actor: Actor, project_id: UUID, user_id: UUID) -> None:
        """Takes somebody out of the project."""
        need(actor, "manage")
        async with self.db.transaction(actor.scope()) as tx:
            await need_role(tx, project_id, "admin", "remove members")
            if not await tx.run(Q.remove_member, project_id=project_id, user_id=user_id):
                raise errors.NotFound(thing="member", id=user_id)
        record("rights_changed", actor, about=user_id, thing="project", after="none")


async def need_role(tx: Transaction, project_id: UUID, role: ProjectRole, action: str) -> None:
    """A project one cannot use is not found; one where the role is too small is forbidden."""
    held = await tx.value(Q.role_in, id=project_id)
    if held is None:
        raise errors.NotFound(thing="project", id=project_id)
    if _RANK[held] < _RANK[role]:
        raise errors.Forbidden(action=action)


async def managed_projects(tx: Transaction) -> list[UUID]:
    """Projects in which the caller manages agents and knowledge."""
    return await tx.values(Q.managed)


_RANK = {"member": 0, "manager": 1, "admin": 2}
