"""Where files are dropped: the browser sends each one to the API with the session, and shows how far it is."""

import json
from collections.abc import Callable
from typing import Any, Final
from uuid import UUID

from nicegui import ui
from nicegui.events import GenericEventArguments

from veraz.ingest.parse.base import MB, FileType
from veraz.ui.parts import heading, icon_button
from veraz.ui.visit import Visit

LARGEST: Final = max(kind.max_bytes for kind in FileType)
_ANSWER = (
    "emit({name: info.files[0].name, status: info.xhr.status, text: info.xhr.responseText.slice(0, 5000)})"
)
_REJECTED = (
    "(all) => emit(all.filter((one) => one.failedPropValidation === 'max-file-size')"
    ".map((one) => one.file.name).slice(0, 100))"
)
"""Too large; what is on its way already, and chosen once more, is no news."""
_TOGETHER = 0.4
"""Seconds in which files that arrive are shown at once."""
_FILES = """
<div v-for="file in props.files" :key="file.__key" class="upload-file">
  <q-icon :name="file.__status === 'uploaded' ? 'check_circle' : 'upload_file'" size="1.3rem"
    :color="file.__status === 'uploaded' ? 'positive' : 'primary'" aria-hidden="true"></q-icon>
  <div class="upload-name"><span class="break">{{ file.name }}</span>
    <q-linear-progress rounded size="5px" :value="file.__progress" :aria-label="file.name"></q-linear-progress></div>
  <span class="small quiet upload-size">{{ file.__sizeLabel }} · {{ file.__progressLabel }}</span>
</div>
"""


class DropZone:
    """A place to drop files, the list of those on their way, and what was refused and why.

    With a document, the one file dropped there is its next version.
    """

    def __init__(
        self, visit: Visit, kb_id: UUID, on_arrival: Callable[[], Any], *, document_id: UUID | None = None
    ) -> None:
        self.visit, self.on_arrival, self.replaces = visit, on_arrival, document_id is not None
        self.arriving = False
        address = f"/api/v1/knowledge-bases/{kb_id}/documents"
        where = (
            f"url={address}/{document_id} method=PUT field-name=file"
            if document_id
            else f"url={address} field-name=files multiple"
        )
        self.uploader = (
            ui.element("q-uploader")
            .classes("drop")
            .props(f"{where} auto-upload flat square=false max-file-size={LARGEST}")
        )
        self.uploader._props[":headers"] = f"[{{name: 'Accept-Language', value: '{visit.language}'}}]"
        self._dress()
        self._listen()
        self.refused = ui.column().classes("w-full gap-2 refusals").props("role=status aria-live=polite")

    def bind_to(self, machine: str) -> None:
        """Files from now on say that they belong to this machine; the empty name is refused wherever it is sent."""
        self.uploader._props[":form-fields"] = json.dumps([{"name": "machine_id", "value": machine}])
        self.uploader.update()

    def set_enabled(self, enabled: bool) -> None:
        """Takes files or refuses all of them, however they come."""
        self.uploader.props(remove="disable") if enabled else self.uploader.props("disable")
        self.choose.set_enabled(enabled)

    def hold_while(self, choice: ui.element) -> None:
        """Takes no file from the moment somebody chooses until the server has said for whom the next ones are."""
        hold = f"() => {{ mounted_app.elements[{self.uploader.id}].props.disable = true }}"
        choice.on("update:model-value", js_handler=hold)

    def show_hint(self, shown: bool) -> None:
        """The large place to drop files, or only the list of those on their way."""
        self.uploader.classes(remove="compact") if shown else self.uploader.classes("compact")

    def on_choose(self, button: ui.element) -> None:
        """This button lets somebody choose files as well."""
        button.on("click", js_handler=f"(event) => runMethod({self.uploader.id}, 'pickFiles', [event])")

    def catch_drops(self, area: ui.element, words: str, after: Callable[[], Any] | None = None) -> None:
        """Files dropped anywhere on the area are taken too, and it says so while they hover."""
        with area, ui.element("div").classes("drop-veil").props("aria-hidden=true"):
            ui.icon("upload_file", size="2.4rem")
            ui.label(words)
        files = "event.dataTransfer && [...event.dataTransfer.types].includes('Files')"
        area.classes("drop-area")
        area.on(
            "dragover.capture",
            js_handler=f"(event) => {{ if ({files}) {{ event.preventDefault(); event.stopPropagation(); "
            "event.currentTarget.classList.add('dropping'); } }",
        )
        area.on(
            "dragleave",
            js_handler="(event) => { if (!event.currentTarget.contains(event.relatedTarget)) "
            "event.currentTarget.classList.remove('dropping'); }",
        )
        area.on(
            "drop.capture",
            (lambda _: after()) if after else None,
            js_handler=f"(event) => {{ if ({files}) {{ event.preventDefault(); event.stopPropagation(); "
            "event.currentTarget.classList.remove('dropping'); "
            f"runMethod({self.uploader.id}, 'addFiles', [event.dataTransfer.files]); emit(); }} }}",
        )

    def _listen(self) -> None:
        visit, uploader = self.visit, self.uploader
        uploader.on("uploaded", visit.act(self._arrived), js_handler=f"(info) => {_ANSWER}")
        # only this file goes: the others are still on their way
        remove = f"runMethod({uploader.id}, 'removeFile', [info.files[0]])"
        uploader.on("failed", visit.act(self._failed), js_handler=f"(info) => {{ {_ANSWER}; {remove} }}")
        uploader.on("rejected", visit.act(self._too_large), js_handler=_REJECTED)

    def _dress(self) -> None:
        visit = self.visit
        with self.uploader.add_slot("header"), ui.column().classes("w-full items-center q-pa-lg gap-2"):
            ui.icon("upload_file", size="2.2rem", color="primary").props("aria-hidden=true")
            drop = "Drop the new file here" if self.replaces else "Drop files here, as many as you like"
            ui.label(visit.t(drop)).classes("text-center")
            formats(visit)
            with ui.element("div").style("display: none"):
                ui.element("q-uploader-add-trigger")
            words = "Choose a file" if self.replaces else "Choose files"
            self.choose = ui.button(visit.t(words)).props("outline")
            self.on_choose(self.choose)
        self.uploader.add_slot("list", _FILES)

    async def _arrived(self, event: GenericEventArguments) -> None:
        """Many files arrive one by one within moments; the page is renewed once for them."""
        if not self.arriving:
            self.arriving = True
            with self.refused:
                ui.timer(_TOGETHER, self.visit.act(self._shown), once=True)

    async def _shown(self) -> None:
        self.arriving = False
        self.uploader.run_method("removeUploadedFiles")
        await self.on_arrival()

    async def _failed(self, event: GenericEventArguments) -> None:
        if event.args["status"] == 401:
            self.visit.done("Sign in again")
        reason = _reason(event.args) or self.visit.t("The connection was lost; try again.")
        with self.refused:
            self._refusal(str(event.args["name"]), reason)

    async def _too_large(self, event: GenericEventArguments) -> None:
        reason = self.visit.t("It is larger than {n} MB, the most a file may be.", n=LARGEST // MB)
        with self.refused:
            for name in event.args:
                self._refusal(str(name), reason)

    def _refusal(self, name: str, reason: str) -> None:
        card = ui.card().classes("w-full refusal").props("role=alert")
        with card, ui.row().classes("w-full items-start no-wrap"):
            ui.icon("error", color="negative", size="1.4rem").props("aria-hidden=true")
            with ui.column().classes("gap-0 grow"):
                words = "«{name}» did not replace it" if self.replaces else "«{name}» was not added"
                heading(self.visit.t(words, name=name), 3)
                ui.label(reason).classes("small break")
            icon_button("close", self.visit.t("Close"), card.delete)


def formats(visit: Visit) -> None:
    """Which files can be read and how large they may be."""
    ui.label("PDF, Word, Excel, PowerPoint, HTML, Markdown, TXT, CSV, JSON").classes(
        "quiet small text-center"
    )
    ui.label(visit.t("PDF and PowerPoint up to 50 MB, Word up to 25 MB, the others up to 10 MB")).classes(
        "quiet small text-center"
    )


def _reason(answer: dict[str, Any]) -> str:
    """The sentence of the API's problem."""
    try:
        return str(json.loads(answer["text"])["detail"])
    except (ValueError, KeyError, TypeError):
        return ""
