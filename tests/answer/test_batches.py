"""A draft comes in batches: the first sentence early where somebody waits for it, all at once where nobody does."""

import asyncio
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from typing import TYPE_CHECKING

import pytest

from veraz.answer.batches import Batch, batches
from veraz.answer.evidence import sources_of
from veraz.answer.model import Persona
from veraz.answer.writer import Task
from veraz.errors import OutsideDown
from veraz.providers.chat.base import NO_USAGE, Delta, Finished, Piece, Restarted
from veraz.verify.model import HeldBack

if TYPE_CHECKING:
    from tests.support.passages import make_hit
else:
    from support.passages import make_hit

HIT = make_hit("Abre a las 9. Cierra a las 20.")
TASK = Task(question="¿?", meant="¿?", persona=Persona(agent="Luna"), hits=(HIT,), sources=sources_of([HIT]))
FIRST, SECOND = "Abre a las 9 [Chunk 1]. ", "Cierra a las 20 [Chunk 1]."
END = Finished(text=FIRST + SECOND, model="fake:writer", usage=NO_USAGE)


class Writes:
    """Writes these pieces, raises these faults, and counts how far it came."""

    name = "fake:writer"

    def __init__(self, *pieces: Piece | Exception) -> None:
        self.pieces = pieces
        self.written = 0
        self.closed = False

    async def write(self, task: Task) -> AsyncGenerator[Piece, None]:
        """One piece per turn of the loop."""
        try:
            for piece in self.pieces:
                await asyncio.sleep(0)
                if isinstance(piece, Exception):
                    raise piece
                self.written += 1
                yield piece
        finally:
            self.closed = True

    async def revise(self, task: Task, draft: str, wrong: Sequence[HeldBack]) -> Finished:
        """Never asked for here."""
        raise NotImplementedError


async def read(writer: Writes, *, eager: bool) -> list[Batch]:
    """All its batches."""
    async with aclosing(batches(writer, TASK, frozenset(), eager=eager)) as stream:
        return [batch async for batch in stream]


def texts(found: Sequence[Batch]) -> list[list[str]]:
    """What each batch says."""
    return [[piece.text for piece in batch.pieces if piece.text] for batch in found]


def deltas(text: str, size: int = 6) -> list[Delta]:
    """A text piece by piece."""
    return [Delta(text=text[start : start + size]) for start in range(0, len(text), size)]


async def test_the_first_sentence_comes_before_the_model_has_finished() -> None:
    writer = Writes(*deltas(FIRST + SECOND), END)
    async with aclosing(batches(writer, TASK, frozenset(), eager=True)) as stream:
        first = await anext(stream)
        assert (texts([first]), first.end) == ([["Abre a las 9."]], None)
        assert writer.written < len(writer.pieces)
        rest = [batch async for batch in stream]
    assert texts(rest) == [["Cierra a las 20."]]
    assert rest[-1].end == END


async def test_where_nobody_waits_there_is_one_batch() -> None:
    (only,) = await read(Writes(*deltas(FIRST + SECOND), END), eager=False)
    assert texts([only]) == [["Abre a las 9.", "Cierra a las 20."]]
    assert only.end == END


async def test_a_courtesy_alone_is_no_batch() -> None:
    found = await read(Writes(Delta(text="Hola. "), *deltas(FIRST + SECOND), END), eager=True)
    assert texts(found)[0] == ["Hola.", "Abre a las 9."]


@pytest.mark.parametrize("eager", [True, False])
async def test_a_fault_is_raised_after_the_sentences_before_it(eager: bool) -> None:
    found: list[Batch] = []
    with pytest.raises(OutsideDown):
        async with aclosing(
            batches(
                Writes(*deltas(FIRST + SECOND), OutsideDown(host="x", reason="cut")),
                TASK,
                frozenset(),
                eager=eager,
            )
        ) as stream:
            async for batch in stream:
                found.append(batch)  # noqa: PERF401 - the fault must not lose them
    assert texts(found) == [["Abre a las 9."]]


@pytest.mark.parametrize("eager", [True, False])
async def test_a_draft_without_an_end_is_a_fault(eager: bool) -> None:
    with pytest.raises(OutsideDown):
        await read(Writes(*deltas(FIRST)), eager=eager)


async def test_another_attempt_before_anything_was_given_starts_over() -> None:
    writer = Writes(Delta(text="Abre a la"), Restarted(reason="busy"), *deltas(SECOND), END)
    assert texts(await read(writer, eager=True)) == [["Cierra a las 20."]]


async def test_another_attempt_after_something_was_given_is_a_fault() -> None:
    writer = Writes(*deltas(FIRST + SECOND), Restarted(reason="busy"), *deltas(FIRST), END)
    with pytest.raises(OutsideDown):
        await read(writer, eager=True)


async def test_the_text_of_an_abandoned_attempt_is_gone() -> None:
    writer = Writes(Delta(text="Abre a la"), Restarted(reason="busy"), *deltas(SECOND), END)
    assert texts(await read(writer, eager=False)) == [["Cierra a las 20."]]


async def test_a_wish_is_the_end_and_says_nothing() -> None:
    wish = "BUSCAR: horario de verano"
    (only,) = await read(Writes(*deltas(wish), Finished(text=wish, model="m", usage=NO_USAGE)), eager=True)
    assert (only.pieces, only.wish) == ((), "horario de verano")


async def test_whoever_stops_reading_stops_the_model() -> None:
    writer = Writes(*deltas(FIRST + SECOND), END)
    async with aclosing(batches(writer, TASK, frozenset(), eager=True)) as stream:
        await anext(stream)
    assert writer.closed
    assert writer.written < len(writer.pieces)


async def test_an_unforeseen_error_is_raised_too() -> None:
    reading = asyncio.create_task(read(Writes(*deltas(FIRST), ZeroDivisionError()), eager=True))
    done, _ = await asyncio.wait([reading], timeout=0.1)
    reading.cancel()
    with pytest.raises(ZeroDivisionError):
        await reading
    assert done


async def test_where_nobody_waits_another_attempt_replaces_the_first() -> None:
    writer = Writes(*deltas(FIRST + SECOND), Restarted(reason="busy"), *deltas(FIRST), END)
    assert texts(await read(writer, eager=False)) == [["Abre a las 9."]]
