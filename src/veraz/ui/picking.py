"""Choosing documents by name, however many there are: the server looks while somebody types."""

from collections.abc import Sequence
from uuid import UUID

from nicegui import ui
from nicegui.events import GenericEventArguments

from veraz.ingest.documents import DocumentFilter, DocumentStatus
from veraz.ui.visit import Visit

_SHOWN = 20


class DocumentPicker:
    """A field that knows the newest documents and finds the others."""

    def __init__(
        self,
        visit: Visit,
        kb_ids: Sequence[UUID],
        label: str,
        *,
        multiple: bool = False,
        status: DocumentStatus | None = "completed",
    ) -> None:
        self.visit, self.kb_ids, self.status = visit, kb_ids, status
        self.names: dict[str, str] = {}
        self.field = ui.select({}, label=label, multiple=multiple, with_input=True, clearable=True).classes(
            "w-full"
        )
        self.field.props("input-debounce=250")
        if multiple:
            self.field.props("use-chips")
        self.field.on("input-value", visit.act(self._typed))

    @property
    def chosen(self) -> tuple[UUID, ...]:
        """What was chosen, in order."""
        value = self.field.value or []
        return tuple(UUID(one) for one in ([value] if isinstance(value, str) else value))

    def choose(self, document_id: UUID, name: str) -> None:
        """Begins with a document that was chosen before."""
        self.names[str(document_id)] = name
        self.field.set_options({str(document_id): name}, value=str(document_id))

    async def look(self, text: str = "") -> None:
        """Offers documents whose name holds the text, beside those already chosen."""
        where = DocumentFilter(status=self.status, text=text or None)
        offered = {str(one): self.names[str(one)] for one in self.chosen}
        for kb_id in self.kb_ids:
            sheet = await self.visit.veraz.documents.sheet(self.visit.actor, kb_id, where=where, limit=_SHOWN)
            offered |= {str(one.id): one.name for one in sheet.documents}
        self.names |= offered
        self.field.set_options(offered)

    async def _typed(self, event: GenericEventArguments) -> None:
        await self.look(str(event.args or "").strip()[:200])
