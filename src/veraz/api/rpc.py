"""`/rest/v1/rpc/…`: the seeds' SQL functions for supabase and PostgREST clients, n8n and LangChain nodes."""

import json
from collections.abc import Mapping
from typing import Annotated, Any, Final

from fastapi import APIRouter, Path, Request, Response

from veraz.api.bodies import VECTORS, takes
from veraz.api.caller import Caller, Services
from veraz.api.postgrest import PostgrestRoute, Refused, view_of
from veraz.db.functions import CATALOGUE, Answer, Function

_OBJECT: Final = "application/vnd.pgrst.object+json"
_ERRORS: Final[dict[int | str, dict[str, Any]]] = {
    status: {
        "description": "PostgREST's error: code, message, details, hint",
        "content": {"application/json": {}},
    }
    for status in (400, 401, 403, 404, 405, 406, 413, 503)
}

router = APIRouter(
    prefix="/rest/v1",
    tags=["ecosystem"],
    route_class=PostgrestRoute,
    responses={206: {"description": "A part"}},
)

Name = Annotated[str, Path(description=f"One of {', '.join(CATALOGUE)}.", max_length=63)]


@router.post(
    "/rpc/{name}",
    responses=_ERRORS,
    openapi_extra={
        "requestBody": {"required": True, "content": {"application/json": {"schema": {"type": "object"}}}}
    },
)
@takes(VECTORS)
async def call(name: Name, request: Request, actor: Caller, veraz: Services) -> Response:
    """Calls a function; its parameters in the body, what is wanted of the answer in the query string."""
    arguments = _body(await request.body())
    function = _function(name, arguments)
    view = view_of(function, request.query_params.multi_items(), counted=_counts(request))
    return _answered(
        function, request, await veraz.functions.call(actor, function, arguments, view), view.offset
    )


@router.get("/rpc/{name}", responses=_ERRORS)
@router.head("/rpc/{name}", responses=_ERRORS, include_in_schema=False)
async def look(name: Name, request: Request, actor: Caller, veraz: Services) -> Response:
    """Calls a function that changes nothing; its parameters in the query string, beside what is wanted of the answer."""
    known = CATALOGUE[name].parameters if name in CATALOGUE else {}
    given = request.query_params.multi_items()
    arguments = {key: value for key, value in given if key in known}
    function = _function(name, arguments)
    if function.changes:
        raise Refused(405, "25006", "cannot execute this function in a read-only transaction")
    rest = [(key, value) for key, value in given if key not in known]
    view = view_of(function, rest, counted=_counts(request))
    return _answered(
        function, request, await veraz.functions.call(actor, function, arguments, view), view.offset
    )


def _body(raw: bytes) -> dict[str, Any]:
    try:
        body = json.loads(raw or b"{}", parse_constant=_no_constant)
    except (ValueError, RecursionError):
        raise Refused(400, "PGRST102", "Empty or invalid json") from None
    if not isinstance(body, dict):
        raise Refused(400, "PGRST102", "Empty or invalid json")
    return body


def _no_constant(name: str) -> float:
    raise ValueError(name)


def _function(name: str, arguments: Mapping[str, Any]) -> Function:
    """The function of this name that takes these parameters."""
    function = CATALOGUE.get(name)
    given = set(arguments)
    if function is None or not function.required <= given <= set(function.parameters):
        written = f"{name}({', '.join(sorted(given))})"
        meant = f"Perhaps you meant to call {name}({', '.join(function.parameters)})" if function else None
        raise Refused(
            404,
            "PGRST202",
            f"Could not find the function public.{written} in the schema cache",
            details=f"Searched for the function public.{written}, but no matches were found in the schema cache.",
            hint=meant,
        )
    return function


def _counts(request: Request) -> bool:
    return any("count=" in value for value in request.headers.getlist("prefer"))


def _answered(function: Function, request: Request, answer: Answer, offset: int) -> Response:
    if not function.columns:
        return Response(answer.body, media_type="application/json")
    body, kind = answer.body, "application/json"
    if _OBJECT in request.headers.get("accept", ""):
        body, kind = _single(answer), _OBJECT
    partial = answer.total is not None and answer.total > answer.rows
    total = "*" if answer.total is None else answer.total
    span = f"{offset}-{offset + answer.rows - 1}" if answer.rows else "*"
    return Response(
        b"" if request.method == "HEAD" else body,
        206 if partial else 200,
        media_type=kind,
        headers={"Content-Range": f"{span}/{total}"},
    )


def _single(answer: Answer) -> str:
    if answer.rows != 1:
        raise Refused(
            406,
            "PGRST116",
            "JSON object requested, multiple (or no) rows returned",
            details=f"The result contains {answer.rows} rows",
        )
    return answer.body.strip()[1:-1]
