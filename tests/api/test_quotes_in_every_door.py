"""What a quote says of itself is the same through every door that tells quotes."""

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from psycopg import Connection
from psycopg.rows import TupleRow

from veraz.client import Answered, AsyncVeraz

if TYPE_CHECKING:
    from tests.support.assistants import assistant, refused, used
    from tests.support.door import Door, Person
    from tests.support.loopback import served
else:
    from support.assistants import assistant, refused, used
    from support.door import Door, Person
    from support.loopback import served

GYM = """# Gimnasio

La cuota mensual del gimnasio es de 30 euros.

# Piscina

La piscina cubierta abre solo en invierno.
"""
FEE, POOL = "¿Cuánto es la cuota mensual del gimnasio?", "¿Cuándo abre la piscina cubierta?"


async def test_a_quote_of_corrected_words_says_so_in_every_door(at_work: Door) -> None:
    agent, document = await agent_with(at_work.acme, "gimnasio.md", GYM.encode())
    assert told(await quotes_everywhere(at_work, agent, FEE), "corrected") == {False}
    await correct(at_work.acme, document, "de 30 euros", "de 35 euros")
    fee = await quotes_everywhere(at_work, agent, FEE)
    assert all("35 euros" in quote["text"] for quote in fee)
    assert told(fee, "corrected") == {True}
    assert told(await quotes_everywhere(at_work, agent, POOL), "corrected") == {False}


async def test_words_put_before_a_chunk_are_corrected_words_and_the_rest_of_it_is_not(at_work: Door) -> None:
    text = "El bono vale 50 euros.\n\nLa piscina cubierta abre solo en invierno."
    agent, document = await agent_with(at_work.acme, "gimnasio.txt", text.encode())
    await correct(at_work.acme, document, "El bono", "La sauna cuesta 9 euros.\n\nEl bono")
    for question, corrected in (("¿Cuánto cuesta la sauna?", True), (POOL, False)):
        quote = await quote_of(at_work.acme, agent, question)
        seen = await at_work.acme.call("GET", address(quote), 200)
        assert (quote["corrected"], seen["corrected"]) == (corrected, corrected), quote["text"]


async def test_a_corrected_chunk_whose_text_is_not_stored_is_corrected_as_a_whole(
    at_work: Door, owner: Connection[TupleRow]
) -> None:
    agent, document = await agent_with(at_work.acme, "gimnasio.md", GYM.encode())
    await correct(at_work.acme, document, "de 30 euros", "de 35 euros")
    owner.execute("delete from veraz.document_text")
    quote = await quote_of(at_work.acme, agent, POOL)
    assert quote["corrected"] and (await at_work.acme.call("GET", address(quote), 200))["corrected"]


async def test_another_company_is_told_no_quote_of_it_in_any_door(at_work: Door) -> None:
    agent, _ = await agent_with(at_work.acme, "gimnasio.md", GYM.encode())
    ask = {"question": FEE}
    assert (await at_work.rival.send("POST", f"/agents/{agent}/ask", json=ask)).status_code == 404
    chat = {"model": agent, "messages": [{"role": "user", "content": FEE}]}
    assert (await at_work.rival.send("POST", "//v1/chat/completions", json=chat)).status_code == 404
    async with (
        served(at_work.http._transport.app) as server,  # type: ignore[attr-defined]
        assistant(server, at_work.rival.headers) as client,
    ):
        assert "not_found" in await refused(client, "ask_agent", question=FEE, agent=agent)


async def agent_with(person: Person, name: str, data: bytes) -> tuple[str, str]:
    """An agent that reads one document, and the document."""
    document = await person.bring(name, data)
    await person.ended(document)
    body = {"name": "Luna", "retrieval": {"similarity_threshold": 0.0}}
    agent = str((await person.call("POST", "/agents", 201, json=body))["id"])
    await person.call("PUT", f"/agents/{agent}/knowledge-bases/{person.kb}", 200)
    return agent, document


async def correct(person: Person, document: str, before: str, after: str) -> None:
    chunk = next(one for one in await person.chunks(document) if before in one["content"])
    path = f"/knowledge-bases/{person.kb}/documents/{document}/chunks/{chunk['id']}"
    content = chunk["content"].replace(before, after)
    await person.call("PATCH", path, 200, json={"content": content, "revision": chunk["revision"]})


async def quotes_everywhere(door: Door, agent: str, question: str) -> list[dict[str, Any]]:
    """The first quote of the answer as each door tells it."""
    acme = door.acme
    body = {"question": question}
    found = [await acme.call("POST", f"/agents/{agent}/ask", 200, json=body)]
    found += await events(acme, agent, question)
    conversation = (await acme.call("GET", "/conversations", 200))["items"][0]["id"]
    found.append((await acme.call("GET", f"/conversations/{conversation}/messages", 200))["items"][-1])
    chat = {"model": agent, "messages": [{"role": "user", "content": question}]}
    found.append(await acme.call("POST", "//v1/chat/completions", 200, json=chat))
    async with served(door.http._transport.app) as server:  # type: ignore[attr-defined]
        async with assistant(server, acme.headers) as client:
            found.append(await used(client, "ask_agent", question=question, agent=agent))
        quotes: list[dict[str, Any]] = [one["claims"][0]["quotes"][0] for one in found]
        key = acme.headers["Authorization"].removeprefix("Bearer ")
        async with AsyncVeraz(server, key=key) as veraz:
            quote = (await veraz.ask(agent, question)).claims[0].quotes[0]
            quotes.append({name: getattr(quote, name) for name in quote.__dataclass_fields__})
            async with veraz.stream(agent, question) as heard:
                last = [event async for event in heard][-1]
            assert isinstance(last, Answered)
            quotes.append(dict(last.answer.claims[0].quotes[0].raw))
    return quotes


async def events(person: Person, agent: str, question: str) -> list[dict[str, Any]]:
    """What the stream says once the claims are proven, and at its end."""
    body = {"question": question, "stream": True}
    text = (await person.send("POST", f"/agents/{agent}/ask", json=body)).text
    named = dict(block.split("\n", 1) for block in text.strip().split("\n\n"))
    return [json.loads(named[f"event: {name}"].removeprefix("data: ")) for name in ("checked", "answered")]


def told(quotes: Sequence[dict[str, Any]], name: str) -> set[Any]:
    """What all of them say of one thing."""
    return {json.dumps(quote[name]) if isinstance(quote[name], list) else quote[name] for quote in quotes}


async def quote_of(person: Person, agent: str, question: str) -> dict[str, Any]:
    answer = await person.call("POST", f"/agents/{agent}/ask", 200, json={"question": question})
    quote: dict[str, Any] = answer["claims"][0]["quotes"][0]
    return quote


def address(quote: dict[str, Any]) -> str:
    return f"/passages/{quote['chunk_id']}?start={quote['start_char']}&end={quote['end_char']}"
