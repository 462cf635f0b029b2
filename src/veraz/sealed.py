"""A file that opens only with a key: written and read as a stream, in portions, so that its size costs no memory.

    magic · salt (16) · proof of the key (16)     then portions of 64 KiB, each AES-256-GCM with a tag of 16 bytes

The key of the file comes from the given one and the salt by scrypt. Each portion's nonce is its number and whether it is the
last (STREAM: Hoang, Reyhanitabar, Rogaway, Vizár 2015), so that portions cannot be changed, moved, left out, added or cut
off unnoticed. Nothing is handed on before its tag was checked.
"""

import hmac
import os
import secrets
import struct
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import IO, Final

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.kdf.scrypt import Scrypt

from veraz import errors

MAGIC: Final = b"veraz sealed 1\n"
PORTION: Final = 64 * 1024
_SALT: Final = 16
_PROOF: Final = 16
_TAG: Final = 16
_SHORTEST_KEY: Final = 20
_PREFIX: Final = "vzb-"


@dataclass(frozen=True, slots=True)
class _Keys:
    cipher: AESGCM
    proof: bytes


def new_key() -> str:
    """A key of 256 random bits, as text."""
    return _PREFIX + secrets.token_urlsafe(32)


def write_new_key(path: Path) -> None:
    """Into a file of its own that nobody else reads; an existing one stays, because backups may need it."""
    try:
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError as error:
        raise errors.Conflict(reason=_KEY_EXISTS) from error
    with os.fdopen(handle, "w", encoding="ascii") as file:
        file.write(new_key() + "\n")


def read_key(path: Path) -> str:
    """The key a file holds."""
    try:
        return path.read_text(encoding="utf-8").strip()
    except (OSError, UnicodeError) as error:
        raise errors.Invalid(field="key", reason=_NO_KEY_FILE) from error


def is_sealed(path: Path) -> bool:
    """Whether the file says it is one of these."""
    with path.open("rb") as file:
        return file.read(len(MAGIC)) == MAGIC


class SealingWriter:
    """What is written here goes sealed into the file; `close` ends it, without which it cannot be opened."""

    def __init__(self, file: IO[bytes], key: str) -> None:
        salt = os.urandom(_SALT)
        keys = _keys(key, salt)
        self._file, self._cipher, self._number = file, keys.cipher, 0
        self._header = MAGIC + salt + keys.proof
        self._waiting = bytearray()
        file.write(self._header)

    def write(self, data: bytes) -> int:
        """As a file."""
        self._waiting += data
        while len(self._waiting) > PORTION:  # what is last is known only at the end
            self._portion(bytes(self._waiting[:PORTION]), last=False)
            del self._waiting[:PORTION]
        return len(data)

    def close(self) -> None:
        """The last portion, also when it is empty."""
        self._portion(bytes(self._waiting), last=True)
        self._waiting.clear()

    def _portion(self, data: bytes, *, last: bool) -> None:
        self._file.write(self._cipher.encrypt(_nonce(self._number, last), data, self._header))
        self._number += 1


class OpeningReader:
    """The file's contents as a stream; a wrong key and a changed or cut-off file are told apart."""

    def __init__(self, file: IO[bytes], key: str) -> None:
        self._file = file
        self._header = file.read(len(MAGIC) + _SALT + _PROOF)
        if len(self._header) < len(MAGIC) + _SALT + _PROOF or not self._header.startswith(MAGIC):
            raise errors.Invalid(field="file", reason=_CHANGED)
        keys = _keys(key, self._header[len(MAGIC) : -_PROOF])
        if not hmac.compare_digest(keys.proof, self._header[-_PROOF:]):
            raise errors.Invalid(field="key", reason=_OTHER_KEY)
        self._cipher, self._number, self._ended = keys.cipher, 0, False
        self._ready = b""
        self._next = file.read(PORTION + _TAG)

    def read(self, size: int = -1) -> bytes:
        """As a file; b"" after the whole of it was seen."""
        pieces, missing = [], size
        while missing and (piece := self._some(missing)):
            pieces.append(piece)
            missing -= len(piece) if size >= 0 else 0
        return b"".join(pieces)

    def _some(self, most: int) -> bytes:
        if not self._ready and not self._ended:
            self._ready = self._portion()
        piece = self._ready if most < 0 else self._ready[:most]
        self._ready = self._ready[len(piece) :]
        return piece

    def _portion(self) -> bytes:
        """The next one; the one after it shows whether it is the last."""
        sealed, self._next = self._next, self._file.read(PORTION + _TAG)
        self._ended = not self._next
        try:
            data = self._cipher.decrypt(_nonce(self._number, self._ended), sealed, self._header)
        except InvalidTag as error:
            raise errors.Invalid(field="file", reason=_CHANGED) from error
        self._number += 1
        return data


def _keys(key: str, salt: bytes) -> _Keys:
    if len(key) < _SHORTEST_KEY:
        raise errors.Invalid(field="key", reason=_SHORT)
    made = Scrypt(salt=salt, length=64, n=2**16, r=8, p=1).derive(key.encode())
    return _Keys(AESGCM(made[:32]), sha256(made[32:]).digest()[:_PROOF])


def _nonce(number: int, last: bool) -> bytes:
    return struct.pack(">3xQ?", number, last)


_KEY_EXISTS: Final = errors.Phrase(
    "there is a key in this file already; backups may need it", es="ya hay una clave en este archivo; puede que haya copias que la necesiten"
)  # fmt: skip
_NO_KEY_FILE: Final = errors.Phrase(
    "the key's file cannot be read", es="no se puede leer el archivo de la clave"
)
_SHORT: Final = errors.Phrase(
    "it is too short: use «veraz backup-key» or at least 20 characters",
    es="es demasiado corta: use «veraz backup-key» o al menos 20 caracteres",
)
_OTHER_KEY: Final = errors.Phrase("it is not the key of this file", es="no es la clave de este archivo")
_CHANGED: Final = errors.Phrase(
    "it was changed, damaged or cut off since it was written; use another copy",
    es="se modificó, se dañó o quedó cortado desde que se escribió; use otra copia",
)
