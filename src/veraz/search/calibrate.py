"""Measures what a cosine means in one knowledge base, without labels.

A sentence of a passage is asked like a question: with its own passage it gives the upper point. The lower one is given by
questions about everything else in the world, which no knowledge base is about: passages of the same base would not do, because
where all documents are alike (forty-eight rooms of a hotel) they are as near as the right one. Few passages say little, so
what is usual for the model counts as if it had been measured on twenty. The result is everybody's, so passages bound to one
machine take no part in it.
"""

from dataclasses import asdict
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

import numpy as np

from veraz.db.pool import Database
from veraz.db.sql import queries
from veraz.db.types import floats
from veraz.library.spaces import Spaces
from veraz.providers.embedding.base import Vectors, unit_rows
from veraz.search.calibration import Calibration
from veraz.search.model import Shelf
from veraz.tenancy.model import system
from veraz.text.sentences import sentences

Q = queries(__file__)

_SAMPLE = 120
_PRIOR = 20
_LEAST_CHUNKS = 8
STRANGE = (
    "¿Quién pintó el techo de la Capilla Sixtina?",
    "¿Cuál es la montaña más alta del mundo?",
    "¿Por qué migran las ballenas jorobadas?",
    "¿Cómo se prepara una masa madre para pan?",
    "¿Qué equipo ganó el mundial de fútbol de 1986?",
    "¿Cuántas lunas tiene Júpiter?",
    "¿Qué rimas usaba Garcilaso en sus sonetos?",
    "¿Cómo se afina una guitarra española?",
    "Who wrote the screenplay of that famous space film?",
    "What do volcanoes tell us about the inside of the earth?",
    "When did the steam engine reach the textile mills?",
    "How do bees find their way back to the hive?",
    "Which chess opening begins with the queen's pawn?",
    "Why is the sky red in the evening?",
    "How are vowels pronounced in Icelandic?",
    "What did the Romans use to build their roads?",
)
"""Questions about what hardly any knowledge base holds; the median of them forgives the one that is held."""
_TELLING = 30
"""A shorter sentence («Véase el anexo.») says nothing about its passage."""


def is_stale(shelf: Shelf) -> bool:
    """Never measured, or the knowledge base has doubled or halved since."""
    if shelf.shared < _LEAST_CHUNKS:
        return False
    return not shelf.shared / 2 < shelf.curve.chunks < shelf.shared * 2


async def calibrate(db: Database, spaces: Spaces, tenant_id: UUID, shelf: Shelf) -> Calibration | None:
    """Measures one edition and keeps the result with it; None when there is too little to measure."""
    async with db.transaction(system(tenant_id)) as tx:
        rows = await tx.binary_rows(Q.sample, edition_id=shelf.edition_id, limit=_SAMPLE)
    asked = [(index, text) for index, row in enumerate(rows) if (text := _sentence(row["content"], index))]
    if len(asked) < _LEAST_CHUNKS:
        return None
    embedder = spaces.embedder_named(shelf.space)
    answer = await embedder.embed([*STRANGE, *(text for _, text in asked)], purpose="query")
    strange, own = answer.vectors[: len(STRANGE)], answer.vectors[len(STRANGE) :]
    measured = _measure(rows, [index for index, _ in asked], own, strange, shelf)
    async with db.transaction(system(tenant_id)) as tx:
        await tx.run(Q.store, edition_id=shelf.edition_id, calibration=asdict(measured))
    return measured


def _sentence(content: str, turn: int) -> str | None:
    """One telling sentence of a passage, not always the first; a passage of one sentence proves nothing."""
    every = sentences(content)
    telling = [sentence for sentence in every if len(sentence) >= _TELLING]
    return telling[turn % len(telling)] if telling and len(every) > 1 else None


def _measure(
    rows: list[dict[str, Any]], asked: list[int], vectors: Vectors, strange: Vectors, shelf: Shelf
) -> Calibration:
    stored = unit_rows(np.stack([_floats(row["embedding"]) for row in rows]))
    cosines = unit_rows(vectors) @ stored.T
    own = [float(cosines[place, index]) for place, index in enumerate(asked)]
    far = np.median((unit_rows(strange) @ stored.T).mean(axis=1))
    usual = Calibration.of(shelf.space, None)
    return Calibration(
        unrelated=_blend(float(far), len(rows), usual.unrelated),
        own=_blend(float(np.median(own)), len(own), usual.own),
        chunks=shelf.shared,
        samples=len(own),
        measured_at=datetime.now(UTC).isoformat(timespec="seconds"),
    )


def _floats(stored: Any) -> Vectors:
    found = floats(stored)
    assert found is not None
    return found


def _blend(measured: float, samples: int, usual: float) -> float:
    return round((measured * samples + usual * _PRIOR) / (samples + _PRIOR), 4)
