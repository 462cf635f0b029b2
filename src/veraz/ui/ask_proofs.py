"""What the claims of an answer stand on, numbered as the reader sees it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from veraz.ui.answer_text import NumberedClaim
from veraz.ui.source import Proof


@dataclass(frozen=True, slots=True, kw_only=True)
class Proven:
    """The claims of an answer with the numbers of their proofs; proof 1 is the first."""

    claims: tuple[NumberedClaim, ...]
    proofs: tuple[Proof, ...]
    verbatim: frozenset[int] = frozenset()
    """Which of the claims are quotations, from 0."""


def proven(claims: Sequence[Mapping[str, Any]], evidence: Sequence[Mapping[str, Any]] = ()) -> Proven:
    """Every quotation once, in the order in which the answer comes to it; claims and evidence as they are stored."""
    passages = {one["chunk_id"]: one for one in evidence}
    numbers: dict[Proof, int] = {}
    numbered: list[NumberedClaim] = []
    for claim in claims:
        cited = [numbers.setdefault(one, len(numbers) + 1) for one in _proofs_of(claim, passages)]
        numbered.append((str(claim["text"]), tuple(dict.fromkeys(cited))))
    quoted = (index for index, claim in enumerate(claims) if claim.get("verdict") == "quoted")
    return Proven(claims=tuple(numbered), proofs=tuple(numbers), verbatim=frozenset(quoted))


def _proofs_of(claim: Mapping[str, Any], evidence: Mapping[str, Mapping[str, Any]]) -> Sequence[Proof]:
    """Its quotations; of an answer from before they were kept, the passages it stands on."""
    if quotes := claim.get("quotes"):
        return [Proof.of_quote(quote) for quote in quotes]
    passages = (evidence.get(chunk) for chunk in claim["chunk_ids"])
    return [Proof.of_evidence(passage) for passage in passages if passage and passage.get("url")]
