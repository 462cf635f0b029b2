"""Replacing and correcting: versions of a document, and what people corrected in it."""

from datetime import datetime
from typing import Annotated, Any, Literal
from uuid import UUID

from fastapi import APIRouter, Path, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import Response, StreamingResponse
from pydantic import Field, ValidationError

from veraz import errors
from veraz.api.bodies import FILE_OR_TEXT, SETTINGS, takes
from veraz.api.caller import Caller, Services
from veraz.api.documents import ChunkEntry, files_answer, saved
from veraz.api.receiving import ReceivedView
from veraz.api.schemas import Body, PageView, Text, Told, View
from veraz.api.uploads import form_schema, uploaded
from veraz.ingest.corrections import CorrectionStatus
from veraz.ingest.versions import VersionStatus

router = APIRouter(prefix="/knowledge-bases/{kb_id}/documents/{document_id}", tags=["documents"])

Number = Annotated[int, Path(ge=1, le=2**31 - 1)]


class VersionView(Told):
    """One version of a document's file."""

    version: int
    status: VersionStatus
    current: bool
    name: str
    title: str | None
    file_type: str
    size_bytes: int
    created_by: UUID | None
    created_at: datetime
    superseded_at: datetime | None


class TextVersion(Body):
    """The new title or text of a document somebody wrote; what is not sent stays."""

    title: Annotated[Text, Field(min_length=1, max_length=255)] | None = None
    content: Annotated[Text, Field(min_length=1, max_length=10 * 1024 * 1024)] | None = None


class CorrectionView(View):
    """What a person corrected. `asks`: the text below has changed since, a person decides."""

    id: UUID
    document_id: UUID
    status: CorrectionStatus
    start_char: int
    end_char: int
    before: str
    after: str
    revision: int
    created_by: UUID | None
    created_at: datetime
    updated_at: datetime


class DecisionBody(Body):
    """Discards a correction, or applies it anew: where its words stand, or as the whole text of the chunk named."""

    action: Literal["apply", "discard"]
    chunk_id: UUID | None = None
    content: Annotated[Text, Field(min_length=1, max_length=30_000)] | None = None


class DecisionView(View):
    """The correction that was discarded, or the chunk that was corrected."""

    correction: CorrectionView | None = None
    chunk: ChunkEntry | None = None


def _replacement_schema() -> dict[str, Any]:
    """A file, or JSON for texts: the documentation cannot see it in the signature."""
    schema = form_schema("file", many=False)
    schema["requestBody"]["content"]["application/json"] = {"schema": TextVersion.model_json_schema()}
    return schema


@router.put("", status_code=202, openapi_extra=_replacement_schema())
@takes(FILE_OR_TEXT)
async def replace(
    kb_id: UUID, document_id: UUID, request: Request, actor: Caller, veraz: Services
) -> ReceivedView:
    """A new version: of files a file as a form, of texts and manual entries JSON with title, content or both.

    The version before is read until this one has been; if this one cannot be read, it goes on.
    """
    if request.headers.get("content-type", "").lower().startswith("multipart/form-data"):
        async with uploaded(
            request, fields=()
        ) as form:  # it stays bound to what the version before was bound to
            if len(form.files) != 1:
                one = errors.Phrase("send one file", es="envíe un archivo")
                raise errors.Invalid(field="file", reason=one)
            name, file = form.files[0]
            received = await veraz.replacements.with_file(actor, kb_id, document_id, name, file)
    else:
        text = _text(await request.body())
        received = await veraz.replacements.with_text(
            actor, kb_id, document_id, title=text.title, content=text.content
        )
    return ReceivedView.model_validate(received)


@router.get("/versions")
async def versions(kb_id: UUID, document_id: UUID, actor: Caller, veraz: Services) -> PageView[VersionView]:
    """Its versions, newest first."""
    found = await veraz.versions.all(actor, kb_id, document_id)
    return PageView(items=[VersionView.model_validate(one) for one in found], next_cursor=None)


@router.get(
    "/versions/{version}/file",
    response_class=StreamingResponse,
    responses=files_answer("application/octet-stream"),
)
async def version_file(
    kb_id: UUID, document_id: UUID, version: Number, actor: Caller, veraz: Services
) -> Response:
    """The file of one version, to save."""
    return await saved(veraz, actor, await veraz.versions.get(actor, kb_id, document_id, version))


@router.post("/versions/{version}/restore", status_code=202)
async def restore(
    kb_id: UUID, document_id: UUID, version: Number, actor: Caller, veraz: Services
) -> ReceivedView:
    """A new version that says what this one says."""
    return ReceivedView.model_validate(
        await veraz.replacements.with_version(actor, kb_id, document_id, version)
    )


@router.get("/corrections")
async def corrections(
    kb_id: UUID,
    document_id: UUID,
    actor: Caller,
    veraz: Services,
    status: CorrectionStatus | None = None,
) -> PageView[CorrectionView]:
    """What people corrected in it, in the order of its text."""
    found = await veraz.corrections.all(actor, kb_id, document_id, status=status)
    return PageView(items=[CorrectionView.model_validate(one) for one in found], next_cursor=None)


@router.post("/corrections/{correction_id}")
@takes(SETTINGS)
async def decide(
    kb_id: UUID,
    document_id: UUID,
    correction_id: UUID,
    body: DecisionBody,
    actor: Caller,
    veraz: Services,
) -> DecisionView:
    """Decides about a correction; discarding one that holds has the document processed again."""
    if body.action == "discard":
        found = await veraz.corrections.discard(actor, kb_id, document_id, correction_id)
        return DecisionView(correction=CorrectionView.model_validate(found))
    chunk = await veraz.corrections.apply(
        actor, kb_id, document_id, correction_id, chunk_id=body.chunk_id, content=body.content
    )
    return DecisionView(chunk=ChunkEntry.model_validate(chunk))


def _text(body: bytes) -> TextVersion:
    try:
        return TextVersion.model_validate_json(body)
    except ValidationError as error:
        raise RequestValidationError(
            [found | {"loc": ("body", *found["loc"])} for found in error.errors(include_url=False)]
        ) from error
