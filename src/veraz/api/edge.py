"""`/functions/v1/ingest-file`: the edge function that Portality's drop zone calls, with its form and its answer."""

from typing import Annotated, Any, Literal
from uuid import UUID

from fastapi import APIRouter, Query, Request
from fastapi.responses import JSONResponse

from veraz import errors
from veraz.api.bodies import FILES, takes
from veraz.api.caller import Caller, Services
from veraz.api.problems import language_of
from veraz.api.receiving import received
from veraz.api.schemas import View
from veraz.api.uploads import form_schema, uploaded
from veraz.library.knowledge_bases import NewKnowledgeBase
from veraz.tenancy.model import Actor
from veraz.wiring import Veraz

router = APIRouter(prefix="/functions/v1", tags=["ecosystem"])

DEFAULT_KB = "Portality Brain"


class Ingested(View):
    """The file waits to be processed."""

    document_id: UUID
    status: Literal["pending"]
    filename: str


@router.post("/ingest-file", response_model=Ingested, openapi_extra=form_schema("file", many=False))
@takes(FILES)
async def ingest_file(
    request: Request,
    actor: Caller,
    veraz: Services,
    kb: Annotated[str | None, Query(max_length=200, description="Name or id; also as form field.")] = None,
) -> Any:
    """Takes a file into the shared memory, or into that of one machine with `machine_id`."""
    async with uploaded(request, fields=("machine_id", "metadata", "kb")) as form:
        if len(form.files) != 1:
            raise errors.Invalid(field="file", reason=errors.Phrase("exactly one", es="exactamente uno"))
        kb_id = await _memory(actor, veraz, form.fields.get("kb") or kb or None)
        outcomes = await veraz.reception.files_of(actor, kb_id, form.files, form.labels(actor))
    answer = received(outcomes, language_of(request.headers))
    return answer if isinstance(answer, JSONResponse) else answer[0]


async def _memory(actor: Actor, veraz: Veraz, name: str | None) -> UUID:
    """The knowledge base named, or the default one, made on first use."""
    if name is None:
        return (await veraz.knowledge_bases.named(actor, NewKnowledgeBase(name=DEFAULT_KB))).id
    if found := await veraz.knowledge_bases.by_name(actor, name):
        return found.id
    raise errors.NotFound(thing="knowledge base", id=name)
