"""Every error and every setting is documented; every sentence people read exists in Spanish."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import veraz
from veraz import errors
from veraz.api.problems import STATUS
from veraz.settings import Settings

ROOT = Path(__file__).parents[2]
SOURCES = sorted(Path(veraz.__file__).parent.rglob("*.py"))
NEEDS = {"need_admin", "need_platform", "need_whole", "need_role", "_within"}
LEVELS = {"admin", "manager", "member"}


def every(kind: type[errors.VerazError]) -> Iterator[type[errors.VerazError]]:
    """An error class and all below it."""
    yield kind
    for below in kind.__subclasses__():
        yield from every(below)


def rows(document: str) -> dict[str, str]:
    """First column (the code) → second column of every table row."""
    text = (ROOT / "docs" / document).read_text(encoding="utf-8")
    return dict(re.findall(r"^\| `(\w+)` \| ([^|]*) \|", text, re.MULTILINE))


def test_every_error_is_explained_with_its_status() -> None:
    documented = rows("errors.md")
    right = {
        kind.code: str(next(STATUS[k] for k in kind.__mro__ if k in STATUS))
        for kind in every(errors.VerazError)
    }
    framework = {"bad_request": "400", "method_not_allowed": "405"}
    assert {code: status.strip() for code, status in documented.items()} == right | framework


def test_every_error_speaks_spanish_with_the_same_fields() -> None:
    for kind in every(errors.VerazError):
        said, dicho = kind.__doc__ or "", kind.es
        assert set(re.findall(r"{(\w+)}", said)) == set(re.findall(r"{(\w+)}", dicho)), kind
        assert kind is errors.VerazError or "es" in vars(kind), (
            f"{kind} has no sentence of its own in Spanish"
        )


def test_every_error_stands_in_the_drawing() -> None:
    drawing = errors.__doc__ or ""
    assert not [
        kind.__name__ for kind in every(errors.VerazError) if not re.search(rf"\b{kind.__name__}\b", drawing)
    ]


def test_every_setting_is_documented_and_no_other() -> None:
    documented = set(rows("settings.md"))
    assert documented == {f"VERAZ_{name.upper()}" for name in Settings.model_fields}


def test_every_phrase_in_an_error_has_a_translation() -> None:
    missing = {
        f"{path.name}: {phrase}"
        for path in SOURCES
        for phrase in phrases(ast.parse(path.read_text(encoding="utf-8")))
        if phrase not in errors._SPANISH
    }
    assert not missing, "add them to _SPANISH in errors.py"


def test_every_refusal_of_the_database_has_a_translation() -> None:
    always = ROOT.joinpath("src", "veraz", "db", "always").glob("*.sql")
    raised = {
        phrase
        for path in always
        for phrase in re.findall(
            r"raise exception '([^'%]+)' using errcode = 'VZ004'", path.read_text(encoding="utf-8")
        )
    }
    assert raised
    assert not raised - set(errors._SPANISH)


def phrases(tree: ast.AST) -> Iterator[str]:
    """English words given to errors as thing=, action=, what= or reason=, and to the functions that refuse."""
    for call in (node for node in ast.walk(tree) if isinstance(node, ast.Call)):
        name = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
        for keyword in call.keywords:
            if keyword.arg in ("thing", "action", "what") and _is_about_an_error(name):
                yield from _text(keyword.value)
            if keyword.arg == "reason" and name in vars(errors):
                yield from (text for text in _text(keyword.value) if re.search("[a-z]{2,} [a-z]{2,}", text))
        if name in NEEDS:
            yield from (text for argument in call.args for text in _text(argument) if text not in LEVELS)


def _is_about_an_error(name: str) -> bool:
    return name in vars(errors) or name == "get"


def _text(node: ast.expr) -> Iterator[str]:
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node.value
