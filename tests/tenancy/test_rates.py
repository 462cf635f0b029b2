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
from veraz.tenancy.rates import Rate, Rates, network_of, place_of

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


@pytest.mark.parametrize(
    ("address", "network"),
    [
        ("203.0.113.7", "203.0.113.0/24"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1::/48"),
        ("::ffff:203.0.113.7", "203.0.113.0/24"),
        ("?", "?"),
    ],
)
def test_who_moves_within_a_network_stays_in_it(address: str, network: str) -> None:
    assert network_of(address) == network


# guesses at one account; each test lets three a minute and four an hour, 40 for all networks

HASH = "$argon2id$v=19$m=8,t=1,p=1$c2FsdA$aGFzaA"


@pytest.fixture
def strict(db: Database, settings: Settings) -> tuple[Rates, Rates]:
    """Two processes of an installation where little is allowed."""
    few = settings.model_copy(update={"login_attempts_per_minute": 3, "login_failures_per_hour": 4})
    return Rates(db, few, secret=SECRET), Rates(db, few, secret=SECRET)


async def guesses(rates: Rates, *addresses: str, mark: str = "") -> int:
    """How many guesses at Ana's account, one from each of these addresses, were let through."""
    through = 0
    for address in addresses:
        try:
            known = rates.known_device(mark, "ana@acme.test", {TENANT: HASH})
            await rates.of_guess("Ana@acme.test ", address, known)
            through += 1
        except errors.RateLimited:
            pass
    return through


async def crowd(rates: Rates, networks: int = 15) -> int:
    """So many networks guess until they may no more."""
    places = [f"198.18.{network}.{place}" for network in range(networks) for place in range(6)]
    return await guesses(rates, *places)


async def test_a_network_that_guesses_keeps_nobody_out_but_itself(strict: tuple[Rates, Rates]) -> None:
    one, other = strict
    places = [f"198.51.100.{place}" for place in range(30)]
    assert await guesses(one, *places[:15]) + await guesses(other, *places[15:]) == 4
    assert await guesses(other, "203.0.113.9") == 1, "the owner, on a device nobody knows, without a cookie"
    assert await guesses(one, "198.51.100.200") == 0


async def test_many_networks_make_each_slower_and_shut_none_out(strict: tuple[Rates, Rates]) -> None:
    """Four each from ten networks; from then on one from each, as long as the crowd goes on."""
    one, other = strict
    assert await crowd(one) == 40 + 5
    assert await guesses(other, "203.0.113.9") == 1, "the first try of the owner is looked at even now"
    assert await guesses(other, "203.0.113.10") == 0


async def test_a_right_password_is_no_guess(strict: tuple[Rates, Rates]) -> None:
    one, _ = strict
    for place in range(20):
        await one.give_back(await one.of_guess("ana@acme.test", f"203.0.113.{place}"))
    await crowd(one)
    for place in range(20):
        await one.give_back(await one.of_guess("ana@acme.test", f"192.0.2.{place}"))


async def test_a_known_device_has_attempts_of_its_own_wherever_it_is(strict: tuple[Rates, Rates]) -> None:
    one, other = strict
    mark = one.mark("ana@acme.test", TENANT, HASH)
    await crowd(one)
    assert await guesses(one, *(f"198.18.0.{place}" for place in range(9))) == 0
    assert await guesses(other, *["198.18.0.1"] * 5, mark=mark) == 3
    assert await guesses(other, "198.18.0.1", mark=mark[:-1] + ("x" if mark[-1] != "x" else "y")) == 0


def test_a_mark_is_of_one_account_one_tenant_and_one_password(strict: tuple[Rates, Rates]) -> None:
    one, other = strict
    mark, rival = one.mark("ana@acme.test", TENANT, HASH), uuid4()
    known = other.known_device(mark, " Ana@acme.test", {rival: "$other", TENANT: HASH})
    assert known and known.tenant_id == TENANT
    assert other.known_device(mark, "eva@acme.test", {TENANT: HASH}) is None
    assert other.known_device(mark, "ana@acme.test", {rival: HASH}) is None
    assert other.known_device(mark, "ana@acme.test", {TENANT: HASH + "x"}) is None, "a new password"
    assert other.known_device("", "ana@acme.test", {TENANT: HASH}) is None


async def test_who_is_signed_in_guesses_slowly_too_and_others_go_on(strict: tuple[Rates, Rates]) -> None:
    one, other = strict
    ana, eva = uuid4(), uuid4()
    for rates in (one, other, one):
        await rates.of_own_secret(ana)
    with pytest.raises(errors.RateLimited):
        await other.of_own_secret(ana)
    await other.of_own_secret(eva)
