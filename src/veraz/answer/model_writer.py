"""The writer that asks a chat model, under the rules of the agent's style."""

from collections.abc import AsyncGenerator, Sequence

from veraz.answer.prompts import corrected, instructions, question_with_context
from veraz.answer.writer import Task
from veraz.providers.chat.base import ChatModel, ChatRequest, Finished, Message, Piece, complete
from veraz.verify.model import HeldBack

_MAX_TOKENS = {"strict": 700, "evidence": 1_500, "chat": 900}


class ModelWriter:
    """A chat model as a writer."""

    def __init__(self, model: ChatModel) -> None:
        self._model = model

    @property
    def name(self) -> str:
        """The model's name."""
        return self._model.name

    async def write(self, task: Task) -> AsyncGenerator[Piece, None]:
        """The model's draft as it is written; closing it stops the request."""
        stream = self._model.stream(_request(task, ()))
        try:
            async for piece in stream:
                yield piece
        finally:
            await stream.aclose()

    async def revise(self, task: Task, draft: str, wrong: Sequence[HeldBack]) -> Finished:
        """One more try, told what could not be proven."""
        again = (
            Message(role="assistant", text=draft),
            Message(role="user", text=corrected(wrong, task.persona.language)),
        )
        return await complete(self._model, _request(task, again))


def _request(task: Task, more: tuple[Message, ...]) -> ChatRequest:
    prompt = question_with_context(task.question, task.meant, task.sources, task.hits, task.persona)
    return ChatRequest(
        instructions=instructions(task.persona, prompt.fence, may_search=task.may_search),
        messages=(*task.history, Message(role="user", text=prompt.text), *more),
        max_tokens=_MAX_TOKENS[task.persona.style],
    )
