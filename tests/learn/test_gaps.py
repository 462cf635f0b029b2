"""Questions nobody could answer are put together by meaning."""

import numpy as np

from veraz.learn.gaps import grouped


def test_questions_of_one_meaning_are_one_gap() -> None:
    meanings = np.array([[1.0, 0.0], [0.9, 0.1], [0.0, 1.0]], dtype=np.float32)
    assert grouped(["a", "b", "c"], meanings) == [{"a", "b"}, {"c"}]


def test_a_question_without_meaning_stays_alone_and_keeps_nobody_apart() -> None:
    meanings = np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 0.0]], dtype=np.float32)
    assert grouped(["", "a", "b"], meanings) == [{""}, {"a", "b"}]


def test_without_questions_there_are_no_gaps() -> None:
    assert grouped([], np.array([])) == []
