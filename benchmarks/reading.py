"""How quoting without a model does on questions by many authors: `python -m benchmarks.reading [lot1 …]`.

The organisations and topics of `benchmarks/data/reading`, which have no part in any weight. Right: a line or passage that answers is quoted.
Wrong: something else is. As in `benchmarks.quoting`, documents are parsed and read as the product does, without a server.
"""

import asyncio
import json
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.quoting import parsed_file, units_of

from veraz.answer.question import read_question
from veraz.answer.quoting.meanings import Meanings
from veraz.answer.quoting.read import read
from veraz.answer.quoting.units import Unit
from veraz.providers.embedding.local import LocalEmbedder
from veraz.text.plain import plain_words

READING = Path(__file__).parent / "data" / "reading"


@dataclass(frozen=True, slots=True)
class Library:
    """Documents and the questions asked of them, each with the texts that answer it."""

    units: Sequence[Unit]
    questions: Sequence[tuple[str, Sequence[str]]]


async def main(lots: Sequence[str]) -> None:
    """Prints the shares of both kinds."""
    meanings = Meanings(LocalEmbedder(2))
    folders = [READING / lot for lot in lots] or sorted(READING.glob("lot*"))
    for name, libraries in (("organisations", _organisations), ("encyclopedia", _topics)):
        found = Counter[str]()
        for folder in folders:
            for library in libraries(folder):
                found += await _outcomes(library, meanings)
        _print(name, found)


def _organisations(folder: Path) -> Iterator[Library]:
    for place in sorted(folder.glob("o-*")):
        files = sorted(path for path in place.iterdir() if path.name != "questions.jsonl")
        lines = (place / "questions.jsonl").read_text(encoding="utf-8").splitlines()
        yield Library(
            [
                unit
                for path in files
                for unit in units_of(path.name, parsed_file(path.name, path.read_bytes()))
            ],
            [(data["question"], data["quotes"]) for data in map(json.loads, lines)],
        )


def _topics(folder: Path) -> Iterator[Library]:
    for path in sorted(folder.glob("e-*.json")):
        data = json.loads(path.read_text(encoding="utf-8"))
        texts = [passage["text"] for passage in data["passages"]]
        names = [f"{number} {passage['title']}.txt" for number, passage in enumerate(data["passages"])]
        yield Library(
            [
                unit
                for name, text in zip(names, texts, strict=True)
                for unit in units_of(name, parsed_file(name, text.encode()))
            ],
            [(one["question"], [texts[number] for number in one["passages"]]) for one in data["questions"]],
        )


async def _outcomes(library: Library, meanings: Meanings) -> Counter[str]:
    found = Counter[str]()
    for question, answering in library.questions:
        reading = await read(read_question(question, "es"), question, library.units, meanings)
        shown = [unit for quotation in reading.quotations for unit in quotation.units]
        right = any(_holds(unit, text) for unit in shown for text in answering)
        if not answering:
            found["unanswerable"] += 1
            found["refused rightly"] += reading.refusal is not None
        else:
            found["answerable"] += 1
            found["right if all were answered"] += right
            found["refused" if reading.refusal else "right" if right else "wrong"] += 1
    return found


def _holds(unit: Unit, answering: str) -> bool:
    """Whether the unit is, or stands in, the line or passage that answers."""
    own, other = plain_words(unit.text), plain_words(answering)
    few, many = sorted((own, other), key=len)
    return bool(few) and " ".join(few) in " ".join(many)


def _print(name: str, found: Counter[str]) -> None:
    count, absent = found["answerable"], found["unanswerable"]
    shares = "  ".join(f"{each} {found[each] / count:.3f}" for each in ("right", "wrong", "refused"))
    print(
        f"{name:14} {count} answerable: {shares}  (right if all were answered "
        f"{found['right if all were answered'] / count:.3f})  {absent} others: refused {found['refused rightly'] / absent:.3f}"
    )


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1:]))
