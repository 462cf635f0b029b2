"""What an installation forgets by itself, and what it keeps."""

from typing import TYPE_CHECKING

from psycopg import Connection

from veraz.db.pool import Database
from veraz.settings import Settings
from veraz.upkeep import forget_old

if TYPE_CHECKING:
    from tests.conftest import MakeTenant


async def test_old_events_and_retired_editions_go_and_new_ones_stay(
    worker_db: Database, owner: Connection, make_tenant: "MakeTenant", settings: Settings
) -> None:
    space = owner.execute(
        "insert into veraz.embedding_space (name, dimensions) values ('fake:hash@64', 64) returning id"
    ).fetchone()
    assert space is not None
    for tenant in (make_tenant(), make_tenant()):
        add = "insert into veraz.event (tenant_id, kind, at) values (%s, 'x', now() - make_interval(days => %s))"
        owner.execute(add, (tenant.id, 31))
        owner.execute(add, (tenant.id, 1))
        owner.execute(
            "insert into veraz.edition (tenant_id, kb_id, space_id, chunking, embedding, status, switched_at) "
            "select %s, %s, %s, '{}', '{}', 'retired', now() - make_interval(days => d) from unnest(array[1, 8]) d",
            (tenant.id, tenant.kb_id, space[0]),
        )
    await forget_old(settings, worker_db)
    rows = owner.execute(
        "select (select count(*) from veraz.event), (select count(*) from veraz.edition where status = 'retired')"
    ).fetchall()
    assert rows == [(2, 2)]


async def test_links_for_a_password_go_a_day_after_their_time(
    worker_db: Database, owner: Connection, make_tenant: "MakeTenant", settings: Settings
) -> None:
    late, good = make_tenant(), make_tenant()
    for tenant, hours in ((late, -25), (good, -1)):
        owner.execute(
            "insert into veraz.password_link (id, tenant_id, user_id, token_hash, expires_at) "
            "values (gen_random_uuid(), %s, %s, %s, now() + make_interval(hours => %s))",
            (tenant.id, tenant.admin_id, tenant.id.bytes, hours),
        )
    await forget_old(settings, worker_db)
    assert owner.execute("select user_id from veraz.password_link").fetchall() == [(good.admin_id,)]
