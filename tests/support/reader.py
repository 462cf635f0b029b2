"""A chat model for tests that writes what it was told to write and judges claims by their words, as far as they go.

`Reader("draft", …)` answers writing requests from its script, the last line for ever; requests with claims go to `judge`:
`by_words` (supported when all its content words and figures stand in one sentence of a passage), `says_yes` (everything, the
control claim included), or your own function. Other requests (another wording, a question made to stand alone) get `others`.
"""

import html
import json
import re
from collections.abc import AsyncGenerator, Callable, Iterable

from veraz.errors import OutsideFault
from veraz.providers.chat.base import ChatRequest, Piece
from veraz.providers.chat.fake import Line, ScriptedChat
from veraz.text.content_words import content_words
from veraz.text.sentences import sentences

Passages = dict[int, str]
JudgeFunction = Callable[[str, Passages], str | None]
"""A claim and the passages by number → `None` when it is not said, else the words it follows from."""


class Reader:
    """Writes from a script, judges by a function, and remembers what it was asked."""

    def __init__(
        self,
        *script: Line,
        judge: "JudgeFunction | OutsideFault | None" = None,
        others: Line = "[]",
        name: str = "fake:reader",
        piece: int = 12,
    ) -> None:
        self.name = name
        self.writer = ScriptedChat(*(script or ("",)), name=name, piece=piece)
        self.judging = judge or by_words
        self.others = ScriptedChat(others, name=name)
        self.judgements: list[ChatRequest] = []

    @property
    def writes(self) -> list[ChatRequest]:
        """The writing requests."""
        return self.writer.requests

    async def stream(self, request: ChatRequest) -> AsyncGenerator[Piece, None]:
        """The next line, or verdicts."""
        async for piece in self._who(request).stream(request):
            yield piece

    def _who(self, request: ChatRequest) -> ScriptedChat:
        last = request.messages[-1].text
        if "<claim n=" in last:
            self.judgements.append(request)
            judge = self.judging
            line: Line = judge if isinstance(judge, OutsideFault) else verdicts(last, judge)
            return ScriptedChat(line, name=self.name)
        return self.writer if any("[Chunk 1]" in m.text for m in request.messages) else self.others


def verdicts(message: str, judge: JudgeFunction) -> str:
    """What a judge answers to a request."""
    passages = {
        int(n): html.unescape(text)
        for n, text in re.findall(r'<passage n="(\d+)"[^>]*>(.*?)</passage>', message, re.DOTALL)
    }
    said = []
    for number, claim in re.findall(r'<claim n="(\d+)">(.*?)</claim>', message, re.DOTALL):
        quote = judge(html.unescape(claim), passages)
        place = next((n for n, text in passages.items() if quote and quote in text), 1)
        quotes = [{"passage": place, "text": quote}] if quote else []
        said.append({"claim": int(number), "verdict": "supported" if quote else "not_said", "quotes": quotes})
    return json.dumps({"verdicts": said}, ensure_ascii=False)


def by_words(claim: str, passages: Passages) -> str | None:
    """The first sentence that holds all the claim's content words."""
    wanted = content_words(claim, "es")
    for sentence in _sentences(passages.values()):
        if wanted and wanted <= content_words(sentence, "es"):
            return sentence
    return None


def says_yes(claim: str, passages: Passages) -> str | None:
    """Everything is supported, by the sentence that shares most words."""
    wanted = content_words(claim, "es")
    return max(_sentences(passages.values()), key=lambda s: len(wanted & content_words(s, "es")), default="")


def _sentences(texts: Iterable[str]) -> list[str]:
    return [sentence for text in texts for sentence in sentences(text)]
