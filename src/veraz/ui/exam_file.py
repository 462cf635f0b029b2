"""Exams people bring along: a table or JSON becomes questions."""

import csv
import io
import json
from typing import Any, Final

from veraz import errors
from veraz.learn.exam import NewExamQuestion

EXAMPLE: Final = "question;expected_text;must_refuse\n¿Cuál es el plazo de devolución?;30 días;\n¿Quién ganó el mundial de 1986?;;1"
_MOST: Final = 500
_COLUMNS: Final = {
    "question": "question",
    "pregunta": "question",
    "expected_text": "expected_text",
    "expected": "expected_text",
    "answer": "expected_text",
    "respuesta": "expected_text",
    "texto_esperado": "expected_text",
    "must_refuse": "must_refuse",
    "no_responder": "must_refuse",
}
_YES: Final = {"1", "true", "yes", "y", "si", "sí", "x"}


def questions_in(text: str) -> list[NewExamQuestion]:
    """The questions of a CSV table with a header (comma, semicolon or tab) or of a JSON list."""
    text = text.lstrip("\ufeff").strip()
    rows = _json(text) if text.startswith("[") else _table(text)
    found = [_question(number, row) for number, row in enumerate(rows, start=1)]
    if not 1 <= len(found) <= _MOST:
        raise errors.Invalid(field="questions", reason=f"1…{_MOST}")
    return found


def _json(text: str) -> list[dict[str, Any]]:
    try:
        rows = json.loads(text)
    except ValueError as error:
        raise errors.Invalid(field="JSON", reason=str(error)) from error
    if not all(isinstance(row, dict) for row in rows):
        raise errors.Invalid(field="JSON", reason="[{question, expected_text, must_refuse}, …]")
    return list(rows)


def _table(text: str) -> list[dict[str, Any]]:
    head = text.split("\n", 1)[0]
    separator = max(";\t,", key=head.count)
    try:
        return list(csv.DictReader(io.StringIO(text), delimiter=separator))
    except csv.Error as error:
        raise errors.Invalid(field="CSV", reason=str(error)) from error


def _question(number: int, row: dict[str, Any]) -> NewExamQuestion:
    known = {
        _COLUMNS[name]: str(value if value is not None else "").strip()
        for key, value in row.items()
        if (name := str(key).strip().lower()) in _COLUMNS
    }
    expected, refuse = known.get("expected_text", ""), known.get("must_refuse", "").lower() in _YES
    if not known.get("question") or not (expected or refuse):
        raise errors.Invalid(field=f"questions[{number}]", reason="question, expected_text | must_refuse")
    return NewExamQuestion(
        question=known["question"][:10_000],
        expected_text=expected[:10_000] or None,
        must_refuse=refuse,
        origin="imported",
    )
