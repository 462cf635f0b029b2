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
from veraz.search.retrieve import depth_of
from veraz.text.plain import plain

Q = queries(__file__)

_BEGINNING = 8
"""Words of a longer text that are looked for where all of it is in no passage: it may lie across two."""
_SAME = 1e-6
"""Scores of the same passage from two searches differ by less."""

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
    vector_rank: int | None = None
    """Its place among all passages by meaning, from 1; None where it is farther than was looked."""
    word_rank: int | None = None
    """Its place by the words of the question; None also where it has none of them."""


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
    depth: int = 0
    """How many passages each of the two searches, by meaning and by words, hands on."""
    looked: int = 0
    """How far the ranks were counted."""
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
            place=best.place if best else "–",
            depth=self.depth,
            vector=self._rank(best.vector_rank if best else None),
            words=self._rank(best.word_rank if best else None) if best and best.keyword_rank else "–",
        )

    def advice(self, language: str = "es") -> str:
        """What to do about it; empty where nothing has to be done."""
        en, es = _ADVICE.get(self.reason, ("", ""))
        return es if language.startswith("es") else en

    def _rank(self, rank: int | None) -> str:
        return f"> {self.looked}" if rank is None else str(rank)


async def explain(
    finder: Finder,
    scope: Scope,
    result: SearchResult,
    *,
    document_id: UUID | None = None,
    chunk_id: UUID | None = None,
    words: str | None = None,
) -> Explanation:
    """Follows a document, one of its passages, or the passage with these words through the search that gave `result`."""
    if sum(one is not None for one in (document_id, chunk_id, words)) != 1:
        raise errors.Invalid(field="document_id", reason="document_id | chunk_id | words")
    async with finder.db.transaction(scope) as tx:
        if words is not None:
            chunk_id = await _chunk_saying(tx, result, words)
        facts = await _facts(tx, result, document_id, chunk_id)
    reason, looked = _outside(facts), 0
    fates: list[Fate] = []
    if reason is None:
        fates, looked = await _fates(finder, scope, result, facts["document_id"], chunk_id)
        reason = fates[0].reason if fates else "no_passages"
    return Explanation(
        document_id=facts["document_id"],
        document_name=facts["document_name"],
        kb_id=facts["kb_id"],
        kb_name=facts["kb_name"],
        reason=reason,
        threshold=result.question.config.similarity_threshold,
        fates=tuple(fates),
        depth=depth_of(result.question),
        looked=looked,
        rewrites=tuple(result.rewrites),
        spelling=result.spelling(),
        helped=result.helped,
    )


async def _chunk_saying(tx: Transaction, result: SearchResult, words: str) -> UUID:
    """The passage that holds these words, else their beginning; of a document that is read before others."""
    wanted = plain(words)
    if not wanted:
        raise errors.Invalid(field="words", reason=errors.Phrase("it is empty", es="está vacío"))
    kb_ids = {shelf.kb_id for shelf in result.shelves} | set(result.question.kb_ids or ())
    for text in dict.fromkeys((wanted, " ".join(wanted.split()[:_BEGINNING]))):
        found: UUID | None = await tx.value(Q.chunk_saying, kb_ids=list(kb_ids), words=text)
        if found is not None:
            return found
    raise errors.NotSaid(words=words[:80])


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
) -> tuple[list[Fate], int]:
    """The passages of the document, the one that came farthest first, and how far their ranks were counted."""
    fates = _known_fates(result)
    config = replace(
        result.question.config, top_k=50, similarity_threshold=0.0, source_cap=50, reranker=LOCAL
    )
    whole = replace(result.question, config=config, reads=True)
    alone = replace(whole, filters=replace(whole.filters, document_ids=(document_id,)), reads=False)
    own = await finder.find(scope, alone, queries=result.queries)
    every = await finder.find(scope, whole, queries=result.queries)
    ranks = _Ranks(every)
    wanted = []
    for hit in _every_hit(own):
        fate = fates.get(hit.passage.chunk_id) or _fate(hit, "not_retrieved", None)
        if chunk_id in (None, fate.chunk_id):
            wanted.append(ranks.told(fate))
    return sorted(wanted, key=lambda fate: (fate.place or 10_000, -fate.relevance)), ranks.looked


class _Ranks:
    """The places of passages by meaning and by words, as far as a deeper search looked."""

    def __init__(self, every: SearchResult) -> None:
        hits = [hit.passage for hit in _every_hit(every)]
        self.cosines = sorted((hit.cosine for hit in hits if hit.cosine is not None), reverse=True)
        self.words = sorted((hit.bm25 for hit in hits if hit.bm25 > 0), reverse=True)
        whole = len(hits) >= every.evidence.searched
        self.looked = len(hits) if whole else depth_of(every.question)

    def told(self, fate: Fate) -> Fate:
        """The same with its ranks."""
        by_meaning = _rank(self.cosines, fate.cosine)
        by_words = _rank(self.words, fate.keyword_rank or None)
        return replace(
            fate,
            vector_rank=by_meaning if by_meaning and by_meaning <= self.looked else None,
            word_rank=by_words if by_words and by_words <= self.looked else None,
        )


def _rank(better_first: list[float], score: float | None) -> int | None:
    """How many are better, and one."""
    return None if score is None else 1 + sum(one > score + _SAME for one in better_first)


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
        "Other passages were nearer: by meaning it is number {vector}, by words number {words}, and the first {depth} of each go on.",
        "Otros pasajes quedaron más cerca: por significado es el número {vector} y por palabras el {words}, y solo siguen los primeros {depth} de cada lista.",
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

_ADVICE: dict[Reason, tuple[str, str]] = {
    "archived": (
        "Take it out of the archive in its settings.",
        "Quítela del archivo en su configuración.",
    ),
    "not_assigned": (
        "Assign the knowledge base to the agent.",
        "Asigne la base al agente.",
    ),
    "superseded": (
        "Ask about the newer document, or have this one read again on its page.",
        "Pregunte por el documento nuevo, o vuelva a activar este en su página.",
    ),
    "not_completed": (
        "Wait until it is ready; if it failed, its row says why.",
        "Espere a que esté listo; si falló, su fila dice por qué.",
    ),
    "other_machine": (
        "Only questions from that machine read it.",
        "Solo lo leen las preguntas que llegan de esa máquina.",
    ),
    "filtered_out": (
        "Remove the filters and search again.",
        "Quite los filtros y busque de nuevo.",
    ),
    "no_passages": (
        "Process the document again; if it is scanned, see whether its text can be read.",
        "Procese el documento de nuevo; si está escaneado, revise que su texto se pueda leer.",
    ),
    "not_retrieved": (
        "Ask with words of the document, or be more specific.",
        "Pregunte con palabras del documento o sea más específico.",
    ),
    "below_threshold": (
        "Lower the threshold, or ask with words of the document.",
        "Baje el umbral o pregunte con palabras del documento.",
    ),
    "similar_to_better": (
        "Ask for more results to see both.",
        "Pida más resultados para ver los dos.",
    ),
    "source_cap": (
        "Ask for more results, or search only in this document.",
        "Pida más resultados o busque solo en este documento.",
    ),
    "top_k": ("Ask for more results.", "Pida más resultados."),
    "token_budget": ("Ask for fewer results.", "Pida menos resultados."),
}
