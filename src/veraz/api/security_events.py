"""Security events: read, filtered, and taken away as a file."""

import csv
import io
import json
from collections.abc import AsyncIterator
from datetime import datetime
from typing import Annotated, Final, Literal
from uuid import UUID

from fastapi import APIRouter, Depends, Query
from fastapi.responses import StreamingResponse

from veraz.api.caller import Caller, Services
from veraz.api.schemas import PageView, Paging, StoredJson, Text, View, page_of
from veraz.security import KINDS, Kind, Outcome
from veraz.tenancy.security_events import StoredEvent, Wanted

router = APIRouter(prefix="/security-events", tags=["administration"])

Format = Literal["csv", "jsonl"]
MEDIA_TYPES: Final[dict[Format, str]] = {"csv": "text/csv; charset=utf-8", "jsonl": "application/jsonl"}
_COLUMNS: Final = ("id", "at", "kind", "outcome", "user_id", "key_id", "about", "address", "request_id")
_FORMULA: Final = ("=", "+", "-", "@", "\t", "\r")


class SecurityEventView(View):
    """One event: who, from where, what, and whether it was let through."""

    id: int
    at: datetime
    kind: str
    outcome: Outcome
    user_id: UUID | None
    key_id: UUID | None
    about: UUID | None
    address: str | None
    request_id: str | None
    details: StoredJson


async def wanted(
    kind: Annotated[list[Kind] | None, Query(max_length=len(KINDS))] = None,
    outcome: Outcome | None = None,
    user_id: UUID | None = None,
    key_id: UUID | None = None,
    address: Annotated[Text | None, Query(max_length=64)] = None,
    since: datetime | None = None,
    until: datetime | None = None,
    installation: Annotated[
        bool, Query(description="Those of the installation itself (platform admins).")
    ] = False,
) -> Wanted:
    """Which events."""
    return Wanted(
        kinds=kind,
        outcome=outcome,
        user_id=user_id,
        key_id=key_id,
        address=address,
        since=since,
        until=until,
        of_installation=installation,
    )


Chosen = Annotated[Wanted, Depends(wanted)]


@router.get("")
async def events(actor: Caller, veraz: Services, page: Paging, where: Chosen) -> PageView[SecurityEventView]:
    """Your tenant's security events, newest first (admins)."""
    return page_of(SecurityEventView, await veraz.security_events.all(actor, page, where))


@router.get(
    "/export",
    response_class=StreamingResponse,
    responses={200: {"content": {kind: {} for kind in MEDIA_TYPES.values()}}},
)
async def export(
    actor: Caller,
    veraz: Services,
    where: Chosen,
    kind: Annotated[Format, Query(alias="format")] = "jsonl",
) -> StreamingResponse:
    """All of them as a file (admins); that it was taken is an event too."""
    portions = await veraz.security_events.export(actor, where)
    return StreamingResponse(
        as_csv(portions) if kind == "csv" else as_jsonl(portions),
        media_type=MEDIA_TYPES[kind],
        headers={"Content-Disposition": f'attachment; filename="security-events.{kind}"'},
    )


async def as_jsonl(portions: AsyncIterator[list[StoredEvent]]) -> AsyncIterator[str]:
    """One object a line."""
    async for events in portions:
        yield "".join(SecurityEventView.model_validate(one).model_dump_json() + "\n" for one in events)


async def as_csv(portions: AsyncIterator[list[StoredEvent]]) -> AsyncIterator[str]:
    """For spreadsheets, in which no cell becomes a formula."""
    yield "\ufeff" + _lines([[*_COLUMNS, "details"]])
    async for events in portions:
        views = [SecurityEventView.model_validate(one).model_dump(mode="json") for one in events]
        yield _lines([[*(view[name] for name in _COLUMNS), json.dumps(view["details"])] for view in views])


def _lines(rows: list[list[object]]) -> str:
    buffer = io.StringIO()
    csv.writer(buffer).writerows([[_safe(cell) for cell in row] for row in rows])
    return buffer.getvalue()


def _safe(cell: object) -> object:
    return f"'{cell}" if isinstance(cell, str) and cell.startswith(_FORMULA) else cell
