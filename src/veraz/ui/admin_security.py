"""Administration: what happened to the security of the tenant, and for the platform to that of the installation."""

from dataclasses import replace
from typing import Any, Final
from uuid import UUID

from nicegui import ui

from veraz.security import KINDS
from veraz.tenancy.security_events import EVERYTHING, StoredEvent, Wanted
from veraz.ui.parts import when
from veraz.ui.shell import shell
from veraz.ui.tables import CursorTable, Row, column
from veraz.ui.visit import Visit, Visiting

_EXPORT: Final = "/api/v1/security-events/export?format=csv"


async def page(visit: Visiting) -> None:
    """Security events, newest first."""
    t = visit.t
    people = {
        one.id: one.display_name or one.email for one in (await visit.veraz.users.all(visit.actor)).items
    }
    wanted = [EVERYTHING]
    with shell(
        visit,
        t("Security"),
        active="/admin/security",
        subtitle=t("Sign-ins, keys, rights and refusals: who, from where and when. Nobody can change them."),
    ):
        with ui.row().classes("items-center gap-4"):
            _choices(visit, wanted, lambda: table.first())
            ui.link(t("Export CSV"), _EXPORT, new_tab=True)
        columns = [
            column("at", t("Date"), sortable=False),
            column("what", t("What"), sortable=False, classes="name"),
            column("who", t("Who"), sortable=False, classes="name"),
            column("about", t("About"), sortable=False, classes="gt-xs"),
            column("address", t("From"), sortable=False, classes="gt-xs"),
            column("details", t("Details"), sortable=False, classes="name gt-xs small quiet"),
        ]
        table: CursorTable[StoredEvent] = CursorTable(
            visit,
            columns,
            lambda page: visit.veraz.security_events.all(visit.actor, page, wanted[0]),
            lambda one: _row(visit, one, people),
        )
        table.table.classes("events")
        await table.refresh()


def _choices(visit: Visit, wanted: list[Wanted], again: Any) -> None:
    t = visit.t

    async def refusals(event: Any) -> None:
        wanted[0] = replace(wanted[0], outcome="refused" if event.value else None)
        await again()

    async def kind(event: Any) -> None:
        wanted[0] = replace(wanted[0], kinds=(event.value,) if event.value else None)
        await again()

    async def installation(event: Any) -> None:
        wanted[0] = replace(wanted[0], of_installation=bool(event.value))
        await again()

    options = {"": t("Everything")} | {one: t(SAID[one]) for one in KINDS}
    ui.select(options, value="", label=t("What"), on_change=visit.act(kind)).style("min-width: 16rem")
    ui.switch(t("Only what was refused"), on_change=visit.act(refusals))
    if visit.actor.scope().platform:
        ui.switch(t("Of the installation"), on_change=visit.act(installation))


def _row(visit: Visit, event: StoredEvent, people: dict[UUID, str | None]) -> Row:
    return {
        "id": event.id,
        "at": when(visit, event.at),
        "what": visit.t(SAID[event.kind]) if event.kind in SAID else event.kind,
        "who": _named(event.user_id, people) or (visit.t("A key") if event.key_id else "–"),
        "about": _named(event.about, people) or "–",
        "address": event.address or "–",
        "details": " · ".join(
            visit.t(_VALUES[value]) if value in _VALUES else str(value) for value in event.details.values()
        ),
    }


def _named(one: UUID | None, people: dict[UUID, str | None]) -> str:
    return (people.get(one) or f"…{str(one)[-6:]}") if one else ""


_VALUES: Final[dict[object, str]] = {
    "password": "Password",
    "password + factor": "Password and second step",
    "provider": "Identity provider",
    "provider + factor": "Identity provider and second step",
    "totp": "Second step",
    "second_factor": "Second step",
    "admin": "Administrator",
    "manager": "Manager",
    "member": "Member",
    "project": "Project",
    "documents": "Documents",
    "usage": "Usage",
    "machine": "Machine",
}
"""What details are made of, where people have a word for it; the rest is for programs and stays as it is."""

SAID: Final[dict[str, str]] = {
    "signed_in": "Signed in",
    "signed_out": "Signed out",
    "sign_in_failed": "Wrong e-mail or password",
    "sign_in_limited": "Too many attempts to sign in",
    "account_locked": "Account locked",
    "session_ended": "Session ended",
    "invited": "Invited",
    "invitation_used": "Invitation used",
    "password_changed": "Password changed",
    "password_reset_asked": "Password reset requested",
    "password_reset": "Password reset",
    "factor_added": "Second factor added",
    "factor_removed": "Second factor removed",
    "factor_failed": "Wrong second factor",
    "recovery_code_used": "Recovery code used",
    "provider_linked": "Linked with a sign-in provider",
    "provider_changed": "Sign-in provider changed",
    "key_made": "Key created",
    "key_revoked": "Key revoked",
    "key_refused": "Unknown or revoked key",
    "key_used_from_new_address": "Key used from a new address",
    "signing_key_changed": "Signing key changed",
    "user_added": "User added",
    "user_disabled": "User disabled",
    "user_enabled": "User enabled",
    "user_deleted": "User deleted",
    "rights_changed": "Rights changed",
    "tenant_created": "Tenant created",
    "tenant_changed": "Tenant changed",
    "tenant_deleted": "Tenant deleted",
    "licence_changed": "Licence changed",
    "setting_changed": "Setting changed",
    "access_refused": "Without permission",
    "scope_forged": "Forged identity at the database",
    "address_refused": "Refused to visit a private address",
    "host_refused": "Request under an unknown name",
    "limit_reached": "Limit reached",
    "signature_refused": "Wrong signature",
    "exported": "Exported",
    "backed_up": "Backup made",
    "restored": "Backup restored",
    "forgotten": "Data forgotten",
}
"""Every kind, as people read it."""
