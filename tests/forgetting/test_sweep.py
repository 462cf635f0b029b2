"""Nothing is left of what is forgotten, and nothing is taken from anybody else: both, side by side."""

import json
from typing import TYPE_CHECKING
from uuid import UUID

from veraz.ids import new_id
from veraz.learn.domain import Domains
from veraz.settings import Settings

if TYPE_CHECKING:
    from tests.forgetting.conftest import Place
    from tests.support.searchable import admin_of
else:
    from support.searchable import admin_of

SHARED = "El plazo de entrega de los pedidos urgentes es de cinco días laborables."
ASKED = "¿Cuál es el plazo de entrega de los pedidos urgentes?"


async def test_what_a_living_document_says_too_is_taken_from_nobody(
    place: "Place", settings: Settings
) -> None:
    other = await place.library.kb(place.tenant)
    gone = await place.document("norte.md", f"{SHARED} La sede Quirmelonda cierra en agosto.")
    stays = await place.document("sur.md", f"{SHARED} La sede sur abre en agosto.", kb=other)
    kept = place.ask(ASKED, "Cinco días laborables.", cites=stays)
    own = place.ask("¿Qué pasa con Quirmelonda?")
    exam = place.write("exam_question", agent_id=place.agent_id, question=ASKED, expected_document_id=stays)
    place.write("feedback", message_id=kept.answer_id, rating=-1, reason=f"{SHARED} No es verdad.")
    await Domains(place.db, settings).analyse(admin_of(place.tenant), other.id, ASKED)

    await place.delete(gone)
    assert place.said(kept) == (ASKED, ASKED, "Cinco días laborables.", ASKED)
    assert place.rows("select id from veraz.exam_question") == [(exam,)]
    assert place.rows("select reason from veraz.feedback") == [(f"{SHARED} No es verdad.",)]
    assert place.rows("select user_input from veraz.domain_intelligence") == [(ASKED,)]
    assert not [text for text in place.said(own) if "Quirmelonda" in text]


async def test_many_texts_with_the_same_words_in_another_order_take_no_sentence_away(place: "Place") -> None:
    gone = await place.document("norte.md", "La clave vieja de la sala de servidores.")
    others = [
        f"La sala {number} de los servidores tiene una clave. La vieja no vale." for number in range(60)
    ]
    await place.document("salas.md", *others)
    talk = place.ask("¿Es «la clave vieja de la sala de servidores» todavía?")
    kept = place.ask("¿Tiene la sala 4 de los servidores una clave?")
    await place.delete(gone)
    assert "clave" not in place.said(talk)[1]
    assert "clave" in place.said(kept)[1]


async def test_once_the_last_document_that_said_it_is_gone_it_is_forgotten(place: "Place") -> None:
    first = await place.document("norte.md", SHARED)
    last = await place.document("sur.md", SHARED)
    talk = place.ask(ASKED)
    await place.delete(first)
    assert place.said(talk)[1] == ASKED
    await place.delete(last)
    assert not [text for text in place.said(talk) if "pedidos" in text]


async def test_words_of_the_language_of_a_knowledge_base_tell_nothing(place: "Place") -> None:
    catalan = await place.library.kb(place.tenant, language="ca")
    text = "Els abonats poden entrar gratuïtament al matí amb el carnet Quirmelondi."
    gone = await place.document("piscina.md", text, kb=catalan)
    kept = place.ask("La biblioteca obre al matí?")
    taken = place.ask("Què és Quirmelondi?")
    await place.delete(gone, kb=catalan)
    assert place.said(kept)[1] == "La biblioteca obre al matí?"
    assert "Quirmelondi" not in place.said(taken)[1]


async def test_the_address_of_a_site_stays_with_its_other_pages_and_with_the_work_under_way(
    place: "Place",
) -> None:
    site = "http://www.quirmelonda.test:29111"
    page, other = [
        await place.document(f"{site}/{name}", f"La página {name}.", source_url=f"{site}/{name}")
        for name in ("uno", "dos")
    ]
    crawl = place.write("job", kind="crawl", kb_id=place.kb.id, payload={"url": f"{site}/uno"})
    named = place.ask("¿Qué hay en quirmelonda?")
    audit = "select changes -> 'source_url' ->> 1 from veraz.audit_entry where thing_id = %s"
    before = place.rows(audit, str(other))

    await place.delete(page)
    assert place.rows("select payload ->> 'url' from veraz.job where id = %s", crawl) == [(f"{site}/uno",)]
    assert place.rows(audit, str(other)) == before == [(f"{site}/dos",)]
    assert place.said(named)[1] == "¿Qué hay en quirmelonda?"
    await place.delete(other)
    assert "quirmelonda" not in place.said(named)[1]


async def test_an_answer_from_another_document_loses_a_forgotten_name_and_is_read_no_more(
    place: "Place",
) -> None:
    gym = await place.document("gimnasio.md", "El gimnasio abre de lunes a viernes por la tarde.")
    plan = await place.document(
        "plan.md", "El plan Quirmelandia prevé cerrar la fábrica en marzo por la tarde."
    )
    told = "Para el plan Quirmelandia, el gimnasio abre de lunes a viernes por la tarde."
    named = place.ask("¿Cuándo abre el gimnasio?", told, cites=gym)
    kept = place.ask("¿Y el gimnasio?", "Abre de lunes a viernes por la tarde.", cites=gym)
    await place.delete(plan)
    assert place.said(named)[2].startswith("[olvidado el ")
    assert place.said(kept)[2] == "Abre de lunes a viernes por la tarde."
    cut = dict(place.rows("select id, forgotten_at is not null from veraz.conversation"))
    assert cut == {named.id: True, kept.id: False}


async def test_a_name_of_everyday_words_is_found_by_all_of_them_together(place: "Place") -> None:
    gone = await place.document("despido secreto de Rosa.md", "Rosa sale.")
    await place.document("normas.md", "Las normas del despido. Rosa Pérez dirige la sede.")
    about = place.ask("¿Qué es eso del despido secreto de Rosa?")
    kept = place.ask("¿Cuáles son las normas del despido?")
    await place.delete(gone)
    assert "secreto" not in place.said(about)[1]
    assert place.said(kept)[1] == "¿Cuáles son las normas del despido?"


async def test_stories_and_exam_answers_go_by_the_documents_they_name(place: "Place") -> None:
    gone = await place.document("nota.md", "Perla vende barcos.")
    stays = await place.document("gimnasio.md", "El gimnasio abre por la tarde.")
    read, found, other = (place.ask("¿Qué hace ella?") for _ in range(3))
    for talk, document, number in ((read, gone, 1), (found, gone, None), (other, stays, 1)):
        passages = [{"document_id": str(document), "number": number, "quoted": False, "document": "nota"}]
        place.rows(
            "insert into veraz.query_trace (tenant_id, query_id, project_id, trace) values (%s, %s, %s, %s) returning 1",
            place.tenant.id,
            talk.query_id,
            place.tenant.project_id,
            json.dumps({"history": 0, "passages": passages}),
        )
    results = [
        {"question_id": str(new_id()), "question": "¿Qué hace?", "answer": text, "documents": [str(document)]}
        for text, document in (("Vende barcos.", gone), ("Abre por la tarde.", stays))
    ]
    place.write("exam_run", agent_id=place.agent_id, model="quotes", passed=2, failed=0, results=results)
    await place.delete(gone)
    traces = dict(place.rows("select query_id, trace -> 'passages' from veraz.query_trace"))
    assert set(traces) == {found.query_id, other.query_id}
    assert traces[found.query_id] == []
    answers = place.rows("select e ->> 'answer' from veraz.exam_run r, jsonb_array_elements(r.results) e")
    assert answers == [("[olvidado]",), ("Abre por la tarde.",)]


async def _described(place: "Place", kb: UUID) -> str:
    ((text,),) = place.rows("select description from veraz.knowledge_base where id = %s", kb)
    return str(text)


async def test_a_description_made_from_documents_goes_with_them_and_one_by_hand_stays(
    place: "Place", settings: Settings
) -> None:
    admin, domains = admin_of(place.tenant), Domains(place.db, settings)
    gone = await place.document(
        "fusion.md", "La fusión con Brumaldina se firma el lunes. Brumaldina Brumaldina."
    )
    await domains.analyse(admin, place.kb.id, "Brumaldina")
    await domains.confirm(admin, place.kb.id)
    assert "brumaldina" in (await _described(place, place.kb.id)).lower()
    by_hand = await place.library.kb(place.tenant)
    place.rows(
        "update veraz.knowledge_base set description = 'La nuestra' where id = %s returning 1", by_hand.id
    )
    await domains.analyse(admin, by_hand.id, "Brumaldina")
    await domains.confirm(admin, by_hand.id)

    await place.delete(gone)
    assert await _described(place, place.kb.id) == ""
    assert await _described(place, by_hand.id) == "La nuestra"
    assert (
        place.rows("select 1 from veraz.audit_entry where strpos(lower(changes::text), 'brumaldin') > 0")
        == []
    )
