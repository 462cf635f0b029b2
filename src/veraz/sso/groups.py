"""The issuer's groups → roles here, brought in step with every sign-in."""

from typing import Final
from uuid import UUID

from veraz.db.pool import Transaction
from veraz.db.sql import queries
from veraz.sso.model import GroupRole
from veraz.tenancy.model import ProjectRole

Q = queries(__file__)

_RANK: Final[dict[ProjectRole, int]] = {"member": 0, "manager": 1, "admin": 2}


async def apply_in_tenant(
    tx: Transaction, user_id: UUID, groups: frozenset[str], mapping: list[GroupRole]
) -> tuple[str, str] | None:
    """The role in the tenant before and after, if the mapping speaks of it and it changed.

    The platform's administrators keep their role whatever an issuer says, and so does the last administrator.
    """
    of_tenant = [one for one in mapping if one.project_id is None]
    if not of_tenant:
        return None
    role = "admin" if any(one.group in groups for one in of_tenant) else "member"
    before = await tx.value(Q.role_from_groups, user_id=user_id, role=role)
    return (str(before), role) if before else None


async def apply_in_projects(
    tx: Transaction, user_id: UUID, groups: frozenset[str], mapping: list[GroupRole]
) -> None:
    """Gives and takes membership in the projects the mapping speaks of, and in no others."""
    for project_id, role in _wanted_in_projects(groups, mapping).items():
        if role is None:
            await tx.run(Q.leave_project, project_id=project_id, user_id=user_id)
        else:
            await tx.run(Q.join_project, project_id=project_id, user_id=user_id, role=role)


def _wanted_in_projects(groups: frozenset[str], mapping: list[GroupRole]) -> dict[UUID, ProjectRole | None]:
    """For each project of the mapping the highest role of the person's groups, or none."""
    wanted: dict[UUID, ProjectRole | None] = {}
    for one in mapping:
        if one.project_id is None:
            continue
        best = wanted.setdefault(one.project_id, None)
        if one.group in groups and (best is None or _RANK[one.role] > _RANK[best]):
            wanted[one.project_id] = one.role
    return wanted
