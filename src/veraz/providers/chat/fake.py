"""A chat model for tests: it says what it was told to say, or fails as it was told to fail."""

from collections.abc import AsyncGenerator, Callable, Iterable
from decimal import Decimal

from veraz.errors import OutsideFault
from veraz.providers.chat.base import ChatRequest, Delta, Finished, Piece, Usage

Line = str | OutsideFault | Callable[[ChatRequest], str]


class ScriptedChat:
    """Answers with the next line of its script, the last one for ever; remembers what it was asked."""

    def __init__(self, *script: Line, name: str = "fake:scripted", piece: int = 12) -> None:
        self.name = name
        self.script = list(script)
        self.requests: list[ChatRequest] = []
        self.closed = 0
        self._piece = piece

    async def stream(self, request: ChatRequest) -> AsyncGenerator[Piece, None]:
        """The next line in pieces."""
        self.requests.append(request)
        line = self.script.pop(0) if len(self.script) > 1 else self.script[0]
        if isinstance(line, OutsideFault):
            raise line
        text = line if isinstance(line, str) else line(request)
        done = False
        try:
            for piece in _cut(text, self._piece):
                yield Delta(text=piece)
            done = True
            yield Finished(text=text, model=self.name, usage=_usage(request, text))
        finally:
            self.closed += not done


def _cut(text: str, size: int) -> Iterable[str]:
    return (text[start : start + size] for start in range(0, len(text), size))


def _usage(request: ChatRequest, text: str) -> Usage:
    asked = len(request.instructions) + sum(len(message.text) for message in request.messages)
    return Usage(input_tokens=asked // 4, output_tokens=len(text) // 4, cost_usd=Decimal(0))
