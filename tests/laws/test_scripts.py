"""Inline scripts of the pages come from one place, which gives them the nonce of their response."""

from pathlib import Path

import veraz.ui

ALLOWED = {"scripts.py": "adds the nonce", "agent_widget.py": "shows the widget's tag as text to copy"}


def test_no_page_writes_a_script_or_a_style_by_script() -> None:
    for path in Path(veraz.ui.__file__).parent.rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        if path.name not in ALLOWED:
            assert "<script" not in text, path
        assert "ui.add_css(" not in text, f"{path}: the framework adds it by a script"
        assert "javascript:" not in text, path
