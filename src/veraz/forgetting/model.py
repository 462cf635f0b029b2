"""What is known of a forgetting: its receipt."""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal
from uuid import UUID

Kind = Literal["document", "chunk", "machine", "end_user", "person", "tenant"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Forgetting:
    """What was forgotten, by id, and how many rows of each kind went or were blanked. No text."""

    id: UUID
    kind: Kind
    subjects: list[str]
    status: Literal["pending", "running", "done"]
    removed: dict[str, int]
    created_by: UUID | None
    created_at: datetime
    finished_at: datetime | None
