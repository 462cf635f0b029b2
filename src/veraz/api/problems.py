"""Errors as RFC 9457 problems: a sentence for people in their language, a stable code for programs."""

import re
from contextvars import ContextVar
from typing import Any, Final

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect

from veraz import errors
from veraz.api.validation import findings
from veraz.observe import current_request_id, log
from veraz.security import tell_refusal

STATUS: Final[dict[type[errors.VerazError], int]] = {
    errors.NotFound: 404,
    errors.Unauthenticated: 401,
    errors.Forbidden: 403,
    errors.Invalid: 422,
    errors.Conflict: 409,
    errors.PaymentRequired: 402,
    errors.TooLarge: 413,
    errors.Unsupported: 415,
    errors.RateLimited: 429,
    errors.Unreadable: 422,
    errors.FetchRefused: 422,
    errors.OutsideFault: 502,
    errors.Unavailable: 503,
    errors.VerazError: 500,
}

_LANGUAGES: Final = re.compile(r"(?:^|,)\s*(es|en)\b[^,;]*(?:;\s*q=([01](?:\.\d{1,3})?))?")

speaking: ContextVar[str] = ContextVar("speaking", default="es")
"""The language of the caller whose request is being served."""

_TITLES: Final = {
    400: "Bad request",
    401: "Not signed in",
    402: "Plan exceeded",
    403: "Not allowed",
    404: "Not found",
    405: "Method not allowed",
    409: "Conflict",
    413: "Too large",
    415: "Unsupported type",
    422: "Not valid",
    429: "Too many requests",
    500: "Internal error",
    502: "Outside service failed",
    503: "Not ready",
}


_SPANISH_TITLES: Final = {
    400: "Petición incorrecta",
    401: "Sin identificar",
    402: "Plan superado",
    403: "No permitido",
    404: "No encontrado",
    405: "Método no admitido",
    409: "Conflicto",
    413: "Demasiado grande",
    415: "Tipo no admitido",
    422: "No válido",
    429: "Demasiadas peticiones",
    500: "Error interno",
    502: "Falló un servicio externo",
    503: "No está listo",
}


def install(app: FastAPI) -> None:
    """Every error that leaves the application is a problem."""
    app.add_exception_handler(errors.VerazError, _ours)
    app.add_exception_handler(RequestValidationError, _validation)
    app.add_exception_handler(HTTPException, _http)
    app.add_exception_handler(ClientDisconnect, _gone)


def status_of(error: errors.VerazError) -> int:
    """The nearest ancestor's status."""
    return next(STATUS[kind] for kind in type(error).__mro__ if kind in STATUS)


def problem(status: int, code: str, detail: str, **more: Any) -> JSONResponse:
    """One problem+json answer."""
    body = {
        "type": f"urn:veraz:error:{code}",
        "title": (_SPANISH_TITLES if speaking.get() == "es" else _TITLES).get(status, "Error"),
        "status": status,
        "detail": detail,
        "code": code,
        "request_id": current_request_id(),
        **more,
    }
    headers = {"WWW-Authenticate": "Bearer"} if status == 401 else None
    body = {name: _writable(value) for name, value in body.items()}
    return JSONResponse(body, status, headers=headers, media_type="application/problem+json")


def _writable(value: Any) -> Any:
    """What we quote back may hold half a surrogate pair, which cannot be sent."""
    return value.encode("utf-8", "replace").decode() if isinstance(value, str) else value


def language_of(headers: Headers) -> str:
    """Spanish unless the caller prefers English."""
    wanted = _LANGUAGES.findall(headers.get("accept-language", "").lower())
    return max(wanted, key=lambda one: float(one[1] or 1), default=("es", ""))[0]


async def _ours(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, errors.VerazError)
    return problem_of(error, language_of(request.headers))


def problem_of(error: errors.VerazError, language: str, **more: Any) -> JSONResponse:
    """An error of ours as a problem."""
    tell_refusal(error)
    status = status_of(error)
    if status >= 500:
        log.warning("request_failed", code=error.code, reason=str(error))
    answer = problem(status, error.code, error.message(language), **_more(error), **more)
    if isinstance(error, errors.RateLimited):
        answer.headers["Retry-After"] = str(error.context.get("seconds", 60))
    return answer


def _more(error: errors.VerazError) -> dict[str, Any]:
    """What a program may want to read without parsing the sentence."""
    if isinstance(error, errors.DuplicateDocument):
        return {"document_id": str(error.context["twin_id"]), "filename": str(error.context["filename"])}
    if isinstance(error, errors.SecondFactorRequired):
        return {"challenge": str(error.context["challenge"]), "expires_in": error.context["seconds"]}
    if isinstance(error, errors.TenantNeeded):
        return {"tenants": [{"id": str(one), "name": name} for one, name in error.tenants.items()]}
    return {}


async def _validation(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, RequestValidationError)
    language = language_of(request.headers)
    found = findings(error, language)
    detail = errors.Invalid(field=found[0]["field"], reason=found[0]["reason"]).message(language)
    return problem(422, errors.Invalid.code, detail, errors=found)


async def _http(request: Request, error: Exception) -> JSONResponse:
    """What the framework itself refuses: no such path, no such method, a body that is no JSON."""
    assert isinstance(error, HTTPException)
    language = language_of(request.headers)
    if isinstance(error.detail, errors.VerazError):
        return problem(error.status_code, error.detail.code, error.detail.message(language))
    code = _TITLES.get(error.status_code, "Error").lower().replace(" ", "_")
    spanish = _SPANISH.get(error.status_code, str(error.detail))
    answer = problem(error.status_code, code, spanish if language == "es" else str(error.detail))
    answer.headers.update(error.headers or {})
    return answer


_SPANISH: Final = {
    400: "El cuerpo de la petición no se puede leer.",
    404: "Esta dirección no existe.",
    405: "Esta dirección no admite ese método.",
}


async def _gone(_: Request, __: Exception) -> JSONResponse:
    """The caller hung up while sending; nobody reads this, but it is not our fault either."""
    return problem(400, "client_gone", "…")


RESPONSES: Final[dict[int | str, dict[str, Any]]] = {
    status: {"description": _TITLES[status], "content": {"application/problem+json": {}}}
    for status in (400, 401, 402, 403, 404, 409, 413, 415, 422, 429, 502, 503)
}
