"""Nothing is lost: `python -m tests.soak.no_loss [--documents 1000] [--workers 3]`.

Documents go in while a random worker is killed with -9 every few seconds, and PostgreSQL twice, until all is done.
"""

import argparse
import asyncio
import sys

from tests.support.load import fresh_home, small_documents
from tests.support.no_loss import Outcome, Plan, under_fire


def main() -> None:
    """Runs, prints what happened, and fails when anything that must not happen did."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--documents", type=int, default=1000)
    parser.add_argument("--workers", type=int, default=3)
    options = parser.parse_args()
    plan = Plan(texts=small_documents(options.documents), workers=options.workers)
    with fresh_home("veraz-no-loss-") as home:
        outcome = asyncio.run(under_fire(home, plan))
    _table(outcome)
    sys.exit(bool(outcome.problems))


def _table(outcome: Outcome) -> None:
    rows = {
        "documents completed once": outcome.documents,
        "chunks": outcome.chunks,
        "seconds": round(outcome.seconds),
        "workers killed": outcome.workers_killed,
        "PostgreSQL killed": outcome.postgres_killed,
        "jobs taken over from the dead": outcome.jobs_taken_over,
        "attempts ended by the dead database": outcome.attempts_after_errors,
        "uploads repeated by the client": outcome.uploads_repeated,
        "texts the paid service was asked for": outcome.asked,
        "… again, lost in flight with a killed process": outcome.asked_again - outcome.avoidable,
        "… again although stored (must be 0)": outcome.avoidable,
        "problems": len(outcome.problems),
    }
    for name, value in rows.items():
        print(f"{name:48}{value:>10,}")
    for problem in outcome.problems[:20]:
        print("  !", problem)


if __name__ == "__main__":
    main()
