"""WhatsApp's own addresses at the root: Meta's webhook, and sending as KAIRO's workflow calls it."""

from typing import Annotated, Literal
from uuid import UUID

from fastapi import APIRouter, Query, Request, Response
from fastapi.responses import PlainTextResponse
from pydantic import Field

from veraz import errors
from veraz.api.bodies import NOTICES, QUESTION, BodyRefused, takes
from veraz.api.caller import Caller, Services, address_of
from veraz.api.schemas import Body, Text, View
from veraz.channels.whatsapp.outbox import Outgoing
from veraz.channels.whatsapp.signature import looks_signed

router = APIRouter(prefix="/api", tags=["whatsapp"])

Lead = Annotated[Text, Field(min_length=1, max_length=200)]


class SendBody(Body):
    """A text for a lead: a contact's id, its phone number, or WhatsApp's id of it."""

    projectId: UUID
    leadId: Lead
    message: Annotated[Text, Field(min_length=1, max_length=20_000)]
    agentId: UUID | None = None


class SentView(View):
    """It waits to be sent; `/conversations/{id}/deliveries` tells how far it came."""

    status: Literal["queued"] = "queued"
    leadId: UUID
    conversationId: UUID
    deliveryIds: list[UUID]


@router.get("/webhooks/whatsapp", response_class=PlainTextResponse)
async def verify(
    request: Request,
    veraz: Services,
    token: Annotated[str, Query(alias="hub.verify_token", max_length=2_000)] = "",
    challenge: Annotated[str, Query(alias="hub.challenge", max_length=500)] = "",
    mode: Annotated[str, Query(alias="hub.mode", max_length=50)] = "",
) -> PlainTextResponse:
    """Meta asks whether this address is meant; the challenge comes back to who knows a number's verify token."""
    await veraz.rates.of_stranger(address_of(request))
    if mode != "subscribe":
        raise errors.WrongSignature()
    await veraz.whatsapp_inbox.verify(token)
    return PlainTextResponse(challenge)


@router.post(
    "/webhooks/whatsapp",
    openapi_extra={
        "requestBody": {"required": True, "content": {"application/json": {"schema": {"type": "object"}}}},
        "parameters": [{"name": "X-Hub-Signature-256", "in": "header", "schema": {"type": "string"}}],
    },
)
@takes(NOTICES)
async def receive(request: Request, veraz: Services) -> Response:
    """Messages and reports of delivery, signed by Meta. Kept at once, answered later."""
    signature = request.headers.get("x-hub-signature-256")
    await veraz.whatsapp_inbox.receive(await _body(request, signature), signature)
    return Response(status_code=200)


async def _body(request: Request, signature: str | None) -> bytes:
    """What Meta may have signed. Who is not Meta is told so before anything else: no body is read without a signature, and
    one that Meta never sends is not judged."""
    if not looks_signed(signature):
        raise errors.WrongSignature()
    try:
        return await request.body()
    except BodyRefused as refused:
        raise errors.WrongSignature() from refused


@router.post("/whatsapp/send", status_code=202)
@takes(QUESTION)
async def send(body: SendBody, actor: Caller, veraz: Services) -> SentView:
    """Sends a text to a lead in the agent's name, within 24 hours of the lead's last message."""
    out = Outgoing(project_id=body.projectId, lead=body.leadId, text=body.message, agent_id=body.agentId)
    queued = await veraz.whatsapp_outbox.send(actor, out)
    return SentView(
        leadId=queued.contact_id, conversationId=queued.conversation_id, deliveryIds=list(queued.deliveries)
    )
