"""Where you are signed in."""

from datetime import datetime
from uuid import UUID

from fastapi import APIRouter

from veraz.api.caller import Caller, Services
from veraz.api.schemas import View

router = APIRouter(prefix="/me/sessions", tags=["accounts"])


class SessionView(View):
    """One sign-in, without its token."""

    id: UUID
    created_at: datetime
    last_seen_at: datetime
    """To a few minutes."""
    expires_at: datetime
    address: str
    device: str
    current: bool


class Ended(View):
    """How many sessions ended."""

    ended: int


@router.get("")
async def sessions(actor: Caller, veraz: Services) -> list[SessionView]:
    """Your sessions, the last used first. Not for keys."""
    return [
        SessionView(
            id=one.id,
            created_at=one.created_at,
            last_seen_at=one.last_seen_at,
            expires_at=one.expires_at,
            address=one.address,
            device=one.device,
            current=one.id == actor.session_id,
        )
        for one in await veraz.sessions.all(actor)
    ]


@router.delete("")
async def end_others(actor: Caller, veraz: Services) -> Ended:
    """Ends all your sessions but this one."""
    return Ended(ended=await veraz.sessions.end_others(actor))


@router.delete("/{session_id}", status_code=204)
async def end(session_id: UUID, actor: Caller, veraz: Services) -> None:
    """Ends one of your sessions."""
    await veraz.sessions.end(actor, session_id)
