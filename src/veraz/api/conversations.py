"""Conversations with agents: what was said, who answers, and how an answer was rated."""

from datetime import datetime
from typing import Annotated, Literal
from uuid import UUID

from fastapi import APIRouter
from pydantic import Field

from veraz.api.caller import Caller, Services
from veraz.api.schemas import Body, JsonObject, PageView, Paging, Text, View, page_of

router = APIRouter(tags=["conversations"])


class ConversationView(View):
    """A talk with one agent."""

    id: UUID
    agent_id: UUID
    user_id: UUID | None
    machine_id: str | None
    channel: str
    title: str
    handoff_mode: Literal["ai", "human"]
    created_at: datetime
    updated_at: datetime


class MessageView(View):
    """One message; an assistant's carries what it stands on."""

    id: UUID
    conversation_id: UUID
    role: Literal["user", "assistant", "human"]
    text: str
    refused: bool
    refusal: str | None
    corrected: bool
    model: str | None
    input_tokens: int
    output_tokens: int
    cost_usd: float | None
    answerability: float | None
    claims: list[JsonObject]
    evidence: list[JsonObject]
    latency_ms: float | None
    error: str | None
    rating: int | None
    turn: Literal["conversation", "handoff", "question"]
    degraded: str | None
    held_back: list[JsonObject]
    created_at: datetime


class HandoffBody(Body):
    """Who answers from now on."""

    handoff_mode: Literal["ai", "human"]


class SayBody(Body):
    """What somebody of the team says."""

    text: Annotated[Text, Field(min_length=1, max_length=20_000)]


class FeedbackBody(Body):
    """A thumb, and why."""

    rating: Literal["up", "down"]
    reason: Annotated[Text, Field(max_length=2_000)] = ""


@router.get("/conversations")
async def conversations(
    actor: Caller, veraz: Services, page: Paging, agent: UUID | None = None
) -> PageView[ConversationView]:
    """Your own, and those with agents you manage; newest first."""
    return page_of(ConversationView, await veraz.conversations.all(actor, page, agent_id=agent))


@router.get("/conversations/{conversation_id}")
async def conversation(conversation_id: UUID, actor: Caller, veraz: Services) -> ConversationView:
    """One conversation."""
    return ConversationView.model_validate(await veraz.conversations.get(actor, conversation_id))


@router.patch("/conversations/{conversation_id}")
async def hand_over(
    conversation_id: UUID, body: HandoffBody, actor: Caller, veraz: Services
) -> ConversationView:
    """Hands the conversation to a human, or back to the agent."""
    done = await veraz.conversations.hand_over(actor, conversation_id, body.handoff_mode)
    return ConversationView.model_validate(done)


@router.delete("/conversations/{conversation_id}", status_code=204)
async def forget(conversation_id: UUID, actor: Caller, veraz: Services) -> None:
    """Forgets the conversation."""
    await veraz.conversations.delete(actor, conversation_id)


@router.get("/conversations/{conversation_id}/messages")
async def messages(
    conversation_id: UUID, actor: Caller, veraz: Services, page: Paging
) -> PageView[MessageView]:
    """What was said, oldest first."""
    return page_of(MessageView, await veraz.conversations.messages(actor, conversation_id, page))


@router.post("/conversations/{conversation_id}/messages", status_code=201)
async def say(conversation_id: UUID, body: SayBody, actor: Caller, veraz: Services) -> MessageView:
    """Somebody of the team answers in the agent's place."""
    return MessageView.model_validate(await veraz.conversations.say(actor, conversation_id, body.text))


@router.post("/messages/{message_id}/feedback")
async def rate(message_id: UUID, body: FeedbackBody, actor: Caller, veraz: Services) -> MessageView:
    """A thumb up or down on an answer; a second one replaces the first."""
    rating: Literal[-1, 1] = 1 if body.rating == "up" else -1
    return MessageView.model_validate(await veraz.conversations.rate(actor, message_id, rating, body.reason))
