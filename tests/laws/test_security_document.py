"""docs/security.md tells the truth about what is tested: every requirement once, and every test it names exists."""

import re
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).parents[2]
DOCUMENT = (ROOT / "docs" / "security.md").read_text(encoding="utf-8")
ROWS = re.findall(r"^\| (\d+\.\d+\.\d+) \| ([^|]+) \| (.*) \|$", DOCUMENT, re.MULTILINE)
REQUIREMENTS = 253
"""Of levels 1 and 2 in ASVS 5.0."""


def all_tests() -> set[str]:
    """The names of all tests."""
    found: set[str] = set()
    for path in (ROOT / "tests").rglob("test_*.py"):
        found |= set(
            re.findall(r"^(?:async )?def (test_\w+)", path.read_text(encoding="utf-8"), re.MULTILINE)
        )
    return found


def test_every_requirement_is_judged_once() -> None:
    numbers = [number for number, _, _ in ROWS]
    assert len(numbers) == len(set(numbers)) == REQUIREMENTS
    assert {int(number.split(".")[0]) for number in numbers} == set(range(1, 18))


def test_every_test_that_is_named_exists() -> None:
    assert not set(re.findall(r"`(test_\w+)`", DOCUMENT)) - all_tests()


def test_what_is_met_names_its_test_or_its_document() -> None:
    for number, state, reason in ROWS:
        if state == "met":
            assert "`test_" in reason or "](" in reason, number


def test_what_is_not_met_or_not_applicable_says_why() -> None:
    for number, state, reason in ROWS:
        assert state in ("met", "not applicable", "**not met**"), number
        assert len(reason) > 4, number


def test_every_document_it_leads_to_is_there() -> None:
    for target in re.findall(r"\]\(([^)#]+)\)", DOCUMENT):
        assert (ROOT / "docs" / target).exists(), target


def test_the_sum_is_right() -> None:
    states = Counter(state for _, state, _ in ROWS)
    found = re.search(r"\*\*(\d+) met, (\d+) not applicable, (\d+) not met\*\*", DOCUMENT)
    assert found
    assert [int(n) for n in found.groups()] == [
        states["met"],
        states["not applicable"],
        states["**not met**"],
    ]
