"""Pictures of pages go with their document, and no page with a forgotten stretch is drawn."""

from typing import TYPE_CHECKING

from veraz.settings import Settings

if TYPE_CHECKING:
    from tests.ingest.parse import made_files as made
    from tests.support.door import Door
else:
    from ingest.parse import made_files as made
    from support.door import Door

MANUAL = made.pdf("# Gimnasio\nLa clave de la caja fuerte es marfolindo y cambia cada mes.")


async def test_no_picture_is_left_of_a_deleted_document(at_work: Door, door_settings: Settings) -> None:
    acme = at_work.acme
    document = await acme.bring("manual.pdf", MANUAL)
    await acme.ended(document)
    await at_work.rival.call("GET", f"/documents/{document}/pages/1.png", 404)
    assert (await acme.send("GET", f"/documents/{document}/pages/1.png")).status_code == 200
    pages = door_settings.home / "cache" / "pages"
    assert [one for one in pages.rglob("*.png") if document in str(one)]
    await acme.call("DELETE", f"/knowledge-bases/{acme.kb}/documents/{document}", 204)
    await acme.idle()
    assert not list(pages.rglob("*.png"))
