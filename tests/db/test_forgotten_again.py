"""What was forgotten can be forgotten again by the list that holds no text, each kind of thing, and twice."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any
from uuid import UUID

from psycopg import Connection

from veraz.db.forgotten import Again, Kept, Segment, forget_again, forgotten

if TYPE_CHECKING:
    from tests.conftest import MakeTenant
    from tests.support.searchable import Library
else:
    from support.searchable import Library


async def test_each_kind_is_forgotten_again_and_twice_changes_nothing(
    library: Library, make_tenant: "MakeTenant", owner: Connection[Any], database_url: str
) -> None:
    tenant, other = make_tenant(), make_tenant("Gone")
    kb = await library.kb(tenant)
    stays = await library.document(kb, "a.md", "Una cosa.", "Otra cosa.")
    goes = await library.document(kb, "b.md", "Esto se va.")
    row = owner.execute("select id::text from veraz.chunk where content = 'Otra cosa.'").fetchone()
    assert row is not None
    whose = str(tenant.id)
    span = {
        "kind": "span", "id": row[0], "tenant_id": whose, "document_id": str(stays), "words": 2, "head": "00", "digest": "01",
        "created_by": None, "created_at": "2026-01-01",
    }  # fmt: skip
    known = [
        {"kind": "chunk", "tenant_id": whose, "subjects": [row[0]]},
        {
            "kind": "licence",
            "tenant_id": whose,
            "licence_id": row[0],
            "machine_id": "M-2",
            "status": "closed",
        },
        {"kind": "document", "tenant_id": whose, "subjects": [str(goes)]},
        {"kind": "machine", "tenant_id": whose, "subjects": ["M-1"]},
        {"kind": "end_user", "tenant_id": whose, "subjects": [str(goes)]},
        {"kind": "person", "tenant_id": whose, "subjects": [str(tenant.admin_id)]},
        {"kind": "tenant", "tenant_id": whose, "subjects": [str(other.id)]},
        {"kind": "document", "tenant_id": str(other.id), "subjects": [str(goes)]},
        span,
    ]
    for _ in range(2):
        assert forget_again(database_url, known, _found) == [str(other.id)]
    left = owner.execute("select content from veraz.chunk order by 1").fetchall()
    assert ("Esto se va.",) not in left
    assert ("Otra cosa.",) not in left
    assert owner.execute("select id from veraz.tenant where id = %s", (other.id,)).fetchone() is None
    assert owner.execute("select count(*) from veraz.forgotten_span").fetchone() == (1,)
    assert owner.execute(
        "select count(*) from veraz.app_user where tenant_id = %s", (tenant.id,)
    ).fetchone() == (0,)
    kinds = {one["kind"] for one in forgotten(database_url)}
    assert kinds == {one["kind"] for one in known}
    assert "Esto se va" not in str(forgotten(database_url))
    status = owner.execute("select status from veraz.licence where machine_id = 'M-2'").fetchone()
    assert status == ("closed",)


async def test_another_tenants_document_is_not_touched(
    library: Library, make_tenant: "MakeTenant", owner: Connection[Any], database_url: str
) -> None:
    tenant, other = make_tenant(), make_tenant("Rival")
    document = await library.document(await library.kb(tenant), "a.md", "Una cosa.")
    forget_again(
        database_url,
        [
            {"kind": "document", "tenant_id": str(other.id), "subjects": [str(document)]},
            {
                "kind": "span", "id": str(document), "tenant_id": str(other.id), "document_id": str(document), "words": 2,
                "head": "00", "digest": "01", "created_by": None, "created_at": "2026-01-01",
            },
        ],
        _found,
    )  # fmt: skip
    assert owner.execute("select count(*) from veraz.chunk").fetchone() == (1,)
    assert owner.execute("select count(*) from veraz.forgotten_span").fetchone() == (0,)


def _found(document_id: UUID, segments: Sequence[Segment], kept: Sequence[Kept]) -> Again:
    """Every chunk that is not the first one."""
    return Again(texts=[one.text for one in segments if one.text == "Otra cosa."], gaps=(), segments=())
