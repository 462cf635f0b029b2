"""Logs, metrics and the request id. Structured; no question text, document text or secret ever enters a log."""

import logging
import sys
from contextvars import ContextVar
from logging.handlers import WatchedFileHandler
from typing import Final

import structlog
from prometheus_client import Counter, Gauge, Histogram

from veraz.settings import Settings

request_id: ContextVar[str | None] = ContextVar("request_id", default=None)

SECURITY: Final = "veraz.security"
"""Name of the stream of security events (security.py)."""

log: structlog.stdlib.BoundLogger = structlog.get_logger("veraz")

REQUESTS = Counter("veraz_http_requests_total", "HTTP requests", ["method", "route", "status"])
REQUEST_SECONDS = Histogram(
    "veraz_http_request_seconds",
    "Seconds per HTTP request",
    ["method", "route"],
    buckets=(0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30),
)
JOBS = Counter("veraz_jobs_total", "Jobs finished", ["kind", "status"])
JOB_SECONDS = Histogram(
    "veraz_job_seconds", "Seconds per job", ["kind"], buckets=(0.1, 0.5, 1, 2.5, 5, 10, 30, 60, 300)
)
JOBS_RUNNING = Gauge("veraz_jobs_running", "Jobs being worked on by this process")


def current_request_id() -> str | None:
    """The id of the request being served, for the audit log and error answers."""
    return request_id.get()


def configure(settings: Settings) -> None:
    """Sets up logging once per process: JSON lines, or colours when a person watches."""
    console = settings.log_format == "console" or (settings.log_format == "auto" and sys.stderr.isatty())
    renderer: structlog.typing.Processor = (
        structlog.dev.ConsoleRenderer() if console else structlog.processors.JSONRenderer(ensure_ascii=False)
    )
    structlog.configure(
        processors=[
            structlog.contextvars.merge_contextvars,
            _add_request_id,
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            structlog.processors.format_exc_info,
            renderer,
        ],
        wrapper_class=structlog.make_filtering_bound_logger(getattr(logging, settings.log_level.upper())),
        logger_factory=structlog.PrintLoggerFactory(file=sys.stderr),
        cache_logger_on_first_use=False,
    )
    _open_security_stream(settings)
    logging.basicConfig(level=logging.WARNING, stream=sys.stderr, format="%(levelname)s %(name)s %(message)s")


def _open_security_stream(settings: Settings) -> None:
    """Security events are lines of JSON for programs, in a stream of their own."""
    stream = logging.getLogger(SECURITY)
    for handler in stream.handlers[:]:
        stream.removeHandler(handler)
        handler.close()
    if settings.security_log:
        settings.security_log.touch(mode=0o600)
        stream.addHandler(WatchedFileHandler(settings.security_log, encoding="utf-8"))
        stream.setLevel(logging.INFO)
    else:
        stream.addHandler(logging.StreamHandler(sys.stderr))
        stream.setLevel(settings.log_level.upper())
    stream.propagate = False


def _add_request_id(_: object, __: str, event: structlog.typing.EventDict) -> structlog.typing.EventDict:
    if rid := request_id.get():
        event["request_id"] = rid
    return event
