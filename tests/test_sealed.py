"""A sealed file opens with its key, and with nothing missing or changed."""

import io
import resource
from pathlib import Path

import pytest

from veraz import errors
from veraz.sealed import MAGIC, PORTION, OpeningReader, SealingWriter, new_key, read_key, write_new_key

KEY = new_key()
HEADER = len(MAGIC) + 32


def sealed(data: bytes, key: str = KEY) -> bytes:
    """As it stands in the file."""
    file = io.BytesIO()
    writer = SealingWriter(file, key)
    for start in range(0, len(data), 10_007):
        writer.write(data[start : start + 10_007])
    writer.close()
    return file.getvalue()


def opened(data: bytes, key: str = KEY) -> bytes:
    """What it holds."""
    reader = OpeningReader(io.BytesIO(data), key)
    pieces = []
    while piece := reader.read(5_003):
        pieces.append(piece)
    return b"".join(pieces)


@pytest.mark.parametrize("size", [0, 1, PORTION - 1, PORTION, PORTION + 1, 2 * PORTION, 3 * PORTION + 17])
def test_what_was_sealed_comes_back(size: int) -> None:
    data = bytes(n % 251 for n in range(size))
    assert opened(sealed(data)) == data
    assert OpeningReader(io.BytesIO(sealed(data)), KEY).read() == data


def test_nothing_of_it_can_be_read_without_the_key() -> None:
    assert b"secreto industrial" not in sealed(b"secreto industrial" * 10_000)
    assert sealed(b"x") != sealed(b"x"), "each file has a key of its own"


def test_another_key_is_told_as_such() -> None:
    with pytest.raises(errors.Invalid, match="not the key"):
        opened(sealed(b"x" * 100), new_key())


@pytest.mark.parametrize("where", [HEADER, HEADER + 5, HEADER + PORTION + 20, -1])
def test_a_changed_byte_is_told(where: int) -> None:
    data = bytearray(sealed(b"x" * (2 * PORTION + 9)))
    data[where] ^= 1
    with pytest.raises(errors.Invalid, match="changed"):
        opened(bytes(data))


def test_a_changed_salt_is_no_reason_to_open() -> None:
    data = bytearray(sealed(b"x"))
    data[len(MAGIC)] ^= 1
    with pytest.raises(errors.Invalid):
        opened(bytes(data))


@pytest.mark.parametrize(
    "length", [len(MAGIC) + 3, HEADER, HEADER + 10, HEADER + PORTION + 16, HEADER + 2 * (PORTION + 16), -1]
)
def test_a_file_cut_off_anywhere_is_told(length: int) -> None:
    data = sealed(b"x" * (3 * PORTION))
    with pytest.raises(errors.Invalid, match="changed"):
        opened(data[:length])


def test_portions_cannot_be_left_out_moved_or_added() -> None:
    one = PORTION + 16
    data = sealed(bytes(PORTION) + b"y" * PORTION + b"z" * PORTION + b"end")
    first, second = data[HEADER : HEADER + one], data[HEADER + one : HEADER + 2 * one]
    rest = data[HEADER + 2 * one :]
    for forged in (
        first + rest,
        second + first + rest,
        first + first + second + rest,
        first + second + rest + first,
    ):
        with pytest.raises(errors.Invalid, match="changed"):
            opened(data[:HEADER] + forged)


def test_a_short_key_is_no_key() -> None:
    with pytest.raises(errors.Invalid, match="too short"):
        sealed(b"x", "contraseña")


def test_a_key_file_is_for_its_owner_and_never_overwritten(tmp_path: Path) -> None:
    path = tmp_path / "backup.key"
    write_new_key(path)
    assert path.stat().st_mode & 0o777 == 0o600
    assert opened(sealed(b"x", read_key(path)), read_key(path)) == b"x"
    with pytest.raises(errors.Conflict):
        write_new_key(path)
    with pytest.raises(errors.Invalid):
        read_key(tmp_path / "none")


def test_its_size_costs_no_memory(tmp_path: Path) -> None:
    path = tmp_path / "large"
    sealed(b"warm"), opened(sealed(b"warm"))
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with path.open("wb") as file:
        writer = SealingWriter(file, KEY)
        for _ in range(128):
            writer.write(bytes(1024 * 1024))
        writer.close()
    with path.open("rb") as file:
        reader = OpeningReader(file, KEY)
        assert sum(len(piece) for piece in iter(lambda: reader.read(1024 * 1024), b"")) == 128 * 1024 * 1024
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 24 * 1024  # KiB
