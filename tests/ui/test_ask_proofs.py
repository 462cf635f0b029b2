"""What claims stand on is numbered in the order in which the answer comes to it, each quotation once."""

from typing import Any
from uuid import UUID

from veraz.ui.ask_proofs import proven

CHUNK = str(UUID(int=7))


def quote(text: str) -> dict[str, Any]:
    return {"url": f"http://veraz.test/s/{text}", "document_name": "a.pdf", "place": ["A"], "text": text}


def test_a_quotation_has_one_number_however_often_it_is_used() -> None:
    claims = [
        {"text": "Uno.", "chunk_ids": [CHUNK], "quotes": [quote("x")]},
        {"text": "Dos.", "chunk_ids": [CHUNK], "quotes": [quote("y"), quote("x")]},
    ]
    found = proven(claims)
    assert found.claims == (("Uno.", (1,)), ("Dos.", (2, 1)))
    assert [proof.text for proof in found.proofs] == ["x", "y"]


def test_an_answer_from_before_quotations_were_kept_opens_its_passages() -> None:
    claims = [{"text": "Uno.", "chunk_ids": [CHUNK]}]
    passage = {"chunk_id": CHUNK, "document_name": "a.pdf", "url": "http://veraz.test/s/p"}
    assert proven(claims, [passage]).claims == (("Uno.", (1,)),)


def test_a_claim_whose_passage_has_no_link_is_not_numbered() -> None:
    claims = [{"text": "Uno.", "chunk_ids": [CHUNK]}]
    assert proven(claims, [{"chunk_id": CHUNK, "document_name": "a.pdf"}]).proofs == ()
