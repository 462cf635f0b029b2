"""Natural questions: what an answer must and must not say, and how answers are counted."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

import pytest

from veraz.answer.model import Answer
from veraz.evals.natural import NaturalQuestion, NaturalRun, outcome, read_set, report_of, says

QUESTION = NaturalQuestion(
    id="1", kind="lookup", question="¿Cuánto cuesta?", expect="answer", history=(), must=("30 euros",),
    must_not=("45 euros",), sources=(), good=(), lies=(),
)  # fmt: skip


def answer(text: str = "", **fields: Any) -> Answer:
    """An answer with this text."""
    given = {
        "answerable": True, "refused": False, "refusal": None, "claims": (), "evidence": (), "language": "es",
        "model": "extractive", "answerability": 1.0,
    }  # fmt: skip
    return Answer(text=text, **(given | fields))


def test_a_set_is_a_folder(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "precios.md").write_text("# Precios", encoding="utf-8")
    (tmp_path / "entries.jsonl").write_text(
        '{"title": "Baja", "content": "En recepción."}\n', encoding="utf-8"
    )
    asked = {"id": "1", "kind": "lookup", "question": "¿Cuánto?", "expect": "answer", "must": ["30"]}
    (tmp_path / "questions.jsonl").write_text(json.dumps(asked), encoding="utf-8")
    found = read_set(tmp_path)
    assert [path.name for path in found.files] == ["precios.md"]
    assert found.entries == (("Baja", "En recepción."),)
    assert (found.questions[0].must, found.questions[0].history) == (("30",), ())


@pytest.mark.parametrize(
    ("text", "right"),
    [
        ("Cuesta 30 EUROS.", True),
        ("Cuesta 30 euros, no 45 euros.", False),
        ("Cuesta 45 euros.", False),
        ("", False),
    ],
)
def test_an_answer_is_right_when_it_says_all_it_must_and_nothing_it_must_not(text: str, right: bool) -> None:
    assert says(QUESTION, text) is right


def test_accents_and_capitals_do_not_matter_but_the_classes_of_a_pattern_keep_theirs() -> None:
    assert says(replace(QUESTION, must=(r"Recepcion\D+9",)), "En RECEPCIÓN a las 9")


@pytest.mark.parametrize(
    ("expect", "given", "called"),
    [
        ("answer", answer("30 euros"), "right"),
        ("answer", answer("20 euros"), "wrong"),
        ("answer", answer(refused=True), "refused"),
        ("refuse", answer(refused=True), "right"),
        ("refuse", answer("30 euros"), "answered"),
        ("chat", answer("Hola", turn="conversation"), "right"),
        ("handoff", answer("Le paso", handoff=True), "right"),
    ],
)
def test_an_answer_is_called_by_what_was_expected(
    expect: Literal["answer", "refuse", "chat", "handoff"], given: Answer, called: str
) -> None:
    assert outcome(replace(QUESTION, expect=expect), given) == called


def test_shares_are_of_all_sets_together() -> None:
    report = report_of(
        [
            NaturalRun(outcomes=(("answer", "right"), ("answer", "refused"))),
            NaturalRun(outcomes=(("answer", "wrong"), ("answer", "right"), ("refuse", "right"))),
        ]
    )
    assert (report.answerable, report.right, report.wrong, report.refused) == (4, 0.5, 0.25, 0.25)
    assert (report.unanswerable, report.refused_rightly) == (1, 1.0)
