"""Agents, knowledge bases and what ties them together."""

from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any, Literal
from uuid import UUID

KbKind = Literal["global", "personal"]
KbStatus = Literal["active", "processing", "archived"]
AnswerStyle = Literal["strict", "evidence", "chat"]


@dataclass(frozen=True, slots=True, kw_only=True)
class KnowledgeBase:
    """A shelf of documents, cut and embedded one way at a time."""

    id: UUID
    project_id: UUID | None
    kind: KbKind
    owner_id: UUID | None
    agent_id: UUID | None
    name: str
    description: str
    language: str
    status: KbStatus
    chunking_config: dict[str, Any]
    embedding_config: dict[str, Any]
    live_edition_id: int
    space_id: int
    total_documents: int
    total_chunks: int
    total_size_bytes: int
    total_tokens_used: int
    created_by: UUID | None
    created_at: datetime
    updated_at: datetime
    last_queried_at: datetime | None
    administered: bool = True
    """False: an agent reads it for the caller, who may not look into it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Agent:
    """Somebody who answers: in one project, from the knowledge bases assigned to it."""

    id: UUID
    project_id: UUID
    name: str
    company_name: str
    description: str
    system_prompt: str
    answer_style: AnswerStyle
    model: str | None
    fallback_model: str | None
    allows_personal_corpus: bool
    language: str
    fallback_message: str | None
    handoff_on_refusal: bool
    retrieval: dict[str, Any]
    exam_blocks: bool
    judge_model: str | None
    waiting_changes: int
    """Changes that wait for their exam; only its managers see them."""
    created_at: datetime
    updated_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Assignment:
    """An agent reads a knowledge base, with a priority and a weight."""

    agent_id: UUID
    kb_id: UUID
    kb_name: str
    kb_kind: KbKind
    description: str
    total_documents: int
    priority: int
    search_weight: Decimal
    created_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadableKb:
    """One member of a reading set."""

    kb_id: UUID
    edition_id: int
    space_id: int
    kind: KbKind
    priority: int
    search_weight: Decimal
