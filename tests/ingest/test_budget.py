"""What one document may cost: bombs end with a sentence, in time, whatever they are made of."""

import asyncio
import io
import json
import time
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from veraz import errors
from veraz.ingest.budget import budget, in_time
from veraz.ingest.chunk import chunk
from veraz.ingest.parse.base import ParseLimits
from veraz.ingest.parse.sandbox import parse_file
from veraz.library.configs import ChunkingConfig
from veraz.library.separators import check_separator, separate

SECONDS = 20
LIMITS = ParseLimits(seconds=SECONDS, memory_mb=1024)


def columns(number: int) -> bytes:
    """A table of one row."""
    names = ",".join(f"c{n}" for n in range(number))
    return f"{names}\n{','.join('1' * number)}\n".encode()


def office(name: str, part: str, xml: str, kind: str) -> bytes:
    """The least that is taken for an Office file."""
    types = (
        '<?xml version="1.0"?><Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">'
        '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
        f'<Override PartName="/{part}" ContentType="{kind}"/></Types>'
    )
    relation = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument"
    rels = (
        '<?xml version="1.0"?><Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">'
        f'<Relationship Id="r1" Type="{relation}" Target="{part}"/></Relationships>'
    )
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w", zipfile.ZIP_DEFLATED) as packed:
        packed.writestr("[Content_Types].xml", types)
        packed.writestr("_rels/.rels", rels)
        packed.writestr(part, xml)
    return held.getvalue()


def nested_tables(levels: int) -> bytes:
    """Word tables within tables."""
    w = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
    inner = "<w:p><w:r><w:t>hondo</w:t></w:r></w:p>"
    body = "<w:tbl><w:tr><w:tc>" * levels + inner + "</w:tc></w:tr></w:tbl>" * levels
    xml = f'<?xml version="1.0"?><w:document xmlns:w="{w}"><w:body>{body}</w:body></w:document>'
    kind = "application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"
    return office("a.docx", "word/document.xml", xml, kind)


def expanding() -> bytes:
    """A Word file that says a little, a hundred million times."""
    w = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
    body = "<w:p><w:r><w:t>otra vez lo mismo</w:t></w:r></w:p>" * 2_000_000
    xml = f'<?xml version="1.0"?><w:document xmlns:w="{w}"><w:body>{body}</w:body></w:document>'
    kind = "application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"
    return office("a.docx", "word/document.xml", xml, kind)


def huge_page() -> bytes:
    """A PDF whose page is as large as a country, with pages that contain themselves."""
    return (
        b"%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n"
        b"2 0 obj<</Type/Pages/Kids[3 0 R 2 0 R]/Count 999999999>>endobj\n"
        b"3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 1e12 1e12]>>endobj\ntrailer<</Root 1 0 R>>\n%%EOF"
    )


BOMBS: dict[str, tuple[str, Callable[[], bytes]]] = {
    "a table of 200,000 columns": ("a.csv", lambda: columns(200_000)),
    "a row of a million columns": ("a.csv", lambda: b"," * 1_000_000 + b"x\n"),
    "a table of 16,000 columns": ("a.csv", lambda: columns(16_000)),
    "a million nested boxes": ("a.html", lambda: b"<div>" * 1_000_000 + b"hondo"),
    "a hundred thousand nested tables": ("a.html", lambda: b"<table><tr><td>" * 100_000 + b"hondo"),
    "a million keys": (
        "a.json",
        lambda: json.dumps(dict.fromkeys(map("k{}".format, range(600_000)), 1)).encode(),
    ),
    "a million levels": ("a.json", lambda: b"[" * 1_000_000 + b"]" * 1_000_000),
    "a number of a million digits": ("a.json", lambda: b'{"n": ' + b"9" * 1_000_000 + b"}"),
    "emphasis without end": ("a.md", lambda: b"*a **b _c __d " * 100_000),
    "brackets without end": ("a.md", lambda: b"[" * 500_000 + b"](" * 200_000),
    "quotations in quotations": ("a.md", lambda: b">" * 200_000 + b" hondo\n"),
    "lists in lists": ("a.md", lambda: b"\n".join(b" " * n + b"- a" for n in range(2_000))),
    "a line of ten million characters": ("a.txt", lambda: b"a" * 10_000_000),
    "nothing but new lines": ("a.txt", lambda: b"\n" * 9_000_000 + b"a"),
    "nested tables": ("a.docx", lambda: nested_tables(20_000)),
    "a file that expands": ("a.docx", expanding),
    "a page as large as a country": ("a.pdf", huge_page),
}


@pytest.mark.parametrize("name", BOMBS)
async def test_a_bomb_ends_with_a_sentence_or_a_document_in_time(name: str, tmp_path: Path) -> None:
    filename, made = BOMBS[name]
    path = tmp_path / filename
    path.write_bytes(made())
    began = time.process_time()
    try:
        parsed = await parse_file(path, filename=filename, limits=LIMITS)
        async with budget(SECONDS):
            await asyncio.to_thread(chunk, parsed, ChunkingConfig(), name=filename)
    except errors.VerazError as refused:
        assert type(refused) is not errors.VerazError
        assert refused.message("es")
    assert time.process_time() - began < SECONDS, "the child's time is the sandbox's to hold"


async def test_a_table_wider_than_a_spreadsheet_is_refused_in_words(tmp_path: Path) -> None:
    path = tmp_path / "ancha.csv"
    path.write_bytes(columns(200_000))
    with pytest.raises(errors.TooLarge) as refused:
        await parse_file(path, filename=path.name, limits=LIMITS)
    assert "16.384 columnas" in refused.value.message("es")


async def test_work_in_a_thread_ends_when_its_time_is_over() -> None:
    def forever() -> None:
        for _ in in_time(iter(int, 1)):
            time.sleep(0.001)

    with pytest.raises(errors.JobTooLong):
        async with budget(0.05):
            await asyncio.to_thread(forever)


async def test_a_time_out_of_somebody_else_is_not_taken_for_ours() -> None:
    with pytest.raises(TimeoutError, match="theirs"):
        async with budget(60):
            raise TimeoutError("theirs")


def test_outside_of_a_job_there_is_no_clock() -> None:
    assert list(in_time([1, 2])) == [1, 2]


BAD: dict[str, Any] = {
    "slow to match": "(a+)+$",
    "slow to compile": "(?:(?:(?:x{99}){99}){99}){9}y",
    "larger than memory": "(?:(?:(?:(?:x{99}){99}){99}){99}){99}y",
    "broken": "(",
    "empty": "x*",
    "too long": "a" * 201,
}


@pytest.mark.parametrize("name", BAD)
def test_a_separator_that_costs_too_much_is_refused_and_nothing_of_it_runs_here(name: str) -> None:
    began = time.process_time()
    with pytest.raises(errors.Invalid):
        check_separator(BAD[name])
    assert time.process_time() - began < 0.5


def test_a_separator_that_turns_out_slow_ends_too() -> None:
    sneaky = r"(?:z+)+$"  # harmless until a text is made of z
    check_separator(sneaky)
    with pytest.raises(errors.Invalid):
        separate(sneaky, "z" * 5_000 + "!")


def test_a_separator_may_look_ahead() -> None:
    check_separator(r"(?=^Artículo \d+)..")
    assert separate(r"^(?=Artículo)A", "Uno\nArtículo 1\nDos") == [(4, 5, False)]
    assert separate(r"\*\*\*", "a\n***\nñ 😀 ***") == [(2, 5, True), (10, 13, True)]
