"""Whether a colour can be read: contrast as WCAG counts it."""

from typing import Final, Literal

Ink = Literal["#ffffff", "#111827"]
_VISIBLE: Final = 3.0
"""The least contrast at which a button stands out from what is behind it."""


def ink_on(colour: str) -> Ink:
    """White or nearly black, whichever is better read on it."""
    return "#ffffff" if contrast(colour, "#ffffff") >= contrast(colour, "#111827") else "#111827"


def stands_out(colour: str) -> bool:
    """Whether a button of this colour is seen on a white page."""
    return contrast(colour, "#ffffff") >= _VISIBLE


def contrast(one: str, other: str) -> float:
    """From 1 (the same) to 21 (black and white)."""
    darker, lighter = sorted((_luminance(one), _luminance(other)))
    return (lighter + 0.05) / (darker + 0.05)


def _luminance(colour: str) -> float:
    red, green, blue = (_linear(int(colour[at : at + 2], 16) / 255) for at in (1, 3, 5))
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def _linear(part: float) -> float:
    return part / 12.92 if part <= 0.04045 else float(((part + 0.055) / 1.055) ** 2.4)
