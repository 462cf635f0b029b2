"""Pages use classes that exist: of our own styles, of Quasar or of NiceGUI; there is no utility framework behind them."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import nicegui

import veraz.ui
from veraz.ui.parts import STATES

FOLDER = Path(veraz.ui.__file__).parent
STATIC = Path(nicegui.__file__).parent / "static"
SHEETS = [
    STATIC / name for name in ("quasar.important.prod.css", "quasar.unimportant.prod.css", "nicegui.css")
]
HOOKS = {"kb-card", "source-box", "source-open"}
"""Names that scripts and tests look for, which say nothing about looks."""


def test_every_class_a_page_names_is_defined() -> None:
    sheets = [*SHEETS, *FOLDER.glob("styles/*.css")]
    defined = {
        name
        for file in sheets
        for name in re.findall(r"\.([A-Za-z_][\w-]*)", file.read_text(encoding="utf-8"))
    }
    named = {name for file in FOLDER.rglob("*.py") for name in _classes(file)}
    assert named - defined - HOOKS == set()


def test_every_icon_a_page_names_is_in_the_icon_font() -> None:
    known = (FOLDER / "icons" / "names.txt").read_text(encoding="utf-8").split()
    named = {
        name
        for file in FOLDER.rglob("*")
        if file.suffix in (".py", ".js")
        for pair in _icons(file)
        for name in pair
        if name
    }
    named |= {icon for _, icon, _ in STATES.values()}
    assert len(named) > 50
    assert named - set(known) == set(), "run `make icons`"


def _icons(file: Path) -> list[tuple[str, str]]:
    """Names of icons where they are written out."""
    text = file.read_text(encoding="utf-8")
    return re.findall(
        r"""(?:ui\.icon\(|icon_button\(|icon=|icon: )["']([a-z0-9_]+)["']|icon-right=(\w+)""", text
    )


def _classes(file: Path) -> Iterator[str]:
    """What `.classes("…")` is called with, where it is written out."""
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Call) and getattr(node.func, "attr", "") == "classes":
            for given in node.args:
                if isinstance(given, ast.Constant) and isinstance(given.value, str):
                    yield from given.value.split()
