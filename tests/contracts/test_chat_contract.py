"""Every chat model keeps the same promises: pieces, then the whole, or a fault by what can be done about it."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest
from pydantic import SecretStr

from veraz.errors import Invalid, OutsideBusy, OutsideDown, OutsideFault, OutsideRejected
from veraz.providers.chat.base import ChatModel, ChatRequest, Delta, Finished, Message, Restarted, complete
from veraz.providers.chat.fake import ScriptedChat
from veraz.providers.chat.pick import build_chat, check_chat_name, pick_chat
from veraz.providers.chat.resilient import Patience, ResilientChat
from veraz.settings import Settings

if TYPE_CHECKING:
    from tests.support.chat_server import ChatServer, chat_server
else:
    from support.chat_server import ChatServer, chat_server

NAMES = [
    "openai:gpt-5-mini",
    "anthropic:claude-sonnet-5",
    "gemini:gemini-3-flash",
    "ollama:qwen3",
    "openai_compatible:own",
]
REQUEST = ChatRequest(
    instructions="Responde con el contexto.",
    messages=(
        Message(role="user", text="Hola"),
        Message(role="assistant", text="¿Qué desea?"),
        Message(role="user", text="¿Cuánto cuesta el plan A?"),
    ),
)
QUICK = Patience(attempts=2, first_wait=0.01, longest_wait=0.5, answer_seconds=1.0)


@pytest.fixture
def server() -> Iterator[ChatServer]:
    with chat_server() as running:
        yield running


def settings_for(settings: Settings, server: ChatServer) -> Settings:
    key = SecretStr("secret")
    return settings.model_copy(
        update={
            "openai_api_key": key, "openai_base_url": f"{server.url}/v1", "anthropic_api_key": key,
            "anthropic_base_url": server.url, "gemini_api_key": key, "gemini_base_url": server.url,
            "ollama_base_url": f"{server.url}/v1", "chat_seconds": 1, "chat_attempts": 1,
        }
    )  # fmt: skip


@pytest.mark.parametrize("name", NAMES)
async def test_an_answer_comes_in_pieces_and_then_whole(
    name: str, settings: Settings, server: ChatServer
) -> None:
    model = build_chat(name, settings_for(settings, server))
    pieces = [piece async for piece in model.stream(REQUEST)]
    finished = pieces[-1]
    assert isinstance(finished, Finished)
    assert finished.text == server.answer == "".join(p.text for p in pieces[:-1] if isinstance(p, Delta))
    assert len(pieces) > 2
    assert (finished.usage.input_tokens, finished.usage.output_tokens) == (100, 20)
    assert finished.model == name
    sent = str(server.requests[0]["body"])
    assert "Responde con el contexto." in sent
    assert "¿Qué desea?" in sent


@pytest.mark.parametrize("name", NAMES[:3])
@pytest.mark.parametrize(
    ("word", "kind"),
    [
        ("401", OutsideRejected),
        ("429", OutsideBusy),
        ("429 7", OutsideBusy),
        ("500", OutsideDown),
        ("503", OutsideFault),
        ("garbage", OutsideDown),
        ("empty", OutsideDown),
        ("cut", OutsideDown),
    ],
)
async def test_a_fault_says_what_can_be_done_about_it(
    name: str, word: str, kind: type[OutsideFault], settings: Settings, server: ChatServer
) -> None:
    server.misbehave(word)
    model = build_chat(name, settings_for(settings, server))
    with pytest.raises(kind) as caught:
        await complete(model, REQUEST)
    assert caught.value.retry_after == (7 if word == "429 7" else None)
    assert caught.value.message("es")
    assert len(server.requests) == 1


@pytest.mark.parametrize("name", NAMES[:3])
@pytest.mark.parametrize("word", ["hang", "slow"])
async def test_a_model_that_does_not_finish_is_left(
    name: str, word: str, settings: Settings, server: ChatServer
) -> None:
    server.misbehave(word)
    model = ResilientChat(
        build_chat(name, settings_for(settings, server)), patience=Patience(attempts=1, answer_seconds=0.3)
    )
    with pytest.raises(OutsideDown):
        await complete(model, REQUEST)


async def test_a_busy_service_is_asked_again_and_a_rejection_is_not(
    settings: Settings, server: ChatServer
) -> None:
    model = ResilientChat(build_chat(NAMES[0], settings_for(settings, server)), patience=QUICK)
    server.misbehave("429 0")
    assert (await complete(model, REQUEST)).text == server.answer
    server.misbehave("401")
    with pytest.raises(OutsideRejected):
        await complete(model, REQUEST)
    assert len(server.requests) == 3


async def test_a_cut_stream_starts_again(settings: Settings, server: ChatServer) -> None:
    model = ResilientChat(build_chat(NAMES[0], settings_for(settings, server)), patience=QUICK)
    server.misbehave("cut")
    pieces = [piece async for piece in model.stream(REQUEST)]
    restart = next(i for i, piece in enumerate(pieces) if isinstance(piece, Restarted))
    assert "".join(p.text for p in pieces[restart:] if isinstance(p, Delta)) == server.answer


async def test_the_fallback_answers_when_the_first_model_does_not() -> None:
    first = ScriptedChat(OutsideRejected(host="a", reason="401"), name="a:a")
    second = ScriptedChat("Aquí estoy.", name="b:b")
    finished = await complete(ResilientChat(first, second, QUICK), REQUEST)
    assert (finished.text, finished.model) == ("Aquí estoy.", "b:b")
    assert len(first.requests) == 1


async def test_a_wait_too_long_goes_to_the_fallback_at_once() -> None:
    first = ScriptedChat(OutsideBusy(host="a", reason="429", retry_after=60))
    second = ScriptedChat("Aquí estoy.", name="b:b")
    assert (await complete(ResilientChat(first, second, QUICK), REQUEST)).model == "b:b"


async def test_when_nobody_answers_the_last_fault_is_told() -> None:
    first = ScriptedChat(OutsideDown(host="a", reason="500"))
    second = ScriptedChat(OutsideDown(host="b", reason="503"))
    with pytest.raises(OutsideDown) as caught:
        await complete(ResilientChat(first, second, QUICK), REQUEST)
    assert caught.value.context["host"] == "b"
    assert (len(first.requests), len(second.requests)) == (2, 2)


async def test_whoever_hangs_up_stops_the_request() -> None:
    inner = ScriptedChat("uno dos tres cuatro cinco", piece=4)
    stream = ResilientChat(inner, patience=QUICK).stream(REQUEST)
    assert isinstance(await anext(stream), Delta)
    await stream.aclose()
    assert inner.closed == 1


def test_a_name_nobody_answers_to_is_refused(settings: Settings) -> None:
    for name in ("gpt-5", "nobody:x", "openai:gpt-5", "openai_compatible:x"):
        with pytest.raises(Invalid):
            check_chat_name(name, settings)
    check_chat_name("ollama:qwen3", settings)
    model: ChatModel = pick_chat("ollama:qwen3", settings)
    assert model is pick_chat("ollama:qwen3", settings)
    assert model.name == "ollama:qwen3"
