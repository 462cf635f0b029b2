"""Every service's own SDK fills in forms, answers at once, and its faults are told in our words."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

from veraz.errors import OutsideBusy, OutsideDown, OutsideFault, OutsideRejected
from veraz.learn.domain_model import DomainForm, Recommended, domain_request
from veraz.providers.chat.forms import Forms, pick_forms
from veraz.settings import Settings

if TYPE_CHECKING:
    from tests.contracts.test_chat_contract import NAMES, settings_for
    from tests.support.chat_server import ChatServer, chat_server
else:
    from contracts.test_chat_contract import NAMES, settings_for
    from support.chat_server import ChatServer, chat_server

FORM = {
    "interpreted_intent": "Normas del gimnasio",
    "subdomains": ["cuotas", "horarios"],
    "source_categories": [{"name": "reglamento", "description": "oficial"}],
    "validation_queries": ["¿Cuánto es la cuota?"],
    "recommended_config": {"answer_style": "evidence", "top_k": 12},
}
REQUEST = domain_request("para socios", ["La cuota es de 30 euros."], "es")


def forms(name: str, settings: Settings, server: ChatServer, seconds: int = 30) -> Forms:
    return pick_forms(name, settings_for(settings, server).model_copy(update={"chat_seconds": seconds}))


@pytest.fixture
def server() -> Iterator[ChatServer]:
    with chat_server() as running:
        running.form = dict(FORM)
        yield running


@pytest.mark.parametrize("name", NAMES)
async def test_a_form_comes_back_filled_in(name: str, settings: Settings, server: ChatServer) -> None:
    filled = await forms(name, settings, server).fill(DomainForm, REQUEST)
    assert filled.form.subdomains == ["cuotas", "horarios"]
    assert filled.form.recommended_config == Recommended(answer_style="evidence", top_k=12)
    assert (filled.model, filled.usage.input_tokens, filled.usage.output_tokens) == (name, 100, 20)
    assert "La cuota es de 30 euros." in str(server.requests[0]["body"])


@pytest.mark.parametrize("name", NAMES[:3])
async def test_a_form_that_does_not_fit_is_a_fault(name: str, settings: Settings, server: ChatServer) -> None:
    server.form = {"subdomains": "no list", "recommended_config": {"answer_style": "rude"}}
    with pytest.raises(OutsideFault):
        await forms(name, settings, server).fill(DomainForm, REQUEST)
    assert len(server.requests) == 2


@pytest.mark.parametrize("name", NAMES[:3])
@pytest.mark.parametrize(
    ("word", "kind"),
    [("401", OutsideRejected), ("429", OutsideBusy), ("500", OutsideDown), ("hang", OutsideDown), ("garbage", OutsideDown)],
)  # fmt: skip
async def test_a_service_that_fails_is_told_in_our_words(
    name: str, word: str, kind: type[OutsideFault], settings: Settings, server: ChatServer
) -> None:
    server.misbehave(word)
    with pytest.raises(kind):
        await forms(name, settings, server, 1 if word == "hang" else 30).fill(DomainForm, REQUEST)
