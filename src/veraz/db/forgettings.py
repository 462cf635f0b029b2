"""Whether something was forgotten while something else was under way: the one question of whoever writes down late.

Ask when you begin, and again in the transaction that writes: until it ends, nothing more is forgotten in the tenant, and the
next forgetting finds what was written.
"""

from uuid import UUID

from veraz.db.pool import Transaction


async def newest_forgetting(tx: Transaction) -> UUID | None:
    """The tenant's newest forgetting, which stays the newest until the transaction ends."""
    newest: UUID | None = await tx.value("select veraz.newest_forgetting(true)")
    return newest


async def known_documents(tx: Transaction, documents: list[UUID]) -> set[UUID]:
    """Which of these are still there, and stay so until the transaction ends."""
    return set(
        await tx.values("select * from veraz.known_documents(%(documents)s::uuid[])", documents=documents)
    )
