"""Fixtures of the attacks.

attacked   the application on a world of three companies, with every door it has
"""

import logging
import os
import random as randomness
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from random import Random
from typing import TYPE_CHECKING

import pytest
import structlog
from fastapi import FastAPI

from veraz.api.app import create_app
from veraz.db.pool import Database
from veraz.settings import Settings
from veraz.wiring import assemble

if TYPE_CHECKING:
    from tests.support.attacks.world import UNHURRIED, AttackWorld
    from tests.support.isolation_world import Owner
else:
    from support.attacks.world import UNHURRIED, AttackWorld
    from support.isolation_world import Owner


@dataclass(frozen=True, kw_only=True)
class Attacked:
    """An application and what stands behind it."""

    app: FastAPI
    world: AttackWorld
    random: Random
    seed: int


@pytest.fixture
def quiet() -> Iterator[None]:
    """No line in the log for each of thousands of refusals."""
    before = structlog.get_config()["wrapper_class"]
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.CRITICAL))
    logging.disable(logging.WARNING)
    yield
    logging.disable(logging.NOTSET)
    structlog.configure(wrapper_class=before)


@pytest.fixture
async def attacked(
    owner: Owner, app_url: str, settings: Settings, db: Database, quiet: None
) -> AsyncIterator[Attacked]:
    """`VERAZ_ATTACK_SEED` plays the same attack again."""
    seed = int(os.environ.get("ATTACK_SEED", randomness.randrange(10**6)))
    random = Random(seed)
    config = settings.model_copy(update=UNHURRIED | {"embedding_model": "fake:story@8"})
    veraz = assemble(config, db)
    world = AttackWorld(owner, random, veraz.widget_visitors.tokens)
    yield Attacked(app=create_app(veraz), world=world, random=random, seed=seed)
