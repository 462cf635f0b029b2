"""How many ordinary sentences are taken for orders to a machine: `python -m benchmarks.orders`.

250 Spanish laws and the text documents of the natural questions, none of which orders a machine about.
"""

import random
import tarfile
from collections.abc import Iterator
from pathlib import Path

from veraz.text.injection import speaks_to_machine
from veraz.text.sentences import sentences

DATA = Path(__file__).parents[2] / "shared/data"
LAWS, LONGEST = 250, 200_000
PLAIN = (
    "natural/*/docs/*.md",
    "natural/*/docs/*.txt",
    "natural/*/docs/*.html",
    "documents/*.md",
    "documents/*.txt",
)


def main() -> None:
    """Counts them and prints each."""
    every = [sentence for text in _texts() for sentence in sentences(text[:LONGEST])]
    taken = [sentence for sentence in every if speaks_to_machine(sentence)]
    print(f"{len(taken)} of {len(every):,} sentences")
    for sentence in taken:
        print(f"  {' '.join(sentence.split())[:200]}")


def _texts() -> Iterator[str]:
    with tarfile.open(DATA / "laws-es.tar.xz") as laws:
        names = sorted(name for name in laws.getnames() if name.endswith(".md"))
        random.Random(1).shuffle(names)
        chosen = set(names[:LAWS])
        for member in laws:
            if member.name in chosen and (file := laws.extractfile(member)):
                yield file.read().decode()
    for pattern in PLAIN:
        yield from (path.read_text(encoding="utf-8", errors="ignore") for path in sorted(DATA.glob(pattern)))


if __name__ == "__main__":
    main()
