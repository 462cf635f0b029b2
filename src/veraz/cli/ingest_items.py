"""What a `veraz ingest` has to bring in, and how far each piece has come."""

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal
from uuid import UUID

import typer

State = Literal["waiting", "pending", "processing", "completed", "failed", "skipped"]
ENDED: frozenset[State] = frozenset({"completed", "failed", "skipped"})
_URL_WEIGHT = 10_000
_LEAST_WEIGHT = 500


@dataclass(slots=True, kw_only=True)
class Item:
    """One file or address on its way in."""

    shown: str
    path: Path | None = None
    weight: int = _URL_WEIGHT
    """How much work it is compared with the others: its size."""
    state: State = "waiting"
    document_id: UUID | None = None
    version: int = 1
    stage: str = ""
    percent: int = 0
    chunks: int = 0
    reason: str = ""

    @property
    def ended(self) -> bool:
        """Nothing more will happen to it."""
        return self.state in ENDED

    @property
    def done_weight(self) -> float:
        """How much of its work is done."""
        return float(self.weight) if self.ended else self.weight * self.percent / 100

    def end(self, state: State, reason: str = "", chunks: int = 0) -> None:
        """It has come as far as it will."""
        self.state, self.reason, self.chunks, self.percent, self.stage = state, reason, chunks, 100, ""


def collected(given: Sequence[str], here: Path, *, recursive: bool) -> list[Item]:
    """Everything the arguments mean, each once, in a steady order."""
    items: dict[str, Item] = {}
    for argument in given:
        for item in _meant(argument, here, recursive=recursive):
            items.setdefault(str(item.path or item.shown), item)
    if not items:
        raise typer.BadParameter("no hay ningún archivo ahí", param_hint="PATH")
    return list(items.values())


def _meant(argument: str, here: Path, *, recursive: bool) -> Iterator[Item]:
    if argument.lower().startswith(("http://", "https://")):
        yield Item(shown=argument)
        return
    path = here / argument
    if path.is_dir():
        for file in _inside(path, recursive=recursive):
            yield _file(file, str(file.relative_to(path)))
    elif path.is_file():
        yield _file(path, path.name)
    else:
        raise typer.BadParameter(f"«{argument}» no es un archivo ni una carpeta", param_hint="PATH")


def _inside(folder: Path, *, recursive: bool) -> Iterator[Path]:
    """Regular files that are not hidden; links could lead anywhere, so they are not followed."""
    for where, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if recursive and not name.startswith("."))
        for name in sorted(names):
            path = Path(where, name)
            if not name.startswith(".") and path.is_file() and not path.is_symlink():
                yield path


def _file(path: Path, shown: str) -> Item:
    return Item(shown=shown, path=path.absolute(), weight=max(_LEAST_WEIGHT, path.stat().st_size))
