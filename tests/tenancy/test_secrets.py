"""What is sealed opens only here and only for its own row."""

from uuid import uuid4

import pytest

from veraz import errors
from veraz.tenancy.secrets import Vault


def test_what_was_sealed_opens_again_and_is_not_readable_meanwhile() -> None:
    row = uuid4()
    sealed = Vault("installation").seal("whsec_ñandú", about=row)
    assert b"whsec" not in sealed
    assert sealed != Vault("installation").seal("whsec_ñandú", about=row)
    assert Vault("installation").open(sealed, about=row) == "whsec_ñandú"


def test_another_row_or_another_installation_cannot_open_it() -> None:
    row = uuid4()
    sealed = Vault("installation").seal("secret", about=row)
    for vault, about in ((Vault("installation"), uuid4()), (Vault("another"), row)):
        with pytest.raises(errors.Unavailable):
            vault.open(sealed, about=about)


@pytest.mark.parametrize("damaged", [b"", b"\x01", b"\x01" + bytes(12), b"\x01" + bytes(40)])
def test_damage_is_said_not_returned(damaged: bytes) -> None:
    with pytest.raises(errors.Unavailable):
        Vault("installation").open(damaged, about="row")
