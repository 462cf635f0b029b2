"""Numbers about questions, as far as the asker of the numbers may see them."""

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from psycopg import Connection
from psycopg.rows import TupleRow

from veraz.db.pool import Database
from veraz.ids import new_id
from veraz.learn.insight import Insights
from veraz.tenancy.model import Actor

if TYPE_CHECKING:
    from tests.conftest import MakeTenant, Tenant


def admin_of(tenant: "Tenant") -> Actor:
    return Actor(tenant_id=tenant.id, user_id=tenant.admin_id, user_role="admin")


def ask(owner: Connection[TupleRow], tenant: "Tenant", *, refused: bool = False, ms: float = 100) -> None:
    with owner.transaction():
        owner.execute("select set_config('veraz.tenant_id', %s, true)", (str(tenant.id),))
        owner.execute(
            "insert into veraz.query_log (id, kind, kb_ids, question, stages, latency_ms, refused) "
            "values (%s, 'ask', %s, '¿?', jsonb_build_object('search', %s::float8), %s, %s)",
            (new_id(), [tenant.kb_id], ms / 2, ms, refused),
        )


async def test_questions_refusals_and_times_are_counted(
    db: Database, owner: Connection[TupleRow], make_tenant: "MakeTenant"
) -> None:
    tenant, rival = make_tenant(), make_tenant("Rival")
    ask(owner, tenant, ms=100)
    ask(owner, tenant, ms=300, refused=True)
    now = datetime.now(UTC) + timedelta(minutes=1)
    found = await Insights(db).between(admin_of(tenant), now - timedelta(days=7), now)
    assert (found.totals.questions, found.totals.refused, found.totals.p50_ms) == (2, 1, 200)
    assert [(day.answered, day.refused) for day in found.days] == [(1, 1)]
    assert [(stage.name, stage.mean_ms) for stage in found.stages] == [("search", 100)]
    theirs = await Insights(db).between(admin_of(rival), now - timedelta(days=7), now)
    assert (theirs.totals.questions, theirs.days) == (0, [])
