"""Every library that Veraz installs, with its licence, into docs/licences.md: `make licences`, after the lock has changed.

The libraries are what pyproject.toml asks for and what those ask for in turn, as they are installed here. Copyleft is allowed
only where REASONS says why.
"""

import re
import tomllib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path
from typing import Final

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT: Final = Path(__file__).parents[1]
TARGET: Final = ROOT / "docs" / "licences.md"

COPYLEFT: Final = re.compile(
    r"\b(A?GPL|LGPL|GNU|MPL|Mozilla|EUPL|CDDL|EPL|OSL|SSPL|BUSL|CC-BY-SA|CC-BY-NC)", re.IGNORECASE
)
REASONS: Final = {
    "psycopg": "LGPL: used as a library, unchanged and replaceable; nothing of it is copied into ours",
    "psycopg-binary": "LGPL, as psycopg; the C library inside (libpq) is under PostgreSQL's licence",
    "psycopg-pool": "LGPL, as psycopg",
    "certifi": "MPL: a file of public certificates, unchanged",
    "bidict": "MPL: unchanged; it asks only for changes of its own files",
    "docutils": "the GPL is for one editor's mode among its tools, which is not in the package; the library is public domain and BSD",
    "orjson": "MPL for some of its files, unchanged; it asks only for changes of those",
    "tqdm": "MPL for some of its files, unchanged; it asks only for changes of those",
}
_NAMES: Final = (
    ("Apache", "Apache-2.0"),
    ("MIT", "MIT"),
    ("BSD 3", "BSD-3-Clause"),
    ("BSD", "BSD"),
    ("ISC", "ISC"),
    ("Python Software Foundation", "PSF-2.0"),
    ("The Unlicense", "Unlicense"),
    ("Zope", "ZPL-2.1"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Library:
    """One of them."""

    name: str
    version: str
    licence: str

    @property
    def is_copyleft(self) -> bool:
        """Whether its licence asks something of what stands beside it."""
        return COPYLEFT.search(self.licence) is not None


def libraries() -> list[Library]:
    """All that is installed with Veraz here, by name."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = [one for group in project.get("optional-dependencies", {}).values() for one in group]
    found: dict[str, Distribution] = {}
    _collect([*project["dependencies"], *extras], found)
    return [_library(name, found[name]) for name in sorted(found)]


def page(found: list[Library]) -> str:
    """docs/licences.md."""
    lines = [
        "# Licences",
        "",
        "Every library that is installed with Veraz, written by `make licences`. `make sbom` writes the same for programs (CycloneDX).",
        "",
        "| library | version | licence |",
        "|---|---|---|",
        *(f"| {one.name} | {one.version} | {one.licence} |" for one in found),
        "",
        "## Copyleft",
        "",
        *(
            f"- **{one.name}** ({one.licence}): {REASONS.get(one.name, '–')}."
            for one in found
            if one.is_copyleft
        ),
        "",
    ]
    return "\n".join(lines)


def _collect(wanted: Iterable[str], found: dict[str, Distribution]) -> None:
    for text in wanted:
        one = Requirement(text)
        name = canonicalize_name(one.name)
        if one.marker and not one.marker.evaluate({"extra": ""}):
            continue
        try:
            installed = distribution(name)
        except PackageNotFoundError:
            continue  # for another system, or an extra nobody asked for here
        if name not in found:
            found[name] = installed
            _collect(_needs(installed, set()), found)
        if one.extras:
            _collect(_needs(installed, one.extras), found)


def _needs(one: Distribution, extras: set[str]) -> Iterator[str]:
    for text in one.requires or ():
        need = Requirement(text)
        if need.marker is None or any(need.marker.evaluate({"extra": extra}) for extra in extras or {""}):
            yield f"{need.name}[{','.join(sorted(need.extras))}]" if need.extras else need.name


def _library(name: str, one: Distribution) -> Library:
    return Library(name=name, version=one.version, licence=_licence(one))


def _licence(one: Distribution) -> str:
    """The expression; else the classifiers; else the first line of what the field says."""
    if expression := one.metadata.get("License-Expression"):
        return str(expression)
    named = [
        text.rpartition(" :: ")[2]
        for text in one.metadata.get_all("Classifier", [])
        if text.startswith("License ::") and text != "License :: OSI Approved"
    ]
    said = " and ".join(named) or str(one.metadata.get("License") or "").strip().split("\n")[0][:80]
    if COPYLEFT.search(said) or " and " in said.lower():
        return said
    return next((short for words, short in _NAMES if words in said), said) or "unknown"


if __name__ == "__main__":
    TARGET.write_text(page(libraries()), encoding="utf-8")
