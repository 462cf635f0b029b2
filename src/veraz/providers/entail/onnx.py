"""An ONNX model for natural language inference: `model.onnx`, `tokenizer.json` and `config.json` in a folder, as hubs offer them.

Which of the model's outputs means entailment stands in `config.json` (`id2label`); models name it differently.
"""

import asyncio
import json
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from veraz.errors import Invalid, OutsideDown, Phrase

_BATCH = 16
_LONGEST = 512


class OnnxEntailment:
    """Loads the model when it is first used, and runs it in a thread of its own."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._pool = ThreadPoolExecutor(1, thread_name_prefix="entail")

    @property
    def name(self) -> str:
        """`entail:<folder>`."""
        return f"entail:{self._folder.name}"

    async def entailed(self, pairs: Sequence[tuple[str, str]]) -> list[float]:
        """Batch by batch; a model that cannot be loaded or run is a fault."""
        loop = asyncio.get_running_loop()
        found: list[float] = []
        for start in range(0, len(pairs), _BATCH):
            found += await loop.run_in_executor(self._pool, self._run, pairs[start : start + _BATCH])
        return found

    def _run(self, pairs: Sequence[tuple[str, str]]) -> list[float]:
        try:
            encoded = self._tokenizer.encode_batch([(premise, claim) for premise, claim in pairs])
            given = {
                "input_ids": np.array([one.ids for one in encoded], dtype=np.int64),
                "attention_mask": np.array([one.attention_mask for one in encoded], dtype=np.int64),
                "token_type_ids": np.array([one.type_ids for one in encoded], dtype=np.int64),
            }
            wanted = {one.name for one in self._session.get_inputs()}
            odds = self._session.run(None, {name: row for name, row in given.items() if name in wanted})[0]
            powers = np.exp(odds - odds.max(axis=1, keepdims=True))
            return [float(p) for p in (powers / powers.sum(axis=1, keepdims=True))[:, self._entails]]
        except Invalid:
            raise
        except Exception as error:
            raise OutsideDown(host=self.name, reason=str(error)[:200]) from error

    @cached_property
    def _session(self) -> Any:
        runtime = _package("onnxruntime")
        return runtime.InferenceSession(str(self._file("model.onnx")), providers=["CPUExecutionProvider"])

    @cached_property
    def _tokenizer(self) -> Any:
        tokenizer = _package("tokenizers").Tokenizer.from_file(str(self._file("tokenizer.json")))
        tokenizer.enable_truncation(_LONGEST, strategy="only_first")
        tokenizer.enable_padding()
        return tokenizer

    @cached_property
    def _entails(self) -> int:
        config: Mapping[str, Any] = json.loads(self._file("config.json").read_text(encoding="utf-8"))
        labels = {str(label).lower(): int(number) for number, label in config.get("id2label", {}).items()}
        if "entailment" not in labels:
            known = ", ".join(labels) or "–"
            raise _invalid(
                f"config.json names no «entailment» ({known})",
                f"config.json no nombra «entailment» ({known})",
            )
        return labels["entailment"]

    def _file(self, name: str) -> Path:
        path = self._folder / name
        if not path.is_file():
            raise _invalid(f"{path} is missing", f"falta {path}")
        return path


def _package(name: str) -> Any:
    import importlib

    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise _invalid("run: pip install veraz[entail]", "ejecute: pip install veraz[entail]") from error


def _invalid(en: str, es: str) -> Invalid:
    return Invalid(field="VERAZ_ENTAIL_MODEL", reason=Phrase(en, es=es))
