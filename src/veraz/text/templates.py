"""Texts for models, kept as files beside the code that uses them: `prompts/<name>.<language>.txt`."""

from functools import cache
from importlib.resources import files


@cache
def template(room: str, name: str, language: str) -> str:
    """A room's text in Spanish, or in English for English."""
    code = "en" if language.startswith("en") else "es"
    return files(f"veraz.{room}.prompts").joinpath(f"{name}.{code}.txt").read_text(encoding="utf-8").strip()
