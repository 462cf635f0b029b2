"""What a chat model is: instructions and messages in, pieces of text out, then what it cost."""

from collections.abc import AsyncGenerator
from dataclasses import dataclass
from decimal import Decimal
from typing import Literal, Protocol


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """One turn of a conversation."""

    role: Literal["user", "assistant"]
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatRequest:
    """What a model is asked to do."""

    instructions: str
    messages: tuple[Message, ...]
    max_tokens: int = 1_000
    temperature: float | None = 0.0
    """None leaves it to the model; some refuse any."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Delta:
    """A piece of text."""

    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Restarted:
    """What was written so far does not count: another attempt, perhaps by another model, starts."""

    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """What answering took."""

    input_tokens: int = 0
    output_tokens: int = 0
    cost_usd: Decimal | None = None
    """None where the price is unknown; zero where nothing is charged."""

    @property
    def tokens(self) -> int:
        """Both directions."""
        return self.input_tokens + self.output_tokens

    def plus(self, other: "Usage") -> "Usage":
        """Two requests together."""
        known = self.cost_usd is not None and other.cost_usd is not None
        return Usage(
            input_tokens=self.input_tokens + other.input_tokens,
            output_tokens=self.output_tokens + other.output_tokens,
            cost_usd=(self.cost_usd or Decimal(0)) + (other.cost_usd or Decimal(0)) if known else None,
        )


NO_USAGE = Usage(cost_usd=Decimal(0))


@dataclass(frozen=True, slots=True, kw_only=True)
class Finished:
    """The whole text; always the last piece."""

    text: str
    model: str
    """`provider:model` of who wrote it in the end."""
    usage: Usage


Piece = Delta | Restarted | Finished


class ChatModel(Protocol):
    """Writes text."""

    @property
    def name(self) -> str:
        """`provider:model`."""

    def stream(self, request: ChatRequest) -> AsyncGenerator[Piece, None]:
        """The answer piece by piece; raises an `OutsideFault` when the provider fails. Closing it stops the request."""


async def complete(model: ChatModel, request: ChatRequest) -> Finished:
    """The whole answer at once."""
    finished: Finished | None = None
    async for piece in model.stream(request):
        if isinstance(piece, Finished):
            finished = piece
    if finished is None:
        raise RuntimeError(f"{model.name} ended without a last piece")
    return finished
