"""The seeds' SQL functions: their names, parameters and columns, and the same walls as everywhere."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from uuid import UUID

import pytest
from psycopg import Connection
from psycopg.rows import TupleRow

from veraz import errors
from veraz.db.pool import Database
from veraz.db.scope import Scope
from veraz.ids import new_id
from veraz.search.calibration import _USUAL, Calibration
from veraz.text.stop_words import STOP_WORDS
from veraz.text.words import lexeme_id, lexemes

if TYPE_CHECKING:
    from tests.conftest import MakeTenant, Tenant
    from tests.support.shelves import Shelves, vector_of
else:
    from support.shelves import Shelves, vector_of

RETURNS = "Las devoluciones se aceptan durante treinta días con el recibo de compra"
HOURS = "El horario de la tienda es de nueve a siete, de lunes a viernes"
DIARY = "Querido diario: hoy lloví sobre mojado"
SECRET = "La clave de la caja fuerte del rival es mil doscientos"

AGENT = "select * from public.search_agent_knowledge(%(agent)s, %(project)s, %(vector)s::text::vector, 5, %(least)s)"
KBS = (
    "select * from ai_agents.search_knowledge_base("
    "%(tenant)s, %(kbs)s::uuid[], %(vector)s::text::vector, 5, %(least)s::decimal)"
)
MATCH = "select * from public.match_documents(%(vector)s::text::vector, %(least)s, 5, %(machine)s)"
HYBRID = "select * from public.search_rag_hybrid(%(text)s, %(vector)s::text::vector, %(target)s, 5)"


@dataclass(frozen=True, kw_only=True)
class World:
    """Acme with an agent and a knowledge base, and a rival with a secret."""

    acme: "Tenant"
    rival: "Tenant"
    agent: UUID
    rivals_agent: UUID
    shelves: Shelves


@pytest.fixture
async def world(make_tenant: "MakeTenant", owner: Connection[TupleRow], worker_db: Database) -> World:
    acme, rival = make_tenant("Acme"), make_tenant("Rival")
    shelves = Shelves(owner, worker_db)
    for tenant in (acme, rival):
        shelves.edition(tenant, tenant.kb_id)
    await shelves.document(acme, acme.kb_id, [RETURNS, HOURS], name="tienda.md")
    await shelves.document(rival, rival.kb_id, [SECRET, RETURNS], name="rival.md")
    return World(
        acme=acme,
        rival=rival,
        agent=shelves.agent(acme, acme.kb_id),
        rivals_agent=shelves.agent(rival, rival.kb_id),
        shelves=shelves,
    )


async def asked(db: Database, scope: Scope, query: str, text: str, **params: Any) -> list[dict[str, Any]]:
    """The rows a function gives this caller."""
    given = {
        "least": 0.0,
        "machine": "global",
        "vector": as_text(await vector_of(text)),
        "text": text,
    } | params
    async with db.transaction(scope) as tx:
        return await tx.rows(query, **given)


def as_text(vector: Any) -> str:
    return "[" + ",".join(str(float(x)) for x in vector) + "]"


# search_agent_knowledge


async def test_an_agent_finds_its_knowledge(world: World, db: Database) -> None:
    rows = await asked(
        db, world.acme.admin, AGENT, RETURNS, agent=world.agent, project=world.acme.project_id, least=0.7
    )
    assert list(rows[0]) == ["id", "content", "title", "source", "similarity"]
    assert [row["content"] for row in rows] == [RETURNS]
    assert (rows[0]["title"], rows[0]["source"]) == ("tienda.md", "md")
    assert rows[0]["similarity"] > 0.95


async def test_the_other_tenant_finds_nothing_of_it(world: World, db: Database) -> None:
    for scope in (world.rival.admin, Scope(), Scope(tenant_id=world.acme.id)):
        assert not await asked(db, scope, AGENT, RETURNS, agent=world.agent, project=world.acme.project_id)


async def test_an_agent_is_asked_with_its_own_project(world: World, db: Database) -> None:
    for project in (world.rival.project_id, new_id(), None):
        assert not await asked(db, world.acme.admin, AGENT, RETURNS, agent=world.agent, project=project)
    assert not await asked(db, world.acme.admin, AGENT, RETURNS, agent=None, project=world.acme.project_id)


async def test_an_unassigned_knowledge_base_is_not_consulted(
    world: World, db: Database, make_kb: Callable[..., UUID]
) -> None:
    other = make_kb(world.acme)
    world.shelves.edition(world.acme, other)
    await world.shelves.document(world.acme, other, [SECRET])
    rows = await asked(
        db, world.acme.admin, AGENT, SECRET, agent=world.agent, project=world.acme.project_id, least=0.0
    )
    assert SECRET not in [row["content"] for row in rows]
    params = {"tenant": world.acme.id, "kbs": [other, world.acme.kb_id]}
    rows = await asked(db, world.acme.admin, KBS, SECRET, **params)
    assert SECRET not in [row["content"] for row in rows]


async def test_a_vector_of_another_size_is_a_clear_error(world: World, db: Database) -> None:
    short = {"vector": "[1,2,3]"}
    agent = {"agent": world.agent, "project": world.acme.project_id} | short
    kbs = {"tenant": world.acme.id, "kbs": [world.acme.kb_id]} | short
    for query, params in (
        (AGENT, agent),
        (KBS, kbs),
        (MATCH, short),
        (HYBRID, short | {"target": world.acme.kb_id}),
    ):
        with pytest.raises(errors.Invalid, match="different vector dimensions: the query has 3"):
            await asked(db, world.acme.admin, query, "x", **params)
        assert not await asked(db, Scope(), query, "x", **params), "nothing to compare with, nothing to tell"


async def test_a_vector_without_direction_finds_nothing(world: World, db: Database) -> None:
    zero = as_text([0.0] * 64)
    assert not await asked(db, world.acme.admin, MATCH, "x", vector=zero)
    found = await asked(db, world.acme.admin, HYBRID, "devolución", vector=zero, target=world.acme.kb_id)
    assert [row["content"] for row in found] == [RETURNS], "its words still count"


# search_knowledge_base


async def test_named_knowledge_bases_are_searched(world: World, db: Database) -> None:
    params = {"tenant": world.acme.id, "kbs": [world.acme.kb_id, world.rival.kb_id]}
    rows = await asked(db, world.acme.admin, KBS, RETURNS, **params)
    assert list(rows[0]) == [
        "chunk_id", "document_id", "document_name", "content", "page_number", "similarity_score",
    ]  # fmt: skip
    assert [row["content"] for row in rows] == [RETURNS, HOURS], "the rival's copy is not there"
    assert not await asked(db, world.acme.admin, KBS, RETURNS, **params | {"tenant": world.rival.id})
    assert not await asked(db, world.rival.admin, KBS, RETURNS, **params)


async def test_a_member_finds_what_an_agent_of_theirs_reads(
    world: World, db: Database, make_user: Callable[..., Scope]
) -> None:
    params = {"tenant": world.acme.id, "kbs": [world.acme.kb_id]}
    assert await asked(db, make_user(world.acme), KBS, RETURNS, **params)
    assert not await asked(db, make_user(world.acme, level=None), KBS, RETURNS, **params)


async def test_a_personal_knowledge_base_is_its_owners(
    world: World, db: Database, make_user: Callable[..., Scope], make_kb: Callable[..., UUID]
) -> None:
    ana, luis = make_user(world.acme), make_user(world.acme)
    diary = make_kb(world.acme, owner_id=ana.user_id)
    world.shelves.edition(world.acme, diary)
    await world.shelves.document(world.acme, diary, [DIARY])
    world.shelves.agent(world.acme, diary, allows_personal=True)
    params = {"tenant": world.acme.id, "kbs": [diary]}
    assert await asked(db, ana, KBS, DIARY, **params)
    for scope in (luis, world.acme.admin, world.rival.admin):
        assert not await asked(db, scope, KBS, DIARY, **params)
        assert DIARY not in [row["content"] for row in await asked(db, scope, MATCH, DIARY)]
        assert not await asked(db, scope, HYBRID, DIARY, target=diary)


# match_documents


async def test_memory_is_shared_or_bound_to_one_machine(world: World, db: Database) -> None:
    await world.shelves.document(world.acme, world.acme.kb_id, ["receta de la máquina uno"], machine_id="m1")
    await world.shelves.document(world.acme, world.acme.kb_id, ["receta de la máquina dos"], machine_id="m2")

    async def memory(scope: Scope, machine: str) -> set[str]:
        rows = await asked(db, scope, MATCH, "receta de la máquina", machine=machine)
        return {row["content"] for row in rows if "receta" in row["content"]}

    service = Scope(tenant_id=world.acme.id, role="service", key_level="member", names_machines=True)
    visitor = Scope(tenant_id=world.acme.id, role="service", key_level="member")
    at_two = Scope(tenant_id=world.acme.id, role="service", key_level="member", machine_id="m2")
    assert await memory(service, "global") == set()
    assert await memory(service, "m1") == {"receta de la máquina uno"}
    assert await memory(at_two, "global") == {"receta de la máquina dos"}
    assert await memory(at_two, "m1") == set(), "who acts for one machine cannot name another"
    assert await memory(visitor, "m1") == set(), "who is no service of the tenant names none"
    assert await memory(world.rival.admin, "m1") == set()


async def test_a_person_who_signs_in_names_no_machine(
    world: World, db: Database, make_user: Callable[..., Scope]
) -> None:
    await world.shelves.document(world.acme, world.acme.kb_id, ["receta uno"], machine_id="m1")
    rows = await asked(db, make_user(world.acme), MATCH, "receta uno", machine="m1")
    assert "receta uno" not in [row["content"] for row in rows]


async def test_a_revoked_licence_is_refused(world: World, db: Database, owner: Connection[TupleRow]) -> None:
    owner.execute(
        "insert into veraz.licence (id, tenant_id, machine_id, status) values (%s, %s, 'm9', 'revoked')",
        (new_id(), world.acme.id),
    )
    with pytest.raises(errors.Forbidden):
        await asked(db, world.acme.admin, MATCH, "x", machine="m9")


async def test_the_machine_named_is_forgotten_after_the_call(world: World, db: Database) -> None:
    async with db.transaction(world.acme.admin) as tx:
        await tx.rows(MATCH, vector=as_text(await vector_of("x")), least=0.0, machine="m1")
        assert await tx.value("select veraz.current_machine()") is None


async def test_a_memory_has_a_number_that_stays(world: World, db: Database) -> None:
    first = await asked(db, world.acme.admin, MATCH, RETURNS)
    assert list(first[0]) == ["id", "content", "similarity", "metadata"]
    assert [row["id"] for row in first] == [
        row["id"] for row in await asked(db, world.acme.admin, MATCH, RETURNS)
    ]
    assert all(0 <= row["id"] < 2**53 for row in first)
    told = first[0]["metadata"]
    assert (told["filename"], told["type"], told["page"]) == ("tienda.md", "md", 1)


async def test_a_filter_narrows_the_memory(world: World, db: Database) -> None:
    await world.shelves.document(
        world.acme, world.acme.kb_id, [RETURNS + " y garantía"], columns={"metadata": {"tema": "garantía"}}
    )
    query = MATCH.replace("%(machine)s", "'global', %(filter)s")
    rows = await asked(db, world.acme.admin, query, RETURNS, filter={"tema": "garantía"})
    assert [row["metadata"]["tema"] for row in rows] == ["garantía"]
    rows = await asked(db, world.acme.admin, query, RETURNS, filter={"agent_id": str(world.rivals_agent)})
    assert rows == []
    rows = await asked(db, world.acme.admin, query, RETURNS, filter={"kb_id": str(world.rival.kb_id)})
    assert rows == []
    rows = await asked(db, world.acme.admin, query, RETURNS, filter={"agent_id": str(world.agent)})
    assert len(rows) == 3


# search_rag_hybrid


async def test_hybrid_search_tells_about_its_sources(world: World, db: Database) -> None:
    columns = {
        "tier": "tier1_gold",
        "evidence_level": "rct",
        "authority_score": 92,
        "source_url": "https://x.test/a",
    }
    await world.shelves.document(
        world.acme, world.acme.kb_id, ["Protocolo A-12/2024 de garantía"], name="p.pdf", columns=columns
    )
    rows = await asked(
        db, world.acme.admin, HYBRID, "¿Qué dice el protocolo a12/2024?", target=world.acme.kb_id
    )
    best = rows[0]
    assert list(best) == [
        "id", "content", "subdomain", "source_name", "source_url", "source_tier", "evidence_level", "authority_score",
        "metadata", "quality", "similarity", "keyword_rank", "rrf_score",
    ]  # fmt: skip
    assert best["content"] == "Protocolo A-12/2024 de garantía"
    assert (best["source_tier"], best["evidence_level"], best["authority_score"]) == ("tier1_gold", "rct", 92)
    assert (best["source_name"], best["source_url"]) == ("p.pdf", "https://x.test/a")
    assert best["quality"] == {"score": 90}
    assert best["keyword_rank"] > 0
    assert best["rrf_score"] == pytest.approx(2 / 61)


async def test_hybrid_search_takes_an_agent_too_and_no_other_tenant(
    world: World, db: Database, make_user: Callable[..., Scope]
) -> None:
    member = make_user(world.acme)
    assert await asked(db, member, HYBRID, RETURNS, target=world.agent)
    assert not await asked(db, member, HYBRID, RETURNS, target=world.acme.kb_id), (
        "a member looks into no knowledge base"
    )
    assert await asked(db, world.acme.admin, HYBRID, RETURNS, target=world.acme.kb_id)
    for target in (world.acme.kb_id, world.agent):
        assert not await asked(db, world.rival.admin, HYBRID, RETURNS, target=target)


async def test_words_alone_and_meaning_alone_find(world: World, db: Database) -> None:
    rows = await asked(db, world.acme.admin, HYBRID, "horario", vector=None, target=world.acme.kb_id)
    assert [row["content"] for row in rows] == [HOURS]
    assert rows[0]["similarity"] is None
    rows = await asked(
        db, world.acme.admin, HYBRID, "", vector=as_text(await vector_of(HOURS)), target=world.acme.kb_id
    )
    assert rows[0]["content"] == HOURS and rows[0]["keyword_rank"] == 0


@pytest.mark.parametrize(
    "text", ["", "   ", "'; drop table x; --", "a & | ! <-> b:*", "😀", "el la de", "%_\\", "x" * 9_999]
)
async def test_strange_questions_are_harmless(world: World, db: Database, text: str) -> None:
    await asked(db, world.acme.admin, HYBRID, text, target=world.acme.kb_id)


async def test_owning_is_being_allowed_to_change(
    world: World, db: Database, make_user: Callable[..., Scope]
) -> None:
    async def owns(scope: Scope, kb_id: UUID | None) -> bool:
        async with db.transaction(scope) as tx:
            return bool(await tx.value("select public.user_owns_rag_project(%(kb)s)", kb=kb_id))

    assert await owns(world.acme.admin, world.acme.kb_id)
    assert await owns(make_user(world.acme, level="manager"), world.acme.kb_id)
    assert not await owns(make_user(world.acme), world.acme.kb_id)
    assert not await owns(world.acme.admin, world.rival.kb_id)
    assert not await owns(world.acme.admin, None)
    assert not await owns(Scope(), world.acme.kb_id)


# the ground they stand on


async def test_nobody_else_may_call_them(owner: Connection[TupleRow]) -> None:
    rows = owner.execute(
        "select p.oid::regprocedure::text from pg_proc p "
        "where p.pronamespace in ('public'::regnamespace, 'ai_agents'::regnamespace) "
        "and p.proname in ('search_agent_knowledge', 'search_knowledge_base', 'match_documents', 'search_rag_hybrid', "
        "'user_owns_rag_project', 'purge_completed_jobs', 'mark_job_retry')"
    ).fetchall()
    assert len(rows) == 7
    owner.execute("create role somebody_else nologin")
    try:
        for (signature,) in rows:
            allowed = owner.execute(
                "select has_function_privilege('somebody_else', %s, 'execute')", (signature,)
            )
            assert allowed.fetchone() == (False,), signature
            allowed = owner.execute("select has_function_privilege('veraz_app', %s, 'execute')", (signature,))
            assert allowed.fetchone() == (True,), signature
    finally:
        owner.execute("drop role somebody_else")


def test_a_similarity_is_the_same_in_sql(owner: Connection[TupleRow]) -> None:
    stored = {"unrelated": 0.11, "own": 0.5, "chunks": 40, "samples": 12}
    for space in [f"{name}@512" for name in _USUAL] + ["new:model@3"]:
        for calibration in (None, stored):
            curve = Calibration.of(space, calibration)
            for cosine in (-1.0, -0.2, 0.0, 0.3, 0.41, 0.7, 1.0):
                row = owner.execute(
                    "select veraz.similarity(%s, %s, %s)", (cosine, space, calibration and _json(calibration))
                ).fetchone()
                assert row is not None and row[0] == pytest.approx(curve.similarity(cosine), abs=1e-9)


def test_a_lexeme_has_the_same_dimension_in_sql(owner: Connection[TupleRow]) -> None:
    for word in ("devolu", "a122024", "50%", "ñandú", "東京", "x" * 64):
        assert owner.execute("select veraz.lexeme_id(%s)", (word,)).fetchone() == (lexeme_id(word),)


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("¿Cuál es la política de devolución?", "es"),
        ("cual es la politica de devolucion", "es"),
        ("Expediente A-12/2024, 1.234,56 € y el 50 % de 3kg", "es"),
        ("físico-química del año según el Ministerio", "es"),
        ("Los niños corrían rápidamente por las habitaciones", "es"),
        ("What's the refund policy for running shoes?", "en"),
        ("La política «estado» (anexo_2)", "es"),
        ("o'clock R&D user@mail.example", "en"),
        ("", "es"),
    ],
)
def test_words_are_cut_the_same_in_sql(owner: Connection[TupleRow], text: str, language: str) -> None:
    expected = list(dict.fromkeys(lexemes(text, language)))
    found = owner.execute("select veraz.lexemes(%s, %s)", (text, language)).fetchone()
    assert found is not None and sorted(found[0]) == sorted(expected)


def test_stop_words_are_the_same_in_sql(owner: Connection[TupleRow]) -> None:
    for language, words in STOP_WORDS.items():
        found = owner.execute("select veraz.stop_words(%s)", (language,)).fetchone()
        assert found is not None and set(found[0]) == words


def _json(value: dict[str, Any]) -> Any:
    from psycopg.types.json import Jsonb

    return Jsonb(value)
