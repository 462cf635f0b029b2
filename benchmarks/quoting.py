"""Fits the weights of quoting without a model and says how well it does: `python -m benchmarks.quoting [--write] [SET…]`.

Questions and documents are those of `benchmarks/data/natural` and `benchmarks/data/lookalikes/a`; each organisation is judged by
weights of the others. `benchmarks/data/encyclopedic.jsonl` are questions on the paragraphs of XQuAD in Spanish
(`../shared/data/xquad.es.json`), half of them without an answer there. Folders given as SET are only measured. Beside the questions that have no answer, every answerable one is
asked again with what answers it taken away. No server and no database: documents are parsed and read as the product does.
"""

import asyncio
import json
import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from uuid import NAMESPACE_URL, uuid5

import numpy as np
from numpy.typing import NDArray

from veraz.answer.question import read_question
from veraz.answer.quoting.choose import Quotation, parts
from veraz.answer.quoting.columns import asked_columns
from veraz.answer.quoting.gate import asks_for_what_is_not_there, features
from veraz.answer.quoting.meanings import Meanings
from veraz.answer.quoting.rank import Asked, needed_words, rate
from veraz.answer.quoting.read import answers
from veraz.answer.quoting.sections import current
from veraz.answer.quoting.units import Unit, quotable
from veraz.evals.natural import NaturalQuestion, read_set, says
from veraz.ingest.model import Block, Parsed
from veraz.ingest.parse.base import Source
from veraz.ingest.parse.read import read
from veraz.providers.embedding.base import Vectors
from veraz.providers.embedding.local import LocalEmbedder
from veraz.text.plain import plain

DATA = Path(__file__).parent / "data"
WEIGHTS = Path(__file__).parents[1] / "src/veraz/answer/quoting/gate_weights.json"
KINDS = frozenset({"paragraph", "list_item", "table_row", "note", "code"})
XQUAD = Path(__file__).parents[2] / "shared/data/xquad.es.json"
TAKEN_AWAY, LOOKALIKE, ENCYCLOPEDIC = 0.4, 0.5, 0.15
"""How much a question counts whose answer was taken away, one on look-alike sections, and one on an encyclopedia."""
RIDGE = 2.0
UNANSWERABLE_REFUSED = 0.8
"""Even odds lie where this share of the questions without an answer is refused, each organisation judged by the others."""
_ENDING = re.compile(r"\.(?:pdf|docx?|xlsx?|pptx?|txt|md|html?|csv|json)$")

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """A question beside what was found for it."""

    group: str
    question: NaturalQuestion
    answerable: bool
    right: bool
    values: dict[str, float]
    counts: float
    there: bool
    """Whether what it asks about stands anywhere."""
    real: bool = True


async def main(measured: Sequence[Path], *, write: bool) -> None:
    """Fits, prints, and writes the weights when asked to."""
    meanings = Meanings(LocalEmbedder(2))
    sets = sorted(path for path in (DATA / "natural").iterdir() if path.is_dir())
    cases = [case for path in sets for case in await _cases(path, meanings)]
    natural = len(cases)
    cases += await _lookalikes(DATA / "lookalikes" / "a", meanings)
    guides = len(cases)
    cases += await _encyclopedic(meanings)
    x, y, counts = _table(cases)
    groups = np.array([case.group for case in cases])
    judged = np.zeros(len(cases))
    for group in np.unique(groups):
        out = groups == group
        weights, bias = _fit(x[~out], y[~out], counts[~out])
        judged[out] = x[out] @ weights + bias
    judged = _odds(cases, judged)
    weights, bias = _fit(x, y, counts)
    absent = [
        odds for odds, case in zip(judged[:natural], cases, strict=False) if case.real and not case.answerable
    ]
    even = float(np.quantile(absent, UNANSWERABLE_REFUSED))
    _print("others' weights", cases[:natural], judged[:natural] - even)
    _print("look-alike sections", cases[natural:guides], judged[natural:guides] - even)
    _print("encyclopedia", cases[guides:], judged[guides:] - even)
    for path in measured:
        found = await _cases(path, meanings, taken_away=False)
        _print(path.name, found, _odds(found, _table(found)[0] @ weights + bias) - even)
    fitted = {name: round(float(w), 3) for name, w in zip(cases[0].values, weights, strict=True)}
    fitted["bias"] = round(float(bias) - even, 3)
    print(json.dumps(fitted))
    if write:
        WEIGHTS.write_text(json.dumps(fitted, indent=2) + "\n", encoding="utf-8")


async def _cases(folder: Path, meanings: Meanings, *, taken_away: bool = True) -> list[Case]:
    one = read_set(folder)
    documents = [(path.name, parsed_file(path.name, path.read_bytes())) for path in one.files]
    documents += [
        (title, parsed_file(f"{title[:80].replace('/', '-')}.md", text.encode()))
        for title, text in one.entries
    ]
    units = [unit for name, parsed in documents for unit in units_of(name, parsed)]
    asked = [question for question in one.questions if question.expect in ("answer", "refuse")]
    cases = [await _case(one.name, question, units, meanings) for question in asked]
    if taken_away:
        for question in asked:
            left = [unit for unit in units if not _answers(unit, question)]
            if question.expect == "answer" and left:
                cases.append(await _case(one.name, question, left, meanings, real=False))
    return cases


async def _lookalikes(folder: Path, meanings: Meanings) -> list[Case]:
    lines = (folder / "questions.jsonl").read_text(encoding="utf-8").splitlines()
    cases = []
    for number, line in enumerate(filter(str.strip, lines)):
        data = json.loads(line)
        path = next(folder.rglob(data["guide"]))
        units = list(units_of(path.name, parsed_file(path.name, path.read_bytes())))
        question = NaturalQuestion(
            id=str(number), kind="lookalike", question=data["question"], expect=data["expect"], history=(),
            must=tuple(data["must"]), must_not=tuple(data["must_not"]), sources=(), good=(), lies=(),
        )  # fmt: skip
        cases.append(await _case(f"guides {number % 25 // 5}", question, units, meanings, counts=LOOKALIKE))
    return cases


async def _encyclopedic(meanings: Meanings) -> list[Case]:
    articles = json.loads(XQUAD.read_text(encoding="utf-8"))["data"]
    texts = [paragraph["context"] for article in articles for paragraph in article["paragraphs"]]
    units = [
        unit
        for number, text in enumerate(texts)
        for unit in units_of(f"{number}.txt", parsed_file(f"{number}.txt", text.encode()))
    ]
    groups = {article["title"]: f"articles {number % 6}" for number, article in enumerate(articles)}
    cases = []
    for number, line in enumerate((DATA / "encyclopedic.jsonl").read_text(encoding="utf-8").splitlines()):
        data = json.loads(line)
        question = NaturalQuestion(
            id=str(number), kind="encyclopedic", question=data["question"], expect=data["expect"], history=(),
            must=(re.escape(plain(data["answer"])),), must_not=(), sources=(), good=(), lies=(),
        )  # fmt: skip
        cases.append(await _case(groups[data["article"]], question, units, meanings, counts=ENCYCLOPEDIC))
    return cases


def parsed_file(name: str, data: bytes) -> Parsed:
    """A file as the product parses it."""
    return read(Source(data=data, filename=name))


def units_of(name: str, parsed: Parsed) -> Iterator[Unit]:
    """The units that the product would quote of a document."""
    stem = _ENDING.sub("", name).replace("_", " ")
    titles = tuple(dict.fromkeys(filter(None, (parsed.title or stem, stem))))
    for block in parsed.blocks:
        text = quotable(parsed.of(block))
        if block.kind in KINDS and text:
            yield _unit(name, parsed, block, text, titles)


def _unit(name: str, parsed: Parsed, block: Block, text: str, titles: tuple[str, ...]) -> Unit:
    sheet = block.part if block.part and not block.part.startswith("row ") else ""
    return Unit(
        number=1,
        document_id=uuid5(NAMESPACE_URL, name),
        document_name=name,
        start=block.start,
        end=block.end,
        at=block.start,
        text=text,
        kind=block.kind,
        titles=titles,
        path=tuple(dict.fromkeys(filter(None, (sheet, *block.headers)))),
        introduction=block.introduction or "",
        columns=block.columns,
        cells=tuple(quotable(parsed.text[start:end]) for start, end in block.cells),
        table=block.table,
    )


def _answers(unit: Unit, question: NaturalQuestion) -> bool:
    """Whether most words of something that answers stand in the unit."""
    words = set(re.findall(r"\w+", f"{unit.text} {' '.join(unit.columns)}".casefold()))
    quotes = [set(re.findall(r"\w+", quote.casefold())) for quote in question.sources]
    return any(quote and len(quote & words) / len(quote) >= 0.6 for quote in quotes)


async def _case(
    group: str,
    question: NaturalQuestion,
    units: Sequence[Unit],
    meanings: Meanings,
    *,
    real: bool = True,
    counts: float = 1.0,
) -> Case:
    text = " ".join((*question.history[-1:], question.question))
    parsed = read_question(text, "es")
    usable = current(units, text)
    asks = [part for part in parts(question.question) if part != question.question]
    vectors = await meanings.of(
        (text, *asks, *(unit.meaning for unit in usable), *needed_words(text, usable))
    )
    asked, rated = rate(parsed, usable, vectors)
    chosen = answers(asked, asks, usable, rated, vectors)
    answerable = question.expect == "answer" and real
    return Case(
        group=group,
        question=question,
        answerable=answerable,
        right=answerable and says(question, _shown(asked, chosen, vectors)),
        values=features(asked, rated, chosen, vectors),
        counts=counts if real else TAKEN_AWAY,
        there=not asks_for_what_is_not_there(asked, rated),
        real=real,
    )


def _shown(asked: Asked, chosen: Iterable[Quotation], vectors: Mapping[str, Vectors]) -> str:
    """About what a reader sees."""
    lines: list[str] = []
    for quotation in chosen:
        first = quotation.units[0]
        lines.append(" › ".join((*first.titles[:1], *first.path, first.introduction)))
        for unit in quotation.units:
            pairs = asked_columns(unit, asked, vectors) if unit.cells else [("", unit.text)]
            lines.append("; ".join(f"{name}: {value}" if name else value for name, value in pairs))
    return "\n".join(lines)


def _odds(cases: Sequence[Case], fitted: Array) -> Array:
    """What is asked about must stand somewhere."""
    return np.where([case.there for case in cases], fitted, -np.inf)


def _table(cases: Sequence[Case]) -> tuple[Array, Array, Array]:
    x = np.array([list(case.values.values()) for case in cases])
    return x, np.array([float(case.right) for case in cases]), np.array([case.counts for case in cases])


def _fit(x: Array, y: Array, counts: Array) -> tuple[Array, float]:
    """Logistic regression with a ridge, by Newton's steps on standardised columns."""
    middle, spread = x.mean(0), x.std(0) + 1e-9
    z = np.column_stack([(x - middle) / spread, np.ones(len(x))])
    ridge = np.diag([RIDGE] * x.shape[1] + [0.0])
    beta = np.zeros(z.shape[1])
    for _ in range(30):
        p = 1 / (1 + np.exp(-z @ beta))
        slope = z.T @ (counts * (p - y)) + ridge @ beta
        beta -= np.linalg.solve((z * (counts * p * (1 - p))[:, None]).T @ z + ridge, slope)
    weights = beta[:-1] / spread
    return weights, float(beta[-1] - (middle * weights).sum())


def _print(name: str, cases: Sequence[Case], odds: Array) -> None:
    """Right, wrong and refused of the answerable; refused of the others; right if nothing were refused."""
    shown = [(case, odd >= 0) for case, odd in zip(cases, odds, strict=True) if case.real]
    answerable = [(case.right, given) for case, given in shown if case.question.expect == "answer"]
    absent = [not given for case, given in shown if case.question.expect != "answer"]
    right = np.mean([right and given for right, given in answerable])
    wrong = np.mean([given and not right for right, given in answerable])
    print(
        f"{name:22} right {right:.3f}  wrong {wrong:.3f}  refused {1 - right - wrong:.3f}  "
        f"unanswerable refused {np.mean(absent):.3f}  (right if all were answered {np.mean([r for r, _ in answerable]):.3f})"
    )


if __name__ == "__main__":
    given = [argument for argument in sys.argv[1:] if argument != "--write"]
    asyncio.run(main([Path(argument) for argument in given], write="--write" in sys.argv))
