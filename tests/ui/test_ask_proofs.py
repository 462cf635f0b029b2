"""What claims stand on is numbered in the order in which the answer comes to it, each quotation once."""

from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from veraz.answer.conversations import StoredMessage
from veraz.ui.ask_proofs import proven

CHUNK = str(UUID(int=7))


def quote(text: str) -> dict[str, Any]:
    return {"url": f"http://veraz.test/s/{text}", "document_name": "a.pdf", "place": ["A"], "text": text}


def answer(claims: list[dict[str, Any]], evidence: list[dict[str, Any]] | None = None) -> StoredMessage:
    return StoredMessage(
        id=UUID(int=1),
        conversation_id=UUID(int=2),
        role="assistant",
        text="",
        refused=False,
        refusal=None,
        corrected=False,
        model=None,
        input_tokens=0,
        output_tokens=0,
        cost_usd=None,
        answerability=None,
        claims=claims,
        evidence=evidence or [],
        latency_ms=None,
        error=None,
        query_id=None,
        rating=None,
        turn="question",
        degraded=None,
        held_back=[],
        created_at=datetime(2026, 1, 1, tzinfo=UTC),
    )


def test_a_quotation_has_one_number_however_often_it_is_used() -> None:
    claims = [
        {"text": "Uno.", "chunk_ids": [CHUNK], "quotes": [quote("x")]},
        {"text": "Dos.", "chunk_ids": [CHUNK], "quotes": [quote("y"), quote("x")]},
    ]
    found = proven(answer(claims))
    assert found.claims == (("Uno.", (1,)), ("Dos.", (2, 1)))
    assert [proof.text for proof in found.proofs] == ["x", "y"]


def test_an_answer_from_before_quotations_were_kept_opens_its_passages() -> None:
    claims = [{"text": "Uno.", "chunk_ids": [CHUNK]}]
    passage = {"chunk_id": CHUNK, "document_name": "a.pdf", "url": "http://veraz.test/s/p"}
    assert proven(answer(claims, [passage])).claims == (("Uno.", (1,)),)


def test_a_claim_whose_passage_has_no_link_is_not_numbered() -> None:
    claims = [{"text": "Uno.", "chunk_ids": [CHUNK]}]
    assert proven(answer(claims, [{"chunk_id": CHUNK, "document_name": "a.pdf"}])).proofs == ()
