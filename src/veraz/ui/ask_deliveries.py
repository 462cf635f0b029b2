"""How far what a person wrote came on WhatsApp: told beside its date."""

from collections.abc import Mapping
from typing import Final
from uuid import UUID

from veraz import errors
from veraz.paging import PageRequest
from veraz.ui.ask_message import DrawnMessage
from veraz.ui.parts import when
from veraz.ui.visit import Visit

_SENT: Final = {"sent": "sent", "delivered": "delivered", "read": "read", "failed": "not sent"}


async def show_deliveries(visit: Visit, conversation_id: UUID, drawn: Mapping[UUID, DrawnMessage]) -> None:
    """Renews the dates of what was sent out."""
    page = PageRequest(limit=500)
    found = await visit.veraz.whatsapp_outbox.deliveries(visit.actor, conversation_id, page)
    for one in found.items:
        shown = drawn.get(one.message_id) if one.direction == "out" and one.message_id else None
        if shown:
            words = visit.t(_SENT.get(one.state, "on its way"))
            why = errors.said(one.error_message, visit.language)
            date = when(visit, shown.message.created_at)
            shown.date.set_text(" · ".join(filter(None, (date, words, why))))
