"""Workers and the database die while documents come in; the long version is `make soak`."""

import sys
from pathlib import Path

from tests.support.load import fresh_home, small_documents
from tests.support.no_loss import Plan, under_fire

QUICK_WORKER = (sys.executable, str(Path(__file__).parents[1] / "support" / "quick_worker.py"))


async def test_killed_workers_and_a_killed_database_lose_nothing_and_pay_nothing_twice() -> None:
    plan = Plan(
        texts=small_documents(30, characters=2000),
        workers=2,
        kills=2,
        postgres_kills=1,
        seconds_between_kills=(2.0, 3.0),
        patience=200,
        command=QUICK_WORKER,
        hurry=True,
    )
    with fresh_home("veraz-no-loss-", in_memory=True) as home:
        outcome = await under_fire(home, plan)
    assert outcome.problems == []
    assert outcome.postgres_killed == 1
