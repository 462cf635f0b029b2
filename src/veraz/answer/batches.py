"""A writer's draft as batches of whole sentences: while one batch is being proven the next is being written."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing, suppress
from dataclasses import dataclass

from veraz.answer.draft import Draft
from veraz.answer.writer import Task, Writer
from veraz.errors import OutsideDown, OutsideFault
from veraz.providers.chat.base import Delta, Finished, Restarted
from veraz.verify.claims import Piece


@dataclass(frozen=True, slots=True, kw_only=True)
class Batch:
    """Pieces that are whole, with the text they came from; the last one says how the draft ended."""

    pieces: tuple[Piece, ...] = ()
    text: str = ""
    end: Finished | None = None
    wish: str | None = None
    """What the model wants to be looked for instead of answering."""


async def batches(
    writer: Writer, task: Task, known: frozenset[str], *, eager: bool
) -> AsyncGenerator[Batch, None]:
    """Batches as they become whole, or all at once; the last one has an `end`. Closing it stops the model."""
    queue: asyncio.Queue[Batch | OutsideFault] = asyncio.Queue()
    reader = asyncio.create_task(_read(writer, task, known, queue))
    try:
        end: Finished | None = None
        while end is None:
            batch = await _next(queue, eager=eager)
            end = batch.end
            yield batch
    finally:
        reader.cancel()
        with suppress(asyncio.CancelledError):
            await reader


async def _next(queue: "asyncio.Queue[Batch | OutsideFault]", *, eager: bool) -> Batch:
    """Everything that has been written since the last batch: at least one claim, or all of it when nobody is waiting."""
    pieces: list[Piece] = []
    text = ""
    while True:
        item = await queue.get()
        if isinstance(item, OutsideFault):
            if pieces:
                queue.put_nowait(item)
                return Batch(pieces=tuple(pieces), text=text)
            raise item
        pieces += item.pieces
        text += item.text
        if item.end is not None:
            return Batch(pieces=tuple(pieces), text=text, end=item.end, wish=item.wish)
        if eager and queue.empty() and any(piece.kind == "claim" for piece in pieces):
            return Batch(pieces=tuple(pieces), text=text)


async def _read(
    writer: Writer, task: Task, known: frozenset[str], queue: "asyncio.Queue[Batch | OutsideFault]"
) -> None:
    draft, given = Draft(known), False
    try:
        async with aclosing(writer.write(task)) as written:
            async for piece in written:
                if isinstance(piece, Delta):
                    whole = draft.feed(piece.text)
                    given = given or bool(whole)
                    queue.put_nowait(Batch(pieces=tuple(whole), text=piece.text))
                elif isinstance(piece, Restarted):
                    if given:  # what was given out is final: another whole answer would say it twice
                        raise OutsideDown(host=writer.name, reason=piece.reason)
                    draft = Draft(known)
                else:
                    rest = tuple(draft.close())
                    queue.put_nowait(Batch(pieces=rest, end=piece, wish=draft.wish))
                    return
        queue.put_nowait(OutsideDown(host=writer.name, reason="the answer was cut off"))
    except OutsideFault as fault:
        queue.put_nowait(fault)
