"""Bad files of every kind end with a sentence a person understands, and the next file is read as ever."""

import io
import os
import random
import struct
import time
import zipfile
from collections.abc import Callable
from pathlib import Path

import psutil
import pytest

from ingest.parse.made_files import (  # type: ignore[import-not-found]
    doc,
    docx,
    ole,
    p,
    package,
    pdf,
    ppt,
    pptx,
    protected_xls,
    rels,
    shape,
    word_xml,
    xlsx,
)
from veraz import errors
from veraz.ingest.model import Parsed
from veraz.ingest.parse import ParseLimits, detect, parse_file

LIMITS = ParseLimits(seconds=60, memory_mb=1024)
LAUGHS = (
    '<?xml version="1.0"?><!DOCTYPE l [<!ENTITY a "ja"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;">'
    '<!ENTITY c "&b;&b;&b;&b;&b;&b;&b;&b;&b;&b;"><!ENTITY d "&c;&c;&c;&c;&c;&c;&c;&c;&c;&c;">]>'
)


def zip_bomb() -> bytes:
    return bytes(docx(p("x"), word__media__bomb=b"\x00" * 200_000_000))


def lying_bomb() -> bytes:
    """Says its main part is small; it is not."""
    body = bytearray(docx(p("x" * 210_000_000)))
    for magic, offset in ((b"PK\x01\x02", 24), (b"PK\x03\x04", 22)):
        at = body.find(magic)
        while at >= 0:
            if b"word/document.xml" in body[at : at + 80] and b"rels" not in body[at : at + 80]:
                struct.pack_into("<I", body, at + offset, 1000)
            at = body.find(magic, at + 4)
    return bytes(body)


def many_entries() -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for number in range(20_100):
            archive.writestr(f"word/{number}.xml", "")
    return out.getvalue()


def billion_laughs() -> bytes:
    inner = word_xml("document", f"<w:body>{p('&d;')}</w:body>").partition("?>")[2]
    links = rels(("r1", "officeDocument", "word/document.xml"))
    return bytes(package({"_rels/.rels": links, "word/document.xml": LAUGHS + inner}))


def far_corner() -> bytes:
    """One cell at the end of the largest sheet there can be."""
    data = xlsx(Hoja=[["a", "b"]])
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(out, "w") as new:
        for entry in old.infolist():
            body = old.read(entry)
            if entry.filename.startswith("xl/worksheets/"):
                body = body.replace(b'r="B1"', b'r="XFD1048576"')
            new.writestr(entry, body)
    return out.getvalue()


def encrypted_zip_entry() -> bytes:
    data = bytearray(docx(p("secreto")))
    for magic, offset in ((b"PK\x01\x02", 8), (b"PK\x03\x04", 6)):
        at = data.find(magic)
        while at >= 0:
            data[at + offset] |= 1
            at = data.find(magic, at + 4)
    return bytes(data)


BAD: dict[str, tuple[str, Callable[[], bytes], type[errors.VerazError]]] = {
    "empty file": ("a.pdf", lambda: b"", errors.EmptyDocument),
    "blank text": ("a.txt", lambda: b" \r\n\t\n" * 10, errors.EmptyDocument),
    "blank csv": ("a.csv", lambda: b"\n\n", errors.EmptyDocument),
    "blank json": ("a.json", lambda: b"  \n", errors.EmptyDocument),
    "pdf without text": ("a.pdf", lambda: pdf(""), errors.NoText),
    "word without text": ("a.docx", lambda: docx(""), errors.NoText),
    "pptx without text": ("a.pptx", lambda: pptx(""), errors.NoText),
    "html without text": ("a.html", lambda: b"<html><script>1</script></html>", errors.NoText),
    "json without values": ("a.json", lambda: b'{"a": null, "b": []}', errors.NoText),
    "cut pdf": ("a.pdf", lambda: pdf("Hola")[:60], errors.Corrupt),
    "cut docx": ("a.docx", lambda: docx(p("Hola"))[:-40], errors.Corrupt),
    "cut xlsx": ("a.xlsx", lambda: xlsx(Hoja=[["a"]])[:900], errors.Corrupt),
    "cut doc": ("a.doc", lambda: doc(("Hola\r", True))[:700], errors.Corrupt),
    "cut ppt": ("a.ppt", lambda: ppt(("Hola", "b"))[:600], errors.Corrupt),
    "cut json": ("a.json", lambda: b'{"a": [1, 2', errors.Corrupt),
    "xml cut inside": ("a.docx", lambda: docx("<w:p><w:r>"), errors.Corrupt),
    "noise named pdf": ("a.pdf", lambda: random.Random(1).randbytes(5000), errors.Corrupt),
    "noise named txt": ("a.txt", lambda: bytes(range(1, 32)) * 200, errors.Unsupported),
    "zip named pdf": ("a.pdf", lambda: package({"x.txt": "hola"}), errors.TypeMismatch),
    "docx named pdf": ("a.pdf", lambda: docx(p("Hola")), errors.TypeMismatch),
    "pdf named docx": ("a.docx", lambda: pdf("Hola"), errors.TypeMismatch),
    "xlsx named docx": ("a.docx", lambda: xlsx(Hoja=[["a"]]), errors.TypeMismatch),
    "page named xls": ("a.xls", lambda: b"<html><table><tr><td>1</table>", errors.TypeMismatch),
    "rtf named doc": ("a.doc", lambda: b"{\\rtf1 hola}", errors.TypeMismatch),
    "png named txt": ("a.txt", lambda: b"\x89PNG\r\n\x1a\n" + b"\x00" * 50, errors.TypeMismatch),
    "program": ("a.exe", lambda: b"MZ\x90\x00" + b"\x00" * 200, errors.Unsupported),
    "open document": (
        "a.odt",
        lambda: package({"mimetype": "application/vnd.oasis.opendocument.text"}),
        errors.Unsupported,
    ),
    "python source": ("a.py", lambda: b"print('hola')", errors.Unsupported),
    "pdf with password": ("a.pdf", lambda: pdf("Hola", password="abc"), errors.Protected),
    "docx with password": (
        "a.docx",
        lambda: ole({"EncryptionInfo": b"x", "EncryptedPackage": b"y"}),
        errors.Protected,
    ),
    "xlsx with password": ("a.xlsx", lambda: ole({"EncryptedPackage": b"y"}), errors.Protected),
    "doc with password": ("a.doc", lambda: doc(("Hola\r", True), encrypted=True), errors.Protected),
    "xls with password": ("a.xls", protected_xls, errors.Protected),
    "zip entry with password": ("a.docx", encrypted_zip_entry, errors.Protected),
    "zip bomb": ("a.docx", zip_bomb, errors.Bomb),
    "zip bomb that lies": ("a.docx", lying_bomb, errors.Corrupt),
    "zip of 20,100 entries": ("a.docx", many_entries, errors.Bomb),
    "billion laughs": ("a.docx", billion_laughs, errors.Bomb),
    "json 100,000 deep": ("a.json", lambda: b"[" * 100_000 + b"]" * 100_000, errors.TooLarge),
    "json 500 deep": ("a.json", lambda: b'{"a":' * 500 + b"1" + b"}" * 500, errors.TooLarge),
    "html 100,000 deep": ("a.html", lambda: b"<div>" * 100_000 + b"x", errors.TooLarge),
    "xml 100,000 deep": ("a.docx", lambda: docx("<w:p>" * 100_000 + "</w:p>" * 100_000), errors.Unreadable),
    "cell in the far corner": ("a.xlsx", far_corner, errors.TooLarge),
    "text over its limit": ("a.txt", lambda: b"a" * (10 * 1024 * 1024 + 1), errors.TooLarge),
}


@pytest.mark.parametrize("name", BAD)
async def test_a_bad_file_ends_with_a_sentence(name: str, tmp_path: Path) -> None:
    filename, make, expected = BAD[name]
    path = tmp_path / "stored"
    path.write_bytes(make())
    start = time.monotonic()
    with pytest.raises(expected) as caught:
        await parse_file(path, filename=filename, limits=LIMITS)
    assert time.monotonic() - start < 60
    assert "…" not in caught.value.message("es") + caught.value.message("en")
    await next_file_is_read(tmp_path)


async def next_file_is_read(folder: Path) -> None:
    (folder / "next").write_bytes(docx(p("La vida sigue")))
    assert (await parse_file(folder / "next", filename="b.docx", limits=LIMITS)).text == "La vida sigue"


async def parse(folder: Path, data: bytes, filename: str, limits: ParseLimits = LIMITS) -> Parsed:
    path = folder / "stored"
    path.write_bytes(data)
    return await parse_file(path, filename=filename, limits=limits)


async def test_a_gigabyte_in_one_line_is_refused_before_reading(tmp_path: Path) -> None:
    path = tmp_path / "huge"
    with path.open("wb") as file:
        os.truncate(file.fileno(), 1024**3)
    before = psutil.Process().memory_info().rss
    for filename in ("a.txt", "a.csv", "a.json", "a.pdf", "sin_extension"):
        with pytest.raises(errors.TooLarge):
            await parse_file(path, filename=filename, limits=LIMITS)
        with pytest.raises(errors.TooLarge):
            detect(path, filename)
    assert psutil.Process().memory_info().rss - before < 20_000_000


async def test_the_longest_line_allowed_is_read(tmp_path: Path) -> None:
    parsed = await parse(tmp_path, b"palabra " * (10 * 1024 * 1024 // 8), "a.txt")
    assert len(parsed.blocks) == 1


async def test_text_that_expands_too_much_is_stopped(tmp_path: Path) -> None:
    wide = ";".join("columna con un nombre muy largo " * 6 for _ in range(40)) + "\n"
    rows = (";".join("x" for _ in range(40)) + "\n") * 20_000
    with pytest.raises(errors.TooLarge):
        await parse(tmp_path, (wide + rows).encode(), "a.csv")


async def test_a_pdf_of_ten_thousand_pages_is_read(tmp_path: Path) -> None:
    data = pdf(*(f"Página número {number}" for number in range(1, 10_001)))
    seen: list[int] = []
    path = tmp_path / "stored"
    path.write_bytes(data)
    parsed = await parse_file(path, filename="a.pdf", limits=LIMITS, on_progress=seen.append)
    assert (parsed.page_count, parsed.blocks[-1].page) == (10_000, 10_000)
    assert seen == sorted(seen)
    assert len(seen) > 10


async def test_a_pdf_whose_pages_lead_in_a_circle_ends(tmp_path: Path) -> None:
    data = pdf("Hola").replace(b"/Kids [5 0 R]", b"/Kids [2 0 R]")
    with pytest.raises(errors.Unreadable):
        await parse(tmp_path, data, "a.pdf")


async def test_files_cut_at_any_place_never_break_the_house(tmp_path: Path) -> None:
    whole = {
        "a.pdf": pdf("Hola a todos", "Segunda"),
        "a.docx": docx(p("Hola")),
        "a.xlsx": xlsx(Hoja=[["a", "b"], ["c", 1]]),
        "a.doc": doc(("Hola\r", True), ("más\r", False)),
        "a.ppt": ppt(("Hola", "mundo")),
        "a.pptx": pptx(shape("Hola", "title")),
    }
    chance = random.Random(7)
    for filename, data in whole.items():
        for _ in range(6):
            await _survives(tmp_path, data[: chance.randrange(1, len(data))], filename)
        for _ in range(10):
            broken = bytearray(data)
            for _ in range(8):
                broken[chance.randrange(len(broken))] = chance.randrange(256)
            await _survives(tmp_path, bytes(broken), filename)
    await next_file_is_read(tmp_path)


async def _survives(folder: Path, data: bytes, filename: str) -> None:
    try:
        await parse(folder, data, filename, ParseLimits(seconds=30, memory_mb=700))
    except (errors.Unreadable, errors.Unsupported, errors.TooLarge):
        return
