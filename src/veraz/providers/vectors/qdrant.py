"""Qdrant: one collection per embedding space, dense and sparse vectors side by side in every point."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Sequence
from itertools import groupby
from typing import Any, Final, TypeVar
from uuid import UUID

import httpx
from qdrant_client import AsyncQdrantClient
from qdrant_client import models as m
from qdrant_client.common.client_exceptions import ResourceExhaustedResponse
from qdrant_client.http.exceptions import ResponseHandlingException, UnexpectedResponse

from veraz import errors
from veraz.providers.vectors.base import Ask, Mark, Point, Reach, Words

T = TypeVar("T")

MEANING: Final = "meaning"
WORDS: Final = "words"
_SECONDS: Final = 10
_PAGE: Final = 1_000
_INDEXES: Final[dict[str, Any]] = {
    "tenant_id": m.KeywordIndexParams(type=m.KeywordIndexType.KEYWORD, is_tenant=True),
    "kb_id": m.PayloadSchemaType.KEYWORD,
    "edition_id": m.PayloadSchemaType.INTEGER,
    "document_id": m.PayloadSchemaType.KEYWORD,
    "machine_id": m.PayloadSchemaType.KEYWORD,
}


class Qdrant:
    """A Qdrant server, or cluster, reached over REST."""

    def __init__(self, url: str, *, api_key: str | None = None, prefix: str = "veraz") -> None:
        self.host = httpx.URL(url).host
        self.prefix = prefix
        self.client = AsyncQdrantClient(
            url=url, api_key=api_key, timeout=_SECONDS, prefer_grpc=False, check_compatibility=False
        )

    def collection(self, space_id: int) -> str:
        """The name of a space's collection."""
        return f"{self.prefix}_{space_id}"

    async def ensure(self, space_id: int, dimensions: int) -> None:
        """Creates the collection with its payload indexes; one that is there stays."""
        name = self.collection(space_id)
        if not await self._call(self.client.collection_exists(name)):
            await self._call(self._create(name, dimensions))
        for field, schema in _INDEXES.items():
            await self._call(self.client.create_payload_index(name, field, field_schema=schema, wait=True))

    async def forget(self, space_id: int) -> None:
        """Drops the collection."""
        await self._call(self.client.delete_collection(self.collection(space_id)))

    async def put(self, space_id: int, points: Sequence[Point]) -> None:
        """Writes points and waits until they are searchable."""
        if points:
            given = [_point(point) for point in points]
            await self._call(self.client.upsert(self.collection(space_id), points=given, wait=True))

    async def remove(self, space_id: int, ids: Sequence[UUID]) -> None:
        """Removes points and waits until they are gone."""
        if ids:
            chosen = m.PointIdsList(points=[str(one) for one in ids])
            await self._call(self.client.delete(self.collection(space_id), chosen, wait=True))

    async def find(self, asks: Sequence[Ask]) -> list[UUID]:
        """All searches of a space in one request, all spaces at the same time."""
        ordered = sorted(asks, key=lambda ask: ask.space_id)
        spaces = [(space, list(group)) for space, group in groupby(ordered, key=lambda ask: ask.space_id)]
        answers = await asyncio.gather(*(self._find_in(space, group) for space, group in spaces))
        return list(dict.fromkeys(found for answer in answers for found in answer))

    async def marks(self, space_id: int) -> AsyncIterator[Mark]:
        """Every point, page by page."""
        offset: Any = None
        while True:
            records, offset = await self._call(
                self.client.scroll(self.collection(space_id), limit=_PAGE, offset=offset, with_payload=True)
            )
            for record in records:
                yield _mark(record)
            if offset is None:
                return

    async def close(self) -> None:
        """Closes its connections."""
        await self.client.close()

    async def _create(self, name: str, dimensions: int) -> None:
        await self.client.create_collection(
            name,
            vectors_config={MEANING: m.VectorParams(size=dimensions, distance=m.Distance.COSINE)},
            sparse_vectors_config={WORDS: m.SparseVectorParams()},
            hnsw_config=m.HnswConfigDiff(m=16, ef_construct=100, payload_m=16),
        )

    async def _find_in(self, space_id: int, asks: Sequence[Ask]) -> list[UUID]:
        requests = [_request(ask) for ask in asks]
        answers = await self._call(self.client.query_batch_points(self.collection(space_id), requests))
        return [UUID(str(point.id)) for answer in answers for point in answer.points]

    async def _call(self, work: Awaitable[T]) -> T:
        """Qdrant's faults as ours."""
        try:
            return await work
        except ResourceExhaustedResponse as error:
            raise errors.OutsideBusy(host=self.host, retry_after=error.retry_after_s) from error
        except UnexpectedResponse as error:
            kind = errors.OutsideDown if (error.status_code or 500) >= 500 else errors.OutsideRejected
            raise kind(host=self.host, reason=f"HTTP {error.status_code}") from error
        except (ResponseHandlingException, httpx.HTTPError) as error:
            raise errors.OutsideDown(host=self.host, reason=type(error).__name__) from error


def _point(point: Point) -> m.PointStruct:
    mark = point.mark
    vectors: dict[str, Any] = {
        WORDS: m.SparseVector(indices=list(point.words.dimensions), values=list(point.words.weights))
    }
    if point.meaning is not None:
        vectors[MEANING] = point.meaning.tolist()
    return m.PointStruct(
        id=str(mark.id),
        vector=vectors,
        payload={
            "tenant_id": str(mark.tenant_id),
            "kb_id": str(mark.kb_id),
            "edition_id": mark.edition_id,
            "document_id": str(mark.document_id),
            "machine_id": mark.machine_id,
            "revision": mark.revision,
        },
    )


def _mark(record: m.Record) -> Mark:
    payload = record.payload or {}
    return Mark(
        id=UUID(str(record.id)),
        tenant_id=UUID(payload["tenant_id"]),
        kb_id=UUID(payload["kb_id"]),
        edition_id=int(payload["edition_id"]),
        document_id=UUID(payload["document_id"]),
        machine_id=str(payload["machine_id"]),
        revision=int(payload["revision"]),
    )


def _request(ask: Ask) -> m.QueryRequest:
    if isinstance(ask.query, Words):
        query: Any = m.SparseVector(indices=list(ask.query.dimensions), values=list(ask.query.weights))
        using = WORDS
    else:
        query, using = ask.query.tolist(), MEANING
    return m.QueryRequest(
        query=query,
        using=using,
        filter=_filter(ask.reach),
        params=m.SearchParams(exact=ask.exact, hnsw_ef=max(128, 2 * ask.limit)),
        limit=ask.limit,
        with_payload=False,
        with_vector=False,
    )


def _filter(reach: Reach) -> m.Filter:
    conditions: list[m.Condition] = [
        m.FieldCondition(key="tenant_id", match=m.MatchValue(value=str(reach.tenant_id))),
        m.FieldCondition(key="edition_id", match=m.MatchAny(any=list(reach.edition_ids))),
        m.FieldCondition(key="machine_id", match=m.MatchAny(any=list(reach.machine_ids))),
    ]
    if reach.document_ids is not None:
        chosen = [str(one) for one in reach.document_ids]
        conditions.append(m.FieldCondition(key="document_id", match=m.MatchAny(any=chosen)))
    return m.Filter(must=conditions)
