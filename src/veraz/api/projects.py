"""Projects and their members."""

from datetime import datetime
from typing import Annotated, Literal
from uuid import UUID

from fastapi import APIRouter
from pydantic import Field, model_validator

from veraz.api.bodies import QUESTION, takes
from veraz.api.caller import Caller, Services
from veraz.api.schemas import Body, Name, PageView, Paging, Text, View, page_of

router = APIRouter(prefix="/projects", tags=["projects"])

Role = Literal["admin", "manager", "member"]


class ProjectBody(Body):
    """A new project."""

    name: Name
    description: Annotated[Text, Field(max_length=10_000)] = ""


class ProjectPatch(Body):
    """What changes about a project."""

    name: Name | None = None
    description: Annotated[Text, Field(max_length=10_000)] | None = None


class ProjectView(View):
    """A project."""

    id: UUID
    name: str
    description: str
    created_at: datetime


class MemberBody(Body):
    """Somebody and their role; by id or by email."""

    user_id: UUID | None = None
    email: Annotated[Text, Field(max_length=320)] | None = None
    role: Role = "member"

    @model_validator(mode="after")
    def _who(self) -> "MemberBody":
        if not self.user_id and not self.email:
            raise ValueError("user_id or email is needed")
        return self


class MemberView(View):
    """A member of a project."""

    user_id: UUID
    email: str | None
    display_name: str
    role: Role
    created_at: datetime


@router.post("", status_code=201)
@takes(QUESTION)
async def create(body: ProjectBody, actor: Caller, veraz: Services) -> ProjectView:
    """A new project (tenant admins)."""
    return ProjectView.model_validate(await veraz.projects.create(actor, **body.model_dump()))


@router.get("")
async def projects(actor: Caller, veraz: Services, page: Paging) -> PageView[ProjectView]:
    """The projects you may use."""
    return page_of(ProjectView, await veraz.projects.all(actor, page))


@router.get("/{project_id}")
async def project(project_id: UUID, actor: Caller, veraz: Services) -> ProjectView:
    """One project."""
    return ProjectView.model_validate(await veraz.projects.get(actor, project_id))


@router.patch("/{project_id}")
@takes(QUESTION)
async def change(project_id: UUID, body: ProjectPatch, actor: Caller, veraz: Services) -> ProjectView:
    """Renames or describes a project."""
    return ProjectView.model_validate(await veraz.projects.change(actor, project_id, **body.model_dump()))


@router.delete("/{project_id}", status_code=204)
async def delete(project_id: UUID, actor: Caller, veraz: Services) -> None:
    """Deletes a project with its agents and knowledge bases."""
    await veraz.projects.delete(actor, project_id)


@router.get("/{project_id}/members")
async def members(project_id: UUID, actor: Caller, veraz: Services) -> PageView[MemberView]:
    """Who is in the project."""
    found = await veraz.projects.members(actor, project_id)
    return PageView(items=[MemberView.model_validate(member) for member in found], next_cursor=None)


@router.post("/{project_id}/members", status_code=201)
async def put_member(project_id: UUID, body: MemberBody, actor: Caller, veraz: Services) -> MemberView:
    """Adds somebody, or changes their role."""
    return MemberView.model_validate(await veraz.projects.put_member(actor, project_id, **body.model_dump()))


@router.delete("/{project_id}/members/{user_id}", status_code=204)
async def remove_member(project_id: UUID, user_id: UUID, actor: Caller, veraz: Services) -> None:
    """Takes somebody out of the project."""
    await veraz.projects.remove_member(actor, project_id, user_id)
