"""What stands elsewhere too is nobody's alone: a sign that something which stays holds as well takes nothing from anybody.

What stays is what living documents say and are called, and what people, machines and things of the house are called. It is
asked only about signs that were met, candidates by their lexemes, and each is then compared exactly.
"""

import asyncio
import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

from veraz.db.pool import Transaction
from veraz.db.sql import queries
from veraz.forgetting.fingerprint import Sign
from veraz.text.words import lexemes, tsquery_text

Q = queries(__file__)

_ENOUGH = 50
"""As many living texts with all words of a name are as good as one that was compared."""


@dataclass(slots=True, kw_only=True)
class Elsewhere:
    """What is known so far about the signs of one sweep."""

    languages: Collection[str]
    own: set[Sign] = field(default_factory=set)
    """Nothing else holds them."""
    shared: set[Sign] = field(default_factory=set)

    async def look(self, tx: Transaction, met: Collection[Sign]) -> None:
        """Finds out about those not yet known."""
        new = [sign for sign in met if sign not in self.own and sign not in self.shared]
        if not new:
            return
        shared = await self._called(tx, new)
        shared |= await self._said(tx, [sign for sign in new if sign not in shared])
        self.shared |= shared
        self.own.update(sign for sign in new if sign not in shared)

    async def _called(self, tx: Transaction, new: Sequence[Sign]) -> set[Sign]:
        heads = sorted({max(sign.words, key=len) for sign in new})
        labels = await tx.values(Q.labels, heads=heads)
        return await asyncio.to_thread(_standing, new, labels)

    async def _said(self, tx: Transaction, new: Sequence[Sign]) -> set[Sign]:
        asked = [(sign, query) for sign in new if (query := self._query(sign))]
        queries_, patterns = [query for _, query in asked], [_pattern(sign) for sign, _ in asked]
        found = await tx.rows(Q.living, queries=queries_, patterns=patterns) if asked else []
        texts: dict[Sign, list[str]] = {sign: [] for sign, _ in asked}
        for row in found:
            texts[asked[row["query"] - 1][0]].append(row["text"])
        return await asyncio.to_thread(_shared, new, texts)

    def _query(self, sign: Sign) -> str:
        """All words of the sign, as some language of the house indexes them."""
        ways = {tsquery_text(lexemes(" ".join(sign.words), language)) for language in self.languages}
        return " | ".join(f"({way})" for way in sorted(ways) if way)


def _pattern(sign: Sign) -> str | None:
    """The words in their order, whatever stands between them; a name has none."""
    if sign.kind == "name":
        return None
    return "(^|[^[:alnum:]])" + "[^[:alnum:]]+".join(map(re.escape, sign.words)) + "($|[^[:alnum:]])"


def _standing(signs: Sequence[Sign], texts: Sequence[str]) -> set[Sign]:
    return {sign for sign in signs if any(sign.stands_in(text) for text in texts)}


def _shared(signs: Sequence[Sign], texts: dict[Sign, list[str]]) -> set[Sign]:
    """Those that a living text holds, that too many may hold, and that no index could tell about."""
    return {
        sign
        for sign in signs
        if sign not in texts
        or (sign.kind == "name" and len(texts[sign]) >= _ENOUGH)
        or any(sign.stands_in(text) for text in texts[sign])
    }
