"""Fits the weights of answerability: `python -m benchmarks.answerability XQUAD.es.json XQUAD.en.json [--write]`.

Questions are made unanswerable (`veraz.evals.adversarial`), searched for in memory, and a logistic regression tells them
from the real ones. Articles of SQUAD_ARTICLES are left out: they are also in the set that measures refusals, so nothing of
it, not even another translation, is fitted. Prints the AUC per edit, each article judged by weights of the others.
"""

import asyncio
import json
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from veraz.answer.answerability import features, worth
from veraz.answer.passage_sentences import picks
from veraz.answer.question import read_question
from veraz.evals.adversarial import Case, cases
from veraz.evals.answers import auc
from veraz.evals.datasets import Dataset, read_squad
from veraz.providers.embedding.local import LocalEmbedder
from veraz.providers.rerank.local import likelihood, wording
from veraz.search.calibration import Calibration
from veraz.text.words import idf, lexemes
from veraz.verify.model import Source

WEIGHTS = Path(__file__).parents[1] / "src/veraz/answer/answerability_weights.json"
SQUAD_ARTICLES = {
    "Warsaw", "Victoria_(Australia)", "Huguenot", "Amazon_rainforest", "Fresno,_California", "Black_Death",
    "Geology", "University_of_Chicago", "Prime_number", "Scottish_Parliament",
}  # fmt: skip
SHARES = {
    "name": 0.15, "distant_name": 0.1, "figure": 0.05, "word": 0.15, "contrary": 0.1, "negation": 0.05,
    "sentence": 0.3, "article": 0.1,
}  # fmt: skip
"""How much each way of being unanswerable counts."""
AWAY_REFUSED = 0.96
"""Even odds lie where this share of the questions about absent articles is refused."""
SEARCH_REFUSES = 0.3
"""How far even odds move because a real search lets nothing through for nine in ten such questions. Chosen with
`veraz eval offtopic` on XQuAD in Spanish: 96.9 % refused and 89.2 % answered there; without it 97.9 % and 82.0 %."""
FOLDS, RIDGE = 6, 3.0
CURVE = Calibration.of("local:use-multilingual-v3", None)

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One case as the quoting writer sees it."""

    edit: str
    article: int
    values: dict[str, float]


def main(files: Sequence[Path], *, write: bool) -> None:
    """Fits, prints, and writes the weights when asked to."""
    rows = [row for path in files for row in _rows(_kept(path), path.stem.rpartition(".")[2])]
    names = list(rows[0].values)
    x = np.array([list(row.values.values()) for row in rows])
    y = np.array([float(row.edit == "none") for row in rows])
    edits, articles = np.array([row.edit for row in rows]), np.array([row.article for row in rows])
    counts = _counts(edits)
    judged = _cross_validated(x, y, counts, articles)
    for edit in SHARES:
        print(
            f"{edit:13} {(edits == edit).sum():5}  AUC {auc(judged[y == 1].tolist(), judged[edits == edit].tolist()):.3f}"
        )
    weights, bias = _fit(x, y, counts)
    odds = x @ weights + bias
    even = float(np.quantile(odds[edits == "article"], AWAY_REFUSED))
    print(f"answered at even odds: {(odds[y == 1] >= even).mean():.3f} of {int(y.sum())}")
    found = {name: round(float(w), 3) for name, w in zip(names, weights, strict=True)}
    found["bias"] = round(float(bias) - even + SEARCH_REFUSES, 3)
    print(json.dumps(found))
    if write:
        WEIGHTS.write_text(json.dumps(found, indent=2) + "\n", encoding="utf-8")


def _kept(path: Path) -> Dataset:
    """Without the articles of the set that measures; items keep their paragraphs' numbers."""
    dataset = read_squad(path)
    titles = [article["title"] for article in json.loads(path.read_text(encoding="utf-8"))["data"]]
    away = {index for index, title in enumerate(titles) if title in SQUAD_ARTICLES}
    return replace(dataset, items=tuple(item for item in dataset.items if item.article not in away))


def _rows(dataset: Dataset, language: str) -> Iterator[Row]:
    kept = sorted({item.article for item in dataset.items})
    places = [i for i, article in enumerate(dataset.articles) if article in kept]
    texts = {i: dataset.paragraphs[i] for i in places}
    made = cases(dataset, language)
    vectors = _embedded([*texts.values(), *(c.text for c in made if c.text), *(c.question for c in made)])
    known = _Words.of(texts.values(), language)
    for case in made:
        candidates = {i: text for i, text in texts.items() if i != case.paragraph}
        if case.text is None:
            candidates = {i: t for i, t in candidates.items() if dataset.articles[i] != case.article}
        if values := _seen(case, [*([case.text] if case.text else []), *candidates.values()], vectors, known):
            yield Row(edit=case.edit, article=case.article, values=values)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Words:
    language: str
    chunks: int
    held: dict[str, int]

    @classmethod
    def of(cls, texts: Iterable[str], language: str) -> "_Words":
        held: dict[str, int] = {}
        every = [set(lexemes(text, language)) for text in texts]
        for words in every:
            for word in words:
                held[word] = held.get(word, 0) + 1
        return cls(language=language, chunks=len(every), held=held)

    def weights(self, question: str) -> dict[str, float]:
        return {w: idf(self.chunks, self.held.get(w, 0)) for w in lexemes(question, self.language)}


def _embedded(texts: Iterable[str]) -> dict[str, Array]:
    distinct = list(dict.fromkeys(texts))
    vectors = asyncio.run(LocalEmbedder(2).embed(distinct, purpose="document")).vectors
    return dict(zip(distinct, vectors, strict=True))


def _seen(case: Case, texts: Sequence[str], vectors: dict[str, Array], known: _Words) -> dict[str, float]:
    """The features for the best sentence of the four best passages."""
    asked = vectors[case.question]
    cosines = {text: float(vectors[text] @ asked) for text in texts}
    first = sorted(texts, key=lambda text: -cosines[text])[:20]
    weights = known.weights(case.question)
    match = {
        text: likelihood(
            0.8 * CURVE.closeness(cosines[text]) + 1.3 * wording(text, known.language, weights), foreign=False
        )
        for text in first
    }
    best = sorted(first, key=lambda text: -match[text])[:4]
    sources = [
        Source(number=n, chunk_id=UUID(int=n), text=text, language=known.language)
        for n, text in enumerate(best, start=1)
    ]
    found = picks(read_question(case.question, known.language), sources)
    if not found:
        return {}
    chosen = max(
        found, key=lambda pick: (worth(pick, match[best[pick.number - 1]]), -pick.number, -pick.index)
    )
    return features(chosen, CURVE.similarity(cosines[best[chosen.number - 1]]))


def _counts(edits: NDArray[np.str_]) -> Array:
    """Answerable and unanswerable count the same, the edits by their shares."""
    counts = np.zeros(len(edits))
    counts[edits == "none"] = 0.5 / (edits == "none").sum()
    for edit, share in SHARES.items():
        counts[edits == edit] = 0.5 * share / (edits == edit).sum()
    return counts * len(edits)


def _cross_validated(x: Array, y: Array, counts: Array, articles: NDArray[np.int_]) -> Array:
    judged = np.zeros(len(y))
    every = np.unique(articles)
    for fold in range(FOLDS):
        out = np.isin(articles, every[fold::FOLDS])
        weights, bias = _fit(x[~out], y[~out], counts[~out])
        judged[out] = x[out] @ weights + bias
    return judged


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


if __name__ == "__main__":
    given = [argument for argument in sys.argv[1:] if argument != "--write"]
    main([Path(argument) for argument in given], write="--write" in sys.argv)
