"""Credits are reserved for the most an answer may take, and settled with what it took."""

import pytest

from veraz.answer.credits import credits_for


@pytest.mark.parametrize(("tokens", "credits"), [(0, 0), (1, 1), (1_000, 1), (1_001, 2), (27_000, 27)])
def test_a_credit_is_a_thousand_tokens_begun(tokens: int, credits: int) -> None:
    assert credits_for(tokens) == credits
