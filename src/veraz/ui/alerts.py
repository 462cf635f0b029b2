"""What went wrong is told where it went wrong: at the field, in the dialog or on top of the page; a toast is the last resort."""

from typing import TYPE_CHECKING, Any

from nicegui import ui
from nicegui.element import Element
from nicegui.elements.mixins.validation_element import ValidationElement

from veraz import errors

if TYPE_CHECKING:
    from veraz.ui.visit import Visit


class Alert(ui.label, default_classes="alert"):
    """The line of a dialog or a page that says what went wrong in it; empty while nothing did."""

    def __init__(self) -> None:
        super().__init__("")
        self.props("role=alert").set_visibility(False)
        self.area: Element = ui.context.slot.parent
        self.marked: list[ValidationElement[Any]] = []

    def tell(self, error: errors.VerazError, language: str) -> None:
        """At the field it is about, where there is one of that name; else here."""
        field = self._field_of(error)
        if isinstance(error, errors.Invalid) and field:
            self._mark(field, error.beside_field(language))
        else:
            self.set_text(error.message(language))
            self.set_visibility(True)
            self.run_method("scrollIntoView", {"block": "nearest"})

    def clear_all(self) -> None:
        """Before the next try."""
        self.set_visibility(False)
        for field in self.marked:
            field.error = None
        self.marked.clear()

    def _field_of(self, error: errors.VerazError) -> "ValidationElement[Any] | None":
        """By its label, or by the name it has in the API."""
        if not (name := error.context.get("field")):
            return None
        fields = (one for one in self.area.descendants() if isinstance(one, ValidationElement))
        return next((one for one in fields if name in (one.props.get("label"), one.props.get("name"))), None)

    def _mark(self, field: "ValidationElement[Any]", words: str) -> None:
        field.error = words
        field.run_method("focus")
        self.marked.append(field)


def nearest_alert() -> Alert | None:
    """The alert of the dialog or page around what was clicked."""
    element: Element | None = ui.context.slot.parent
    while element is not None:
        for child in element.default_slot.children:
            if isinstance(child, Alert) and not child.is_deleted:
                return child
        element = element.parent_slot.parent if element.parent_slot else None
    return None


def filled(visit: "Visit", *fields: "ValidationElement[Any]") -> bool:
    """Whether every one of these fields says something; those that do not ask for it."""
    for field in fields:
        field.error = None if str(getattr(field, "value", "") or "").strip() else visit.t("Fill this in")
    return not any(field.error for field in fields)
