"""The command palette: one field that leads to every page, agent, knowledge base and conversation by name."""

from dataclasses import dataclass
from typing import Final

from nicegui import ui

from veraz.ui.navigation import GROUPS, groups_for
from veraz.ui.parts import called, dialog, typed
from veraz.ui.visit import Visit

_SHOWN: Final = 12
_MOVE: Final = """
(event) => {
  const items = [...document.querySelectorAll('.palette-item')];
  const at = items.indexOf(document.activeElement);
  if (event.key === 'ArrowDown') { event.preventDefault(); (items[at + 1] || items[0])?.focus(); }
  if (event.key === 'ArrowUp') { event.preventDefault(); (items[at - 1] || items[items.length - 1])?.focus(); }
  if (event.key === 'Enter' && at < 0) { event.preventDefault(); items[0]?.click(); }
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
            field = ui.input(self.visit.t("Page, agent, knowledge base or conversation")).props("autofocus")
            field.classes("w-full").on("keydown", js_handler=_MOVE)
            found = ui.column().classes("w-full gap-1").props("role=list").on("keydown", js_handler=_MOVE)
            self._show(box, found, targets, "")
        field.on_value_change(lambda event: self._show(box, found, targets, typed(event.value, longest=200)))

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

    def _show(self, box: ui.dialog, found: ui.column, targets: list[_Target], words: str) -> None:
        wanted = words.casefold().split()
        fit = [one for one in targets if all(word in one.words.casefold() for word in wanted)]
        found.clear()
        with found:
            for target in fit[:_SHOWN]:
                self._item(box, target)
            if not fit:
                ui.label(self.visit.t("Nothing found")).classes("quiet").props("role=status")

    def _item(self, box: ui.dialog, target: _Target) -> None:
        def go() -> None:
            box.close()
            ui.navigate.to(self.visit.to(target.path))

        with ui.element("div").classes("w-full").props("role=listitem"):
            item = ui.button(on_click=go).props("flat align=left no-wrap").classes("palette-item w-full")
            with called(item, f"{target.words} · {target.kind}"):
                ui.icon(target.icon).props("aria-hidden=true")
                ui.label(target.words).classes("ellipsis grow text-left")
                ui.label(target.kind).classes("quiet small")
