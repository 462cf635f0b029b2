"""`provider:model` → the chat model, one per process and name."""

import re
from functools import cache, partial
from typing import TYPE_CHECKING

from pydantic import SecretStr

from veraz.errors import Invalid, Phrase
from veraz.providers.chat.base import ChatModel
from veraz.providers.chat.late import LateChat
from veraz.providers.chat.resilient import Patience, ResilientChat
from veraz.settings import Settings

if TYPE_CHECKING:
    from veraz.providers.chat.remote import RemoteChat

_NAME = re.compile(r"(?P<provider>\w+):(?P<model>\S+)")
_ALIASES = {"google": "gemini", "custom": "openai_compatible", "vllm": "openai_compatible"}
PROVIDERS = ("openai", "anthropic", "gemini", "ollama", "openai_compatible")
_OLLAMA = "http://127.0.0.1:11434/v1"


def pick_chat(name: str, settings: Settings, fallback: str | None = None) -> ChatModel:
    """The model of a name, with its fallback behind it; `Invalid` says what is known or missing."""
    second = fallback or settings.chat_fallback_model
    return _resilient(name, second if second != name else None, settings)


def check_chat_name(name: str, settings: Settings) -> None:
    """Refuses a name nobody can answer to, before it is stored."""
    _service(*_parse(name), settings)


@cache
def _resilient(name: str, fallback: str | None, settings: Settings) -> ChatModel:
    patience = Patience(answer_seconds=settings.chat_seconds, attempts=settings.chat_attempts)
    second = build_chat(fallback, settings) if fallback else None
    return ResilientChat(build_chat(name, settings), second, patience)


def build_chat(name: str, settings: Settings) -> ChatModel:
    """One model without retries; a name nobody can answer to is refused at once."""
    provider, model = _parse(name)
    _service(provider, model, settings)
    return LateChat(f"{provider}:{model}", partial(build_remote, name, settings))


def build_remote(name: str, settings: Settings) -> "RemoteChat":
    """The same, for who needs more of it than a stream of text."""
    from veraz.providers.chat import services
    from veraz.providers.chat.remote import RemoteChat

    provider, model = _parse(name)
    key, base_url = _service(provider, model, settings)
    factories = {"anthropic": services.anthropic_model, "gemini": services.gemini_model}
    factory = factories.get(provider, services.openai_model)
    seconds = float(settings.chat_seconds)
    return RemoteChat(
        name=f"{provider}:{model}",
        model=factory(model, api_key=key, base_url=base_url, seconds=seconds),
        seconds=seconds,
    )


def _parse(name: str) -> tuple[str, str]:
    match = _NAME.fullmatch(name.strip())
    if match is None:
        raise _invalid("the form is provider:model", "la forma es proveedor:modelo")
    provider = _ALIASES.get(match["provider"], match["provider"])
    if provider not in PROVIDERS:
        known = ", ".join(PROVIDERS)
        raise _invalid(
            f"«{provider}» is unknown; known are {known}", f"«{provider}» no existe; existen {known}"
        )
    return provider, match["model"]


def _service(provider: str, model: str, settings: Settings) -> tuple[str, str | None]:
    """The key and the address of a provider."""
    del model
    if provider == "ollama":
        return "none", settings.ollama_base_url or _OLLAMA
    if provider == "openai_compatible":
        if not settings.openai_base_url:
            raise _invalid("VERAZ_OPENAI_BASE_URL is missing", "falta VERAZ_OPENAI_BASE_URL")
        key = settings.openai_api_key
        return key.get_secret_value() if key else "none", settings.openai_base_url
    known: dict[str, tuple[SecretStr | None, str | None]] = {
        "openai": (settings.openai_api_key, settings.openai_base_url),
        "anthropic": (settings.anthropic_api_key, settings.anthropic_base_url),
        "gemini": (settings.gemini_api_key, settings.gemini_base_url),
    }
    key, address = known[provider]
    if key is None or not key.get_secret_value():
        name = f"VERAZ_{provider.upper()}_API_KEY"
        raise _invalid(f"{name} is missing", f"falta {name}")
    return key.get_secret_value(), address


def _invalid(en: str, es: str) -> Invalid:
    return Invalid(field="model", reason=Phrase(en, es=es))
