"""Turns are told by meaning: small talk, a person please, a question. Whatever is in doubt is a question."""

from collections import Counter
from collections.abc import Sequence
from functools import cache
from pathlib import Path

import pytest

from veraz.answer.turns import Turn, TurnReader, decide, features, parts_of, probabilities, spoken
from veraz.providers.embedding.base import Embedded, Purpose
from veraz.providers.embedding.local import LocalEmbedder

HERE = Path(__file__).parent


@cache
def embedder() -> LocalEmbedder:
    """The shipped model, loaded once."""
    return LocalEmbedder(2)


async def turn(text: str) -> Turn:
    """What a message is taken for."""
    return await TurnReader(embedder()).read(text)


def rows(name: str) -> list[tuple[str, str]]:
    """Label and message of every line."""
    lines = (HERE / name).read_text(encoding="utf-8").splitlines()
    return [(label, text) for label, text in (line.split("\t", 1) for line in lines if line.strip())]


def taken(messages: Sequence[str]) -> list[str]:
    """What messages are taken for, all embedded in one go."""
    parts = [parts_of(message) for message in messages]
    flat = [part for one in parts for part in one]
    found = probabilities(features(embedder().embed_now([spoken(part) for part in flat]), flat))
    kinds: list[str] = []
    start = 0
    for one in parts:
        kinds.append(decide(found[start : start + len(one)]).kind)
        start += len(one)
    return kinds


@pytest.mark.parametrize(
    ("file", "least"),
    [
        ("turns.test.tsv", {"conversation": 0.97, "handoff": 0.90, "question": 0.96}),
        ("turns.final.tsv", {"conversation": 0.97, "handoff": 0.80, "question": 0.96}),
    ],
)
def test_messages_nobody_trained_on_are_told_apart(file: str, least: dict[str, float]) -> None:
    labelled = rows(file)
    right = Counter(
        label
        for (label, _), kind in zip(labelled, taken([text for _, text in labelled]), strict=True)
        if label == kind
    )
    total = Counter(label for label, _ in labelled)
    shares = {label: right[label] / count for label, count in total.items()}
    assert all(shares[label] >= share for label, share in least.items()), shares


@pytest.mark.parametrize(
    ("message", "kind", "topic"),
    [
        ("hola", "conversation", "greeting"),
        ("Buenos días", "conversation", "greeting"),
        ("muchas gracias", "conversation", "thanks"),
        ("adiós", "conversation", "farewell"),
        ("¿quién eres?", "conversation", "identity"),
        ("¿qué puedes hacer?", "conversation", "abilities"),
    ],
)
async def test_small_talk_has_a_topic(message: str, kind: str, topic: str) -> None:
    found = await turn(message)
    assert (found.kind, found.topic) == (kind, topic)


@pytest.mark.parametrize(
    "message",
    [
        "quiero hablar con una persona",
        "Hola, páseme con un agente humano por favor",
        "I want to talk to a human",
    ],
)
async def test_who_wants_a_person_gets_one(message: str) -> None:
    assert (await turn(message)).kind == "handoff"


@pytest.mark.parametrize(
    "message",
    [
        "Hola, ¿a qué hora abren?",
        "Buenas tardes. ¿Cuánto cuesta el plan premium?",
        "Gracias! y cuánto cuesta el envío a Canarias?",
        "Hi! What are your opening hours?",
        "Olá, qual é o horário de atendimento?",
        "¿Qué persona dirige el gimnasio?",
    ],
)
async def test_what_greets_and_asks_is_a_question(message: str) -> None:
    assert (await turn(message)).kind == "question"


@pytest.mark.parametrize("message", ["👍", "🙏🙏", "😂 ❤️", "...", "???", "—"])
async def test_signs_alone_are_conversation(message: str) -> None:
    assert (await turn(message)).kind == "conversation"


async def test_a_long_message_is_a_question_and_is_not_even_embedded() -> None:
    class Never:
        space, max_batch = LocalEmbedder.space, 1

        async def embed(self, texts: Sequence[str], *, purpose: Purpose) -> Embedded:
            raise AssertionError(texts)

    reader = TurnReader(Never())
    assert (await reader.read("hola " * 2_000)).kind == "question"
    assert (await reader.read("👍" * 5_000)).kind == "conversation"


async def test_case_and_accents_do_not_matter() -> None:
    for message in ("HOLA", "hola", "Hóla"):
        assert (await turn(message)).kind == "conversation"


async def test_a_question_on_several_lines_is_a_question() -> None:
    assert (await turn("Hola\n\nbuenas\n\n¿cuánto cuesta el plan premium?\n\ngracias")).kind == "question"
