"""The first document waits for nothing: what takes a second to load is loaded while a process is still idle."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from veraz.errors import VerazError
from veraz.ingest.parse.sandbox import start_parsers
from veraz.library.spaces import Spaces
from veraz.observe import log
from veraz.providers.vendors import load_vendors
from veraz.settings import Settings
from veraz.text.tokens import count_tokens


@asynccontextmanager
async def warm(settings: Settings, *, parsers: bool) -> AsyncIterator[None]:
    """Loads the local model and the SDKs of services with a key, and for workers the parsers and the tokeniser, beside what the block does."""
    loading = asyncio.create_task(_load(settings, parsers=parsers))
    try:
        yield
    finally:
        loading.cancel()
        await asyncio.gather(loading, return_exceptions=True)


async def _load(settings: Settings, *, parsers: bool) -> None:
    try:
        if parsers:
            await asyncio.to_thread(start_parsers)
            await asyncio.to_thread(count_tokens, "uno")
        await asyncio.to_thread(load_vendors, settings)
        embedder = Spaces(settings).embedder_named(settings.embedding_model)
        if embedder.space.provider == "local":
            await embedder.embed(["uno"], purpose="query")
    except VerazError as error:  # whoever needs it says so
        log.warning("not_warm", reason=error.code)
