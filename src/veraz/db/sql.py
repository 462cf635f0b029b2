"""Named SQL: `x.py` keeps its queries beside it in `x.sql`, in blocks that start with `-- name: by_words`."""

import re
from pathlib import Path

_BLOCK = re.compile(r"^-- name: (\w+)[ \t]*\n", re.MULTILINE)


class Queries:
    """The queries of one module, as attributes."""

    def __init__(self, path: Path) -> None:
        self.path = path
        parts = _BLOCK.split(path.read_text(encoding="utf-8"))
        self.by_name = {
            name: body.strip().rstrip(";") for name, body in zip(parts[1::2], parts[2::2], strict=True)
        }

    def __getattr__(self, name: str) -> str:
        try:
            return self.by_name[name]
        except KeyError:
            raise AttributeError(f"{self.path.name} has no query named {name}") from None


def queries(module_file: str) -> Queries:
    """The queries beside a module: `Q = queries(__file__)`."""
    return Queries(Path(module_file).with_suffix(".sql"))
