"""What a knowledge base is about, as a chat model sees it: a form with the specification's fields, over a sample fenced as data."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from veraz.providers.chat.base import ChatRequest, Message
from veraz.text.injection import fence_of, harmless
from veraz.text.templates import template
from veraz.text.tokens import count_tokens

_MOST = 8
_LONGEST = 300
_SAMPLE_TOKENS = 6_000


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceCategory:
    """A kind of source the knowledge base has or should have."""

    name: str
    description: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Recommended:
    """How an agent should answer from it."""

    answer_style: Literal["strict", "evidence", "chat"] = "strict"
    top_k: int = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class DomainForm:
    """What a model fills in."""

    interpreted_intent: str
    subdomains: list[str]
    source_categories: list[SourceCategory] = field(default_factory=list)
    critical_variables: list[str] = field(default_factory=list)
    validation_queries: list[str] = field(default_factory=list)
    known_debates: list[str] = field(default_factory=list)
    recommended_config: Recommended = field(default_factory=Recommended)

    def columns(self) -> dict[str, Any]:
        """As they are kept: short lists of short texts, and only settings an agent knows."""
        top_k = min(max(self.recommended_config.top_k, 1), 50)
        categories = [
            {"name": _short(one.name), "description": _short(one.description)}
            for one in self.source_categories[:_MOST]
        ]
        config = {"answer_style": self.recommended_config.answer_style, "retrieval": {"top_k": top_k}}
        lists = ("subdomains", "critical_variables", "validation_queries", "known_debates")
        return {
            "interpreted_intent": _short(self.interpreted_intent),
            "source_categories": json.dumps(categories),
            "recommended_config": json.dumps(config),
        } | {name: json.dumps(_texts(getattr(self, name))) for name in lists}


def domain_request(user_input: str, texts: Sequence[str], language: str) -> ChatRequest:
    """What a model is asked: the user's words, and as much of the sample as fits, as data."""
    fence = fence_of(user_input, *texts)
    room, blocks = _SAMPLE_TOKENS, []
    for text in texts:
        block = f"<<<{fence}>>>\n{harmless(text)}\n<<<{fence} fin>>>"
        room -= count_tokens(block)
        if room < 0:
            break
        blocks.append(block)
    said = "\n\n".join([*blocks, f"<<<{fence} uso>>>\n{harmless(user_input)}\n<<<{fence} fin>>>"])
    return ChatRequest(
        instructions=template("learn", "domain", language).format(fence=fence),
        messages=(Message(role="user", text=said),),
        max_tokens=2_000,
    )


def _texts(found: Sequence[str]) -> list[str]:
    return [short for text in found[:_MOST] if (short := _short(text))]


def _short(text: str) -> str:
    return " ".join(text.split())[:_LONGEST]
