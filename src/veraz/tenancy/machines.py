"""The name of a machine, as whoever names one has to say it.

What is bound to a machine is read on that machine alone, so a name that was meant and got lost must never turn into
«every machine»: an empty one is refused at every door, by this one rule.
"""

from typing import Final

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
    return plain
