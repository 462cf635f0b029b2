"""What became of the sources of stored messages: as following each link would say, for all of them at once."""

from collections.abc import AsyncIterator
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit
from uuid import UUID

import pytest
from psycopg import Connection
from psycopg.rows import TupleRow

from veraz.passages.model import LinkState
from veraz.tenancy.model import Actor

if TYPE_CHECKING:
    from tests.api.test_passages import MANUAL, agent_reading, quote_of
    from tests.api.test_quote_links import correct, follow
    from tests.ingest.parse import made_files as made
    from tests.support.door import Door
    from tests.support.people import add_person, my_id
else:
    from api.test_passages import MANUAL, agent_reading, quote_of
    from api.test_quote_links import correct, follow
    from ingest.parse import made_files as made
    from support.door import Door
    from support.people import add_person, my_id

Quote = dict[str, Any]


@pytest.fixture
async def answered(at_work: Door) -> AsyncIterator[tuple[Door, list[Quote]]]:
    """The quote and the evidence of an answer of acme's agent, as they are stored with its message."""
    acme = at_work.acme
    await acme.ended(await acme.bring("manual.pdf", MANUAL))
    await quote_of(acme, await agent_reading(acme, acme.kb))
    yield at_work, await sources(at_work)


async def test_the_sources_of_an_untouched_document_are_current(answered: tuple[Door, list[Quote]]) -> None:
    door, (quote, passage) = answered
    assert passage["document_id"] == quote["document_id"] and passage["cited"]
    assert passage["start_char"] <= quote["start_char"] < quote["end_char"] <= passage["end_char"]
    assert (passage["place"], passage["page_number"]) == (["manual"], 1)
    assert await states(door, [quote, passage]) == ["current", "current"]


async def test_a_corrected_source_says_so_and_what_stands_beside_it_does_not(
    answered: tuple[Door, list[Quote]],
) -> None:
    door, (quote, passage) = answered
    await correct(door.acme, quote, "Los domingos está cerrado", "Los lunes está cerrado")
    assert await states(door, [quote, passage]) == ["current", "corrected"]
    await correct(door.acme, quote, "30 euros", "35 euros al mes")
    assert await states(door, [quote, passage]) == ["corrected", "corrected"]
    (newer, _) = await sources(door, ask=True)
    assert await states(door, [newer]) == ["current"]
    await correct(door.acme, quote, "35 euros al mes", "40 euros")
    assert await states(door, [quote, newer]) == ["corrected", "corrected"]


async def test_a_replaced_source_is_changed_and_a_deleted_one_forgotten(
    answered: tuple[Door, list[Quote]],
) -> None:
    door, found = answered
    newer = made.pdf("# Cuotas\nLa cuota mensual del gimnasio es de 45 euros.")
    await door.acme.upload(("manual.pdf", newer))
    await door.acme.idle()
    assert await states(door, found) == ["changed", "changed"]
    path = f"/knowledge-bases/{door.acme.kb}/documents/{found[0]['document_id']}"
    await door.acme.call("DELETE", path, 204)
    assert await states(door, found) == ["forgotten", "forgotten"]


async def test_a_source_read_before_texts_were_stored_is_told_by_its_chunk(
    answered: tuple[Door, list[Quote]], owner: Connection[TupleRow]
) -> None:
    door, (quote, passage) = answered
    owner.execute("delete from veraz.document_text")
    assert await states(door, [passage, quote]) == ["current", "changed"]


async def test_to_another_tenant_and_who_has_no_agent_that_reads_it_every_source_is_forgotten(
    answered: tuple[Door, list[Quote]],
) -> None:
    door, found = answered
    outsider = await add_person(door.acme, "otto@acme.test")
    urls = [one["url"] for one in found]
    for person, tenant in ((door.rival, door.rival.tenant_id), (outsider, door.acme.tenant_id)):
        actor = Actor(tenant_id=UUID(tenant), user_id=UUID(await my_id(person)), user_role="member")
        assert set((await door.veraz.passages.source_states(actor, urls)).values()) == {"forgotten"}
    project = (await door.acme.call("GET", "/projects", 200))["items"][0]["id"]
    member = await add_person(door.acme, "miguel@acme.test", **{project: "member"})
    actor = Actor(tenant_id=UUID(door.acme.tenant_id), user_id=UUID(await my_id(member)), user_role="member")
    assert set((await door.veraz.passages.source_states(actor, urls)).values()) == {"current"}


async def test_what_is_no_link_of_ours_leads_to_nothing(answered: tuple[Door, list[Quote]]) -> None:
    door, _ = answered
    urls = ["https://veraz.test/s/xyz", "", "nonsense"]
    found = await door.veraz.passages.source_states(await door.veraz.tenants.operator(), urls)
    assert found == dict.fromkeys(urls, "forgotten")


async def sources(door: Door, *, ask: bool = False) -> list[Quote]:
    """The quote and the passage of the last answer."""
    if ask:
        agent = (await door.acme.call("GET", "/agents", 200))["items"][0]["id"]
        await quote_of(door.acme, agent)
    talk = (await door.acme.call("GET", "/conversations", 200))["items"][0]["id"]
    message = (await door.acme.call("GET", f"/conversations/{talk}/messages", 200))["items"][-1]
    return [message["claims"][0]["quotes"][0], message["evidence"][0]]


async def states(door: Door, found: list[Quote]) -> list[LinkState]:
    """The states of these sources; each must be what following its link says."""
    told = await door.veraz.passages.source_states(
        await door.veraz.tenants.operator(), [one["url"] for one in found]
    )
    for one in found:
        assert (await follow(door.acme, one)).json()["state"] == told[one["url"]], urlsplit(one["url"]).path
    return [told[one["url"]] for one in found]
