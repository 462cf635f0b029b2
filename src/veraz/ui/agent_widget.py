"""Publishing an agent on a website: where it may be shown, how it looks, and the one line of code that puts it there."""

from collections.abc import Callable
from typing import Any, Final

from nicegui import ui
from nicegui.elements.mixins.validation_element import ValidationElement
from nicegui.elements.mixins.value_element import ValueElement

from veraz import errors
from veraz.channels.widget.colours import ink_on, stands_out
from veraz.channels.widget.origins import understood
from veraz.channels.widget.settings import LONGEST_GREETING, LONGEST_TITLE
from veraz.library.model import Agent
from veraz.ui.parts import called, confirm, empty, heading, number, typed
from veraz.ui.visit import Visit

_POSITIONS: Final = {"right": "Bottom right", "left": "Bottom left"}
_LANGUAGES: Final = {"auto": "As the page", "es": "Always Spanish", "en": "Always English"}
_LIMITS: Final = {
    "visitor_per_minute": "Questions a minute of one visitor",
    "per_minute": "Questions a minute of all visitors",
    "per_day": "Questions a day of all visitors",
}
_WITHIN: Final = {"visitor_per_minute": 1_000, "per_minute": 100_000, "per_day": 10_000_000}


class WidgetForm:
    """The agent's widget for who manages it: the settings at the left, what comes of them at the right; or how to get one."""

    def __init__(self, visit: Visit, agent: Agent, on_change: Callable[[], Any]) -> None:
        self.visit, self.agent, self.on_change = visit, agent, on_change
        self.fields: dict[str, ValueElement[Any]] = {}
        self.saved: dict[str, Any] = {}

    async def draw(self) -> None:
        """The place of the form, and the form as it is saved."""
        self.box = ui.column().classes("w-full gap-4")
        await self.renew()

    @property
    def unsaved(self) -> bool:
        """Whether something differs from what is saved."""
        return self._shown() != self.saved

    async def save(self) -> bool:
        """Keeps everything; whether it could. What is wrong is said beside its field."""
        for field in self.fields.values():
            if isinstance(field, ValidationElement):
                field.error = None
        try:
            await self.visit.veraz.widgets.change(self.visit.actor, self.agent.id, self._changes())
        except errors.Invalid as error:
            wrong = self.fields.get(str(error.context.get("field")))
            if not isinstance(wrong, ValidationElement):
                raise
            wrong.error = error.message(self.visit.language)
            return False
        await self.renew()
        return True

    async def renew(self) -> None:
        """The widget as it is saved; what was typed is thrown away."""
        widget = await self.visit.veraz.widgets.of_agent(self.visit.actor, self.agent.id)
        self.fields = {}
        self.box.clear()
        with self.box:
            if widget is None:
                self._none_yet()
            else:
                self.widget = widget
                self._draw()
        self.saved = self._shown()
        self.on_change()

    def _none_yet(self) -> None:
        t = self.visit.t

        async def create() -> None:
            await self.visit.veraz.widgets.create(self.visit.actor, self.agent.id)
            await self.renew()

        words = t(
            "Visitors of your website ask this agent without signing in, see where each answer comes from, and can be passed to a "
            "person of your team. You only paste one line of code."
        )
        with empty("language", t("Put this agent on your website"), words):
            ui.button(t("Prepare the widget"), on_click=self.visit.act(create))

    def _draw(self) -> None:
        with ui.element("div").classes("widget-publish"):
            with ui.column().classes("w-full gap-4"):
                self._where()
                self._look()
                self._offers()
                self._ends()
            with ui.column().classes("w-full gap-4"):
                self._preview()
                self._snippet()
        for field in self.fields.values():
            field.on_value_change(self._changed)
        self._show()

    def _where(self) -> None:
        t = self.visit.t
        with ui.card().classes("w-full"):
            heading(t("Where it is shown"), 2)
            self._missing()
            self.fields["enabled"] = ui.switch(t("Show it to visitors"), value=self.widget.enabled)
            written = "\n".join(self.widget.origins)
            self.origins = ui.textarea(t("Addresses of your websites, one per line"), value=written)
            self.origins.props("autogrow").classes("w-full").on_value_change(self._tell_understood)
            self.origins.props["placeholder"] = "https://www.ejemplo.mx"
            self.fields["origins"] = self.origins
            self.understood = ui.label("").classes("small break").props("role=status")
            self.understood.set_visibility(False)
            words = t("Only these pages can show it. https://*.example.com allows every sub-domain.")
            ui.label(words).classes("quiet small")

    def _tell_understood(self) -> None:
        """The addresses that are not written as they will be kept."""
        written = [line.strip() for line in str(self.origins.value or "").splitlines()]
        told = [origin for line in written if (origin := understood(line)) and origin != line]
        self.understood.set_text(self.visit.t("Understood as: {origins}", origins=", ".join(told)))
        self.understood.set_visibility(bool(told))

    def _missing(self) -> None:
        """What keeps visitors from seeing it, or how much they use it."""
        t, widget = self.visit.t, self.widget
        used = t(
            "{n} of {all} questions today",
            n=number(self.visit, widget.used_today),
            all=number(self.visit, widget.per_day),
        )
        if not widget.origins:
            _note("warn", "warning", t("Nobody can see it yet: add the address of your website."))
        elif not widget.enabled:
            _note("idle", "visibility_off", t("It is switched off: visitors do not see it."))
        else:
            _note("good", "check_circle", t("On your website. {used}", used=used))

    def _look(self) -> None:
        t, widget = self.visit.t, self.widget
        with ui.card().classes("w-full"):
            heading(t("How it looks"), 2)
            self.title = ui.input(t("Name visitors see"), value=widget.title)
            self.title.props(f"maxlength={LONGEST_TITLE}").classes("w-full")
            self.greeting = ui.textarea(t("Greeting"), value=widget.greeting)
            self.greeting.props(f"autogrow maxlength={LONGEST_GREETING}").classes("w-full")
            self.greeting.props["placeholder"] = t("Hello, how can I help you?")
            self.fields |= {"title": self.title, "greeting": self.greeting}
            with ui.element("div").classes("widget-row"):
                self.colour = ui.color_input(t("Colour"), value=widget.colour)
                called(self.colour.props("outlined dense").button.props("icon=palette"), t("Choose a colour"))
                positions = {name: t(words) for name, words in _POSITIONS.items()}
                self.position = ui.select(positions, value=widget.position, label=t("Corner of the page"))
                languages = {name: t(words) for name, words in _LANGUAGES.items()}
                language = ui.select(languages, value=widget.language, label=t("Language of its buttons"))
            self.fields |= {"colour": self.colour, "position": self.position, "language": language}
            self.faint = ui.label(t("This colour is hard to see on a white page.")).classes("small")

    def _offers(self) -> None:
        t, widget = self.visit.t, self.widget
        with ui.card().classes("w-full"):
            heading(t("What visitors can do"), 2)
            suggestions = ui.switch(t("Offer questions to begin with"), value=widget.suggestions)
            sources = ui.switch(t("Open the sources of an answer"), value=widget.sources)
            self.fields |= {"suggestions": suggestions, "sources": sources}
            words = t("Visitors read the passages that are quoted to them, never whole documents.")
            ui.label(words).classes("quiet small")
            with ui.expansion(t("Limits of the widget")).classes("w-full"), ui.column().classes("w-full"):
                self.fields |= {name: self._limit(name) for name in _LIMITS}

    def _limit(self, name: str) -> ui.number:
        value, most = getattr(self.widget, name), _WITHIN[name]
        return ui.number(self.visit.t(_LIMITS[name]), value=value, min=1, max=most, precision=0).classes(
            "w-full"
        )

    def _ends(self) -> None:
        t = self.visit.t
        with ui.row().classes("w-full justify-end"):
            remove = ui.button(t("Remove the widget"), icon="delete", on_click=self._ask_delete)
            remove.props("flat color=negative")

    def _preview(self) -> None:
        """A drawing of the widget, renewed with every letter."""
        t = self.visit.t
        with ui.card().classes("w-full"):
            heading(t("How visitors see it"), 2)
            self.drawing = ui.element("div").classes("widget-drawing").props("role=img")
            with called(self.drawing, t("How visitors see it")):
                with ui.element("div").classes("widget-panel"):
                    self.drawn_head = ui.label().classes("widget-head")
                    self.drawn_greeting = ui.label().classes("widget-agent")
                    self.drawn_visitor = ui.label(t("What are your opening hours?")).classes("widget-visitor")
                with ui.element("div").classes("widget-launch") as self.drawn_launch:
                    ui.icon("chat_bubble_outline")

    def _snippet(self) -> None:
        t = self.visit.t
        address, public_id = self.visit.veraz.settings.address, self.widget.public_id
        code = f'<script src="{address}/widget.js" data-agent="{public_id}" async></script>'

        def copy() -> None:
            ui.clipboard.write(code)
            self.visit.done("The code was copied")

        with ui.card().classes("w-full"):
            heading(t("Put it on your website"), 2)
            words = t("Paste this line into your pages, just before </body>.")
            ui.label(words).classes("quiet small")
            called(ui.label(code).classes("secret small"), t("Code for your website"))
            with ui.row().classes("w-full"):
                ui.button(t("Copy the code"), icon="content_copy", on_click=copy)
                test = ui.button(t("Try it on a page"), icon="open_in_new").props(
                    "outline tag=a target=_blank"
                )
                test.props["href"] = f"/widget/{public_id}/test?language={self.visit.language}"

    def _show(self) -> None:
        """The drawing as the fields are now."""
        colour = str(self.colour.value or "").lower()
        known = len(colour) == 7 and colour.startswith("#") and set(colour[1:]) <= set("0123456789abcdef")
        self.faint.set_visibility(known and not stands_out(colour))
        if known:
            paint = f"background: {colour}; color: {ink_on(colour)}"
            for drawn in (self.drawn_head, self.drawn_visitor, self.drawn_launch):
                drawn.style(paint)
        self.drawing.style(f"align-items: flex-{'end' if self.position.value == 'right' else 'start'}")
        self.drawn_head.set_text(str(self.title.value or ""))
        self.drawn_greeting.set_text(
            str(self.greeting.value or "") or self.visit.t("Hello, how can I help you?")
        )

    def _changed(self) -> None:
        self._show()
        self.on_change()

    def _shown(self) -> dict[str, Any]:
        """What the form says now."""
        return {name: field.value for name, field in self.fields.items()}

    def _changes(self) -> dict[str, Any]:
        """What the form says, as a widget is told."""
        shown = self._shown()
        texts = {name: typed(shown[name]) for name in ("title", "greeting", "colour")}
        limits = {name: int(shown[name] or 0) for name in _LIMITS}
        return shown | texts | limits | {"origins": tuple(typed(shown["origins"]).splitlines())}

    def _ask_delete(self) -> None:
        visit, t = self.visit, self.visit.t

        async def delete() -> None:
            await visit.veraz.widgets.delete(visit.actor, self.agent.id)
            await self.renew()

        words = t("Pages that have its code show nothing any more. Conversations stay.")
        confirm(visit, t("Remove the widget?"), words, t("Remove the widget"), delete)


def _note(kind: str, icon: str, words: str) -> None:
    with ui.element("span").classes(f"state widget-note {kind}"):
        ui.icon(icon).props("aria-hidden=true")
        ui.label(words)
