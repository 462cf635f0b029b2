"""What waits for a person, on the pages: seen by managers, of their own organisation only."""

from typing import TYPE_CHECKING

from veraz.ingest.receive import Labels
from veraz.library.knowledge_bases import NewKnowledgeBase
from veraz.tenancy.users import NewUser

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
