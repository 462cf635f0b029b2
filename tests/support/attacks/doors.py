"""Every way in, read from the running application: what is added tomorrow is attacked tomorrow.

the OpenAPI document       each operation with its parameters and bodies
routes it does not name    pages for test, documentation, whatever was left out of the document
RPC                        each function of the catalogue, by POST and by GET
MCP                        each tool the server lists
pages                      each address below /es and /en
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from fastapi import FastAPI
from starlette.routing import BaseRoute

from veraz.db.functions import CATALOGUE, Function

if TYPE_CHECKING:
    from tests.support.attacks.asgi import Headers, Request, send
else:
    from support.attacks.asgi import Headers, Request, send

Schema = Mapping[str, Any]
_METHODS = ("get", "put", "post", "delete", "patch", "head", "options")
_SQL_TYPES: dict[str, Schema] = {
    "uuid": {"type": "string", "format": "uuid"},
    "uuid[]": {"type": "array", "items": {"type": "string", "format": "uuid"}},
    "public.vector": {
        "type": "array",
        "items": {"type": "number", "minimum": -1, "maximum": 1},
        "minItems": 8,
        "maxItems": 8,
    },
    "int": {"type": "integer", "minimum": 1, "maximum": 50},
    "float8": {"type": "number", "minimum": 0, "maximum": 0},
    "numeric": {"type": "number", "minimum": 0, "maximum": 0},
    "jsonb": {"type": "object", "additionalProperties": True},
}


@dataclass(frozen=True, kw_only=True)
class Operation:
    """One verb at one address, and what it takes."""

    door: str
    method: str
    path: str
    names: Mapping[str, Schema] = field(default_factory=dict)
    query: Mapping[str, Schema] = field(default_factory=dict)
    headers: Mapping[str, Schema] = field(default_factory=dict)
    body: Schema | None = None
    media: str = ""
    said: Headers = ()
    """Headers without which nobody would listen."""
    named: str = ""

    @property
    def label(self) -> str:
        """How it is called in a finding."""
        return f"{self.method.upper()} {self.path} {self.named}".strip()


@dataclass(frozen=True, kw_only=True)
class Doors:
    """All operations, and the schemas they refer to."""

    operations: list[Operation]
    components: Mapping[str, Schema]


async def doors_of(app: FastAPI, knocking: Headers, pages: Iterable[str] = ()) -> Doors:
    """Everything this application answers to. `knocking` is somebody who may list the tools."""
    document = app.openapi()
    operations = [*_announced(document), *_unannounced(app, document), *_functions(), *page_doors(pages)]
    operations += [op async for op in _tools(app, knocking)]
    return Doors(operations=operations, components=document.get("components", {}).get("schemas", {}))


def _announced(document: Mapping[str, Any]) -> Iterator[Operation]:
    for path, item in document["paths"].items():
        for method in _METHODS:
            if method in item:
                yield from _operations(path, method, item[method])


def _operations(path: str, method: str, said: Mapping[str, Any]) -> Iterator[Operation]:
    def taken(where: str) -> dict[str, Schema]:
        return {p["name"]: p.get("schema", {}) for p in said.get("parameters", ()) if p["in"] == where}

    contents = said.get("requestBody", {}).get("content", {}) or {"": {}}
    for media, content in contents.items():
        yield Operation(
            door=_door(path),
            method=method,
            path=path,
            names=taken("path"),
            query=taken("query"),
            headers=taken("header"),
            body=content.get("schema"),
            media=media,
        )


def _door(path: str) -> str:
    if path.startswith("/api/v1"):
        return "api"
    first = path.split("/")[1].split(".")[0]
    return {"v1": "openai", "s": "links", "rest": "rpc", "functions": "ingest-file", "api": "whatsapp"}.get(
        first, first
    )


def _unannounced(app: FastAPI, document: Mapping[str, Any]) -> Iterator[Operation]:
    """Routes the document does not name, taken with every method they know."""
    for path, methods in _paths(app.routes):
        names = {name: {"type": "string"} for name in re.findall(r"\{(\w+)", path)}
        for method in sorted(methods):
            if method.lower() not in document["paths"].get(path, {}):
                yield Operation(door="unannounced", method=method.lower(), path=path, names=names)


def _paths(routes: Iterable[BaseRoute]) -> Iterator[tuple[str, set[str]]]:
    for route in routes:
        inner = getattr(route, "_effective_candidates", None)
        if inner is not None:
            yield from _paths(inner)
        elif path := getattr(route, "path", ""):
            yield path, set(getattr(route, "methods", None) or ())


def _functions() -> Iterator[Operation]:
    for function in CATALOGUE.values():
        body = _arguments(function)
        path = f"/rest/v1/rpc/{function.name}"
        yield Operation(door="rpc", method="post", path=path, body=body, media="application/json")
        if not function.changes:
            yield Operation(door="rpc", method="get", path=path, query=body["properties"])


def _arguments(function: Function) -> dict[str, Any]:
    types = {name: _SQL_TYPES.get(kind, {"type": "string"}) for name, kind in function.parameters.items()}
    return {"type": "object", "properties": types, "required": sorted(function.required)}


def page_doors(paths: Iterable[str]) -> Iterator[Operation]:
    """Each page in both languages."""
    for path in paths:
        names = {name: {"type": "string", "format": "uuid"} for name in re.findall(r"\{(\w+)\}", path)}
        for language in ("es", "en"):
            yield Operation(door="pages", method="get", path=f"/{language}{path}", names=names)


_SPEAKS: Headers = (
    ("Content-Type", "application/json"),
    ("Accept", "application/json, text/event-stream"),
)


async def _tools(app: FastAPI, knocking: Headers) -> Any:
    """What the server lists as a program would ask for it."""
    asked = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}
    request = Request(
        method="POST", target="/mcp", headers=(*knocking, *_SPEAKS), body=json.dumps(asked).encode()
    )
    answer = await send(app, request)
    text = answer.body.decode()
    found = json.loads(text if text.startswith("{") else text.split("data: ", 1)[1].split("\n")[0])
    for tool in found["result"]["tools"]:
        yield Operation(
            door="mcp",
            method="post",
            path="/mcp",
            body=_called(tool["name"], tool["inputSchema"]),
            media="application/json",
            said=_SPEAKS[1:],
            named=tool["name"],
        )


def _called(name: str, arguments: Schema) -> Schema:
    """One call of a tool as a schema whose only free part are its arguments."""
    parameters = {"name": {"const": name}, "arguments": arguments}
    parts = {
        "jsonrpc": {"const": "2.0"},
        "id": {"const": 1},
        "method": {"const": "tools/call"},
        "params": {"type": "object", "properties": parameters, "required": ["name", "arguments"]},
    }
    return {
        "type": "object",
        "properties": parts,
        "required": list(parts),
        "$defs": arguments.get("$defs", {}),
    }
