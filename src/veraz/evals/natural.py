"""Questions as people ask them, on documents of many formats: what reaches the reader, and what should not.

A set is a folder: `docs/` (files), `entries.jsonl` (title, content) and `questions.jsonl`, one object a line with `question`,
`history`, `expect` (answer, refuse, chat, handoff), patterns that the answer `must` and `must_not` hold (on text without accents, in
lower case), and sentences a good answer (`good`) or a liar (`lies`) might say. Numbers come in pairs:

right / wrong / refused        what the agent answers, by quoting or with a model
reached the reader / lies shown   with a model: the set's true and false sentences as its draft, proven by the same judge
"""

import json
import re
import unicodedata
from collections import Counter
from collections.abc import AsyncGenerator, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal
from uuid import UUID

from veraz.answer.model import Answer
from veraz.answer.service import Answers, Ask
from veraz.providers.chat.base import ChatModel, ChatRequest, Delta, Finished, Piece, Usage
from veraz.providers.chat.pick import pick_chat
from veraz.tenancy.model import Actor

Outcome = Literal["right", "wrong", "refused", "answered"]
_CITATION = re.compile(r"\[\s*Chunk \d+\s*\]")
_PASSAGE = re.compile(r"\[Chunk (\d+)\](.*?)(?=\[Chunk \d+\]|\Z)", re.DOTALL)


@dataclass(frozen=True, slots=True, kw_only=True)
class NaturalQuestion:
    """A question with what is expected of its answer."""

    id: str
    kind: str
    question: str
    expect: Literal["answer", "refuse", "chat", "handoff"]
    history: tuple[str, ...]
    must: tuple[str, ...]
    must_not: tuple[str, ...]
    sources: tuple[str, ...]
    good: tuple[tuple[str, tuple[int, ...]], ...]
    lies: tuple[tuple[str, tuple[int, ...]], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class NaturalSet:
    """One organisation: its files, its manual entries and its questions."""

    name: str
    files: tuple[Path, ...]
    entries: tuple[tuple[str, str], ...]
    questions: tuple[NaturalQuestion, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class NaturalReport:
    """Shares; each number stands beside the one it pulls against."""

    answerable: int
    right: float
    wrong: float
    refused: float
    unanswerable: int
    refused_rightly: float
    conversation: int
    conversation_right: float
    true_sentences: int | None = None
    reached_reader: float | None = None
    lies: int | None = None
    lies_shown: float | None = None


def read_set(folder: Path) -> NaturalSet:
    """A set from its folder."""
    return NaturalSet(
        name=folder.name,
        files=tuple(sorted(path for path in (folder / "docs").iterdir() if path.is_file())),
        entries=tuple((one["title"], one["content"]) for one in _lines(folder / "entries.jsonl")),
        questions=tuple(_question(one) for one in _lines(folder / "questions.jsonl")),
    )


def _lines(path: Path) -> Iterator[dict[str, Any]]:
    if path.exists():
        yield from (
            json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()
        )


def _question(data: Mapping[str, Any]) -> NaturalQuestion:
    return NaturalQuestion(
        id=data["id"],
        kind=data["kind"],
        question=data["question"],
        expect=data["expect"],
        history=tuple(data.get("history", ())),
        must=tuple(data.get("must", ())),
        must_not=tuple(data.get("must_not", ())),
        sources=tuple(source["quote"] for source in data.get("sources", ())),
        good=tuple((one["text"], tuple(one.get("cites", ()))) for one in data.get("good", ())),
        lies=tuple((one["text"], tuple(one.get("cites", ()))) for one in data.get("lies", ())),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class NaturalRun:
    """How one set went: every question's outcome and, with a model, which sentences reached the reader."""

    outcomes: tuple[tuple[str, Outcome], ...]
    true_sentences: tuple[bool, ...] | None = None
    lies: tuple[bool, ...] | None = None


async def measure_set(
    answers: Answers, actor: Actor, agent_id: UUID, one: NaturalSet, model: str | None
) -> NaturalRun:
    """Asks every question as the agent is; with a model, also has the set's own sentences proven by it."""
    outcomes = tuple(
        [(q.expect, outcome(q, await _asked(answers, actor, agent_id, q))) for q in one.questions]
    )
    if model is None:
        return NaturalRun(outcomes=outcomes)
    parrot = Parrot(pick_chat(model, answers.settings))
    proven = Answers(answers.db, answers.search, answers.settings, chats=lambda name, fallback: parrot)
    true, lies = await measure_proof(proven, parrot, actor, agent_id, one.questions)
    return NaturalRun(outcomes=outcomes, true_sentences=tuple(true), lies=tuple(lies))


def report_of(runs: Sequence[NaturalRun]) -> NaturalReport:
    """All sets together."""
    found = [pair for run in runs for pair in run.outcomes]
    answerable = [result for expect, result in found if expect == "answer"]
    absent = [result for expect, result in found if expect == "refuse"]
    talk = [result for expect, result in found if expect in ("chat", "handoff")]
    true = [one for run in runs for one in run.true_sentences or ()]
    lies = [one for run in runs for one in run.lies or ()]
    return NaturalReport(
        answerable=len(answerable),
        right=_share(answerable, "right"),
        wrong=_share(answerable, "wrong"),
        refused=_share(answerable, "refused"),
        unanswerable=len(absent),
        refused_rightly=_share(absent, "right"),
        conversation=len(talk),
        conversation_right=_share(talk, "right"),
        true_sentences=len(true) or None,
        reached_reader=round(sum(true) / len(true), 4) if true else None,
        lies=len(lies) or None,
        lies_shown=round(sum(lies) / len(lies), 4) if lies else None,
    )


async def measure_proof(
    answers: Answers, parrot: "Parrot", actor: Actor, agent_id: UUID, questions: Sequence[NaturalQuestion]
) -> tuple[list[bool], list[bool]]:
    """For every true sentence, and for every lie, whether it reached the reader; the agent's own judge decides.

    `answers` must have been made with the parrot as its writing model.
    """

    async def passes(one: NaturalQuestion, text: str, cites: Sequence[int]) -> bool:
        parrot.text, parrot.quotes = text, [one.sources[i] for i in cites if i < len(one.sources)]
        answer = await _asked(answers, actor, agent_id, one)
        return _plain(text) in _plain(answer.text)

    true = [await passes(one, *sentence) for one in questions for sentence in one.good]
    lies = [await passes(one, *sentence) for one in questions for sentence in one.lies]
    return true, lies


class Parrot:
    """A writer that says one sentence, citing the passages that hold what it is said to stand on; a model judges it."""

    def __init__(self, judge: ChatModel) -> None:
        self._judge = judge
        self.name = judge.name
        self.text = ""
        self.quotes: Sequence[str] = ()

    async def stream(self, request: ChatRequest) -> AsyncGenerator[Piece, None]:
        """The sentence where passages are given to be answered from, else what the model says."""
        last = request.messages[-1].text
        if "<claim n=" in last or not _PASSAGE.search(last):
            async for piece in self._judge.stream(request):
                yield piece
            return
        passages = {int(number): body for number, body in _PASSAGE.findall(last)}
        cited = dict.fromkeys(_nearest(quote, passages) for quote in self.quotes)
        marks = "".join(f" [Chunk {n}]" for n in cited) or " [Chunk 1]"
        said = f"{self.text.rstrip('.')}{marks}."
        yield Delta(text=said)
        yield Finished(text=said, model=self.name, usage=Usage())


async def _asked(answers: Answers, actor: Actor, agent_id: UUID, one: NaturalQuestion) -> Answer:
    """The answer to the last of a conversation's questions, in a conversation of their own."""
    conversation: UUID | None = None
    answer: Answer | None = None
    for text in (*one.history, one.question):
        ask = Ask(question=text, conversation_id=conversation, channel="eval")
        answer = await answers.answer(actor, agent_id, ask)
        conversation = answer.conversation_id
    assert answer is not None
    return answer


def outcome(one: NaturalQuestion, answer: Answer) -> Outcome:
    """How an answer is to be called."""
    if one.expect == "refuse":
        return "right" if answer.refused else "answered"
    if answer.refused:
        return "refused"
    if one.expect == "chat":
        return "right" if answer.turn == "conversation" else "wrong"
    if one.expect == "handoff":
        return "right" if answer.handoff else "wrong"
    return "right" if says(one, answer.text) else "wrong"


def says(one: NaturalQuestion, text: str) -> bool:
    """Whether an answer says all it must and nothing it must not."""
    shown = _folded(text)
    holds = all(re.search(_folded_pattern(p), shown, re.DOTALL) for p in one.must)
    return holds and not any(re.search(_folded_pattern(p), shown, re.DOTALL) for p in one.must_not)


def _share(outcomes: Sequence[Outcome], wanted: Outcome) -> float:
    return round(Counter(outcomes)[wanted] / len(outcomes), 4) if outcomes else 0.0


def _nearest(quote: str, passages: Mapping[int, str]) -> int:
    """The passage that holds most words of a quote."""
    own = _words(quote)
    return max(passages, key=lambda number: len(own & _words(passages[number])))


def _words(text: str) -> set[str]:
    return set(re.findall(r"\w+", _folded(text)))


def _plain(text: str) -> str:
    return " ".join(re.findall(r"[\w%€$]+", _folded(_CITATION.sub(" ", text))))


def _folded(text: str) -> str:
    stripped = unicodedata.normalize("NFKD", text)
    return "".join(sign for sign in stripped if not unicodedata.combining(sign)).lower()


def _folded_pattern(pattern: str) -> str:
    """A pattern for folded text; its classes (`\\D`, `\\S`) keep their case."""
    return re.sub(r"(\\[A-Za-z])|([A-Z])", lambda match: match[1] or match[2].lower(), pattern)
