"""A form filled in by a chat model: structured output through pydantic-ai, which checks it and asks once more when it does not fit."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

from pydantic_ai import Agent
from pydantic_ai.exceptions import AgentRunError

from veraz.errors import OutsideDown
from veraz.providers.chat.base import ChatRequest, Usage
from veraz.providers.chat.pick import build_remote
from veraz.providers.chat.remote import RemoteChat
from veraz.settings import Settings

T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class Filled(Generic[T]):
    """The form, and what filling it in took."""

    form: T
    model: str
    usage: Usage


class Forms:
    """A service's model that fills in forms."""

    def __init__(self, chat: RemoteChat) -> None:
        self._chat = chat

    @property
    def name(self) -> str:
        """`provider:model`."""
        return self._chat.name

    async def fill(self, form: type[T], request: ChatRequest) -> Filled[T]:
        """The form as a dataclass; raises an `OutsideFault` when the model fails or cannot fill it in."""
        agent = Agent(self._chat.model, output_type=form, instructions=request.instructions, retries=1)
        text = "\n\n".join(message.text for message in request.messages)
        try:
            async with asyncio.timeout(self._chat.seconds):
                run = await agent.run(text, model_settings=self._chat.settings(request))
        except TimeoutError as error:
            raise OutsideDown(host=self._chat.host, reason="no answer in time") from error
        except (AgentRunError, ValueError, TypeError, AttributeError, KeyError, IndexError) as error:
            raise self._chat.fault(error) from error
        taken = run.usage
        usage = Usage(input_tokens=taken.input_tokens, output_tokens=taken.output_tokens)
        return Filled(form=run.output, model=self.name, usage=usage)


PickForms = Callable[[str], Forms]


def pick_forms(name: str, settings: Settings) -> Forms:
    """The model of a name; `Invalid` says what is known or missing."""
    return Forms(build_remote(name, settings))
