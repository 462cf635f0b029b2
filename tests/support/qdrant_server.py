"""A small Qdrant on loopback: its REST paths, as far as we use them, on the real engine in this process.

`down()` makes it refuse like a server that is gone; `requests` counts what it was asked.
"""

import asyncio
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import qdrant_edge as q
from fastapi import FastAPI, Request
from fastapi.responses import JSONResponse

if TYPE_CHECKING:
    from tests.support.loopback import served
else:
    from support.loopback import served


class QdrantServer:
    """Collections, each one shard of the engine in a folder of its own."""

    def __init__(self, folder: Path, *, api_key: str | None = None) -> None:
        self.folder = folder
        self.api_key = api_key
        self.shards: dict[str, q.EdgeShard] = {}
        self.made = 0
        self.requests = 0
        self.refuses = False
        self.app = self._application()
        self.url = ""

    def down(self, refuses: bool = True) -> None:
        """From now on (or no longer) every request fails."""
        self.refuses = refuses

    def close(self) -> None:
        """Lets go of the shards."""
        for shard in self.shards.values():
            shard.close()

    def _application(self) -> FastAPI:
        app = FastAPI()
        app.middleware("http")(self._guard)
        for method, path, answer in (
            ("GET", "/exists", self._exists),
            ("PUT", "", self._create),
            ("DELETE", "", self._drop),
            ("PUT", "/index", self._index),
            ("PUT", "/points", self._upsert),
            ("POST", "/points/delete", self._delete),
            ("POST", "/points/query/batch", self._query),
            ("POST", "/points/scroll", self._scroll),
        ):
            app.add_api_route(f"/collections/{{name}}{path}", answer, methods=[method], response_model=None)
        return app

    async def _guard(self, request: Request, call_next: Any) -> Any:
        self.requests += 1
        if self.refuses:
            return _error(503, "not now")
        if self.api_key and request.headers.get("api-key") != self.api_key:
            return _error(401, "Must provide an API key")
        return await call_next(request)

    async def _exists(self, name: str) -> Any:
        return _result({"exists": name in self.shards})

    async def _drop(self, name: str) -> Any:
        if shard := self.shards.pop(name, None):
            shard.close()
        return _result(True)

    async def _index(self, name: str, request: Request) -> Any:
        return await self._update(name, _index_operation(await request.json()))

    async def _upsert(self, name: str, request: Request) -> Any:
        points = [_point(one) for one in (await request.json())["points"]]
        return await self._update(name, q.UpdateOperation.upsert_points(points))

    async def _delete(self, name: str, request: Request) -> Any:
        return await self._update(name, q.UpdateOperation.delete_points((await request.json())["points"]))

    async def _create(self, name: str, request: Request) -> Any:
        body = await request.json()
        if name in self.shards:
            return _error(409, f"Collection `{name}` already exists!")
        hnsw = body.get("hnsw_config") or {}
        config = q.EdgeConfig(
            vectors={
                n: q.EdgeVectorParams(size=v["size"], distance=q.Distance.Cosine)
                for n, v in body["vectors"].items()
            },
            sparse_vectors={n: q.EdgeSparseVectorParams() for n in body["sparse_vectors"]},
            hnsw_config=q.HnswIndexConfig(
                m=hnsw["m"],
                ef_construct=hnsw["ef_construct"],
                full_scan_threshold=10_000,
                payload_m=hnsw.get("payload_m"),
            ),
        )
        self.made += 1
        path = self.folder / f"{name}_{self.made}"
        self.shards[name] = await asyncio.to_thread(q.EdgeShard.create, str(path), config)
        return _result(True)

    async def _update(self, name: str, operation: Any) -> Any:
        if name not in self.shards:
            return _error(404, f"Collection `{name}` doesn't exist!")
        await asyncio.to_thread(self.shards[name].update, operation)
        return _result({"operation_id": 0, "status": "completed"})

    async def _query(self, name: str, request: Request) -> Any:
        searches = (await request.json())["searches"]
        if name not in self.shards:
            return _error(404, f"Collection `{name}` doesn't exist!")
        answers = [await asyncio.to_thread(self.shards[name].query, _query_request(one)) for one in searches]
        return _result(
            [
                {"points": [{"id": str(p.id), "version": 0, "score": p.score} for p in found]}
                for found in answers
            ]
        )

    async def _scroll(self, name: str, request: Request) -> Any:
        body = await request.json()
        if name not in self.shards:
            return _error(404, f"Collection `{name}` doesn't exist!")
        asked = q.ScrollRequest(
            limit=body["limit"], offset=body.get("offset"), with_payload=True, with_vector=False
        )
        records, after = self.shards[name].scroll(asked)
        return _result(
            {
                "points": [{"id": str(r.id), "payload": r.payload} for r in records],
                "next_page_offset": str(after) if after is not None else None,
            }
        )


@asynccontextmanager
async def qdrant_server(**options: Any) -> AsyncIterator[QdrantServer]:
    """A server with nothing in it, for as long as the block lasts."""
    with tempfile.TemporaryDirectory(prefix="veraz-qdrant-") as folder:
        server = QdrantServer(Path(folder), **options)
        async with served(server.app) as server.url:
            yield server
        server.close()


def _result(result: Any) -> dict[str, Any]:
    return {"result": result, "status": "ok", "time": 0.0}


def _error(status: int, message: str) -> JSONResponse:
    return JSONResponse({"status": {"error": message}, "time": 0.0}, status)


def _index_operation(body: dict[str, Any]) -> Any:
    schema = body["field_schema"]
    if isinstance(schema, dict):
        return q.UpdateOperation.create_field_index(
            body["field_name"], q.KeywordIndexParams(is_tenant=schema.get("is_tenant"))
        )
    kinds = {"keyword": q.PayloadSchemaType.Keyword, "integer": q.PayloadSchemaType.Integer}
    return q.UpdateOperation.create_field_index(body["field_name"], kinds[schema])


def _point(body: dict[str, Any]) -> q.Point:
    vectors = {name: _vector(vector) for name, vector in body["vector"].items()}
    return q.Point(id=body["id"], vector=vectors, payload=body.get("payload"))


def _vector(body: Any) -> Any:
    return q.SparseVector(indices=body["indices"], values=body["values"]) if isinstance(body, dict) else body


def _query_request(body: dict[str, Any]) -> q.QueryRequest:
    asked = body["query"]
    asked = asked.get("nearest", asked) if isinstance(asked, dict) and "nearest" in asked else asked
    params = body.get("params") or {}
    return q.QueryRequest(
        limit=body["limit"],
        query=q.Query.Nearest(_vector(asked), using=body["using"]),
        filter=_filter(body.get("filter")),
        params=q.SearchParams(exact=params.get("exact", False), hnsw_ef=params.get("hnsw_ef")),
        with_payload=False,
        with_vector=False,
    )


def _filter(body: dict[str, Any] | None) -> q.Filter | None:
    if not body:
        return None
    return q.Filter(
        must=[q.FieldCondition(key=one["key"], match=_match(one["match"])) for one in body["must"]]
    )


def _match(body: dict[str, Any]) -> Any:
    return q.MatchAny(body["any"]) if "any" in body else q.MatchValue(body["value"])
