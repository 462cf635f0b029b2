"""PostgREST's dialect: what its clients put into the query string, and how it says that something went wrong."""

import re
from collections.abc import Callable, Coroutine, Iterable, Sequence
from typing import Any, Final, get_args

from fastapi import Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from fastapi.routing import APIRoute

from veraz import errors
from veraz.api.bodies import BodyRefused
from veraz.api.problems import language_of, status_of
from veraz.db.functions import Condition, Function, Operator, Order, View
from veraz.observe import log
from veraz.security import tell_refusal


class Refused(Exception):
    """What PostgREST itself would refuse, in its own words."""

    def __init__(
        self, status: int, code: str, message: str, *, details: str | None = None, hint: str | None = None
    ) -> None:
        super().__init__(message)
        self.answer = _answer(status, code, message, details, hint)


class PostgrestRoute(APIRoute):
    """A route whose errors are PostgREST's: code, message, details, hint."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """The handler, with its errors in that form."""
        handle = super().get_route_handler()

        async def handled(request: Request) -> Response:
            try:
                return await handle(request)
            except Refused as refused:
                return refused.answer
            except errors.VerazError as error:
                return _refusal(error, language_of(request.headers))
            except BodyRefused as error:
                return _refusal(error.error, language_of(request.headers))
            except RequestValidationError as error:
                return _answer(400, "PGRST100", str(error.errors()[0]["msg"]))

        return handled


def _refusal(error: errors.VerazError, language: str) -> Response:
    tell_refusal(error)
    status = status_of(error)
    if isinstance(error, errors.Unauthenticated):
        return _answer(401, "PGRST301", error.message(language))
    if status >= 500:
        log.warning("request_failed", code=error.code, reason=str(error))
    cause = error.__cause__
    code, diagnosis = getattr(cause, "sqlstate", None), getattr(cause, "diag", None)
    message = diagnosis.message_primary if code and diagnosis and status == 422 else None
    hint = getattr(diagnosis, "message_hint", None)
    status = 400 if status == 422 else status
    return _answer(status, code or error.code, message or error.message(language), None, hint)


def _answer(
    status: int, code: str, message: str, details: str | None = None, hint: str | None = None
) -> JSONResponse:
    body = {"code": code, "message": message, "details": details, "hint": hint}
    writable = {name: v.encode("utf-8", "replace").decode() if v else v for name, v in body.items()}
    headers = {"WWW-Authenticate": "Bearer"} if status == 401 else None
    return JSONResponse(writable, status, headers=headers)


def view_of(function: Function, query: Iterable[tuple[str, str]], *, counted: bool) -> View:
    """`?select=…&order=…&limit=…&offset=…&column=operator.value` as the part of the answer that is wanted."""
    given = list(query)
    named = {name: value for name, value in given if name in _WORDS}
    return View(
        columns=_columns(function, named.get("select", "*")),
        conditions=[_condition(function, name, value) for name, value in given if name not in _WORDS],
        order=[_order(function, part) for part in named.get("order", "").split(",") if part],
        limit=_count(named, "limit"),
        offset=_count(named, "offset") or 0,
        counted=counted,
    )


def _columns(function: Function, select: str) -> tuple[str, ...]:
    wanted = tuple(part.strip() for part in select.split(","))
    return () if "*" in wanted else tuple(_column(function, name) for name in wanted)


def _column(function: Function, name: str) -> str:
    if name not in function.columns:
        raise Refused(400, "42703", f"column {function.name}.{name} does not exist")
    return name


def _condition(function: Function, name: str, value: str) -> Condition:
    column, *path = re.split(r"->>?", name)
    negated = value.startswith("not.")
    operator, dot, operand = value.removeprefix("not.").partition(".")
    if not dot or operator not in _OPERATORS:
        raise _unread(value, "expected operator (eq, gt, ...)")
    return Condition(
        column=_column(function, column),
        path=tuple(path),
        operator=_OPERATORS[operator],
        value=_operand(operator, operand),
        negated=negated,
    )


def _operand(operator: str, text: str) -> str | list[str]:
    if operator == "is":
        if text not in _IS:
            raise _unread(text, "expected null, true, false or unknown")
        return text
    if operator == "in":
        if not (text.startswith("(") and text.endswith(")")):
            raise _unread(text, "expected a list in parentheses")
        return [quoted or bare for quoted, bare in _ITEM.findall(text[1:-1])]
    return text.replace("*", "%") if operator in ("like", "ilike") else text


def _order(function: Function, part: str) -> Order:
    column, *words = part.split(".")
    if not set(words) <= _SORTED:
        raise _unread(part, "expected asc, desc, nullsfirst or nullslast")
    nulls: Sequence[str] = [word for word in words if word.startswith("nulls")]
    return Order(
        column=_column(function, column),
        descending="desc" in words,
        nulls_first=nulls[0] == "nullsfirst" if nulls else None,
    )


def _count(named: dict[str, str], name: str) -> int | None:
    text = named.get(name)
    if text is None:
        return None
    if not re.fullmatch(r"\d{1,18}", text):
        raise _unread(text, f"expected a number for {name}")
    return int(text)


def _unread(text: str, details: str) -> Refused:
    return Refused(400, "PGRST100", f'"failed to parse filter ({text[:200]})"', details=details)


_WORDS: Final = frozenset({"select", "order", "limit", "offset"})
_IS: Final = frozenset({"null", "true", "false", "unknown"})
_SORTED: Final = frozenset({"asc", "desc", "nullsfirst", "nullslast"})
_ITEM: Final = re.compile(r'"((?:[^"\\]|\\.)*)"|([^,]+)')
_OPERATORS: Final[dict[str, Operator]] = {
    "eq": "=", "neq": "<>", "gt": ">", "gte": ">=", "lt": "<", "lte": "<=", "like": "like", "ilike": "ilike",
    "cs": "@>", "cd": "<@", "in": "in", "is": "is",
}  # fmt: skip
assert set(_OPERATORS.values()) == set(get_args(Operator))
