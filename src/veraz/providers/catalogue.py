"""Which services this installation is connected to, and which models each of them says it has."""

import asyncio
import re
from dataclasses import dataclass
from typing import Any, Final

import httpx
from pydantic import SecretStr

from veraz.observe import log
from veraz.settings import Settings

COHERE: Final = "cohere"
OLLAMA: Final = "ollama"
LOCAL_OLLAMA: Final = "http://127.0.0.1:11434/v1"
_SECONDS: Final = 3.0
_MOST: Final = 200
_NO_CHAT: Final = re.compile(
    r"embed|whisper|tts|dall-e|image|audio|realtime|moderation|transcribe|davinci|babbage|sora|rerank",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Service:
    """A provider as it can be asked for its models."""

    provider: str
    url: str
    headers: dict[str, str]
    certain: bool = True
    """Whether somebody connected it; else it counts only if it answers."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Listed:
    """A connected service and its models."""

    provider: str
    answers: bool
    models: tuple[str, ...]


async def list_models(settings: Settings) -> list[Listed]:
    """Every connected service with the models it names; one that does not answer names none."""
    async with httpx.AsyncClient(timeout=_SECONDS, follow_redirects=False) as http:
        found = await asyncio.gather(*(_listed(http, one) for one in services(settings)))
    return [one for one in found if one is not None]


def services(settings: Settings) -> list[Service]:
    """Where each connected service lists its models; addresses are the installation's, never a caller's."""
    openai = _secret(settings.openai_api_key)
    found = [
        _openai("openai" if openai else "openai_compatible", settings.openai_base_url, openai)
        if openai or settings.openai_base_url
        else None,
        _anthropic(settings),
        _gemini(settings),
        _cohere(settings),
        _openai(OLLAMA, settings.ollama_base_url or LOCAL_OLLAMA, "", certain=bool(settings.ollama_base_url)),
    ]
    return [one for one in found if one is not None]


def _openai(provider: str, base: str | None, key: str, *, certain: bool = True) -> Service:
    url = f"{(base or 'https://api.openai.com/v1').rstrip('/')}/models"
    headers = {"Authorization": f"Bearer {key}"} if key else {}
    return Service(provider=provider, url=url, headers=headers, certain=certain)


def _anthropic(settings: Settings) -> Service | None:
    if not (key := _secret(settings.anthropic_api_key)):
        return None
    base = (settings.anthropic_base_url or "https://api.anthropic.com").rstrip("/")
    headers = {"x-api-key": key, "anthropic-version": "2023-06-01"}
    return Service(provider="anthropic", url=f"{base}/v1/models?limit={_MOST}", headers=headers)


def _gemini(settings: Settings) -> Service | None:
    if not (key := _secret(settings.gemini_api_key)):
        return None
    base = (settings.gemini_base_url or "https://generativelanguage.googleapis.com").rstrip("/")
    return Service(
        provider="gemini", url=f"{base}/v1beta/models?pageSize={_MOST}", headers={"x-goog-api-key": key}
    )


def _cohere(settings: Settings) -> Service | None:
    if not (key := _secret(settings.cohere_api_key)):
        return None
    base = (settings.cohere_base_url or "https://api.cohere.com").rstrip("/")
    url = f"{base}/v1/models?endpoint=rerank&page_size={_MOST}"
    return Service(provider=COHERE, url=url, headers={"Authorization": f"Bearer {key}"})


def _secret(key: SecretStr | None) -> str:
    return key.get_secret_value() if key else ""


async def _listed(http: httpx.AsyncClient, service: Service) -> Listed | None:
    try:
        answer = await http.get(service.url, headers=service.headers)
        answer.raise_for_status()
        names = _names(service.provider, answer.json())
    except (httpx.HTTPError, ValueError, TypeError, AttributeError, KeyError) as error:
        if not service.certain:
            return None
        log.info("models_not_listed", provider=service.provider, reason=type(error).__name__)
        return Listed(provider=service.provider, answers=False, models=())
    return Listed(provider=service.provider, answers=True, models=tuple(names))


def _names(provider: str, said: Any) -> list[str]:
    """The models of an answer, by the name a request would use."""
    if provider == COHERE:
        return [str(one["name"]) for one in said["models"]][:_MOST]
    if provider == "gemini":
        able = [
            one for one in said["models"] if "generateContent" in one.get("supportedGenerationMethods", ())
        ]
        return [str(one["name"]).removeprefix("models/") for one in able][:_MOST]
    names = sorted(str(one["id"]) for one in said["data"])
    return [name for name in names if not _NO_CHAT.search(name) and not re.search(r"\s", name)][:_MOST]
