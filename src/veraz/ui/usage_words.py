"""How the usage pages say outcomes, origins, channels, times and money."""

from typing import Final

from veraz.ui.parts import number
from veraz.ui.visit import Visit

OUTCOMES: Final[dict[str, tuple[str, str, str]]] = {
    # outcome: css class of the state, icon, words
    "answered": ("good", "check_circle", "Was answered"),
    "refused": ("warn", "do_not_disturb_on", "Was not answered"),
    "handed_over": ("busy", "support_agent", "Was handed over to a person"),
    "failed": ("bad", "error", "Was not finished"),
}
ENDINGS: Final = {
    "answered": "Answered",
    "refused": "Not answered",
    "handed_over": "Handed over to a person",
    "failed": "Not finished",
}
"""The same of many questions."""
ORIGINS: Final = {
    "person": "People's questions",
    "program": "Searches by programs (API)",
    "test_search": "Test searches",
    "studio": "Trials in the studio",
    "exam": "Exam questions",
    "eval": "Quality measurements",
}
CHANNELS: Final = {
    "web": "Veraz pages",
    "widget": "Website",
    "openai": "API (OpenAI format)",
    "mcp": "AI assistants (MCP)",
    "cli": "Command line",
    "exam": "Exam questions",
    "studio": "Trials in the studio",
}
_NAMES: Final = {"api": "API", "whatsapp": "WhatsApp", "kairo": "Kairo"}


def channel(visit: Visit, name: str) -> str:
    """The channel as people call it."""
    return visit.t(CHANNELS[name]) if name in CHANNELS else _NAMES.get(name, name)


def seconds(visit: Visit, milliseconds: float | None) -> str:
    """0.4 s, or 2 min 5 s."""
    if milliseconds is None:
        return "–"
    if milliseconds < 50:
        return f"{number(visit, 0.1, 1)} s"
    if milliseconds < 60_000:
        return f"{number(visit, milliseconds / 1000, 1 if milliseconds < 10_000 else 0)} s"
    return f"{number(visit, milliseconds // 60_000)} min {number(visit, milliseconds % 60_000 / 1000)} s"


def money(visit: Visit, dollars: float | None) -> str:
    """US$ 1.25; small sums with more digits."""
    if dollars is None:
        return "–"
    return f"US$ {number(visit, dollars, 2 if dollars >= 1 or not dollars else 4)}"


def share(visit: Visit, part: int, whole: int) -> str:
    """A part of a whole in percent."""
    return f"{number(visit, 100 * part / whole)} %" if whole else "–"
