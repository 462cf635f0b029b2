"""What a search's helpers cost, in the ledger. A search is never lost over a few credits."""

from collections.abc import Sequence

from veraz import errors
from veraz.db.pool import Database, Transaction
from veraz.db.scope import Scope
from veraz.db.sql import queries
from veraz.ids import new_id
from veraz.observe import log
from veraz.search.model import Help

Q = queries(__file__)

_TOKENS_PER_CREDIT = 1_000


async def credits_left(tx: Transaction) -> bool:
    """Whether the caller's tenant may ask a paid model."""
    return int(await tx.value(Q.balance)) > 0


async def charge(db: Database, scope: Scope, helped: Sequence[Help]) -> None:
    """Each model's help becomes a line of the ledger."""
    for help_ in helped:
        if help_.usage.tokens:
            try:
                await _charge(db, scope, help_)
            except errors.CreditsExhausted:
                log.warning("search_not_charged", model=help_.model, tokens=help_.usage.tokens)


async def _charge(db: Database, scope: Scope, help_: Help) -> None:
    async with db.transaction(scope) as tx:
        await tx.run(
            Q.charge,
            about=new_id(),
            credits=-(-help_.usage.tokens // _TOKENS_PER_CREDIT),
            reason=help_.stage,
            model=help_.model,
            tokens=help_.usage.tokens,
            cost=help_.usage.cost_usd,
        )
