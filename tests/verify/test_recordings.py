"""Real drafts and real verdicts, replayed: what was true reaches the reader, what was a lie does not."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any
from uuid import NAMESPACE_OID, uuid5

import pytest

from veraz.answer.draft import Draft
from veraz.text.plain import plain_words
from veraz.text.sentences import sentences
from veraz.verify.claims import Piece
from veraz.verify.model import NOT_SAID, Checked, Judgement, Source
from veraz.verify.proof import Case, Prover

if TYPE_CHECKING:
    from tests.support.judges import TestJudge, claim
else:
    from support.judges import TestJudge, claim

FOLDER = Path(__file__).parents[1] / "recordings"


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """A sentence, whether it was true where that is known, and what became of it."""

    id: str
    text: str
    true: bool | None
    judged: str
    checked: Checked

    @property
    def shown(self) -> bool:
        return self.checked.proof is not None


def lines(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (FOLDER / name).read_text(encoding="utf-8").splitlines()]


@cache
def passages() -> dict[str, dict[str, Any]]:
    return {one["id"]: one for one in lines("passages.jsonl")}


def source(number: int, key: str) -> Source:
    found = passages()[key]
    return Source(
        number=number,
        chunk_id=uuid5(NAMESPACE_OID, key),
        text=found["text"],
        place=tuple(found["title"].split(" › ")),
        page=found.get("page"),
    )


async def outcomes(recorded: dict[str, Any], pieces: Sequence[Piece]) -> list[Outcome]:
    """What the product makes of these sentences when the judge says what it said."""
    said = {one["text"]: one for one in recorded["claims"]}
    judge = TestJudge(lambda text: _judgement(said.get(text)))
    sources = tuple(source(number, key) for number, key in recorded["passages"])
    checked = await Prover(judge).check(pieces, Case(question=recorded["question"], sources=sources))
    return [
        Outcome(
            id=recorded["id"],
            text=one.piece.text,
            true=said[one.piece.text].get("true"),
            judged=said[one.piece.text]["verdict"],
            checked=one,
        )
        for one in checked.pieces
        if one.piece.text in said
    ]


def _judgement(said: dict[str, Any] | None) -> Judgement:
    if said is None:
        return NOT_SAID
    quotes = tuple((int(number), str(text)) for number, text in said["quotes"])
    return Judgement(verdict=said["verdict"], quotes=quotes)


@pytest.fixture
async def judged() -> list[Outcome]:
    """Every recorded claim that is known to be true or a lie."""
    found: list[Outcome] = []
    for recorded in lines("judge.jsonl"):
        own = [claim(one["text"]) for one in recorded["claims"] if "true" in one]
        found += await outcomes(recorded, own)
    return found


async def test_no_recorded_lie_is_shown(judged: list[Outcome]) -> None:
    lies = [one for one in judged if one.true is False]
    assert len(lies) >= 100
    assert [one.text for one in lies if one.shown] == []


async def test_recorded_true_sentences_are_shown(judged: list[Outcome]) -> None:
    true = [one for one in judged if one.true]
    lost = [(one.id, one.text, one.checked.held_back) for one in true if not one.shown]
    assert len(true) >= 100
    assert len(lost) <= 0.04 * len(true), lost


async def test_what_a_judge_supported_is_not_lost_to_the_rules(judged: list[Outcome]) -> None:
    assert [
        (one.text, one.checked.held_back)
        for one in judged
        if one.true and one.judged == "supported" and not one.shown
    ] == []


async def test_rules_alone_catch_a_share_of_the_lies_and_no_truth() -> None:
    """A judge that believes everything and quotes the nearest sentence: what is certainly wrong is caught all the same."""
    caught, lies = 0, 0
    for recorded in lines("judge.jsonl"):
        sources = [source(number, key) for number, key in recorded["passages"]]
        for one in recorded["claims"]:
            if one.get("true") is False:
                believed = one | {"verdict": "supported", "quotes": [nearest(one["text"], sources)]}
                (found,) = await outcomes(recorded | {"claims": [believed]}, [claim(one["text"])])
                lies, caught = lies + 1, caught + (not found.shown)
    assert caught >= 0.3 * lies, (caught, lies)


def nearest(text: str, sources: Sequence[Source]) -> tuple[int, str]:
    """The sentence that shares most words with a claim."""
    wanted = set(plain_words(text))
    every = [(one.number, sentence) for one in sources for sentence in sentences(one.text)]
    return max(every, key=lambda pair: len(wanted & set(plain_words(pair[1]))) - 0.01 * len(pair[1]) / 100)


async def test_what_readers_wrote_and_judged_supported_reaches_the_reader() -> None:
    found: list[Outcome] = []
    for recorded in lines("writer.jsonl"):
        found += await outcomes(recorded, [piece for draft in recorded["drafts"] for piece in _pieces(draft)])
    supported = [one for one in found if one.judged == "supported"]
    lost = [(one.id, one.text, one.checked.held_back) for one in supported if not one.shown]
    assert len(supported) >= 150
    assert len(lost) <= 0.01 * len(supported), lost


def _pieces(draft: str) -> list[Piece]:
    whole = Draft(frozenset())
    return [*whole.feed(draft), *whole.close()]
