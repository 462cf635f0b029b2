"""Every embedding provider keeps the same contract; the services are met over their own wire formats."""

import asyncio
import time
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from pydantic import SecretStr

from veraz.errors import Invalid, OutsideBusy, OutsideDown, OutsideRejected
from veraz.providers.embedding.base import Embedder
from veraz.providers.embedding.pick import build_embedder, pick_embedder
from veraz.providers.embedding.resilient import Patience, ResilientEmbedder
from veraz.settings import Settings

if TYPE_CHECKING:
    from tests.support.embedding_server import EmbeddingServer, embedding_server
else:
    from support.embedding_server import EmbeddingServer, embedding_server

QUICK = Patience(attempts=3, first_wait=0.01, longest_wait=2.0, request_seconds=5.0)
SERVICES = {
    "openai": "openai:text-embedding-3-small@256",
    "openai_compatible": "openai_compatible:nomic-embed@1536",
    "gemini": "gemini:gemini-embedding-001@768",
    "cohere": "cohere:embed-v4.0",
}
TEXTS = ["La garantía dura dos años.", "¿Cuánto cuesta el envío? 👍", "", "   ", "Hello " * 40]


@pytest.fixture(scope="module")
def _server() -> Iterator[EmbeddingServer]:
    with embedding_server() as server:
        yield server


@pytest.fixture
def server(_server: EmbeddingServer) -> EmbeddingServer:
    _server.script.clear()
    _server.requests.clear()
    return _server


def settings_for(server: EmbeddingServer) -> Settings:
    key = SecretStr("k")
    return Settings(
        openai_api_key=key,
        openai_base_url=f"{server.url}/v1",
        gemini_api_key=key,
        gemini_base_url=server.url,
        cohere_api_key=key,
        cohere_base_url=server.url,
        embedding_threads=2,
    )


def embedder(name: str, server: EmbeddingServer, patience: Patience = QUICK) -> Embedder:
    return build_embedder(SERVICES.get(name, name), settings_for(server), patience)


@pytest.mark.parametrize("name", ["local:use-multilingual-v3", "fake:words@64", *SERVICES])
async def test_any_provider_gives_unit_vectors_of_its_space_in_order(
    name: str, server: EmbeddingServer
) -> None:
    provider = embedder(name, server)
    both = await provider.embed(TEXTS, purpose="document")
    assert both.vectors.shape == (len(TEXTS), provider.space.dimensions)
    assert both.vectors.dtype == np.float32
    assert np.allclose(np.linalg.norm(both.vectors, axis=1), 1, atol=1e-5)
    assert both.tokens > 0
    assert provider.space.name.endswith(f"@{provider.space.dimensions}")
    alone = await provider.embed(TEXTS[4:], purpose="document")
    assert np.allclose(alone.vectors[0], both.vectors[4], atol=1e-5)
    query = await provider.embed(["¿garantía?"], purpose="query")
    assert query.vectors.shape == (1, provider.space.dimensions)


@pytest.mark.parametrize("name", ["local:use-multilingual-v3", "fake:words@64", *SERVICES])
async def test_no_texts_cost_nothing(name: str, server: EmbeddingServer) -> None:
    provider = embedder(name, server)
    nothing = await provider.embed([], purpose="document")
    assert nothing.vectors.shape == (0, provider.space.dimensions)
    assert (nothing.tokens, nothing.cost_usd) == (0, Decimal(0))
    assert not server.requests


@pytest.mark.parametrize("name", SERVICES)
async def test_more_texts_than_a_request_carries_are_sent_in_several(
    name: str, server: EmbeddingServer
) -> None:
    provider = embedder(name, server)
    texts = [f"texto {n}" for n in range(provider.max_batch + 3)]
    answer = await provider.embed(texts, purpose="document")
    assert len(server.requests) == 2
    last = await provider.embed(texts[-1:], purpose="document")
    assert np.allclose(answer.vectors[-1], last.vectors[0], atol=1e-6)


@pytest.mark.parametrize("name", SERVICES)
@pytest.mark.parametrize("fault", ["429", "500", "garbage", "text", "few"])
async def test_a_passing_fault_is_tried_again(name: str, fault: str, server: EmbeddingServer) -> None:
    server.misbehave(fault, fault)
    answer = await embedder(name, server).embed(["a", "b"], purpose="document")
    assert len(answer.vectors) == 2
    assert len(server.requests) == 3


@pytest.mark.parametrize("name", SERVICES)
async def test_the_time_a_service_asks_for_is_waited(name: str, server: EmbeddingServer) -> None:
    server.misbehave("429 1")
    begun = time.perf_counter()
    await embedder(name, server).embed(["a"], purpose="document")
    assert time.perf_counter() - begun >= 1


@pytest.mark.parametrize("name", SERVICES)
async def test_a_long_wait_is_left_to_the_queue(name: str, server: EmbeddingServer) -> None:
    server.misbehave("429 120")
    with pytest.raises(OutsideBusy) as busy:
        await embedder(name, server).embed(["a"], purpose="document")
    assert busy.value.retry_after == 120
    assert len(server.requests) == 1


@pytest.mark.parametrize("name", SERVICES)
async def test_a_lasting_fault_is_passed_on_after_the_last_attempt(
    name: str, server: EmbeddingServer
) -> None:
    server.misbehave("500", "500", "500")
    with pytest.raises(OutsideDown) as down:
        await embedder(name, server).embed(["a"], purpose="document")
    assert "127.0.0.1" in down.value.message("es")
    assert len(server.requests) == 3


@pytest.mark.parametrize("name", SERVICES)
async def test_a_silent_service_is_given_up(name: str, server: EmbeddingServer) -> None:
    server.misbehave("hang")
    patience = Patience(attempts=1, request_seconds=0.2)
    with pytest.raises(OutsideDown):
        await embedder(name, server, patience).embed(["a"], purpose="document")


@pytest.mark.parametrize("name", SERVICES)
@pytest.mark.parametrize("fault", ["401", "400", "404"])
async def test_a_refused_request_is_never_tried_again(name: str, fault: str, server: EmbeddingServer) -> None:
    server.misbehave(fault)
    with pytest.raises(OutsideRejected):
        await embedder(name, server).embed(["a"], purpose="document")
    assert len(server.requests) == 1


async def test_an_empty_account_is_not_mistaken_for_haste(server: EmbeddingServer) -> None:
    server.misbehave("quota")
    with pytest.raises(OutsideRejected):
        await embedder("openai", server).embed(["a"], purpose="document")


@pytest.mark.parametrize("name", SERVICES)
async def test_vectors_of_another_length_are_refused(name: str, server: EmbeddingServer) -> None:
    server.misbehave("short")
    with pytest.raises(OutsideRejected, match="dimensions"):
        await embedder(name, server).embed(["a"], purpose="document")


async def test_nobody_listening_is_a_service_that_is_down() -> None:
    settings = Settings(openai_api_key=SecretStr("k"), openai_base_url="http://127.0.0.1:9/v1")
    with pytest.raises(OutsideDown):
        await build_embedder(SERVICES["openai"], settings, QUICK).embed(["a"], purpose="query")


@dataclass
class Wire:
    """What must stand in a request."""

    path: str
    document: dict[str, Any]
    query: dict[str, Any]
    key: tuple[str, str]


WIRES = {
    "openai": Wire(
        "/v1/embeddings",
        {"model": "text-embedding-3-small", "dimensions": 256, "encoding_format": "base64"},
        {"dimensions": 256},
        ("authorization", "Bearer k"),
    ),
    "openai_compatible": Wire("/v1/embeddings", {"model": "nomic-embed"}, {}, ("authorization", "Bearer k")),
    "cohere": Wire(
        "/v2/embed",
        {"model": "embed-v4.0", "input_type": "search_document", "truncate": "END"},
        {"input_type": "search_query"},
        ("authorization", "Bearer k"),
    ),
}


@pytest.mark.parametrize("name", WIRES)
async def test_the_request_says_what_the_service_expects(name: str, server: EmbeddingServer) -> None:
    provider = embedder(name, server)
    await provider.embed(["a"], purpose="document")
    await provider.embed(["a"], purpose="query")
    wire, (document, query) = WIRES[name], server.requests
    assert document["path"] == wire.path
    assert wire.document.items() <= document["body"].items()
    assert wire.query.items() <= query["body"].items()
    assert document["headers"][wire.key[0]] == wire.key[1]
    assert ("dimensions" in document["body"]) == (name == "openai")


async def test_gemini_is_told_the_task_and_the_dimensions(server: EmbeddingServer) -> None:
    provider = embedder("gemini", server)
    await provider.embed(["a"], purpose="document")
    await provider.embed(["a"], purpose="query")
    document, query = server.requests
    assert document["path"].endswith("/models/gemini-embedding-001:batchEmbedContents")
    assert document["headers"]["x-goog-api-key"] == "k"
    assert document["body"]["requests"][0]["outputDimensionality"] == 768
    assert document["body"]["requests"][0]["taskType"] == "RETRIEVAL_DOCUMENT"
    assert query["body"]["requests"][0]["taskType"] == "RETRIEVAL_QUERY"


async def test_tokens_and_cost_are_reported(server: EmbeddingServer) -> None:
    answer = await embedder("openai", server).embed(["a"], purpose="document")
    assert (answer.tokens, answer.cost_usd) == (7, Decimal("0.02") * 7 / 1_000_000)
    unknown = await embedder("openai_compatible", server).embed(["a"], purpose="document")
    assert unknown.cost_usd is None
    counted_here = await embedder("gemini", server).embed(["dos palabras"], purpose="document")
    assert counted_here.tokens > 1


async def test_only_so_many_requests_run_at_once(server: EmbeddingServer) -> None:
    running, most = 0, 0

    class Slow:
        space = embedder("fake:words@8", server).space
        max_batch = 1

        async def embed(self, texts: Any, *, purpose: Any) -> Any:
            nonlocal running, most
            running += 1
            most = max(most, running)
            await asyncio.sleep(0.005)
            running -= 1
            return await embedder("fake:words@8", server).embed(texts, purpose=purpose)

    wrapped = ResilientEmbedder(Slow(), Patience(concurrent_requests=3))
    assert len((await wrapped.embed([str(n) for n in range(12)], purpose="document")).vectors) == 12
    assert most == 3


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("magic:model", "openai"),
        ("openai", "provider:model"),
        ("openai:unknown-model", "text-embedding-3-small"),
        ("openai:text-embedding-ada-002@100", "1536"),
        ("openai:text-embedding-3-small@4000", "1536"),
        ("local:other", "use-multilingual-v3"),
        ("local:use-multilingual-v3@100", "512"),
        ("openai:text-embedding-3-small", "VERAZ_OPENAI_API_KEY"),
        ("openai_compatible:x@10", "VERAZ_OPENAI_BASE_URL"),
        ("cohere:embed-v4.0@9999", "4000"),
    ],
)
def test_an_unusable_name_says_what_is_known_or_missing(name: str, said: str) -> None:
    with pytest.raises(Invalid) as refused:
        build_embedder(name, Settings())
    assert said in refused.value.message("en")
    assert refused.value.message("es") != refused.value.message("en")


def test_a_name_is_the_same_embedder_every_time() -> None:
    settings = Settings()
    first = pick_embedder("fake:words@32", settings)
    assert pick_embedder("fake:words@32", settings) is first
    assert first.space.name == "fake:words@32"
    assert pick_embedder(
        "google:gemini-embedding-001@768", Settings(gemini_api_key=SecretStr("k"))
    ).space.name == ("gemini:gemini-embedding-001@768")
