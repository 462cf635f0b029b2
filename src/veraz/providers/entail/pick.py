"""The entailment model of an installation."""

from functools import cache
from pathlib import Path
from typing import Final

from veraz.errors import Invalid, Phrase
from veraz.providers.entail.base import Entailment
from veraz.providers.entail.onnx import OnnxEntailment
from veraz.settings import Settings

ENTAIL: Final = "entail"
"""As a `judge_model`: the local entailment model judges."""


def pick_entailment(settings: Settings) -> Entailment:
    """The model in `VERAZ_ENTAIL_MODEL`; `Invalid` where there is none."""
    if not settings.entail_model:
        raise Invalid(
            field="judge_model",
            reason=Phrase("VERAZ_ENTAIL_MODEL is missing", es="falta VERAZ_ENTAIL_MODEL"),
        )
    return _loaded(Path(settings.entail_model))


@cache
def _loaded(folder: Path) -> Entailment:
    return OnnxEntailment(folder)
