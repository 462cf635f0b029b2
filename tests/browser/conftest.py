"""Fixtures of the browser tests, which run only when asked for: `make test-browser`.

model    a scripted chat model on loopback, for agents that name `openai:loopback`
graph    Meta on loopback, for WhatsApp
world    a running Veraz with two companies, for the whole run
browser  Chromium, for the whole run
enter    enter(email, language="es", **context) -> a page of that person, just signed in
"""

import shutil
import tempfile
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from playwright.async_api import Browser, BrowserContext, Page, expect

if TYPE_CHECKING:
    from tests.support.browser import World, chromium, populate, running_veraz, sign_in
    from tests.support.chat_server import ChatServer, chat_server
    from tests.support.graph_server import Graph, graph_server
else:
    from support.browser import World, chromium, populate, running_veraz, sign_in
    from support.chat_server import ChatServer, chat_server
    from support.graph_server import Graph, graph_server

PATIENCE = 120_000
"""Milliseconds: a machine busy with other things is slow, not wrong."""
expect.set_options(timeout=PATIENCE)
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """A browser is heavy: only when this folder was named."""
    asked = any("browser" in str(argument) for argument in config.invocation_params.args)
    return None if asked else True


@pytest.fixture(scope="session")
def model() -> Iterator[ChatServer]:
    """A chat model that does as it is told."""
    with chat_server() as server:
        yield server


@pytest.fixture(scope="session")
async def graph() -> AsyncIterator[Graph]:
    """What people read on their phones."""
    async with graph_server() as server:
        yield server


@pytest.fixture(scope="session")
async def world(model: ChatServer, graph: Graph) -> AsyncIterator[World]:
    """A Veraz of its own; not in pytest's folder, which other runs tidy up."""
    with tempfile.TemporaryDirectory(prefix="veraz-browser-", ignore_cleanup_errors=True) as home:
        Path(home).chmod(0o755)  # as root, the database runs as another user
        outside = {"VERAZ_OPENAI_API_KEY": "loopback", "VERAZ_OPENAI_BASE_URL": f"{model.url}/v1"}
        outside["VERAZ_WHATSAPP_GRAPH_URL"] = graph.url
        async with running_veraz(Path(home), "support.source_stage", **outside) as url:
            yield await populate(url)


@pytest.fixture(scope="session")
async def browser() -> AsyncIterator[Browser]:
    """One Chromium for all."""
    if CHROMIUM is None:
        pytest.skip("Chromium is not installed")
    async with chromium(CHROMIUM) as running:
        yield running


Enter = Callable[..., Awaitable[Page]]


@pytest.fixture
async def enter(browser: Browser, world: World) -> AsyncIterator[Enter]:
    """Signs people in, each in a browser profile of their own."""
    contexts: list[BrowserContext] = []

    async def signed_in(email: str, language: str = "es", **more: Any) -> Page:
        context = await browser.new_context(**({"viewport": {"width": 1280, "height": 860}} | more))
        context.set_default_timeout(PATIENCE)
        contexts.append(context)
        return await sign_in(context, world.url, email, language)

    yield signed_in
    for context in contexts:
        await context.close()
