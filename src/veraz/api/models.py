"""Which models agents can be given here, and whether one answers."""

from typing import Annotated, Literal

from fastapi import APIRouter
from pydantic import Field

from veraz.api.caller import Caller, Services
from veraz.api.schemas import Body, Text, View

router = APIRouter(prefix="/models", tags=["agents"])


class ProviderView(View):
    """A connected service; `answers` says whether it told its models just now."""

    name: str
    answers: bool


class AvailableModelsView(View):
    """What there is to choose from; names are `provider:model`."""

    providers: list[ProviderView]
    chat: list[str]
    rerankers: list[str]
    judges: list[str]
    default_writer: str | None
    default_fallback: str | None
    default_reranker: str


class ProbeBody(Body):
    """A model and what it would be used for."""

    role: Literal["writer", "fallback", "judge", "reranker"] = "writer"
    name: Annotated[Text, Field(min_length=1, max_length=200)]


class ProbeView(View):
    """What came of one tiny request."""

    outcome: Literal["works", "wrong_key", "unknown_model", "no_answer", "busy", "refused"]
    milliseconds: int
    detail: str


@router.get("/available")
async def available(actor: Caller, veraz: Services) -> AvailableModelsView:
    """The models of the services this installation is connected to, and those your agents name already."""
    return AvailableModelsView.model_validate(await veraz.models.available(actor))


@router.post("/probe")
async def probe(body: ProbeBody, actor: Caller, veraz: Services) -> ProbeView:
    """Makes one tiny request to a model of a connected service, at most 20 times a minute."""
    return ProbeView.model_validate(await veraz.models.probe(actor, body.role, body.name))
