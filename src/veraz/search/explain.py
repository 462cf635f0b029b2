"""«¿Por qué no salió?»: where a document or passage fell out, by the same way the question itself takes."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal
from uuid import UUID

from veraz import errors
from veraz.db.pool import Transaction
from veraz.db.scope import Scope
from veraz.db.sql import queries
from veraz.providers.rerank.pick import LOCAL
from veraz.search.find import Finder
from veraz.search.model import Cut, Help, Hit, SearchResult

Q = queries(__file__)

Reason = Literal[
    "found", "archived", "not_assigned", "superseded", "not_completed", "other_machine", "filtered_out", "no_passages",
    "not_retrieved",
] | Cut  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Fate:
    """What became of one passage."""

    chunk_id: UUID
    ordinal: int
    content: str
    reason: Reason
    place: int | None
    """Its place among the results, from 1."""
    similarity: float
    cosine: float | None
    keyword_rank: float
    rrf_score: float
    match: float
    relevance: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Explanation:
    """Why a document is, or is not, among the evidence."""

    document_id: UUID
    document_name: str
    kb_id: UUID
    kb_name: str
    reason: Reason
    threshold: float
    fates: tuple[Fate, ...]
    rewrites: tuple[str, ...] = ()
    """The other wordings of the question that were searched."""
    spelling: Mapping[str, str] = field(default_factory=dict)
    """Words of the question that were taken for others, each with the stem that was searched."""
    helped: tuple[Help, ...] = ()
    """The outside models that were asked."""

    def message(self, language: str = "es") -> str:
        """The sentence a person reads."""
        en, es = _SENTENCES[self.reason]
        best = self.fates[0] if self.fates else None
        return (es if language.startswith("es") else en).format(
            name=self.document_name,
            kb=self.kb_name,
            threshold=f"{self.threshold:.2f}",
            similarity=f"{best.similarity:.2f}" if best else "–",
            match=f"{best.match:.2f}" if best else "–",
            place=best.place if best else "–",
        )


async def explain(
    finder: Finder,
    scope: Scope,
    result: SearchResult,
    *,
    document_id: UUID | None = None,
    chunk_id: UUID | None = None,
) -> Explanation:
    """Follows a document, or one of its passages, through the search that gave `result`."""
    async with finder.db.transaction(scope) as tx:
        facts = await _facts(tx, result, document_id, chunk_id)
    reason = _outside(facts)
    fates: list[Fate] = []
    if reason is None:
        fates = await _fates(finder, scope, result, facts["document_id"], chunk_id)
        reason = fates[0].reason if fates else "no_passages"
    return Explanation(
        document_id=facts["document_id"],
        document_name=facts["document_name"],
        kb_id=facts["kb_id"],
        kb_name=facts["kb_name"],
        reason=reason,
        threshold=result.question.config.similarity_threshold,
        fates=tuple(fates),
        rewrites=tuple(result.rewrites),
        spelling=result.spelling(),
        helped=result.helped,
    )


async def _facts(
    tx: Transaction, result: SearchResult, document_id: UUID | None, chunk_id: UUID | None
) -> dict[str, Any]:
    """What the database knows about the document, as far as the caller may see it."""
    if chunk_id is not None:
        document_id = await tx.value(Q.document_of_chunk, id=chunk_id)
    question = result.question
    rows = await tx.rows(
        Q.facts,
        id=document_id,
        agent_id=question.agent_id,
        kb_ids=list(question.kb_ids) if question.kb_ids is not None else None,
        filters=question.filters.to_json(),
    )
    if not rows:
        raise errors.NotFound(thing="document" if chunk_id is None else "chunk", id=chunk_id or document_id)
    return rows[0]


def _outside(facts: dict[str, Any]) -> Reason | None:
    """Why it was not even searched."""
    checks: tuple[tuple[Reason, bool], ...] = (
        ("archived", facts["archived"]),
        ("not_assigned", not facts["readable"]),
        ("superseded", facts["superseded"]),
        ("not_completed", not facts["indexed"]),
        ("other_machine", not facts["on_this_machine"]),
        ("filtered_out", not facts["passes_filters"]),
        ("no_passages", not facts["chunks"]),
    )
    return next((reason for reason, holds in checks if holds), None)


async def _fates(
    finder: Finder, scope: Scope, result: SearchResult, document_id: UUID, chunk_id: UUID | None
) -> list[Fate]:
    """The passages of the document, the one that came farthest first."""
    fates = _known_fates(result)
    alone = replace(result.question.filters, document_ids=(document_id,))
    config = replace(
        result.question.config, top_k=50, similarity_threshold=0.0, source_cap=50, reranker=LOCAL
    )
    question = replace(result.question, filters=alone, config=config)
    again = await finder.find(scope, question, queries=result.queries)
    for hit in (*again.evidence.hits, *(dropped.hit for dropped in again.evidence.dropped)):
        fates.setdefault(hit.passage.chunk_id, _fate(hit, "not_retrieved", None))
    documents = {hit.passage.chunk_id for hit in _every_hit(again)}
    wanted = [
        fate for fate in fates.values() if fate.chunk_id in documents and chunk_id in (None, fate.chunk_id)
    ]
    return sorted(wanted, key=lambda fate: (fate.place or 10_000, -fate.relevance))


def _every_hit(result: SearchResult) -> list[Hit]:
    return [*result.evidence.hits, *(dropped.hit for dropped in result.evidence.dropped)]


def _known_fates(result: SearchResult) -> dict[UUID, Fate]:
    left_out = {hit.passage.chunk_id for hit in result.context.left_out}
    fates: dict[UUID, Fate] = {}
    for place, hit in enumerate(result.evidence.hits, start=1):
        reason: Reason = "token_budget" if hit.passage.chunk_id in left_out else "found"
        fates[hit.passage.chunk_id] = _fate(hit, reason, place)
    for dropped in result.evidence.dropped:
        fates[dropped.hit.passage.chunk_id] = _fate(dropped.hit, dropped.cut, None)
    return fates


def _fate(hit: Hit, reason: Reason, place: int | None) -> Fate:
    return Fate(
        chunk_id=hit.passage.chunk_id,
        ordinal=hit.passage.ordinal,
        content=hit.passage.content,
        reason=reason,
        place=place,
        similarity=hit.similarity,
        cosine=hit.passage.cosine,
        keyword_rank=hit.passage.bm25,
        rrf_score=hit.rrf_score,
        match=hit.match,
        relevance=hit.relevance,
    )


_SENTENCES: dict[Reason, tuple[str, str]] = {
    "found": ("«{name}» is result number {place}.", "«{name}» es el resultado número {place}."),
    "archived": (
        "The knowledge base «{kb}» is archived, so it is not searched.",
        "La base «{kb}» está archivada, así que no se consulta.",
    ),
    "not_assigned": (
        "The knowledge base «{kb}» is not assigned to this agent, or not readable for you through it.",
        "La base «{kb}» no está asignada a este agente, o usted no puede leerla a través de él.",
    ),
    "superseded": (
        "Another document took the place of «{name}», so it is no longer read.",
        "Otro documento sustituye a «{name}», así que ya no se lee.",
    ),
    "not_completed": (
        "«{name}» has not been processed yet, so it has no passages.",
        "«{name}» aún no se ha procesado, así que no tiene pasajes.",
    ),
    "other_machine": (
        "«{name}» belongs to another machine.",
        "«{name}» pertenece a otra máquina.",
    ),
    "filtered_out": (
        "The filters of this search leave «{name}» out.",
        "Los filtros de esta búsqueda dejan fuera «{name}».",
    ),
    "no_passages": (
        "«{name}» has no passages in the edition that is searched.",
        "«{name}» no tiene pasajes en la edición que se consulta.",
    ),
    "not_retrieved": (
        "Other passages were nearer, by meaning and by words: similarity {similarity}, match {match}.",
        "Otros pasajes quedaron más cerca, por significado y por palabras: similitud {similarity}, coincidencia {match}.",
    ),
    "below_threshold": (
        "Its similarity {similarity} is below the threshold {threshold}.",
        "Su similitud {similarity} queda por debajo del umbral {threshold}.",
    ),
    "similar_to_better": (
        "It says nearly the same as a better passage, which took its place.",
        "Dice casi lo mismo que un pasaje mejor, que ocupó su lugar.",
    ),
    "source_cap": (
        "Better passages of «{name}» are among the results already; one document may not fill them.",
        "Ya hay pasajes mejores de «{name}» entre los resultados; un documento no puede llenarlos.",
    ),
    "top_k": (
        "It was found, but enough better passages were.",
        "Se encontró, pero hubo suficientes pasajes mejores.",
    ),
    "token_budget": (
        "It is result number {place}, but there was no room left for it in the context of the answer.",
        "Es el resultado número {place}, pero ya no cabía en el contexto de la respuesta.",
    ),
}
