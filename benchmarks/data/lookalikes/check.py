"""Checks the look-alike guides against their questions: python benchmarks/data/lookalikes/check.py

A pattern is searched in folded text (no accents, lower case). Every `must` has to stand in the section that
its question names (heading path and body), no `must_not` may stand there or in what is said of all sections
before the first heading, and every `must_not` has to stand in some other section of the same guide.
"""

import json
import re
import sys
import unicodedata
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

HEADING = re.compile(r"(#{2,6}) (.+)")
LEAD = re.compile(r"\*\*(.+?)[.:]?\*\*")
LEAD_LEVEL = 7
ROOT = Path(__file__).parent
FIELDS = {"guide", "question", "expect", "section", "must", "must_not"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """One section: its headings (the guide's title left out) and its own lines, without those of subsections."""

    path: tuple[str, ...]
    body: str

    @property
    def text(self) -> str:
        """What patterns are searched in."""
        return fold("\n".join([*self.path, self.body]))


def fold(text: str) -> str:
    """Without accents and in lower case."""
    plain = unicodedata.normalize("NFKD", text)
    return "".join(c for c in plain if not unicodedata.combining(c)).lower()


def sections(markdown: str) -> list[Section]:
    """The guide's sections in order; the first has no path: what is said of all of them."""
    found: list[tuple[tuple[str, ...], list[str]]] = [((), [])]
    levels: list[tuple[int, str]] = []
    for line in markdown.splitlines()[1:]:
        level, name = _opened(line)
        if name:
            levels = [(n, t) for n, t in levels if n < level] + [(level, name)]
            found.append((tuple(t for _, t in levels), []))
        found[-1][1].append(line)
    return [Section(path=path, body="\n".join(lines)) for path, lines in found]


def _opened(line: str) -> tuple[int, str]:
    """The level and name of the section that a line begins, or an empty name."""
    if heading := HEADING.match(line):
        return len(heading[1]), heading[2].strip()
    if lead := LEAD.match(line):
        return LEAD_LEVEL, lead[1].strip()
    return 0, ""


def faults(question: dict[str, Any], guide: list[Section]) -> Iterator[str]:
    """What is wrong with one question, in words."""
    if set(question) != FIELDS or question["expect"] not in ("answer", "refuse"):
        yield f"fields {sorted(question)} expect {question.get('expect')}"
    path = tuple(question["section"])
    own = [s for s in guide if path and s.path[: len(path)] == path]
    if path and not own:
        yield f"no section {path}"
    if question["expect"] == "answer" and not (own and question["must"]):
        yield "an answerable question needs a section and a must"
    yield from _pattern_faults(question, own, guide)


def _pattern_faults(question: dict[str, Any], own: list[Section], guide: list[Section]) -> Iterator[str]:
    inside = "\n".join(s.text for s in own)
    general = guide[0].text
    others = [s.text for s in guide[1:] if s not in own]
    for pattern in question["must"]:
        if not re.search(pattern, inside, re.S):
            yield f"must {pattern!r} is not in its section"
    for pattern in question["must_not"]:
        if re.search(pattern, inside, re.S) or re.search(pattern, general, re.S):
            yield f"must_not {pattern!r} is in its section or in the introduction"
        if not any(re.search(pattern, text, re.S) for text in others):
            yield f"must_not {pattern!r} is in no other section"
    for pattern in [*question["must"], *question["must_not"]]:
        if pattern != fold(pattern):
            yield f"pattern {pattern!r} is not folded"


def check(folder: Path) -> tuple[list[str], Counter[str]]:
    """The faults of one set and its counts."""
    wrong, count = [], Counter[str]()
    about = [json.loads(line) for line in (folder / "guides.jsonl").read_text().splitlines()]
    questions = [json.loads(line) for line in (folder / "questions.jsonl").read_text().splitlines()]
    for item in about:
        guide = sections((folder / "guides" / item["guide"]).read_text())
        own = [q for q in questions if q["guide"] == item["guide"]]
        wrong += [f"{item['guide']}: {q['question']}: {f}" for q in own for f in faults(q, guide)]
        if len(own) != 5 or not any(q["expect"] == "refuse" for q in own):
            wrong.append(f"{item['guide']}: {len(own)} questions, or none to refuse")
        count.update([item["language"], item["as"], "guides", *(q["expect"] for q in own)])
    return wrong, count


def main() -> None:
    """Checks both sets and says what they hold."""
    failed = False
    for name in ("a", "b"):
        wrong, count = check(ROOT / name)
        print(f"{name}: {dict(count)}")
        print("\n".join(wrong), end="\n" if wrong else "")
        failed = failed or bool(wrong)
    sys.exit(failed)


if __name__ == "__main__":
    main()
