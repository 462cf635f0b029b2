"""How much one visitor, one address and everybody together may ask. Minutes are shared by all processes, days are counted."""

from typing import Final
from uuid import UUID

from veraz.channels.widget.settings import Widget
from veraz.tenancy.rates import Rate, Rates, place_of

SESSIONS_PER_ADDRESS: Final = 60
LOOKS_PER_ADDRESS: Final = 600
"""A minute; behind one address may sit a whole office."""


class WidgetLimits:
    """Refuses what comes too often, and says when to come back."""

    def __init__(self, rates: Rates) -> None:
        self._rates = rates

    async def session(self, address: str) -> None:
        """Before a visitor gets a token."""
        await self._rates.spend(Rate(about=f"session {place_of(address)}", per_minute=SESSIONS_PER_ADDRESS))

    async def look(self, address: str) -> None:
        """Before something is read."""
        await self._rates.spend(Rate(about=f"look {place_of(address)}", per_minute=LOOKS_PER_ADDRESS))

    async def question(self, widget: Widget, visitor_id: UUID, address: str) -> None:
        """Before a question is asked."""
        own, all_ = widget.visitor_per_minute, widget.per_minute
        of_address = max(own, all_ // 2)  # nobody takes the whole of it
        await self._rates.spend(
            Rate(about=f"visitor {visitor_id}", per_minute=own),
            Rate(about=f"question {widget.id} {place_of(address)}", per_minute=of_address),
            Rate(about=f"widget {widget.id}", per_minute=all_),
        )
