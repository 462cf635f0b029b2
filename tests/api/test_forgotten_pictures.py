"""Pictures of pages go with their document, and no page with a forgotten stretch is drawn."""

from dataclasses import replace
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from veraz.settings import Settings

if TYPE_CHECKING:
    from tests.ingest.parse import made_files as made
    from tests.support.door import Door
    from tests.support.people import acting, add_key
else:
    from ingest.parse import made_files as made
    from support.door import Door
    from support.people import acting, add_key

MANUAL = made.pdf("# Gimnasio\nLa clave de la caja fuerte es marfolindo y cambia cada mes.")


async def test_no_picture_is_left_of_a_deleted_document(at_work: Door, door_settings: Settings) -> None:
    acme = at_work.acme
    document = await acme.bring("manual.pdf", MANUAL)
    await acme.ended(document)
    await at_work.rival.call("GET", f"/documents/{document}/pages/1.png", 404)
    assert (await acme.send("GET", f"/documents/{document}/pages/1.png")).status_code == 200
    pages = door_settings.home / "cache" / "pages"
    assert [one for one in pages.rglob("*.png") if acme.tenant_id in str(one)]
    await acme.call("DELETE", f"/knowledge-bases/{acme.kb}/documents/{document}", 204)
    await acme.idle()
    assert not list(pages.rglob("*.png"))


TWO_PAGES = made.pdf(
    "# Caja fuerte\nLa clave de la caja fuerte es marfolindo y cambia cada mes.\n"
    "El gimnasio municipal abre de lunes a viernes por la tarde.",
    "# Piscina\nLa piscina cubierta municipal abre solo en los meses de invierno.",
)


async def test_a_page_with_a_forgotten_stretch_is_no_longer_drawn_for_anybody(
    at_work: Door, door_settings: Settings
) -> None:
    config = {"strategy": "fixed", "chunk_size": 90, "chunk_overlap": 0, "min_chunk_size": 20}
    body = {"name": "Trozos", "chunking_config": config}
    kb = (await at_work.acme.call("POST", "/knowledge-bases", 201, json=body))["id"]
    acme = replace(at_work.acme, kb=kb)
    document = await acme.bring("manual.pdf", TWO_PAGES)
    await acme.ended(document)
    agent = (
        await acme.call(
            "POST", "/agents", 201, json={"name": "Luna", "retrieval": {"similarity_threshold": 0.0}}
        )
    )["id"]
    await acme.call("PUT", f"/agents/{agent}/knowledge-bases/{kb}", 200)
    outside = acting(await add_key(acme, "ask"), user="zoe")
    question = {"question": "¿Cuándo abre el gimnasio municipal?"}

    async def asked() -> str:
        answer = await outside.call("POST", f"/agents/{agent}/ask", 200, json=question)
        return "/" + str(urlsplit(answer["claims"][0]["quotes"][0]["url"]).path)

    before = await asked()
    assert (await outside.send("GET", f"{before}/page.png")).status_code == 200
    (secret, *_) = [one for one in await acme.chunks(document) if "marfolindo" in one["content"]]
    await acme.call("DELETE", f"/knowledge-bases/{kb}/documents/{document}/chunks/{secret['id']}", 204)
    assert not list((door_settings.home / "cache" / "pages").rglob("*.png"))
    await acme.idle()
    after = await asked()
    for who in (outside, acme):
        for link in (before, after):
            refused = await who.send("GET", f"{link}/page.png")
            assert refused.status_code == 404
        refused = await who.send("GET", f"/documents/{document}/pages/1.png")
        assert (refused.status_code, refused.json()["code"]) == (404, "page_forgotten")
        assert (await who.send("GET", f"/documents/{document}/pages/2.png")).status_code == 200
    shown = await outside.send("GET", after, headers={"Accept": "text/html"})
    assert "Algo de esta página se olvidó" in shown.text
    assert "abre de lunes a viernes" in " ".join(shown.text.split())
    assert "marfolindo" not in shown.text
    read = await outside.call("GET", f"/documents/{document}/text", 200)
    assert read["forgotten_pages"] == [1]
    assert "marfolindo" not in str(read)


async def test_another_company_learns_nothing_of_forgotten_pages(at_work: Door) -> None:
    acme = at_work.acme
    document = await acme.bring("manual.pdf", TWO_PAGES)
    await acme.ended(document)
    (chunk, *_) = await acme.chunks(document)
    await acme.call("DELETE", f"/knowledge-bases/{acme.kb}/documents/{document}/chunks/{chunk['id']}", 204)
    refused = await at_work.rival.send("GET", f"/documents/{document}/pages/1.png")
    assert (refused.status_code, refused.json()["code"]) == (404, "not_found")
