"""A writer's draft as batches of whole sentences: while one batch is being proven the next is being written."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import dataclass, replace

from veraz.answer.draft import Draft
from veraz.answer.writer import Task, Writer
from veraz.errors import OutsideDown, OutsideFault
from veraz.providers.chat.base import Delta, Finished, Restarted
from veraz.verify.claims import Piece


@dataclass(frozen=True, slots=True, kw_only=True)
class Batch:
    """Pieces that are whole; the last one says how the draft ended."""

    pieces: tuple[Piece, ...] = ()
    end: Finished | None = None
    draft: str = ""
    """All of it, with the end."""
    wish: str | None = None
    """What the model wants to be looked for instead of answering."""


_Queue = asyncio.Queue[Batch | None]
"""Batches as they become whole; None when nothing more comes."""


async def batches(
    writer: Writer, task: Task, known: frozenset[str], *, eager: bool
) -> AsyncGenerator[Batch, None]:
    """Batches as they become whole, or all at once; the last one has an `end`. Closing it stops the model."""
    queue: _Queue = asyncio.Queue()
    reader = asyncio.create_task(_read(writer, task, known, queue, eager=eager))
    try:
        while True:
            batch, over = await _next(queue, eager=eager)
            if batch.pieces or batch.end:
                yield batch
            if batch.end is not None:
                return
            if over:
                await reader  # raises what went wrong
                raise OutsideDown(host=writer.name, reason="the answer was cut off")
    finally:
        reader.cancel()
        await asyncio.gather(reader, return_exceptions=True)


async def _next(queue: _Queue, *, eager: bool) -> tuple[Batch, bool]:
    """Everything that has been written since the last batch, and whether nothing more comes.

    At least one claim, or all of it when nobody is waiting.
    """
    pieces: list[Piece] = []
    while True:
        item = await queue.get()
        if item is None:
            return Batch(pieces=tuple(pieces)), True
        pieces += item.pieces
        if item.end is not None:
            return replace(item, pieces=tuple(pieces)), True
        if eager and queue.empty() and any(piece.kind == "claim" for piece in pieces):
            return Batch(pieces=tuple(pieces)), False


async def _read(writer: Writer, task: Task, known: frozenset[str], queue: _Queue, *, eager: bool) -> None:
    draft, kept, given = Draft(known), list[Piece](), False
    try:
        async with aclosing(writer.write(task)) as written:
            async for piece in written:
                if isinstance(piece, Delta):
                    kept += draft.feed(piece.text)
                    if eager and kept:
                        queue.put_nowait(Batch(pieces=tuple(kept)))
                        kept, given = [], True
                elif isinstance(piece, Restarted):
                    if given:  # what was given out is final: another whole answer would say it twice
                        raise OutsideDown(host=writer.name, reason=piece.reason)
                    draft, kept = Draft(known), []
                else:
                    kept += draft.close()
                    queue.put_nowait(Batch(pieces=tuple(kept), end=piece, draft=draft.text, wish=draft.wish))
                    return
    except OutsideFault:
        queue.put_nowait(Batch(pieces=tuple(kept)))
        raise
    finally:
        queue.put_nowait(None)
