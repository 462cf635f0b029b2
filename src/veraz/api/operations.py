"""Alive, ready, measured: for those who run Veraz. No sign-in, no data of anybody."""

from typing import Literal

from fastapi import APIRouter, Request, Response
from prometheus_client import CONTENT_TYPE_LATEST, generate_latest
from pydantic import BaseModel

from veraz.api.caller import Services, caller
from veraz.api.documentation import is_open
from veraz.db.health import readiness
from veraz.tenancy.permissions import need_platform

router = APIRouter(tags=["operations"])


class Health(BaseModel):
    """The process answers."""

    status: Literal["ok"] = "ok"


class Readiness(BaseModel):
    """What a request would need."""

    status: Literal["ready", "not ready"]
    database: bool
    migrations: bool
    worker: bool


@router.get("/healthz")
async def healthz() -> Health:
    """Alive."""
    return Health()


@router.get("/readyz", responses={503: {"model": Readiness}})
async def readyz(response: Response, veraz: Services) -> Readiness:
    """Ready: database, migrations and a worker are there."""
    checks = await readiness(veraz.db)
    ready = checks.database and checks.migrations and checks.worker
    if not ready:
        response.status_code = 503
    return Readiness(
        status="ready" if ready else "not ready",
        database=checks.database,
        migrations=checks.migrations,
        worker=checks.worker,
    )


@router.get("/metrics", include_in_schema=False)
async def metrics(request: Request, veraz: Services) -> Response:
    """Prometheus; where it is closed, with the key of a platform's administrator."""
    if not is_open(veraz.settings.metrics, veraz.settings):
        actor = await caller(request, veraz, None, None)
        need_platform(actor, "read the metrics")
    return Response(generate_latest(), media_type=CONTENT_TYPE_LATEST)
