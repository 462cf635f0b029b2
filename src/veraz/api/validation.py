"""What is wrong with an input, said in the caller's language. pydantic speaks English; people here read Spanish first."""

from collections.abc import Mapping, Sequence
from itertools import islice
from typing import Any, Final

from fastapi.exceptions import RequestValidationError

_SPANISH: Final[Mapping[str, str]] = {
    "missing": "falta",
    "extra_forbidden": "este campo no existe",
    "json_invalid": "no es JSON válido",
    "model_attributes_type": "hace falta un objeto JSON",
    "dict_type": "hace falta un objeto JSON",
    "list_type": "hace falta una lista",
    "string_type": "hace falta un texto",
    "string_unicode": "contiene caracteres que no son Unicode válido",
    "string_too_short": "hacen falta al menos {min_length} caracteres",
    "string_too_long": "caben como mucho {max_length} caracteres",
    "string_pattern_mismatch": "no tiene la forma {pattern}",
    "too_short": "hacen falta al menos {min_length} elementos",
    "too_long": "caben como mucho {max_length} elementos",
    "int_type": "hace falta un número entero",
    "int_parsing": "hace falta un número entero",
    "int_parsing_size": "el número es demasiado grande",
    "int_from_float": "hace falta un número entero",
    "float_type": "hace falta un número",
    "float_parsing": "hace falta un número",
    "finite_number": "hace falta un número finito",
    "greater_than": "tiene que ser mayor que {gt}",
    "greater_than_equal": "tiene que ser {ge} o más",
    "less_than_equal": "tiene que ser {le} o menos",
    "bool_type": "hace falta true o false",
    "bool_parsing": "hace falta true o false",
    "literal_error": "tiene que ser {expected}",
    "uuid_type": "hace falta un UUID",
    "uuid_parsing": "no es un UUID",
    "datetime_type": "hace falta una fecha con hora",
    "datetime_parsing": "no es una fecha con hora",
    "datetime_from_date_parsing": "no es una fecha con hora",
    "timezone_aware": "falta la zona horaria",
}

MOST_FINDINGS: Final = 10

_OURS: Final[Mapping[str, str]] = {
    "NUL characters cannot be stored": "el carácter NUL no se puede guardar",
    "half a surrogate pair is not a character": "contiene la mitad de un carácter",
    "NaN and Infinity are not JSON": "NaN e Infinity no son JSON",
    "the JSON is nested too deeply": "el JSON está anidado a demasiada profundidad",
    "it has too many fields that do not exist": "tiene demasiados campos que no existen",
    "user_id or email is needed": "hace falta user_id o email",
    "a moment in the future is needed": "hace falta un momento en el futuro",
}


def findings(error: RequestValidationError, language: str) -> list[dict[str, str]]:
    """The first wrong fields with the reason, for people, who mend a few at a time."""
    few = islice(error.errors(), MOST_FINDINGS)
    return [{"field": _field(item["loc"]), "reason": reason(item, language)} for item in few]


def _field(steps: Sequence[object]) -> str:
    """Where it is, without the names pydantic gives to its own inner steps; half characters cannot be sent."""
    named = [str(step) for step in steps if not any(sign in str(step) for sign in "[(")]
    return ".".join(named).encode("utf-8", "replace").decode()


def reason(problem: Mapping[str, Any], language: str) -> str:
    """One of pydantic's findings as a sentence for people."""
    english = str(problem["msg"]).removeprefix("Value error, ")
    if language != "es":
        return english
    if problem["type"] == "value_error":
        return _OURS.get(english, english)
    spanish = _SPANISH.get(_kind(problem), english)
    if "{" not in spanish:
        return spanish
    said = problem.get("ctx", {})
    return spanish.format_map({name: str(value).replace("' or '", "' o '") for name, value in said.items()})


def _kind(problem: Mapping[str, Any]) -> str:
    """pydantic counts the items of a text that was checked before by a function of ours; people count characters."""
    kind = str(problem["type"])
    counted = kind in ("too_short", "too_long") and isinstance(problem.get("input"), str)
    return f"string_{kind}" if counted else kind
