"""A job over its budget ends with a sentence that says what to do, and the worker goes on."""

from typing import TYPE_CHECKING

from veraz.db.pool import Database
from veraz.settings import Settings

if TYPE_CHECKING:
    from tests.support.door import Door, working
else:
    from support.door import Door, working


async def test_a_job_over_its_budget_says_what_to_do(
    door: Door, door_settings: Settings, worker_db: Database
) -> None:
    hurried = door_settings.model_copy(update={"job_seconds": 0.001})
    async with working(hurried, worker_db):
        first = await door.acme.bring("larga.txt", b"Una nota que no cabe en su tiempo.")
        (ended,) = await door.acme.ended(first)
    assert (ended["status"], ended["error_code"]) == ("failed", "job_too_long")
    assert "documentos más pequeños" in ended["error_message"]
    async with working(door_settings, worker_db):
        await door.acme.call("POST", f"/knowledge-bases/{door.acme.kb}/documents/{first}/reprocess", 202)
        assert (await door.acme.ended(first))[0]["status"] == "completed"


async def test_a_table_of_200_000_columns_fails_at_once_and_the_next_document_is_read(at_work: Door) -> None:
    names = ",".join(f"c{n}" for n in range(200_000))
    wide = await at_work.acme.bring("ancha.csv", f"{names}\n{','.join('1' * 200_000)}\n".encode())
    good = await at_work.acme.bring("buena.txt", b"Una nota buena.")
    failed, read = await at_work.acme.ended(wide, good)
    assert (failed["status"], failed["error_code"]) == ("failed", "too_large")
    assert "16.384 columnas" in failed["error_message"]
    assert read["status"] == "completed"
