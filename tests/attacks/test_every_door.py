"""Forged requests to every door of the running application: nobody gets or changes what is not theirs."""

from math import ceil
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.attacks.conftest import Attacked
    from tests.support.attacks.doors import doors_of
    from tests.support.attacks.run import Campaign
else:
    from support.attacks.doors import doors_of
    from support.attacks.run import Campaign

REQUESTS = 5_000


async def test_nobody_gets_or_changes_what_belongs_to_another_company(attacked: "Attacked") -> None:
    world, random = attacked.world, attacked.random
    tenant = world.world.tenants[1]
    doors = await doors_of(attacked.app, world.owner_of(tenant).headers)
    campaign = Campaign(app=attacked.app, doors=doors, world=world, random=random)
    attackers = {one.name: one for one in world.attackers(tenant)}.values()
    for attacker in attackers:
        each = ceil(REQUESTS / len(attackers))
        await campaign.attack(attacker, random.sample(doors.operations, min(each, len(doors.operations))))
    print(f"seed {attacked.seed}\n{campaign.record.table()}")
    assert not campaign.record.findings, f"seed {attacked.seed}\n{campaign.record.told()}"
    assert campaign.record.requests.total() >= REQUESTS
