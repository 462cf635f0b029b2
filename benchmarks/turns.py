"""Trains the classifier of turns and says how well it does on messages it never saw.

    python -m benchmarks.turns            measures the shipped weights on tests/answer/turns.*.tsv and the questions of reading/
    python -m benchmarks.turns --train    trains on benchmarks/data/turns.train.tsv first, and writes the weights

The first three test files are by other authors who saw neither the training file nor each other's. The fourth, of hard kinds,
is by the author of the last 481 training messages. Settings were chosen by cross-validation on the training file alone.
"""

import argparse
import collections
import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from veraz.answer.turns import LABELS, decide, features, parts_of, probabilities, spoken
from veraz.providers.embedding.local import LocalEmbedder

ROOT = Path(__file__).parent.parent
TRAIN = ROOT / "benchmarks/data/turns.train.tsv"
TESTS = ("turns.test.tsv", "turns.final.tsv", "turns.third.tsv", "turns.fourth.tsv")
"""All were measured more than once while training messages were added: none is untouched any more."""
READING = ROOT / "benchmarks/data/reading"
WEIGHTS = ROOT / "src/veraz/answer/turn_weights.json"
STEPS, RATE, DECAY = 700, 2.0, 3e-5
SCALE = 3.0


def rows(path: Path) -> list[tuple[str, str]]:
    """Label and message of every line."""
    lines = path.read_text(encoding="utf-8").splitlines()
    return [(label, text) for label, text in (line.split("\t", 1) for line in lines if line.strip())]


def questions() -> list[str]:
    """What people ask of organisations."""
    files = sorted(READING.glob("lot*/o-*/questions.jsonl"))
    lines = [line for path in files for line in path.read_text(encoding="utf-8").splitlines()]
    return [one["question"] for one in map(json.loads, lines)]


def fit(vectors: np.ndarray, labels: np.ndarray, decay: float = DECAY) -> tuple[np.ndarray, np.ndarray]:
    """Multinomial logistic regression by gradient descent with momentum, labels balanced by the root of their number."""
    features = (vectors * SCALE).astype(np.float32)
    wanted = np.eye(len(LABELS), dtype=np.float32)[labels]
    share = 1 / np.sqrt(np.bincount(labels, minlength=len(LABELS)))
    weight = (share[labels] / share[labels].sum()).astype(np.float32)
    slopes, bias = np.zeros((features.shape[1], len(LABELS)), np.float32), np.zeros(len(LABELS), np.float32)
    push_slopes, push_bias = np.zeros_like(slopes), np.zeros_like(bias)
    for _ in range(STEPS):
        odds = features @ slopes + bias
        odds -= odds.max(axis=1, keepdims=True)
        guess = np.exp(odds)
        guess /= guess.sum(axis=1, keepdims=True)
        error = (guess - wanted) * weight[:, None]
        push_slopes = 0.9 * push_slopes + features.T @ error + np.float32(decay) * slopes
        push_bias = 0.9 * push_bias + error.sum(axis=0)
        slopes -= RATE * push_slopes
        bias -= RATE * push_bias
    return slopes * SCALE, bias


def train(embedder: LocalEmbedder) -> None:
    """Writes the weights."""
    found = rows(TRAIN)
    vectors = _features(embedder, [text for _, text in found])
    labels = np.array([LABELS.index(label) for label, _ in found])
    print("cross-validated:", round(_cross_validated(vectors, labels), 4))
    slopes, bias = fit(vectors, labels)
    stored = {
        "labels": LABELS,
        "weights": [[round(float(x), 2) for x in row] for row in slopes],
        "bias": [round(float(x), 3) for x in bias],
    }
    WEIGHTS.write_text(json.dumps(stored, separators=(",", ":")) + "\n")


def _features(embedder: LocalEmbedder, texts: Sequence[str]) -> np.ndarray:
    return features(embedder.embed_now([spoken(text) for text in texts]), texts)


def _cross_validated(vectors: np.ndarray, labels: np.ndarray, folds: int = 3) -> float:
    order = np.random.default_rng(7).permutation(len(labels))
    right = 0
    for fold in range(folds):
        held = order[fold::folds]
        rest = np.setdiff1d(order, held)
        slopes, bias = fit(vectors[rest], labels[rest])
        guess = np.argmax(vectors[held] @ slopes + bias, axis=1)
        right += int((_kinds(guess) == _kinds(labels[held])).sum())
    return right / len(labels)


def _kinds(labels: np.ndarray) -> np.ndarray:
    return np.where(labels < len(LABELS) - 2, 0, labels)


def measure(embedder: LocalEmbedder, name: str, messages: Sequence[tuple[str, str]]) -> None:
    """Prints how messages were taken, and every wrong one."""
    print(name)
    found: collections.Counter[tuple[str, str]] = collections.Counter()
    for label, text in messages:
        kind = decide(probabilities(_features(embedder, parts_of(text)))).kind
        found[label, kind] += 1
        if kind != label:
            print(f"{label} taken for {kind}: {text}")
    for label in ("conversation", "handoff", "question"):
        total = sum(count for (own, _), count in found.items() if own == label)
        if total:
            print(f"{label}: {found[label, label]} of {total} right")


def main() -> None:
    """Trains where asked to, and measures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--train", action="store_true")
    embedder = LocalEmbedder(2)
    if parser.parse_args().train:
        train(embedder)
    for name in TESTS:
        measure(embedder, name, rows(ROOT / "tests/answer" / name))
    measure(embedder, "reading", [("question", text) for text in questions()])


if __name__ == "__main__":
    main()
