"""Conversations with agents: what was said, who answers, and how an answer was rated."""

from datetime import datetime
from typing import Annotated, Literal, Self
from uuid import UUID

from fastapi import APIRouter, Query
from pydantic import Field, model_validator

from veraz.api.bodies import QUESTION, takes
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
    asked_by: str
    unread: bool


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
    forgotten_at: datetime | None
    forgotten_why: str | None
    created_at: datetime


class ConversationBody(Body):
    """Another title, or who answers from now on."""

    title: Annotated[Text, Field(min_length=1, max_length=120)] | None = None
    handoff_mode: Literal["ai", "human"] | None = None

    @model_validator(mode="after")
    def _something(self) -> Self:
        if self.title is None and self.handoff_mode is None:
            raise ValueError("title | handoff_mode")
        return self


class SayBody(Body):
    """What somebody of the team says."""

    text: Annotated[Text, Field(min_length=1, max_length=20_000)]


class FeedbackBody(Body):
    """A thumb, and why."""

    rating: Literal["up", "down"]
    reason: Annotated[Text, Field(max_length=2_000)] = ""


@router.get("/conversations")
async def conversations(
    actor: Caller,
    veraz: Services,
    page: Paging,
    agent: UUID | None = None,
    words: Annotated[Text, Query(max_length=200)] = "",
    waiting: bool = False,
    mine: bool = False,
) -> PageView[ConversationView]:
    """Your own, and those with agents you manage; the one somebody wrote in last comes first.

    `words` that stand in title or messages, only those `waiting` for a person's answer, only `mine`.
    """
    found = await veraz.conversations.all(
        actor, page, agent_id=agent, words=words, waiting=waiting, mine=mine
    )
    return page_of(ConversationView, found)


@router.get("/conversations/{conversation_id}")
async def conversation(conversation_id: UUID, actor: Caller, veraz: Services) -> ConversationView:
    """One conversation."""
    return ConversationView.model_validate(await veraz.conversations.get(actor, conversation_id))


@router.patch("/conversations/{conversation_id}")
async def change(
    conversation_id: UUID, body: ConversationBody, actor: Caller, veraz: Services
) -> ConversationView:
    """Gives the conversation another title, hands it to a human, or back to the agent."""
    if body.title is not None:
        await veraz.conversations.rename(actor, conversation_id, body.title)
    if body.handoff_mode is not None:
        await veraz.conversations.hand_over(actor, conversation_id, body.handoff_mode)
    return ConversationView.model_validate(await veraz.conversations.get(actor, conversation_id))


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
@takes(QUESTION)
async def say(conversation_id: UUID, body: SayBody, actor: Caller, veraz: Services) -> MessageView:
    """Somebody of the team answers in the agent's place."""
    return MessageView.model_validate(await veraz.conversations.say(actor, conversation_id, body.text))


@router.post("/messages/{message_id}/feedback")
async def rate(message_id: UUID, body: FeedbackBody, actor: Caller, veraz: Services) -> MessageView:
    """A thumb up or down on an answer; a second one replaces the first."""
    rating: Literal[-1, 1] = 1 if body.rating == "up" else -1
    return MessageView.model_validate(await veraz.conversations.rate(actor, message_id, rating, body.reason))
