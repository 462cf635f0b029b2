"""How often somebody may call: one count for all processes, in PostgreSQL, asked as seldom as it can be."""

import asyncio
from typing import TYPE_CHECKING
from uuid import uuid4

import pytest
from psycopg import Connection
from psycopg.rows import TupleRow

from veraz import errors
from veraz.db.pool import Database
from veraz.settings import Settings
from veraz.tenancy.model import Actor
from veraz.tenancy.rates import Rate, Rates, place_of

if TYPE_CHECKING:
    from tests.support.access import ACCESS
else:
    from support.access import ACCESS

SECRET = "s" * 64
TENANT = uuid4()


@pytest.fixture
def process(db: Database, settings: Settings) -> Rates:
    return Rates(db, settings, secret=SECRET)


@pytest.fixture
def another(db: Database, settings: Settings) -> Rates:
    """Another process of the same installation."""
    return Rates(db, settings, secret=SECRET)


async def let(rates: Rates, rate: Rate, tries: int) -> int:
    """How many of so many calls were let through."""
    through = 0
    for _ in range(tries):
        try:
            await rates.spend(rate)
            through += 1
        except errors.RateLimited as refused:
            assert int(str(refused.context["seconds"])) >= 1
    return through


async def test_processes_count_together(process: Rates, another: Rates) -> None:
    rate = Rate(about="guess ana@acme.test", per_minute=6)
    assert await let(process, rate, 4) == 4
    assert await let(another, rate, 4) == 2
    assert await let(process, rate, 4) == 0


async def test_another_account_is_not_touched(process: Rates) -> None:
    assert await let(process, Rate(about="guess ana@acme.test", per_minute=2), 5) == 2
    assert await let(process, Rate(about="guess raul@rival.test", per_minute=2), 2) == 2


async def test_where_much_is_allowed_the_database_is_seldom_asked(
    process: Rates, another: Rates, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked, call = [], process.db.call

    async def counted(*args: object, **more: object) -> object:
        asked.append(1)
        return await call(*args, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(process.db, "call", counted)
    rate = Rate(about="caller x", per_minute=400)
    assert await let(process, rate, 300) == 300
    assert len(asked) <= 40
    assert await let(another, rate, 300) <= 140, "what one process took, another has not"


async def test_who_is_refused_costs_nothing_until_the_wait_is_over(
    process: Rates, monkeypatch: pytest.MonkeyPatch
) -> None:
    rate = Rate(about="guess x", per_minute=1)
    assert await let(process, rate, 2) == 1

    async def never(*_: object, **__: object) -> None:
        raise AssertionError("the database was asked")

    monkeypatch.setattr(process.db, "call", never)
    assert await let(process, rate, 50) == 0


async def test_a_bucket_fills_again(process: Rates, another: Rates, owner: Connection[TupleRow]) -> None:
    rate = Rate(about="guess x", per_minute=2)
    assert await let(process, rate, 3) == 2
    await asyncio.to_thread(owner.execute, "update veraz.rate set full_at = full_at - interval '31 seconds'")
    assert await let(another, rate, 3) == 1


async def test_many_at_once_get_no_more(app_url: str, settings: Settings) -> None:
    async with Database(app_url, ACCESS, size=6) as db:
        processes = [Rates(db, settings, secret=SECRET) for _ in range(6)]
        rates = [Rate(about=f"{name} x", per_minute=10) for name in ("b", "a")]
        answers = await asyncio.gather(
            *(one.spend(*rates) for one in processes for _ in range(10)), return_exceptions=True
        )
    assert sum(answer is None for answer in answers) == 10


async def test_a_rate_of_nothing_is_none(process: Rates) -> None:
    assert await let(process, Rate(about="x", per_minute=0), 100) == 100


async def test_a_tenants_callers_share_its_rate_and_another_tenant_goes_on(
    db: Database, settings: Settings
) -> None:
    few = settings.model_copy(update={"tenant_requests_per_minute": 3})
    rates, mine, theirs = Rates(db, few, secret=SECRET), uuid4(), uuid4()
    for _ in range(3):
        await rates.of_caller(Actor(tenant_id=mine, user_id=uuid4(), user_role="member"))
    with pytest.raises(errors.RateLimited):
        await rates.of_caller(Actor(tenant_id=mine, user_id=uuid4(), user_role="member"))
    await rates.of_caller(Actor(tenant_id=theirs, user_id=uuid4(), user_role="member"))


async def test_nobody_reads_or_writes_buckets_but_their_function(process: Rates, db: Database) -> None:
    await process.spend(Rate(about="guess ana@acme.test", per_minute=2))
    for statement in ("select * from veraz.rate", "delete from veraz.rate", "select veraz.forget_rates()"):
        with pytest.raises(errors.Forbidden):
            async with db.transaction() as tx:
                await tx.value(statement)


async def test_buckets_hold_no_name_and_are_forgotten_when_full(
    process: Rates, worker_db: Database, owner: Connection[TupleRow]
) -> None:
    await process.spend(Rate(about="guess ana@acme.test", per_minute=600))
    kept = owner.execute("select string_agg(r::text, ' ') from veraz.rate r").fetchone()
    assert kept and "ana" not in kept[0]
    owner.execute("update veraz.rate set full_at = now() - interval '1 second'")
    async with worker_db.queue.transaction() as tx:
        assert await tx.value("select veraz.forget_rates()") == 1


@pytest.mark.parametrize(
    ("address", "place"),
    [
        ("203.0.113.7", "203.0.113.7"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("2001:db8:1:2::99", "2001:db8:1:2::/64"),
        ("::ffff:203.0.113.7", "203.0.113.7"),
        ("?", "?"),
    ],
)
def test_who_has_a_network_is_one(address: str, place: str) -> None:
    assert place_of(address) == place


async def test_strangers_who_guess_do_not_keep_the_owner_out(db: Database, settings: Settings) -> None:
    """Wrong passwords from anywhere, more than an hour allows: who was signed in here before goes on."""
    few = settings.model_copy(update={"login_attempts_per_minute": 3, "login_failures_per_hour": 5})
    one, other = Rates(db, few, secret="s"), Rates(db, few, secret="s")
    await one.of_guess("ana@acme.test", "192.0.2.1")
    mark = await one.was_no_guess("ana@acme.test", TENANT)
    refused = 0
    for place in range(9):
        try:
            await (one, other)[place % 2].of_guess("Ana@acme.test ", f"198.51.100.{place}")
        except errors.RateLimited:
            refused += 1
    assert refused == 4, "five for all strangers and all processes; the right one did not count"
    await other.of_guess("ana@acme.test", "203.0.113.9", mark)
    with pytest.raises(errors.RateLimited):
        await other.of_guess("ana@acme.test", "203.0.113.9", mark[:-1] + "x")
    for _ in range(2):
        await other.of_guess("ana@acme.test", "203.0.113.9", mark)
    with pytest.raises(errors.RateLimited):
        await other.of_guess("ana@acme.test", "203.0.113.9", mark)


async def test_the_mark_of_one_account_is_none_for_another(db: Database, settings: Settings) -> None:
    few = settings.model_copy(update={"login_attempts_per_minute": 50, "login_failures_per_hour": 1})
    rates = Rates(db, few, secret="s")
    mark = await rates.was_no_guess("ana@acme.test", TENANT)
    await rates.of_guess("eva@acme.test", "192.0.2.1", mark)
    with pytest.raises(errors.RateLimited):
        await rates.of_guess("eva@acme.test", "192.0.2.1", mark)
