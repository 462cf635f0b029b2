"""What waits for a person, on the pages: seen by managers, of their own organisation only."""

from dataclasses import replace
from types import SimpleNamespace
from typing import TYPE_CHECKING

from veraz.ingest.receive import Labels
from veraz.library.agents import AgentProfile
from veraz.library.knowledge_bases import NewKnowledgeBase
from veraz.tenancy.users import NewUser
from veraz.ui.ask_list import from_outside

if TYPE_CHECKING:
    from tests.support.door import welcome
    from tests.ui.conftest import Pages
else:
    from support.door import welcome


async def test_failed_documents_are_told(pages: "Pages") -> None:
    veraz, admin = pages.veraz, pages.admin
    kb = await veraz.knowledge_bases.create(admin, NewKnowledgeBase(name="Base"))
    found = await veraz.reception.text(admin, kb.id, "Tarifas", "Treinta pesos.", Labels(origin="text"))
    async with veraz.db.transaction(admin.scope()) as tx:
        await tx.run(
            "update veraz.document set status = 'failed', error_code = 'corrupt', error_message = 'Está dañado.' "
            "where id = %(id)s",
            id=found.document_id,
        )
    await pages.sign_in()
    for path in ("/es/attention", "/es/"):
        page = (await pages.http.get(path)).text
        assert "«Tarifas» no se pudo leer" in page
    await pages.http.post("/es/logout", headers={"Origin": "http://veraz.test"})
    await pages.sign_in("raul@rival.test")
    page = (await pages.http.get("/es/attention")).text
    assert "Tarifas" not in page
    assert "Todo en orden" in page


async def test_members_do_not_supervise(pages: "Pages") -> None:
    new = NewUser(email="miguel@acme.test")
    await welcome(pages.veraz, pages.admin, new)
    await pages.sign_in("miguel@acme.test", "correcto caballo batería")
    assert (await pages.http.get("/es/attention")).status_code == 403


async def test_who_spoke_from_outside_is_forgotten_from_the_page_and_the_receipt_is_the_tenants_own(
    pages: "Pages",
) -> None:
    veraz = pages.veraz
    project = (await veraz.projects.all(pages.admin)).items[0].id
    agent = await veraz.agents.create(pages.admin, project, AgentProfile(name="Luna"))
    key = await veraz.keys.issue(pages.admin, name="Portal", scopes=["ask"], personal=False)
    service = await veraz.callers.authenticate(key.secret)
    outside = await veraz.conversations.start(service, agent.id, channel="api")
    ours = await veraz.conversations.start(pages.admin, agent.id)
    visit = SimpleNamespace(actor=pages.admin)
    assert from_outside(visit, outside) and not from_outside(visit, ours)  # type: ignore[arg-type]
    member = SimpleNamespace(actor=replace(pages.admin, user_role="member", is_platform_admin=False))
    assert not from_outside(member, outside)  # type: ignore[arg-type]
    await veraz.forgettings.forget_end_user(pages.admin, str(outside.id))
    await pages.sign_in()
    assert "alguien de fuera" in (await pages.http.get("/es/admin/security")).text
    pages.http.cookies.clear()
    await pages.sign_in("raul@rival.test")
    page = (await pages.http.get("/es/admin/security")).text
    assert "Lo que se olvidó" in page
    assert "alguien de fuera" not in page
