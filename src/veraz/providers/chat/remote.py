"""One request to a service through pydantic-ai's model, without retries, its faults in our words."""

from collections.abc import AsyncGenerator
from dataclasses import dataclass
from decimal import Decimal
from urllib.parse import urlsplit

from pydantic_ai.direct import model_request_stream
from pydantic_ai.exceptions import (
    AgentRunError,
    ModelAPIError,
    ModelHTTPError,
    ModelOverloadedError,
    ModelQuotaExceededError,
    ModelRateLimitError,
    ModelRequestRejectedError,
)
from pydantic_ai.messages import (
    ModelMessage,
    ModelRequest,
    ModelResponse,
    ModelResponseStreamEvent,
    PartDeltaEvent,
    PartStartEvent,
    TextPart,
    TextPartDelta,
    UserPromptPart,
)
from pydantic_ai.models import Model
from pydantic_ai.settings import ModelSettings

from veraz.errors import OutsideBusy, OutsideDown, OutsideFault, OutsideRejected
from veraz.providers.chat.base import ChatRequest, Delta, Finished, Piece, Usage
from veraz.text.tokens import count_tokens

_LONGEST_REASON = 300


@dataclass(frozen=True, slots=True, kw_only=True)
class RemoteChat:
    """A service's model."""

    name: str
    model: Model
    seconds: float
    """For one piece to arrive; the whole answer is limited by `ResilientChat`."""

    async def stream(self, request: ChatRequest) -> AsyncGenerator[Piece, None]:
        """The answer piece by piece."""
        text = ""
        try:
            async with model_request_stream(
                self.model, _messages(request), model_settings=self.settings(request)
            ) as response:
                async for event in response:
                    if piece := _text(event):
                        text += piece
                        yield Delta(text=piece)
                whole = response.get()
        except (AgentRunError, ValueError, TypeError, AttributeError, KeyError, IndexError) as error:
            raise self.fault(error) from error
        self._check(text, whole)
        yield Finished(text=text, model=self.name, usage=_usage(whole, request, text))

    @property
    def host(self) -> str:
        """Who answers, as people know it."""
        return urlsplit(self.model.base_url or "").hostname or self.name

    def settings(self, request: ChatRequest) -> ModelSettings:
        """The request's limits as pydantic-ai wants them."""
        settings = ModelSettings(max_tokens=request.max_tokens, timeout=self.seconds)
        if request.temperature is not None:
            settings["temperature"] = request.temperature
        return settings

    def _check(self, text: str, whole: ModelResponse) -> None:
        if not text.strip():
            raise OutsideDown(host=self.host, reason="an empty answer")
        if whole.state != "complete" or whole.finish_reason is None:
            raise OutsideDown(host=self.host, reason="the answer was cut off")
        if whole.finish_reason == "content_filter":
            raise OutsideRejected(host=self.host, reason="the service's content filter stopped the answer")

    def fault(self, error: Exception) -> OutsideFault:
        """A fault by what can be done about it: wait, try again, or change something."""
        reason = _reason(error)
        if isinstance(error, ModelRateLimitError | ModelOverloadedError):
            return OutsideBusy(host=self.host, reason=reason, retry_after=error.retry_after)
        if isinstance(error, ModelQuotaExceededError | ModelRequestRejectedError):
            return OutsideRejected(host=self.host, reason=reason)
        if isinstance(error, ModelHTTPError) and error.status_code < 500:
            return OutsideRejected(host=self.host, reason=reason)
        return OutsideDown(host=self.host, reason=reason)


def _messages(request: ChatRequest) -> list[ModelMessage]:
    turns: list[ModelMessage] = []
    for message in request.messages:
        if message.role == "assistant":
            turns.append(ModelResponse(parts=[TextPart(content=message.text)]))
        else:
            turns.append(
                ModelRequest(parts=[UserPromptPart(content=message.text)], instructions=request.instructions)
            )
    return turns


def _text(event: ModelResponseStreamEvent) -> str:
    if isinstance(event, PartStartEvent) and isinstance(event.part, TextPart):
        return event.part.content
    if isinstance(event, PartDeltaEvent) and isinstance(event.delta, TextPartDelta):
        return event.delta.content_delta
    return ""


def _usage(whole: ModelResponse, request: ChatRequest, text: str) -> Usage:
    """What the service counted; where it does not say, our own count stands in."""
    asked = whole.usage.input_tokens or count_tokens(
        "\n".join([request.instructions, *(message.text for message in request.messages)])
    )
    return Usage(
        input_tokens=asked,
        output_tokens=whole.usage.output_tokens or count_tokens(text),
        cost_usd=_cost(whole),
    )


def _cost(whole: ModelResponse) -> Decimal | None:
    try:
        return whole.cost().total_price
    except (LookupError, ValueError, AssertionError):
        return None


def _reason(error: Exception) -> str:
    if isinstance(error, ModelHTTPError):
        return f"{error.status_code} {_said(error.body)}"[:_LONGEST_REASON].strip()
    if isinstance(error, ModelAPIError):
        return error.message[:_LONGEST_REASON]
    return f"an answer that cannot be read ({type(error).__name__})"


def _said(body: object) -> str:
    """The sentence inside an error's body, wherever the service puts it."""
    while isinstance(body, dict):
        body = body.get("error") or body.get("message") or body.get("detail") or ""
    return str(body or "")
