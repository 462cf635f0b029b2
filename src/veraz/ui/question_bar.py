"""The bar one writes in; its draft stays in the browser, so that no reload, restart or sleep loses it."""

from collections.abc import Callable
from typing import Any

from nicegui.element import Element
from nicegui.events import GenericEventArguments

from veraz.ui.visit import Visit


class QuestionBar(Element, component="question_bar.js"):
    """A field and its button; `send` gets what was written and says `taken` when it is kept."""

    def __init__(self, visit: Visit, send: Callable[[str], Any], stop: Callable[[], Any]) -> None:
        super().__init__()
        self.props["stopWords"] = visit.t("Stop")
        self.on("send", visit.act(lambda event: send(_text(event))))
        self.on("stop", visit.act(stop))

    def name(self, *, label: str, send: str, draft: str) -> None:
        """What is written here, and under which key its draft is kept."""
        self.props["label"], self.props["sendWords"], self.props["draft"] = label, send, draft

    def busy(self, busy: bool) -> None:
        """Whether an answer is on its way, which can only be stopped."""
        self.props["busy"] = busy

    def taken(self, sent: str) -> None:
        """Empties the field of what was sent."""
        self.run_method("taken", sent, self.props["draft"])

    def fill(self, text: str) -> None:
        """Writes something into the field and goes there."""
        self.run_method("fill", text)


def _text(event: GenericEventArguments) -> str:
    return str(event.args or "")
