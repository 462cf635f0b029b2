"""The command palette: one field that leads to every page, agent, knowledge base, document and conversation by name."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from nicegui import ui

from veraz.text.plain import plain
from veraz.ui.navigation import GROUPS, groups_for
from veraz.ui.parts import called, dialog, typed
from veraz.ui.visit import Visit

_SHOWN: Final = 12
_MOST_DOCUMENTS: Final = 6
_SHORTEST: Final = 2
"""Letters before documents are looked for."""
_PAUSE: Final = 0.15
_MOVE: Final = """
(event) => {
  const items = [...document.querySelectorAll('.palette-item')];
  const at = items.indexOf(document.activeElement);
  if (event.key === 'ArrowDown') { event.preventDefault(); (items[Math.max(at, 0) + 1] || items[0])?.focus(); }
  if (event.key === 'ArrowUp') { event.preventDefault(); (items[at - 1] || items[items.length - 1])?.focus(); }
}
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Target:
    words: str
    kind: str
    icon: str
    path: str


class Palette:
    """Opens with Ctrl+K on every page."""

    def __init__(self, visit: Visit) -> None:
        self.visit = visit
        ui.on("palette", visit.act(self.open))
        ui.on("shortcuts", visit.act(self.shortcuts))

    async def open(self) -> None:
        """Offers everything the visitor can go to, then what holds the words they type."""
        targets = await self._targets()
        with dialog(self.visit.t("Search or go to…")) as box:
            words = self.visit.t("Page, agent, knowledge base, document or conversation")
            field = ui.input(words).props("autofocus")
            field.classes("w-full").on("keydown", js_handler=_MOVE)
            found = ui.column().classes("palette-list w-full gap-1").props("role=list")
            found.on("keydown", js_handler=_MOVE)
            self._show(box, found, _fitting(targets, ""))

        async def look() -> None:
            """What is known already at once, documents as soon as no letter follows."""
            text = wanted()
            fit = _fitting(targets, text)
            self._show(box, found, fit, ended=len(text) < _SHORTEST)
            await asyncio.sleep(_PAUSE)
            if text == wanted():
                documents = await self._documents(text)
                if text == wanted() and not found.is_deleted:
                    self._show(box, found, _together(fit, documents))

        async def first() -> None:
            text = wanted()
            for target in _together(_fitting(targets, text), await self._documents(text))[:1]:
                self._go(box, target)

        def wanted() -> str:
            return typed(field.value, longest=200)

        field.on_value_change(self.visit.act(look))
        field.on("keydown.enter", self.visit.act(first))

    def shortcuts(self) -> None:
        """What the keyboard can do."""
        t = self.visit.t
        keys = [("Ctrl K", t("Search or go to…")), ("/", t("To the main field of the page"))]
        keys += [(f"g {group.key}", t(group.words)) for group in GROUPS if group.shown_to(self.visit)]
        keys += [("Enter", t("Send the question")), ("Esc", t("Close"))]
        with dialog(t("Keyboard shortcuts")) as box:
            for pressed, words in keys:
                with ui.row().classes("w-full items-center no-wrap"):
                    ui.label(words).classes("grow")
                    for one in pressed.split():
                        with ui.element("kbd"):
                            ui.label(one)
            ui.button(t("Close"), on_click=box.close).props("flat").classes("self-end")

    async def _targets(self) -> list[_Target]:
        visit = self.visit
        pages = [
            _Target(words=visit.t(place.words), kind=visit.t(group.words), icon=place.icon, path=place.path)
            for group, places in groups_for(visit)
            for place in places
        ]
        agents = (await visit.veraz.agents.all(visit.actor)).items
        pages += [
            _Target(words=one.name, kind=visit.t("Ask"), icon="smart_toy", path=f"/ask?agent={one.id}")
            for one in agents
        ]
        if visit.manages:
            kbs = (await visit.veraz.knowledge_bases.all(visit.actor)).items
            pages += [
                _Target(
                    words=kb.name,
                    kind=visit.t("Knowledge base"),
                    icon="library_books",
                    path=f"/knowledge-bases/{kb.id}",
                )
                for kb in kbs
            ]
        talks = (await visit.veraz.conversations.all(visit.actor)).items
        return pages + [
            _Target(
                words=talk.title or "–", kind=visit.t("Conversation"), icon="forum", path=f"/ask/{talk.id}"
            )
            for talk in talks
        ]

    async def _documents(self, text: str) -> list[_Target]:
        """Those the visitor may look into whose name holds the words."""
        if len(text) < _SHORTEST:
            return []
        found = await self.visit.veraz.documents.named(self.visit.actor, text, limit=_MOST_DOCUMENTS)
        return [
            _Target(
                words=one.name,
                kind=one.kb_name,
                icon="description",
                path=f"/knowledge-bases/{one.kb_id}/documents/{one.id}",
            )
            for one in found
        ]

    def _show(
        self, box: ui.dialog, found: ui.column, targets: Sequence[_Target], *, ended: bool = True
    ) -> None:
        """The first one is the one Enter opens; that there is none is said when the search has ended."""
        found.clear()
        with found:
            for target in targets[:_SHOWN]:
                self._item(box, target)
            if ended and not targets:
                ui.label(self.visit.t("Nothing found")).classes("quiet").props("role=status")

    def _go(self, box: ui.dialog, target: _Target) -> None:
        box.close()
        ui.navigate.to(self.visit.to(target.path))

    def _item(self, box: ui.dialog, target: _Target) -> None:
        with ui.element("div").classes("w-full").props("role=listitem"):
            item = (
                ui.button(on_click=lambda: self._go(box, target))
                .props("flat align=left no-wrap")
                .classes("palette-item w-full")
            )
            with called(item, f"{target.words} · {target.kind}"):
                ui.icon(target.icon).props("aria-hidden=true")
                ui.label(target.words).classes("ellipsis grow text-left")
                ui.label(target.kind).classes("quiet small")


def _fitting(targets: Sequence[_Target], text: str) -> list[_Target]:
    wanted = plain(text).split()
    return [one for one in targets if all(word in plain(one.words) for word in wanted)]


def _together(fit: Sequence[_Target], documents: Sequence[_Target]) -> list[_Target]:
    """What is found in all; documents keep their room."""
    return [*fit[: _SHOWN - len(documents)], *documents]
