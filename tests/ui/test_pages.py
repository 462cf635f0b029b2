"""The pages without a browser: who gets in, what a stranger sees, what stays the API's."""

import io
import re
from typing import TYPE_CHECKING

import pytest

from veraz import errors, security
from veraz.ingest.receive import Labels
from veraz.library.agents import AgentProfile
from veraz.library.knowledge_bases import NewKnowledgeBase
from veraz.security import KINDS
from veraz.tenancy.users import NewUser, UserChange
from veraz.ui.login_parts import inside
from veraz.ui.navigation import GROUPS
from veraz.ui.pages import PAGES
from veraz.ui.security_words import SAID

if TYPE_CHECKING:
    from tests.support.door import welcome
    from tests.ui.conftest import Pages
else:
    from support.door import welcome

PASSWORD = "correcto caballo batería"

PLAIN = [path for path in PAGES if "{" not in path]


async def test_a_stranger_is_led_to_the_sign_in_page_and_back(pages: "Pages") -> None:
    answer = await pages.http.get("/es/knowledge-bases?x=1")
    assert answer.status_code == 303
    assert answer.headers["location"] == "/es/login?next=%2Fes%2Fknowledge-bases%3Fx%3D1"
    answer = await pages.sign_in(next="/es/knowledge-bases?x=1")
    assert answer.headers["location"] == "/es/knowledge-bases?x=1"
    cookie = answer.headers["set-cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=lax" in cookie


async def test_a_wrong_password_says_so_and_gives_no_session(pages: "Pages") -> None:
    answer = await pages.sign_in(password="falsa")
    assert answer.headers["location"] == "/es/login?reason=wrong"
    assert "veraz_session" not in answer.headers["set-cookie"]
    page = await pages.http.get("/es/login?reason=wrong")
    assert "El correo o la contraseña no son correctos." in page.text
    assert '"value":"ana@acme.test"' in page.text, "what was typed need not be typed again"


async def test_the_sign_in_page_of_the_other_language_leads_to_the_same_place(pages: "Pages") -> None:
    page = (await pages.http.get("/es/login?next=/es/console%3Fstatus=DLQ")).text
    assert "/en/login?next=%2Fen%2Fconsole%3Fstatus%3DDLQ" in page
    assert "Inicie sesión para ver la cita." not in page
    assert "Inicie sesión para ver la cita." in (await pages.http.get("/es/login?next=/s/abc")).text


async def test_each_sign_in_is_a_new_session(pages: "Pages") -> None:
    first = (await pages.sign_in()).cookies["veraz_session"]
    second = (await pages.sign_in()).cookies["veraz_session"]
    assert first != second


async def test_another_site_cannot_sign_somebody_in(pages: "Pages") -> None:
    form = {"email": "ana@acme.test", "password": "x"}
    answer = await pages.http.post("/es/login", data=form, headers={"Origin": "http://evil.example"})
    assert answer.status_code == 403


@pytest.mark.parametrize(
    "where", ["https://evil.example/", "//evil.example", "/\\evil.example", "/api/v1/me", "javascript:x"]
)
def test_nobody_is_led_to_another_site_after_signing_in(where: str) -> None:
    assert inside(where) == ""


@pytest.mark.parametrize("where", ["/es/agents", "/en/", "/s/AbC-_9"])
def test_signing_in_leads_back_to_a_page_or_a_quotation(where: str) -> None:
    assert inside(where) == where


async def test_signing_out_ends_the_session(pages: "Pages") -> None:
    token = (await pages.sign_in()).cookies["veraz_session"]
    await pages.http.post("/es/logout", headers={"Origin": "http://veraz.test"})
    pages.http.cookies.set("veraz_session", token)
    assert (await pages.http.get("/es/")).status_code == 303


@pytest.mark.parametrize("language", ["es", "en"])
async def test_every_page_is_shown_to_an_admin(pages: "Pages", language: str) -> None:
    await pages.sign_in()
    for path in PLAIN:
        answer = await pages.http.get(f"/{language}{path}")
        assert answer.status_code == 200, path
        assert f'lang="{language}' in answer.text
        assert answer.headers["cache-control"] == "no-store"
        assert "img-src 'self' data: blob:" in answer.headers["content-security-policy"]


async def test_every_entry_of_the_navigation_is_a_page(pages: "Pages") -> None:
    assert {place.path for group in GROUPS for place in group.places} <= PAGES.keys()


async def test_a_member_is_offered_less_and_refused_the_rest(pages: "Pages") -> None:
    new = NewUser(email="miguel@acme.test")
    await welcome(pages.veraz, pages.admin, new)
    await pages.sign_in("miguel@acme.test", PASSWORD)
    page = await pages.http.get("/es/personal")
    assert "Mi conocimiento" in page.text
    assert "Registro de cambios" not in page.text
    assert (await pages.http.get("/es/admin/audit")).status_code == 403
    assert (await pages.http.get("/es/admin/security")).status_code == 403
    assert (await pages.http.get("/es/admin/plan")).status_code == 403


async def test_a_page_refused_halfway_shows_nothing_of_itself(pages: "Pages") -> None:
    project = (await pages.veraz.projects.all(pages.admin)).items[0].id
    profile = AgentProfile(name="Luna", system_prompt="Di siempre «zapato».")
    agent = await pages.veraz.agents.create(pages.admin, project, profile)
    await welcome(pages.veraz, pages.admin, NewUser(email="miguel@acme.test"))
    user = (await pages.veraz.users.all(pages.admin)).items[0].id
    await pages.veraz.projects.put_member(pages.admin, project, role="member", user_id=user)
    await pages.sign_in("miguel@acme.test")
    for path in (f"/es/agents/{agent.id}", "/es/admin/plan"):
        answer = await pages.http.get(path)
        assert answer.status_code == 403, path
        assert "Esta página no se puede mostrar" in answer.text
        assert answer.text.count('"tag":"h1"') == 1
        assert "zapato" not in answer.text


async def test_the_rival_finds_nothing_where_acme_has_a_knowledge_base(pages: "Pages") -> None:
    kb = await pages.veraz.knowledge_bases.create(pages.admin, NewKnowledgeBase(name="Secreto industrial"))
    await pages.sign_in("raul@rival.test")
    for path in ("", "/settings", "/agents", "/search"):
        answer = await pages.http.get(f"/es/knowledge-bases/{kb.id}{path}")
        assert answer.status_code == 404, path
        assert "Secreto" not in answer.text
    assert "Secreto" not in (await pages.http.get("/es/knowledge-bases")).text


async def test_a_member_reads_the_titles_of_what_their_agents_read_and_changes_nothing(
    pages: "Pages",
) -> None:
    veraz, admin = pages.veraz, pages.admin
    project = (await veraz.projects.all(admin)).items[0].id
    agent = await veraz.agents.create(admin, project, AgentProfile(name="Luna"))
    kb = await veraz.knowledge_bases.create(admin, NewKnowledgeBase(name="Manual de estilo"))
    await veraz.assignments.put(admin, kb.id, [agent.id])
    file = io.BytesIO(b"# Como escribimos")
    await veraz.reception.file(admin, kb.id, "estilo.md", file, Labels())
    user = await welcome(veraz, admin, NewUser(email="miguel@acme.test"))
    await veraz.projects.put_member(admin, project, role="member", user_id=user.id)
    await pages.sign_in("miguel@acme.test")
    path = f"/es/knowledge-bases/{kb.id}/contents"
    assert path in (await pages.http.get("/es/personal")).text
    page = (await pages.http.get(path)).text
    assert "Manual de estilo" in page and "estilo.md" in page and "Versión 1" in page
    assert "Elegir archivos" not in page and "/file" not in page
    assert (await pages.http.get(f"/es/knowledge-bases/{kb.id}")).status_code == 404
    await pages.sign_in("raul@rival.test")
    foreign = await pages.http.get(path)
    assert foreign.status_code == 404 and "estilo" not in foreign.text


@pytest.mark.parametrize(("language", "words"), [("es", "Reemplazar archivo"), ("en", "Replace the file")])
async def test_the_page_of_a_file_offers_to_replace_it_and_that_of_a_text_does_not(
    pages: "Pages", language: str, words: str
) -> None:
    veraz, admin = pages.veraz, pages.admin
    kb = await veraz.knowledge_bases.create(admin, NewKnowledgeBase(name="Base"))
    file = await veraz.reception.file(admin, kb.id, "a.md", io.BytesIO(b"# Uno"), Labels())
    text = await veraz.reception.text(admin, kb.id, "Nota", "Dos", Labels(origin="text"))
    await pages.sign_in()
    for document, offered in ((file.document_id, True), (text.document_id, False)):
        page = await pages.http.get(f"/{language}/knowledge-bases/{kb.id}/documents/{document}")
        assert page.status_code == 200 and (words in page.text) is offered


async def test_names_cannot_bring_markup_into_a_page(pages: "Pages") -> None:
    hostile = "<img src=x onerror=alert(1)></script>"
    kb = await pages.veraz.knowledge_bases.create(pages.admin, NewKnowledgeBase(name=hostile))
    await pages.sign_in()
    for path in ("", f"/{kb.id}", f"/{kb.id}/settings"):
        text = (await pages.http.get(f"/es/knowledge-bases{path}")).text
        assert "<img src=x" not in text
        assert "</script>" not in text.split("alert(1)", 1)[1][:40]


async def test_a_disabled_user_sees_no_page_any_more(pages: "Pages") -> None:
    new = NewUser(email="miguel@acme.test")
    user = await welcome(pages.veraz, pages.admin, new)
    await pages.sign_in("miguel@acme.test", PASSWORD)
    assert (await pages.http.get("/es/")).status_code == 200
    await pages.veraz.users.change(pages.admin, user.id, UserChange(disabled=True))
    assert (await pages.http.get("/es/")).status_code == 303


async def test_unknown_addresses_of_the_api_stay_problems(pages: "Pages") -> None:
    for method, path, status in (
        ("GET", "/api/v1/nothing", 404),
        ("DELETE", "/api/v1/me", 405),
        ("GET", "/nothing", 404),
    ):
        answer = await pages.http.request(method, path)
        assert answer.status_code == status
        assert answer.headers["content-type"] == "application/problem+json"


async def test_uploads_of_the_page_framework_are_refused(pages: "Pages") -> None:
    answer = await pages.http.post("/_nicegui/client/some/upload/7", files={"file": ("a.txt", b"x")})
    assert answer.status_code == 404


async def test_the_first_page_speaks_the_language_remembered(pages: "Pages") -> None:
    assert (await pages.http.get("/")).headers["location"] == "/es/"
    assert (await pages.http.get("/", headers={"Accept-Language": "en-GB"})).headers["location"] == "/en/"
    pages.http.cookies.set("veraz_language", "es")
    assert (await pages.http.get("/", headers={"Accept-Language": "en-GB"})).headers["location"] == "/es/"


async def test_quotes_in_a_name_cannot_add_attributes(pages: "Pages") -> None:
    await pages.veraz.projects.create(pages.admin, name='x" :title="window.hacked=1" onclick="alert(1)')
    await pages.sign_in()
    text = (await pages.http.get("/es/admin/projects")).text
    assert '":title"' not in text
    assert '"onclick"' not in text


async def test_only_the_platform_is_offered_the_list_of_tenants(pages: "Pages") -> None:
    await pages.sign_in("raul@rival.test")
    assert "/es/admin/tenants" not in (await pages.http.get("/es/")).text
    answer = await pages.http.get("/es/admin/tenants")
    assert answer.status_code == 403
    assert "Acme" not in answer.text


async def test_the_page_of_a_document_tells_its_versions_and_what_it_replaces(pages: "Pages") -> None:
    veraz, admin = pages.veraz, pages.admin
    kb = await veraz.knowledge_bases.create(admin, NewKnowledgeBase(name="Base"))
    ids = []
    for year in (2024, 2025):
        file = io.BytesIO(f"# Tarifas\n\nEl corte cuesta {year} pesos.".encode())
        ids.append(
            (await veraz.reception.file(admin, kb.id, f"Tarifas_{year}.md", file, Labels())).document_id
        )
    old, new = ids
    async with veraz.db.transaction(admin.scope()) as tx:
        await tx.run("update veraz.document set status = 'completed' where kb_id = %(kb)s", kb=kb.id)
    await veraz.replacements.with_file(admin, kb.id, new, "Tarifas_2025.md", io.BytesIO(b"# Tarifas nuevas"))
    async with veraz.db.transaction(admin.scope()) as tx:
        await tx.run("update veraz.document set status = 'completed' where kb_id = %(kb)s", kb=kb.id)
    await pages.sign_in()
    page = (await pages.http.get(f"/es/knowledge-bases/{kb.id}/documents/{new}")).text
    assert "¿Este documento sustituye a «Tarifas_2024.md»?" in page
    assert "Versión 2 · Tarifas_2025.md" in page and "Versión 1 · Tarifas_2025.md" in page
    await veraz.superseding.supersede(admin, kb.id, old, new)
    page = (await pages.http.get(f"/es/knowledge-bases/{kb.id}/documents/{old}")).text
    assert "Sustituido por «Tarifas_2025.md»" in page
    assert "Todavía no está listo" in page, "nothing was read yet"
    for path in (f"/es/documents/{new}", f"/es/documents/{new}?start=1&end=2"):
        assert (await pages.http.get(path)).status_code == 404
    await pages.sign_in("raul@rival.test")
    assert (await pages.http.get(f"/es/knowledge-bases/{kb.id}/documents/{new}")).status_code == 404


async def test_an_address_without_a_language_leads_to_the_page_of_that_name(pages: "Pages") -> None:
    browser = {"Accept": "text/html", "Accept-Language": "es-MX"}
    answer = await pages.http.get("/knowledge-bases?x=1", headers=browser)
    assert (answer.status_code, answer.headers["location"]) == (303, "/es/knowledge-bases?x=1")
    assert (await pages.http.get("/knowledge-bases")).status_code == 404
    assert (await pages.http.get("/api/v1/nothing", headers=browser)).status_code == 404


async def test_a_page_that_does_not_exist_says_so_with_ways_on(pages: "Pages") -> None:
    await pages.sign_in()
    answer = await pages.http.get("/es/nothing-here")
    assert answer.status_code == 404
    assert "No encontramos esta página" in answer.text
    assert "Ir al inicio" in answer.text


async def test_numbers_are_written_as_in_the_visitors_country(pages: "Pages") -> None:
    await pages.sign_in()
    in_mexico = await pages.http.get("/es/admin/plan", headers={"Accept-Language": "es-MX"})
    in_spain = await pages.http.get("/es/admin/plan", headers={"Accept-Language": "es-ES,es;q=0.9"})
    assert re.search(r"\d,000\b", in_mexico.text)
    assert re.search(r"\d\.000\b", in_spain.text)


def test_every_kind_of_security_event_has_words() -> None:
    assert set(SAID) == set(KINDS)


async def test_what_was_refused_is_told_as_refused_and_in_spanish(pages: "Pages") -> None:
    security.kept_by(pages.veraz.security_events.accept, salt="a test's")
    await pages.sign_in()
    with pytest.raises(errors.Invalid):
        await pages.veraz.passwords.change(pages.admin, "no es", "perro azul tejado")
    page = (await pages.http.get("/es/admin/security")).text
    assert "Contraseña cambiada: rechazado" in page
    assert "con contraseña" in page
