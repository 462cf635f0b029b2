"""What a job is."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Literal
from uuid import UUID

from veraz.db.scope import Scope
from veraz.ids import DocumentId, JobId, KbId, TenantId

JobStatus = Literal["PENDING", "RUNNING", "DONE", "FAILED", "DLQ"]
"""PENDING waits (perhaps for run_after) · RUNNING is leased to a worker · DONE · FAILED for good, with the reason ·
DLQ: tried as often as allowed, waits for a person."""

STATUSES: tuple[JobStatus, ...] = ("PENDING", "RUNNING", "DONE", "FAILED", "DLQ")

# A vanished worker says little about the job it held (deployments, machines that die), so such ends have a budget
# of their own, this many times max_attempts. It only has to stop a job that takes its worker down each time.
LOST_PER_ATTEMPT = 3


class Stage(StrEnum):
    """The stages of a document's way in. Other kinds of job may report words of their own."""

    FETCH = "FETCH"
    PARSE = "PARSE"
    CHUNK = "CHUNK"
    EMBED = "EMBED"
    STORE = "STORE"


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """One piece of work, as it was when it was read."""

    id: JobId
    tenant_id: TenantId
    kind: str
    kb_id: KbId | None
    document_id: DocumentId | None
    stage: str | None
    status: JobStatus
    bulk: bool
    payload: Mapping[str, object]
    attempt: int
    max_attempts: int
    claims: int
    lost: int
    run_after: datetime
    worker: str | None
    progress_percent: int
    error_code: str | None
    error_message: str | None
    created_by: UUID | None
    created_at: datetime
    started_at: datetime | None
    finished_at: datetime | None

    @property
    def scope(self) -> Scope:
        """The caller a worker is while it does this job: inside the job's tenant and no other."""
        return Scope(tenant_id=self.tenant_id, role="worker")

    @property
    def attempts_left(self) -> bool:
        """Whether it may be tried again after an error."""
        return self.attempt < self.max_attempts


@dataclass(frozen=True, slots=True, kw_only=True)
class JobStats:
    """How many jobs stand where."""

    pending: int
    running: int
    done: int
    failed: int
    dlq: int

    def by_status(self) -> dict[JobStatus, int]:
        """The counts under the names the console uses."""
        return dict(
            zip(STATUSES, (self.pending, self.running, self.done, self.failed, self.dlq), strict=True)
        )

    @property
    def active(self) -> bool:
        """Whether anything is still going to happen by itself."""
        return self.pending + self.running > 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Swept:
    """What a sweep found: jobs given back to the queue, and jobs put aside for a person."""

    returned: int
    dead: int
