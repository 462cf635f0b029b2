"""The name of a machine, as whoever names one has to say it.

What is bound to a machine is read on that machine alone, so a name that was meant and got lost must never turn into
«every machine»: an empty one is refused at every door, by this one rule; so is «Global», which is one or the other.
"""

from typing import Final
from unicodedata import normalize

from veraz import errors

EVERY_MACHINE: Final = "global"
LONGEST_MACHINE: Final = 200


def machine_named(name: str, *, field: str = "machine_id") -> str:
    """The name without blanks around it; one that nobody could read is refused."""
    plain = name.strip()
    if not plain:
        needed = errors.Phrase("name a machine or send «global»", es="indique una máquina o envíe «global»")
        raise errors.Invalid(field=field, reason=needed)
    if len(plain) > LONGEST_MACHINE or not plain.isprintable():
        readable = errors.Phrase(
            f"1 to {LONGEST_MACHINE} characters that can be read",
            es=f"de 1 a {LONGEST_MACHINE} caracteres legibles",
        )
        raise errors.Invalid(field=field, reason=readable)
    if plain != EVERY_MACHINE and _letters(plain) == EVERY_MACHINE:
        written = errors.Phrase(
            "«global» means every machine and is written in small letters",
            es="«global» significa todas las máquinas y se escribe en minúsculas",
        )
        raise errors.Invalid(field=field, reason=written)
    return plain


def _letters(name: str) -> str:
    """The name without what people do not tell apart: capitals, and the same letters in another width."""
    return normalize("NFKC", name).casefold()
