"""What Meta's codes mean to people, in both languages; Meta's own words come after ours."""

from collections.abc import Mapping
from typing import Final

from veraz.errors import Sentence

WINDOW_CLOSED: Final = 131047

_MEANING: Final[Mapping[int, tuple[str, str]]] = {
    10: ("The token lacks a permission.", "Al token le falta un permiso."),
    190: (
        "The access token is wrong or has expired. Give the number a new one.",
        "El token de acceso no vale o caducó. Dele al número uno nuevo.",
    ),
    131026: (
        "WhatsApp cannot deliver to this person.",
        "WhatsApp no puede entregarle mensajes a esta persona.",
    ),
    131030: (
        "The number is still in test and may not write to this person.",
        "El número sigue en pruebas y no puede escribir a esta persona.",
    ),
    131031: ("Meta has locked the account.", "Meta bloqueó la cuenta."),
    131042: (
        "Meta waits for a way to pay in the account.",
        "A la cuenta le falta un medio de pago en Meta.",
    ),
    131045: ("The number is not registered with Meta.", "El número no está registrado en Meta."),
    WINDOW_CLOSED: (
        "More than 24 hours have passed since this person's last message.",
        "Han pasado más de 24 horas desde el último mensaje de esta persona.",
    ),
    133010: ("The number is not registered with Meta.", "El número no está registrado en Meta."),
}
_SLOW_DOWN: Final = ("Meta asks to send more slowly.", "Meta pide enviar más despacio.")
_OTHER: Final = ("Meta did not send it ({code}).", "Meta no lo envió ({code}).")
_BUSY: Final = frozenset({4, 429, 80007, 130429, 131048, 131056})


def meaning(code: int | None, said: str | None) -> Sentence | None:
    """A trouble with a message or a number as people read it; nothing where there is none."""
    if code is None:
        return {"en": said, "es": said} if said else None
    other = (_OTHER[0].format(code=code), _OTHER[1].format(code=code))
    english, spanish = _SLOW_DOWN if code in _BUSY else _MEANING.get(code, other)
    after = f" «{said}»" if said else ""
    return {"en": english + after, "es": spanish + after}
