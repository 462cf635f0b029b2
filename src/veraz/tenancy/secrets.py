"""Other people's secrets we must be able to read again (a channel's token, a webhook's secret): sealed at rest.

The key is derived from the installation's secret, so a copy of the database alone opens nothing. Each seal is bound to
what it is about (its row), so that one row's secret cannot be moved into another.
"""

import os
from typing import Final

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from veraz import errors
from veraz.tenancy.tokens import derive

_VERSION: Final = b"\x01"
_NONCE: Final = 12


class Vault:
    """Seals and opens with one installation's key (AES-256-GCM)."""

    def __init__(self, installation_secret: str) -> None:
        self._cipher = AESGCM(bytes.fromhex(derive(installation_secret, "sealed secrets")))

    def seal(self, secret: str, *, about: object) -> bytes:
        """The secret as it is stored; `about` names its row and must be given again to open it."""
        nonce = os.urandom(_NONCE)
        return _VERSION + nonce + self._cipher.encrypt(nonce, secret.encode(), str(about).encode())

    def open(self, sealed: bytes, *, about: object) -> str:
        """The secret again; one sealed by another installation, or for another row, stays closed."""
        nonce, body = sealed[1 : 1 + _NONCE], sealed[1 + _NONCE :]
        try:
            return self._cipher.decrypt(nonce, body, str(about).encode()).decode()
        except (InvalidTag, ValueError) as problem:
            raise errors.Unavailable(reason=_OTHER_KEY) from problem


_OTHER_KEY: Final = errors.Phrase(
    "a stored secret was sealed with another VERAZ_SECRET_KEY; set the old one again or store the secret anew",
    es="un secreto guardado se selló con otra VERAZ_SECRET_KEY; vuelva a poner la anterior o guárdelo de nuevo",
)
