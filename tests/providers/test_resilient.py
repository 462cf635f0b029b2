"""A chat model is tried again within its limit; one that hangs is not waited for again."""

import asyncio
from collections.abc import AsyncGenerator

import pytest

from veraz.errors import OutsideDown
from veraz.providers.chat.base import ChatRequest, Delta, Message, Piece, complete
from veraz.providers.chat.fake import ScriptedChat
from veraz.providers.chat.resilient import Patience, ResilientChat

REQUEST = ChatRequest(instructions="", messages=(Message(role="user", text="¿Qué tal?"),), max_tokens=10)


class Hangs:
    """Says nothing, ever, and counts how often it was asked."""

    name = "fake:hangs"

    def __init__(self) -> None:
        self.asked = 0

    async def stream(self, request: ChatRequest) -> AsyncGenerator[Piece, None]:
        self.asked += 1
        await asyncio.Event().wait()
        yield Delta(text="")


async def test_a_model_that_hangs_is_asked_once() -> None:
    model = Hangs()
    with pytest.raises(OutsideDown):
        await complete(ResilientChat(model, patience=Patience(attempts=3, answer_seconds=0.05)), REQUEST)
    assert model.asked == 1


async def test_after_a_model_that_hangs_the_fallback_has_its_own_time() -> None:
    patience = Patience(attempts=3, answer_seconds=0.05)
    done = await complete(ResilientChat(Hangs(), ScriptedChat("Bien."), patience), REQUEST)
    assert done.text == "Bien."


async def test_a_model_that_fails_at_once_is_tried_again() -> None:
    model = ScriptedChat(OutsideDown(host="x", reason="500"), "Bien.")
    done = await complete(ResilientChat(model, patience=Patience(first_wait=0.001)), REQUEST)
    assert done.text == "Bien."
