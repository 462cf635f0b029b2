"""Lists of documents in any order, a part at a time."""

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING
from uuid import UUID

import pytest

from veraz import errors
from veraz.db.pool import Database
from veraz.db.scope import Scope
from veraz.ingest.documents import DocumentFilter, Documents
from veraz.library.knowledge_bases import NewKnowledgeBase
from veraz.settings import Settings
from veraz.tenancy.model import Actor
from veraz.wiring import assemble

if TYPE_CHECKING:
    from tests.conftest import MakeTenant, Tenant
    from tests.support.searchable import Library

EVERYTHING = DocumentFilter()


async def shelf(db: Database, settings: Settings, tenant: "Tenant") -> UUID:
    """A knowledge base that is ready for documents."""
    veraz = assemble(settings.model_copy(update={"embedding_model": "fake:hash@64"}), db)
    return (await veraz.knowledge_bases.create(admin_of(tenant), NewKnowledgeBase(name="Estante"))).id


def admin_of(tenant: "Tenant") -> Actor:
    return Actor(tenant_id=tenant.id, user_id=tenant.admin_id, user_role="admin")


async def test_the_server_sorts_and_cuts(
    db: Database, settings: Settings, make_tenant: "MakeTenant", make_document: Callable[..., UUID]
) -> None:
    tenant = make_tenant()
    kb = await shelf(db, settings, tenant)
    for name in ("b.md", "C.md", "a.md"):
        make_document(tenant, kb_id=kb, name=name)
    documents, actor = Documents(db), admin_of(tenant)
    up = await documents.sheet(actor, kb, where=EVERYTHING, order="name", descending=False)
    assert [one.name for one in up.documents] == ["a.md", "b.md", "C.md"]
    down = await documents.sheet(actor, kb, where=EVERYTHING, order="name", offset=1, limit=1)
    assert ([one.name for one in down.documents], down.total) == (["b.md"], 3)
    newest = await documents.sheet(actor, kb, where=EVERYTHING)
    assert newest.documents[0].name == "a.md"


async def test_what_is_filtered_out_is_not_counted(
    db: Database, settings: Settings, make_tenant: "MakeTenant", make_document: Callable[..., UUID]
) -> None:
    tenant = make_tenant()
    kb = await shelf(db, settings, tenant)
    make_document(tenant, kb_id=kb, name="factura.md", status="failed")
    make_document(tenant, kb_id=kb, name="Manual.md")
    sheet = await Documents(db).sheet(admin_of(tenant), kb, where=DocumentFilter(text="MANUAL"))
    assert ([one.name for one in sheet.documents], sheet.total) == (["Manual.md"], 1)
    failed = await Documents(db).sheet(admin_of(tenant), kb, where=DocumentFilter(status="failed"))
    assert failed.total == 1


async def test_a_document_is_found_by_its_name_wherever_it_is(
    db: Database, make_tenant: "MakeTenant", make_kb: Callable[..., UUID], make_document: Callable[..., UUID]
) -> None:
    tenant = make_tenant()
    attic = make_kb(tenant, name="Desván")
    drill = make_document(tenant, name="Taladro percutor.pdf")
    terms = make_document(tenant, kb_id=attic, name="Garantías 2024.md")

    async def found(text: str, limit: int = 10) -> list[tuple[UUID, str]]:
        return [
            (one.id, one.kb_name) for one in await Documents(db).named(admin_of(tenant), text, limit=limit)
        ]

    assert await found("taladro") == [(drill, "Base")]
    assert await found("2024 garantias") == [(terms, "Desván")]
    assert await found("taladro 2024") == []
    assert [one for one, _ in await found(".", limit=1)] == [terms]


async def test_nobody_finds_a_document_they_may_not_see(
    db: Database,
    make_tenant: "MakeTenant",
    make_user: Callable[..., Scope],
    make_document: Callable[..., UUID],
) -> None:
    tenant, rival = make_tenant(), make_tenant("Rival")
    make_document(tenant, name="Taladro.pdf")
    member = Actor(tenant_id=tenant.id, user_id=make_user(tenant).user_id, user_role="member")
    for actor in (admin_of(rival), member):
        assert await Documents(db).named(actor, "taladro") == []


async def test_the_other_tenant_cannot_turn_the_pages(
    db: Database, make_tenant: "MakeTenant", make_document: Callable[..., UUID]
) -> None:
    tenant, rival = make_tenant(), make_tenant("Rival")
    make_document(tenant)
    with pytest.raises(errors.NotFound):
        await Documents(db).sheet(admin_of(rival), tenant.kb_id, where=EVERYTHING)


async def test_a_workbook_tells_its_sheets_in_their_order(
    db: Database, worker_db: Database, library: "Library", make_tenant: "MakeTenant"
) -> None:
    tenant, rival = make_tenant(), make_tenant("Rival")
    kb = await library.kb(tenant)
    book = await library.document(kb, "precios.xlsx", "uno", "dos", "tres")
    async with worker_db.transaction(tenant.worker) as tx:
        await tx.run("update veraz.document set file_type = 'xlsx' where id = %(id)s", id=book)
        parts = "case when ordinal < 2 then 'Enero' else 'Abril' end"
        await tx.run(f"update veraz.chunk set part = {parts} where document_id = %(id)s", id=book)
    names = await Documents(db).sheet_names(admin_of(tenant), kb.id, [book])
    assert names == {book: ["Enero", "Abril"]}
    with pytest.raises(errors.NotFound):
        await Documents(db).sheet_names(admin_of(rival), kb.id, [book])


async def test_the_time_left_follows_the_pace_so_far(
    db: Database, make_tenant: "MakeTenant", make_document: Callable[..., UUID]
) -> None:
    tenant, now = make_tenant(), datetime.now(UTC)
    waiting = await Documents(db).get(admin_of(tenant), tenant.kb_id, make_document(tenant))
    assert waiting.remaining_seconds(now) is None
    begun = now - timedelta(seconds=30)
    half = replace(waiting, status="processing", progress_percent=50, processing_started_at=begun)
    assert half.remaining_seconds(now) == 30
    assert replace(half, progress_percent=0).remaining_seconds(now) == 1
