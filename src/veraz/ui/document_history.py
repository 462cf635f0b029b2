"""What became of a document: what took its place, its versions, and corrections that wait for a decision."""

from collections.abc import Mapping
from uuid import UUID

from nicegui import ui

from veraz import errors
from veraz.ingest.corrections import Correction
from veraz.ingest.documents import Document
from veraz.ingest.versions import DocumentVersion
from veraz.ui.parts import called, heading, icon_button, size, state, when
from veraz.ui.source_views import note
from veraz.ui.visit import Visit


async def relations(visit: Visit, document: Document) -> None:
    """What supersedes it, what it seems to supersede, and what says nearly the same."""
    if document.superseded_by is not None:
        await _superseded(visit, document)
        return
    await _proposal(visit, document)
    similar = await visit.veraz.documents.similar(visit.actor, document.kb_id, document.id)
    if similar:
        names = ", ".join(one.name for one in similar)
        ui.label(visit.t("Says nearly the same as {names}.", names=names)).classes("quiet break")


async def _superseded(visit: Visit, document: Document) -> None:
    t = visit.t
    name = await visit.veraz.superseding.successor(visit.actor, document)

    async def read_again() -> None:
        await visit.veraz.superseding.restore(visit.actor, document.kb_id, document.id)
        ui.navigate.reload()

    with ui.row().classes("w-full items-center"):
        ui.label(t("Superseded by «{name}»: kept, and no longer read.", name=name or "…")).classes("break")
        ui.button(t("Read it again"), icon="undo", on_click=visit.act(read_again)).props("flat")


async def _proposal(visit: Visit, document: Document) -> None:
    t = visit.t
    proposal = await visit.veraz.superseding.proposal(visit.actor, document)
    if proposal is None:
        return

    async def accept() -> None:
        await visit.veraz.superseding.supersede(
            visit.actor, document.kb_id, proposal.document_id, document.id
        )
        visit.done("Saved")
        ui.navigate.reload()

    with ui.row().classes("w-full items-center"):
        with ui.column().classes("gap-0 grow"):
            ui.label(t("Does this document replace «{name}»?", name=proposal.name)).classes("break")
            ui.label(errors.said(proposal.reason, visit.language)).classes("quiet small break")
        ui.button(t("Yes, no longer read that one"), on_click=visit.act(accept)).props("outline")


async def versions(visit: Visit, document: Document, shown: int | None = None) -> None:
    """Its versions, where it has several: who brought each and when, to be looked at or read again."""
    found = await visit.veraz.versions.all(visit.actor, document.kb_id, document.id)
    if len(found) < 2:
        return
    people = await _people(visit)
    current = next((one.version for one in found if one.current), None)
    with ui.expansion(
        visit.t("Versions: {n}", n=len(found)), icon="history", value=shown is not None
    ).classes("w-full card versions"):
        for one in found:
            _version(visit, document, one, people, here=one.version == (shown or current))
    if shown is not None and shown != current:
        tell_old(visit, shown)


def tell_old(visit: Visit, version: int) -> None:
    """That answers no longer come from what is shown."""
    note(visit.t("This is version {n}, which is no longer read.", n=version))


async def _people(visit: Visit) -> dict[UUID, str]:
    """The names of those in the project."""
    if visit.project_id is None:
        return {}
    members = await visit.veraz.projects.members(visit.actor, visit.project_id)
    known = {one.user_id: one.display_name or one.email or "" for one in members}
    return known | {visit.user.id: visit.user.display_name or visit.user.email or ""}


def _version(
    visit: Visit, document: Document, one: DocumentVersion, people: Mapping[UUID, str], *, here: bool
) -> None:
    t = visit.t

    async def restore() -> None:
        await visit.veraz.replacements.with_version(visit.actor, document.kb_id, document.id, one.version)
        visit.done("It is being processed as a new version")
        ui.navigate.reload()

    with ui.row().classes("w-full items-center no-wrap"):
        with ui.column().classes("grow gap-0"):
            ui.label(t("Version {n} · {name}", n=one.version, name=one.name)).classes("break")
            who = people.get(one.created_by, "") if one.created_by else ""
            facts = (size(visit, one.size_bytes), when(visit, one.created_at), who)
            ui.label(" · ".join(filter(None, facts))).classes("quiet small")
            if one.error_message:
                reason = errors.retold(one.error_code, one.error_message, visit.language)
                ui.label(reason or "").classes("quiet small break")
        state(visit, one.status)
        _version_ways(visit, document, one, here=here)
        if not one.current and document.superseded_by is None:
            icon_button("restore", t("Restore version {n}", n=one.version), visit.act(restore))


def _version_ways(visit: Visit, document: Document, one: DocumentVersion, *, here: bool) -> None:
    """To look at a version, and to take its file along."""
    t, place = visit.t, f"/knowledge-bases/{document.kb_id}/documents/{document.id}"
    if one.status in ("current", "superseded"):
        target = visit.to(place if one.current else f"{place}?version={one.version}")
        words = t("Look at version {n}", n=one.version)
        icon = "visibility" if here else "visibility_off"
        called(ui.button(icon=icon).props(f"flat round color=secondary tag=a href={target}"), words)
    if one.storage_key:
        address = f"/api/v1{place}/versions/{one.version}/file"
        words = t("Download version {n}", n=one.version)
        called(ui.button(icon="download").props(f"flat round color=secondary tag=a href={address}"), words)


async def corrections(visit: Visit, document: Document) -> None:
    """The corrections whose text has changed since, each to be made anew or discarded."""
    asking = await visit.veraz.corrections.all(visit.actor, document.kb_id, document.id, status="asks")
    if not asking:
        return
    heading(visit.t("Corrections to decide"), 2)
    ui.label(visit.t("The text below these corrections has changed since they were made.")).classes(
        "quiet small"
    )
    for one in asking:
        _correction(visit, document, one)


def _correction(visit: Visit, document: Document, one: Correction) -> None:
    t, service = visit.t, visit.veraz.corrections

    async def apply() -> None:
        await service.apply(visit.actor, document.kb_id, document.id, one.id)
        visit.done("Saved; searches use the new text")
        ui.navigate.reload()

    async def discard() -> None:
        await service.discard(visit.actor, document.kb_id, document.id, one.id)
        ui.navigate.reload()

    with ui.card().classes("w-full"):
        ui.label(t("It said: {words}", words=one.before)).classes("passage")
        ui.label(t("Corrected to: {words}", words=one.after)).classes("passage")
        with ui.row():
            ui.button(t("Make it again"), on_click=visit.act(apply)).props("outline")
            ui.button(t("Discard"), on_click=visit.act(discard)).props("flat")
