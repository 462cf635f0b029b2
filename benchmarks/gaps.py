"""Which questions count as one gap: `python -m benchmarks.gaps [xquad.es.json xquad.en.json]`, the same questions in two languages."""

import asyncio
import json
import sys
from pathlib import Path

import numpy as np

from veraz.learn.gaps import ALIKE
from veraz.providers.embedding.local import LocalEmbedder

DATA = Path(__file__).parents[2] / "shared/data"


async def main(spanish: Path, english: Path) -> None:
    """Prints how often the same question, and questions about different articles, are put together."""
    asked = [_questions(path) for path in (spanish, english)]
    embedder = LocalEmbedder(2)
    ours, theirs = [
        (await embedder.embed([text for text, _ in each], purpose="document")).vectors for each in asked
    ]
    articles = np.array([article for _, article in asked[0]])
    apart = articles[:, None] < articles[None, :]
    same = np.mean((ours * theirs).sum(axis=1) >= ALIKE)
    other = np.mean((ours @ ours.T)[apart] >= ALIKE)
    print(f"the same question in two languages: {same:.3f}; about different articles: {other:.6f}")


def _questions(path: Path) -> list[tuple[str, int]]:
    """Each question with the number of its article."""
    return [
        (question["question"], number)
        for number, article in enumerate(json.loads(path.read_text(encoding="utf-8"))["data"])
        for paragraph in article["paragraphs"]
        for question in paragraph["qas"]
    ]


if __name__ == "__main__":
    given = [Path(argument) for argument in sys.argv[1:]]
    asyncio.run(main(*(given or (DATA / "xquad.es.json", DATA / "xquad.en.json"))))
