"""What is wrong with a form, told beside it: under the field it is about, or on a line below all of them."""

from collections.abc import Callable
from functools import wraps
from inspect import isawaitable
from typing import Any

from nicegui import ui
from nicegui.elements.mixins.validation_element import ValidationElement

from veraz import errors
from veraz.ui.visit import Visit


class FormErrors:
    """The line where a form says why it was not accepted; empty until then."""

    def __init__(self, visit: Visit) -> None:
        self.visit = visit
        self.line = ui.label("").classes("text-negative small break").props("role=alert")
        self.line.set_visibility(False)

    def clear(self) -> None:
        """Nothing is wrong any more."""
        self.line.set_visibility(False)

    def tell(self, words: str) -> None:
        """Says what is wrong."""
        self.line.set_text(words)
        self.line.set_visibility(True)

    def around(self, handler: Callable[..., Any]) -> Callable[..., Any]:
        """The handler with its errors told here; a session that ended is still the page's affair."""

        @wraps(handler)
        async def told(*args: Any, **kwargs: Any) -> None:
            self.clear()
            try:
                outcome = handler(*args, **kwargs)
                if isawaitable(outcome):
                    await outcome
            except errors.Unauthenticated:
                raise
            except errors.VerazError as error:
                self.tell(error.message(self.visit.language))

        return self.visit.act(told)


def filled(visit: Visit, *fields: ValidationElement[Any]) -> bool:
    """Whether every one of these fields says something; those that do not ask for it."""
    for field in fields:
        field.error = None if str(getattr(field, "value", "") or "").strip() else visit.t("Fill this in")
    return not any(field.error for field in fields)
