"""`provider:model` → the reranker, one per process and name."""

import re
from functools import cache

from veraz.errors import Invalid, Phrase
from veraz.providers.chat.pick import PROVIDERS as CHAT_PROVIDERS
from veraz.providers.rerank.base import Reranker
from veraz.providers.rerank.resilient import Patience, ResilientReranker
from veraz.settings import Settings

LOCAL = "local"
_COHERE = "cohere"
_NAME = re.compile(r"(?P<provider>\w+):(?P<model>\S+)")
_ALIASES = {"google": "gemini", "custom": "openai_compatible", "vllm": "openai_compatible"}


def check_reranker_name(name: str) -> None:
    """Refuses a name of another form or provider, before it is stored."""
    if name != LOCAL:
        reranker_provider(name)


def reranker_provider(name: str) -> str:
    """The provider of a name: Cohere, or a chat model's."""
    match = _NAME.fullmatch(name)
    provider = _ALIASES.get(match["provider"], match["provider"]) if match else ""
    if provider not in (_COHERE, *CHAT_PROVIDERS):
        known = ", ".join((_COHERE, *CHAT_PROVIDERS))
        raise _invalid(
            f"the form is «{LOCAL}» or provider:model; providers are {known}",
            f"la forma es «{LOCAL}» o proveedor:modelo; los proveedores son {known}",
        )
    return provider


@cache
def pick_cohere(name: str, settings: Settings) -> Reranker:
    """Cohere's model of a name; `Invalid` says what is missing."""
    from veraz.providers.rerank.cohere import CohereReranker

    key = settings.cohere_api_key
    if key is None or not key.get_secret_value():
        raise _invalid("VERAZ_COHERE_API_KEY is missing", "falta VERAZ_COHERE_API_KEY")
    seconds = float(settings.rerank_seconds)
    inner = CohereReranker(
        name.partition(":")[2],
        api_key=key.get_secret_value(),
        base_url=settings.cohere_base_url,
        seconds=seconds,
    )
    return ResilientReranker(inner, Patience(seconds=seconds))


def _invalid(en: str, es: str) -> Invalid:
    return Invalid(field="retrieval.reranker", reason=Phrase(en, es=es))
