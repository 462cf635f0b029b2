"""Documents come in: files, typed text, web addresses."""

from collections.abc import Sequence
from typing import Annotated, Any, Literal
from uuid import UUID

from fastapi import APIRouter, Request
from fastapi.responses import JSONResponse
from pydantic import AfterValidator, Field

from veraz import errors
from veraz.api.bodies import FILES, QUESTION, TEXT, takes
from veraz.api.caller import Caller, Services
from veraz.api.problems import language_of, problem_of
from veraz.api.schemas import Body, JsonObject, Text, View
from veraz.api.uploads import form_schema, uploaded
from veraz.ingest.receive import CrawlOrder, Labels, Received, Refused
from veraz.tenancy.machines import EVERY_MACHINE, LONGEST_MACHINE
from veraz.tenancy.model import Actor

router = APIRouter(prefix="/knowledge-bases/{kb_id}", tags=["documents"])

Machine = Annotated[
    Text,
    Field(
        min_length=1,
        max_length=LONGEST_MACHINE,
        description="A licence, or «global». Without it: the machine the caller acts for, or «global».",
    ),
]
Url = Annotated[Text, Field(min_length=1, max_length=4096)]


def _harmless(address: str) -> str:
    """An address or a path; never something a browser would run when a person follows it."""
    if not address.isprintable() or address.strip().lower().startswith(("javascript:", "data:", "vbscript:")):
        raise ValueError("an http(s) address or a path is needed")
    return address


class Failure(View):
    """Why a file was refused."""

    code: str
    detail: str
    document_id: UUID | None = None


class ReceivedView(View):
    """A file that waits to be processed, or one of several that was refused."""

    document_id: UUID | None
    filename: str
    status: Literal["pending", "failed"]
    version: int | None = None
    """2 and more: the next version of a document that was there."""
    estimated_processing_time_seconds: int = 0
    error: Failure | None = None


class BoundBody(Body):
    """Something to be remembered by every machine or by one."""

    machine_id: Machine = EVERY_MACHINE

    def machine_for(self, actor: Actor) -> str:
        """The machine that was said, else the caller's."""
        return self.machine_id if "machine_id" in self.model_fields_set else actor.binds_to


class TextBody(BoundBody):
    """Text somebody wrote; Markdown is understood."""

    title: Annotated[Text, Field(min_length=1, max_length=255)]
    content: Annotated[Text, Field(min_length=1, max_length=10 * 1024 * 1024)]
    source: Annotated[Text, Field(max_length=100)] | None = None
    source_url: Annotated[Url, AfterValidator(_harmless)] | None = None
    metadata: JsonObject | None = None

    def labels(self, actor: Actor, origin: Literal["text", "manual"]) -> Labels:
        """What is said about the text; its source is kept among the metadata."""
        metadata = dict(self.metadata or {}) | ({"source": self.source} if self.source else {})
        return Labels(
            origin=origin,
            machine_id=self.machine_for(actor),
            source_url=self.source_url,
            metadata=metadata,
        )


class CrawlBody(Body):
    """Follow the links of the page: how far and how many pages."""

    max_depth: Annotated[int, Field(ge=0, le=5)] = 2
    max_pages: Annotated[int, Field(ge=1, le=1000)] = 100


class UrlBody(BoundBody):
    """A web address; with `crawl` the whole site from there."""

    url: Url
    metadata: JsonObject | None = None
    crawl: CrawlBody | None = None


class UrlReceived(View):
    """The document a page becomes, or the job that finds the pages of a site."""

    document_id: UUID | None = None
    job_id: UUID | None = None
    filename: str
    status: Literal["pending"] = "pending"
    estimated_processing_time_seconds: int = 5


@router.post(
    "/documents",
    status_code=202,
    response_model=list[ReceivedView],
    openapi_extra=form_schema("files", many=True),
)
@takes(FILES)
async def upload(kb_id: UUID, request: Request, actor: Caller, veraz: Services) -> Any:
    """One or many files. Of many, those refused say why; when all are refused the first one's error answers."""
    async with uploaded(request) as form:
        outcomes = await veraz.reception.files_of(actor, kb_id, form.files, form.labels(actor))
    return received(outcomes, language_of(request.headers))


@router.post("/documents/text", status_code=202)
@takes(TEXT)
async def add_text(kb_id: UUID, body: TextBody, actor: Caller, veraz: Services) -> ReceivedView:
    """Text typed or generated, kept as a Markdown document."""
    labels = body.labels(actor, "text")
    return ReceivedView.model_validate(
        await veraz.reception.text(actor, kb_id, body.title, body.content, labels)
    )


@router.post("/documents/url", status_code=202)
@takes(QUESTION)
async def add_url(kb_id: UUID, body: UrlBody, actor: Caller, veraz: Services) -> UrlReceived:
    """A page of the public web, or with `crawl` the pages of a site; both are fetched in the background."""
    labels = Labels(origin="url", machine_id=body.machine_for(actor), metadata=body.metadata)
    if body.crawl:
        order = CrawlOrder(**body.crawl.model_dump())
        job_id = await veraz.reception.crawl(actor, kb_id, body.url, order, labels)
        return UrlReceived(job_id=job_id, filename=body.url)
    return UrlReceived.model_validate(await veraz.reception.url(actor, kb_id, body.url, labels))


def received(outcomes: Sequence[Received | Refused], language: str) -> list[ReceivedView] | JSONResponse:
    """What became of each file; when none was accepted, the problem of the first."""
    refused = [outcome for outcome in outcomes if isinstance(outcome, Refused)]
    if len(refused) == len(outcomes):
        listed = [
            {"filename": one.filename, **_failure(one.error, language).model_dump(mode="json")}
            for one in refused
        ]
        return problem_of(refused[0].error, language, errors=listed)
    return [_outcome(outcome, language) for outcome in outcomes]


def _outcome(outcome: Received | Refused, language: str) -> ReceivedView:
    if isinstance(outcome, Received):
        return ReceivedView.model_validate(outcome)
    return ReceivedView(
        document_id=None,
        filename=outcome.filename,
        status="failed",
        error=_failure(outcome.error, language),
    )


def _failure(error: errors.VerazError, language: str) -> Failure:
    twin = error.context.get("twin_id") if isinstance(error, errors.DuplicateDocument) else None
    return Failure(
        code=error.code,
        detail=error.message(language),
        document_id=twin if isinstance(twin, UUID) else None,
    )
