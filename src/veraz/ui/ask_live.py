"""An answer on its way: what is being done, and its sentences as they are proven."""

import asyncio
import time
from typing import Final

from nicegui import ui

from veraz.answer.model import Event, Found, Searching, Wrote
from veraz.text.citations import CITATION
from veraz.ui.visit import Visit

_TENTH: Final = 0.1


class LiveAnswer:
    """Shown until the answer is stored; then its message takes the place."""

    def __init__(self, visit: Visit) -> None:
        self.visit = visit
        self.text, self.shown_at = "", 0.0
        self.later: asyncio.TimerHandle | None = None
        with ui.column().classes("bubble agent") as self.box:
            with ui.row().classes("items-center gap-2"):
                ui.spinner(size="1.1rem").props("aria-hidden=true")
                self.step = ui.label(visit.t("Searching…")).classes("quiet small")
            self.draft = ui.label("").classes("passage")

    def show(self, event: Event) -> None:
        """One event of the answer; text at most ten times a second."""
        t = self.visit.t
        if isinstance(event, Searching):
            self.step.set_text(t("Searching…"))
        elif isinstance(event, Found):
            self.step.set_text(t("Passages found: {n}; writing…", n=len(event.evidence)))
        elif isinstance(event, Wrote):
            self._write(self.text + event.delta)

    def _write(self, text: str) -> None:
        self.text = text
        if time.monotonic() - self.shown_at >= _TENTH:
            self._flush()
        elif self.later is None:  # a model that pauses must not keep back what it said
            self.later = asyncio.get_running_loop().call_later(_TENTH, self._flush)

    def _flush(self) -> None:
        self.later, self.shown_at = None, time.monotonic()
        if not self.draft.is_deleted:
            self.draft.set_text(CITATION.sub("", self.text))
            self.step.set_text(self.visit.t("Checking the next sentence…"))
