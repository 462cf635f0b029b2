"""Every page with other companies' ids and made-up sessions: nothing of theirs is in the document; one's own is."""

import logging
from collections.abc import AsyncIterator
from random import Random, randrange
from typing import TYPE_CHECKING
from uuid import UUID

import pytest
import structlog
from fastapi import FastAPI
from nicegui import app as pages_app

from veraz.db.pool import Database
from veraz.settings import Settings
from veraz.ui.pages import MOVED, PAGES
from veraz.wiring import assemble

if TYPE_CHECKING:
    from tests.support.attacks.asgi import Request, send
    from tests.support.attacks.doors import Doors, page_doors
    from tests.support.attacks.run import Campaign
    from tests.support.attacks.world import UNHURRIED, AttackWorld, at_pages
    from tests.support.isolation_world import Owner
else:
    from support.attacks.asgi import Request, send
    from support.attacks.doors import Doors, page_doors
    from support.attacks.run import Campaign
    from support.attacks.world import UNHURRIED, AttackWorld, at_pages
    from support.isolation_world import Owner

OF_NOBODIES = 8
OF_PEOPLE = 40
SHOWN = 15


@pytest.fixture
async def campaign(
    site: FastAPI, settings: Settings, db: Database, owner: Owner
) -> AsyncIterator[tuple[Campaign, UUID, int]]:
    """The pages before a world of three companies."""
    before = structlog.get_config()["wrapper_class"]
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.CRITICAL))
    logging.disable(logging.WARNING)
    veraz = assemble(settings.model_copy(update=UNHURRIED | {"embedding_model": "fake:story@8"}), db)
    site.state.veraz = pages_app.state.veraz = veraz
    seed = randrange(10**6)
    random = Random(seed)
    world = AttackWorld(owner, random, veraz.widget_visitors.tokens)
    doors = Doors(operations=[*page_doors([*PAGES, *MOVED])], components={})
    yield Campaign(app=site, doors=doors, world=world, random=random), world.world.tenants[1], seed
    logging.disable(logging.NOTSET)
    structlog.configure(wrapper_class=before)


async def test_no_page_shows_anything_of_another_company(campaign: tuple[Campaign, UUID, int]) -> None:
    attack, tenant, seed = campaign
    for attacker in {one.name: one for one in attack.world.attackers(tenant)}.values():
        person = attacker.eyes is not None and attacker.eyes.key is None
        if person or attacker.tenant is None:  # a key is nobody in a browser
            pages = attack.random.sample(attack.doors.operations, OF_PEOPLE if person else OF_NOBODIES)
            await attack.attack(at_pages(attacker), pages)
    print(f"seed {seed}\n{attack.record.table()}")
    assert not attack.record.findings, f"seed {seed}\n{attack.record.told()}"
    assert attack.record.requests.total() > 200


async def test_the_pages_show_their_owner_what_is_theirs(campaign: tuple[Campaign, UUID, int]) -> None:
    attack, tenant, seed = campaign
    reached = await attack.own(at_pages(attack.world.owner_of(tenant)), tries=1)
    assert len(reached.canaries) >= SHOWN, f"seed {seed}: {sorted(reached.canaries)}"


@pytest.mark.parametrize("target", ["*", "\\en\\", "en"])
async def test_an_address_that_is_no_path_is_refused(
    campaign: tuple[Campaign, UUID, int], target: str
) -> None:
    answer = await send(campaign[0].app, Request(method="OPTIONS", target=target))
    assert 400 <= answer.status < 500, answer
