"""The only reader of the environment: every setting is `VERAZ_<NAME>`, documented in docs/settings.md."""

import os
import sys
from functools import cached_property
from ipaddress import ip_network
from pathlib import Path
from typing import Literal

from pydantic import Field, SecretStr, field_validator
from pydantic_settings import BaseSettings, SettingsConfigDict


def default_home() -> Path:
    """Where files live when nobody says: a place the database's own system user can reach.

    Run as root, PostgreSQL switches to an unprivileged user, which must not need access to
    root's private folder; everybody else keeps their files in their own data folder.
    """
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        return Path("/var/lib/veraz")
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Application Support" / "veraz"
    return Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share") / "veraz"


class Settings(BaseSettings):
    """Everything that can be configured, with the values that need no configuration."""

    model_config = SettingsConfigDict(env_prefix="VERAZ_", env_file=None, extra="ignore", frozen=True)

    # where
    home: Path = Field(default_factory=default_home)
    """Holds every file Veraz writes: database, documents, logs, secrets."""
    host: str = "127.0.0.1"
    port: int = 8080
    public_url: str | None = None
    """Address people use when it differs from host and port; `https://` makes cookies secure."""

    # store
    database_url: SecretStr | None = None
    """Owner's address of a real PostgreSQL ≥ 15 with pgvector ≥ 0.8; empty starts an embedded one."""
    database_pool_size: int = 10
    secret_key: SecretStr | None = None
    """Derives database passwords and encrypts stored tokens; made under home when empty."""
    backup_key: SecretStr | None = None
    """Encrypts backups when no key file is named; in no backup itself."""
    storage_url: str = ""
    """`s3://bucket/prefix` for documents in an S3-compatible bucket; empty keeps them under home."""
    s3_endpoint: str | None = None
    s3_region: str = "us-east-1"
    s3_access_key_id: str | None = None
    s3_secret_access_key: SecretStr | None = None
    qdrant_url: str | None = None
    """Address of a Qdrant server; vectors are then searched there, and texts and rights stay in PostgreSQL."""
    qdrant_api_key: SecretStr | None = None
    qdrant_prefix: str = "veraz"
    """Beginning of the collections' names, one per embedding space."""

    # first start
    admin_email: str = "admin@veraz.local"
    admin_password: SecretStr | None = None

    # doors
    session_hours: int = 12
    session_idle_minutes: int = 120
    """A session that nobody used for so long has ended."""
    invitation_hours: int = 168
    reset_hours: int = 24
    allowed_hosts: tuple[str, ...] = ()
    """Further names under which this installation answers; `*.example.com` for all below, `*` for every name."""
    docs: Literal["auto", "open", "closed"] = "auto"
    """`/docs` and `/openapi.json`; `auto` opens them only on loopback without a public address."""
    metrics: Literal["auto", "open", "closed"] = "auto"
    """`/metrics` without a key; `auto` as for the documentation."""
    cors_origins: tuple[str, ...] = ()
    max_body_bytes: int = 11 * 1024 * 1024
    """The most any route takes as JSON: a text entry of 10 MB and what surrounds it; most take far less."""
    max_upload_bytes: int = 1024 * 1024 * 1024
    """Limit for one upload of many files; each file has the limit of its format too."""
    trusted_proxies: tuple[str, ...] = ()
    """Addresses or networks of reverse proxies whose X-Forwarded-For and X-Forwarded-Proto are believed."""
    max_connections: int = Field(default=2_000, ge=10)
    max_connections_per_address: int = Field(default=200, ge=1)
    header_seconds: float = Field(default=10, gt=0)
    """For the whole head of a request to arrive."""
    stall_seconds: float = Field(default=20, gt=0)
    """How long a body, or whoever reads an answer, may stand still."""
    login_attempts_per_minute: int = 10
    login_failures_per_hour: int = 40
    """Wrong passwords for one account from one network, on devices where its password was never right; see docs/sign-in.md."""
    caller_requests_per_minute: int = Field(default=6_000, ge=0)
    """Requests of one account or key; 0 is no limit."""
    tenant_requests_per_minute: int = Field(default=12_000, ge=0)
    stranger_requests_per_minute: int = Field(default=600, ge=0)
    """Requests of one address with a wrong credential or none."""
    log_level: Literal["debug", "info", "warning", "error"] = "info"
    log_format: Literal["auto", "json", "console"] = "auto"
    security_log: Path | None = None
    """File to which security events are appended as JSON lines, whatever the log level; empty writes them to stderr."""

    # models
    embedding_model: str = "local:use-multilingual-v3"
    chat_model: str | None = None
    """`provider:model`; empty answers by quoting, without any outside service."""
    chat_fallback_model: str | None = None
    """`provider:model` that answers when the first one does not, unless the agent names its own."""
    chat_seconds: int = Field(default=60, ge=1, le=600)
    """Limit for one whole answer of a chat model, all attempts together; then the fallback model has as long."""
    chat_attempts: int = Field(default=3, ge=1, le=10)
    rewrite_seconds: int = Field(default=5, ge=1, le=60)
    """Limit for other wordings of a question; without them the question is searched as it is."""
    rerank_model: str = "local"
    """`local`, `cohere:model` or a chat model's `provider:model`, for searches whose agent names none."""
    rerank_seconds: int = Field(default=8, ge=1, le=60)
    """Limit for an outside reranker, all attempts together; then the local one's view stands."""
    handoff_hours: int = Field(default=12, ge=1, le=24 * 30)
    """How long a person who took a conversation over may be silent before the agent answers again."""
    entail_model: str | None = None
    """Folder of an ONNX model for natural language inference: with `judge_model` = `entail` it judges claims here."""
    ollama_base_url: str | None = None
    """OpenAI-compatible address of Ollama; empty is `http://127.0.0.1:11434/v1`."""
    openai_api_key: SecretStr | None = None
    openai_base_url: str | None = None
    anthropic_api_key: SecretStr | None = None
    anthropic_base_url: str | None = None
    gemini_api_key: SecretStr | None = None
    gemini_base_url: str | None = None
    cohere_api_key: SecretStr | None = None
    cohere_base_url: str | None = None

    # ingestion
    worker_concurrency: int = 4
    """Documents one worker process handles at the same time."""
    embedding_threads: int = Field(default_factory=lambda: max(1, os.cpu_count() or 1))
    parse_seconds: int = 120
    parse_memory_mb: int = 1536
    job_seconds: float = Field(default=3600, gt=0)
    """For everything that follows the reading of one document: cutting, words, vectors, storing."""
    ocr_pages_max: int = 300
    fetch_seconds: int = 30
    fetch_max_bytes: int = 25 * 1024 * 1024
    fetch_allow_private: bool = False
    """Let URL documents come from private addresses and webhooks go there; only for closed networks and tests."""
    webhook_seconds: int = Field(default=10, ge=1, le=60)
    """Limit for one attempt to deliver an event to a webhook."""

    # channels
    whatsapp_graph_url: str = "https://graph.facebook.com/v26.0"
    """Meta's Graph with its version, where WhatsApp messages are sent."""

    whatsapp_quiet_seconds: float = Field(default=2.0, ge=0, le=30)
    """Messages of one person that come within so many seconds of each other are answered as one."""

    # forgetting
    query_log_days: int = Field(default=90, ge=1)
    trace_days: int = Field(default=14, ge=0)
    """How long is kept how a question was answered: passages, prompts, drafts, verdicts; 0 keeps none."""
    retired_edition_days: int = Field(default=7, ge=0)
    """How long the way back after a rebuild stays open."""
    event_days: int = Field(default=30, ge=1)
    security_event_days: int = Field(default=365, ge=1)
    finished_job_days: int = Field(default=30, ge=1)

    @field_validator("trusted_proxies")
    @classmethod
    def _networks(cls, given: tuple[str, ...]) -> tuple[str, ...]:
        for one in given:
            ip_network(one, strict=False)  # says what is wrong with it
        return given

    @cached_property
    def address(self) -> str:
        """Where people reach this installation."""
        return (self.public_url or f"http://{self.host}:{self.port}").rstrip("/")

    @cached_property
    def secure_cookies(self) -> bool:
        """Cookies travel only over HTTPS once the public address says https."""
        return bool(self.public_url and self.public_url.startswith("https://"))
