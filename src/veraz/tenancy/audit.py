"""Who changed what. The entries are written by the database itself, in the same transaction as the change."""

from veraz.db.pool import Database
from veraz.db.sql import queries
from veraz.paging import FIRST_PAGE, Page, PageRequest
from veraz.tenancy.model import Actor, AuditEntry
from veraz.tenancy.permissions import need_admin

Q = queries(__file__)


class Audit:
    """Reading the log."""

    def __init__(self, db: Database) -> None:
        self.db = db

    async def entries(
        self,
        actor: Actor,
        page: PageRequest = FIRST_PAGE,
        *,
        thing: str | None = None,
        thing_id: str | None = None,
    ) -> Page[AuditEntry]:
        """The tenant's changes, newest first."""
        need_admin(actor, "read the audit log")
        async with self.db.transaction(actor.scope()) as tx:
            rows = await tx.all(
                AuditEntry,
                Q.entries,
                after=page.after_number,
                thing=thing,
                thing_id=thing_id,
                limit=page.fetch,
            )
            return page.page(rows)
