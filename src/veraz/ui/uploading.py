"""Where files are dropped: the browser sends each one to the API with the session, and shows how far it is."""

import json
from collections.abc import Callable
from typing import Any
from uuid import UUID

from nicegui import ui
from nicegui.events import GenericEventArguments

from veraz.ingest.parse.base import FileType
from veraz.ui.parts import heading, icon_button
from veraz.ui.visit import Visit

_ANSWER = (
    "emit({name: info.files[0].name, status: info.xhr.status, text: info.xhr.responseText.slice(0, 5000)})"
)


class DropZone:
    """A place to drop files, the list of those on their way, and what was refused and why.

    With a document, the one file dropped there is its next version.
    """

    def __init__(
        self, visit: Visit, kb_id: UUID, on_arrival: Callable[[], Any], *, document_id: UUID | None = None
    ) -> None:
        self.visit, self.on_arrival, self.replaces = visit, on_arrival, document_id is not None
        self.machine: str | None = None
        address = f"/api/v1/knowledge-bases/{kb_id}/documents"
        where = (
            f"url={address}/{document_id} method=PUT field-name=file"
            if document_id
            else f"url={address} field-name=files multiple"
        )
        self.uploader = (
            ui.element("q-uploader").classes("drop").props(f"{where} auto-upload flat square=false")
        )
        self.uploader._props[":headers"] = f"[{{name: 'Accept-Language', value: '{visit.language}'}}]"
        self._dress()
        self.uploader.on("uploaded", visit.act(self._arrived), js_handler=f"(info) => {_ANSWER}")
        # only this file goes: the others are still on their way
        remove = f"runMethod({self.uploader.id}, 'removeFile', [info.files[0]])"
        self.uploader.on("failed", visit.act(self._failed), js_handler=f"(info) => {{ {_ANSWER}; {remove} }}")
        self.refused = ui.column().classes("w-full gap-2").props("role=status aria-live=polite")

    def bind_to(self, machine: str | None) -> None:
        """Files from now on belong to this machine, or to all."""
        fields = [{"name": "machine_id", "value": machine}] if machine else []
        self.uploader._props[":form-fields"] = json.dumps(fields)
        self.uploader.update()

    def _dress(self) -> None:
        visit = self.visit
        kinds = ", ".join(kind.value.upper() for kind in FileType)
        with self.uploader.add_slot("header"), ui.column().classes("w-full items-center q-pa-md gap-1"):
            ui.icon("upload_file", size="2rem", color="primary").props("aria-hidden=true")
            drop = "Drop the new file here" if self.replaces else "Drop files here, as many as you like"
            ui.label(visit.t(drop)).classes("text-center")
            ui.label(kinds).classes("quiet small text-center")
            with ui.element("div").style("display: none"):
                ui.element("q-uploader-add-trigger")
            choose = ui.button(visit.t("Choose a file" if self.replaces else "Choose files")).props("outline")
            choose.on("click", js_handler=f"(event) => runMethod({self.uploader.id}, 'pickFiles', [event])")

    async def _arrived(self, event: GenericEventArguments) -> None:
        ui.timer(1.5, lambda: self.uploader.run_method("removeUploadedFiles"), once=True)
        await self.on_arrival()

    async def _failed(self, event: GenericEventArguments) -> None:
        name, reason = str(event.args["name"]), _reason(event.args)
        if event.args["status"] == 401:
            self.visit.done("Sign in again")
        with self.refused:
            self._refusal(name, reason or self.visit.t("The connection was lost; try again."))

    def _refusal(self, name: str, reason: str) -> None:
        card = ui.card().classes("w-full").props("role=alert")
        with card, ui.row().classes("w-full items-start no-wrap"):
            ui.icon("error", color="negative", size="1.4rem").props("aria-hidden=true")
            with ui.column().classes("gap-0 grow"):
                words = "«{name}» did not replace it" if self.replaces else "«{name}» was not added"
                heading(self.visit.t(words, name=name), 3)
                ui.label(reason).classes("small break")
            icon_button("close", self.visit.t("Close"), card.delete)


def _reason(answer: dict[str, Any]) -> str:
    """The sentence of the API's problem."""
    try:
        return str(json.loads(answer["text"])["detail"])
    except (ValueError, KeyError, TypeError):
        return ""
