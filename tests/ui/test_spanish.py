"""What the pages say exists in Spanish, and nothing is translated that nobody says."""

import ast
from collections.abc import Iterator
from pathlib import Path

import veraz.ui
from veraz.ui.spanish import AREAS, SPANISH

FOLDER = Path(veraz.ui.__file__).parent


def test_every_sentence_of_the_pages_has_its_spanish() -> None:
    said = {
        words for file in FOLDER.glob("*.py") for words in _said(ast.parse(file.read_text(encoding="utf-8")))
    }
    assert said - SPANISH.keys() == set()


def test_every_translation_is_used() -> None:
    texts = {text for file in FOLDER.glob("*.py") for text in _strings(file)}
    assert SPANISH.keys() - texts == set()


def test_no_sentence_is_translated_twice() -> None:
    keys = [english for area in AREAS for english in area.WORDS]
    assert len(keys) == len(set(keys))


def test_fields_of_a_sentence_are_those_of_its_translation() -> None:
    for english, spanish in SPANISH.items():
        assert _fields(english) == _fields(spanish), english


def _said(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            name = getattr(node.func, "attr", getattr(node.func, "id", ""))
            place = {"t": 0, "done": 0, "say": 1}.get(name)
            if place is not None and len(node.args) > place:
                yield from _literals(node.args[place])


def _literals(node: ast.expr) -> Iterator[str]:
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node.value
    elif isinstance(node, ast.IfExp):
        yield from (*_literals(node.body), *_literals(node.orelse))


def _strings(file: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value


def _fields(text: str) -> set[str]:
    return {piece.split("}")[0] for piece in text.split("{")[1:]}
