"""Whether sentences name their own page: `python -m benchmarks.pages FOLDER_OR_PDF… [--json]`.

Every PDF of two pages or more is uploaded and read by a worker, once for each way of cutting. Then every sentence and row of
every chunk is asked for its page, as a quote of it would be. It is right when PDFium, reading that page alone, finds it there;
letters and figures are compared. What PDFium finds on no page alone (words a hyphen cuts, pages that need OCR) is not counted
and told apart. «chunk» is what naming the chunk's page for each of its sentences would give.
"""

import argparse
import asyncio
import io
import json
import unicodedata
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any
from uuid import UUID

import pypdfium2  # type: ignore[import-untyped]
from tests.support.load import Workers, fresh_home, opened

from veraz.ingest.receive import Labels
from veraz.library.configs import ChunkingConfig
from veraz.library.knowledge_bases import NewKnowledgeBase
from veraz.search.model import Passage, Query, Question
from veraz.search.places import place_of, placed_passages
from veraz.search.retrieve import retrieve
from veraz.settings import Settings
from veraz.tenancy.model import Actor
from veraz.text.blocks import Block
from veraz.text.sentences import sentence_spans
from veraz.wiring import Veraz

CONFIGS = {
    "fixed 1000/200 characters": ChunkingConfig(),
    "fixed 800/100 tokens": ChunkingConfig(unit="tokens"),
    "paragraph 1000 characters": ChunkingConfig(strategy="paragraph"),
    "semantic 1000 characters": ChunkingConfig(strategy="semantic"),
}
EMBEDDER = "fake:words@64"
_BEGINNING = 50
"""Letters of a sentence that are looked for: it may end on the next page."""
_SHORTEST = 12
"""Letters below which a sentence may stand on any page."""


def main() -> None:
    """Measures and prints."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("paths", nargs="+", type=Path)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    found = asyncio.run(measure(list(_pdfs(options.paths))))
    if options.json:
        print(json.dumps(found))
        return
    for name, counts in found.items():
        total = max(counts["counted"], 1)
        print(
            f"{name:28} {counts['right']:6} of {counts['counted']:6} right: {counts['right'] / total:.4f}"
            f"   chunk {counts['chunk'] / total:.4f}   on no page alone {counts['nowhere']}"
        )
        for wrong in counts.get("examples", [])[:5]:
            print("    ", wrong)


async def measure(pdfs: Sequence[Path]) -> dict[str, dict[str, Any]]:
    """Counts for every way of cutting."""
    pages = {path.name: list(map(letters, _page_texts(path))) for path in pdfs}
    found: dict[str, dict[str, Any]] = {}
    with fresh_home("veraz-pages-") as home:
        environment = {"VERAZ_LOG_LEVEL": "error", "VERAZ_EMBEDDING_MODEL": EMBEDDER}
        async with opened(Settings(home=home, log_level="error", embedding_model=EMBEDDER)) as veraz:
            actor = await veraz.tenants.operator("Veraz")
            with Workers(home, environment) as workers:
                workers.start()
                for name, config in CONFIGS.items():
                    kb_id = await _ingested(veraz, actor, name, config, pdfs)
                    found[name] = _count(await _passages(veraz, actor, kb_id), pages)
                workers.stop()
    return found


def letters(text: str) -> str:
    """Only letters and figures: how a line was broken does not count."""
    return "".join(sign for sign in unicodedata.normalize("NFKC", text).casefold() if sign.isalnum())


def _pdfs(paths: Sequence[Path]) -> Iterator[Path]:
    for path in paths:
        files = sorted(path.rglob("*.pdf")) if path.is_dir() else [path]
        yield from (file for file in files if len(_page_texts(file)) > 1)


def _page_texts(path: Path) -> list[str]:
    document = pypdfium2.PdfDocument(path)
    return [page.get_textpage().get_text_bounded() for page in document]


async def _ingested(
    veraz: Veraz, actor: Actor, name: str, config: ChunkingConfig, pdfs: Sequence[Path]
) -> UUID:
    kb = await veraz.knowledge_bases.create(actor, NewKnowledgeBase(name=name, chunking=config))
    for path in pdfs:
        await veraz.reception.file(actor, kb.id, path.name, io.BytesIO(path.read_bytes()), Labels())
    while True:
        async with veraz.db.transaction(actor.scope()) as tx:
            waiting = "select count(*) from veraz.document where kb_id = %(kb)s and status not in ('completed', 'failed')"
            if not await tx.value(waiting, kb=kb.id):
                return kb.id
        await asyncio.sleep(0.1)


async def _passages(veraz: Veraz, actor: Actor, kb_id: UUID) -> list[tuple[Passage, tuple[Block, ...]]]:
    """Every chunk as a search gives it, with its blocks."""
    async with veraz.db.transaction(actor.scope()) as tx:
        ids = await tx.values("select id from veraz.chunk where kb_id = %(kb)s", kb=kb_id)
    question = Question(text="x", kb_ids=(kb_id,))
    found = await retrieve(
        veraz.db, actor.scope(), question, Query(text="x"), {}, ["es"], proposed=ids, depth=len(ids)
    )
    placed = await placed_passages(veraz.db, actor.scope(), question, found.passages)
    return [(passage, passage.blocks) for passage in placed]


def _count(
    passages: Sequence[tuple[Passage, tuple[Block, ...]]], pages: dict[str, list[str]]
) -> dict[str, Any]:
    counts: Counter[str] = Counter()
    examples: list[str] = []
    for bare, blocks in passages:
        passage = replace(bare, blocks=blocks)
        for start, end, parts in _sentences(passage):
            there = _pages_with(parts, pages[passage.document_name])
            if not there:
                counts["nowhere"] += 1
                continue
            page = place_of(passage, start, end).page_number
            counts["counted"] += 1
            counts["right"] += page in there
            counts["chunk"] += passage.page_number in there
            if page not in there:
                said = " ".join(passage.content[start:end].split())[:80]
                examples.append(f"{passage.document_name}: p. {page}, stands on {sorted(there)}: {said}")
    return {name: counts[name] for name in ("counted", "right", "chunk", "nowhere")} | {"examples": examples}


def _sentences(passage: Passage) -> Iterator[tuple[int, int, list[str]]]:
    """Sentences as they are cut for answers, with their beginning; rows of tables with their cells."""
    content = passage.content
    rows = [block for block in passage.blocks if block.cells]
    for block in rows:
        cells = [letters(content[start:end]) for start, end in block.cells]
        if sum(map(len, cells)) >= _SHORTEST:
            yield block.start, block.end, [cell[:_BEGINNING] for cell in cells if cell]
    for start, end in sentence_spans(content):
        said = letters(content[start:end])
        in_table = start < passage.start_char - passage.offset or any(
            block.start < end and block.end > start for block in rows
        )
        if len(said) >= _SHORTEST and not in_table:
            yield start, end, [said[:_BEGINNING]]


def _pages_with(parts: Sequence[str], pages: Sequence[str]) -> set[int]:
    return {number for number, text in enumerate(pages, 1) if all(part in text for part in parts)}


if __name__ == "__main__":
    main()
