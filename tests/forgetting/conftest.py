"""A tenant whose knowledge others repeat, and the job that forgets."""

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from uuid import UUID

import pytest
from psycopg import Connection

from veraz.db.pool import Database
from veraz.forgetting.job import FORGET, Forget
from veraz.forgetting.model import Forgetting
from veraz.forgetting.service import Forgettings
from veraz.ids import new_id
from veraz.ingest.documents import Documents
from veraz.providers.files.local import LocalFiles
from veraz.providers.files.pictures import PagePictures
from veraz.providers.files.tenants import Files
from veraz.queue import queue
from veraz.queue.handler import JobControl
from veraz.settings import Settings

if TYPE_CHECKING:
    from tests.conftest import MakeTenant, Tenant
    from tests.support.access import act_in
    from tests.support.searchable import Kb, Library, admin_of
else:
    from support.access import act_in
    from support.searchable import Kb, Library, admin_of


_ARRAYS = ("kb_ids", "subjects")


@dataclass(frozen=True, kw_only=True)
class Talk:
    """A question in a conversation of its own, its answer and its line in the log."""

    id: UUID
    question_id: UUID
    answer_id: UUID
    query_id: UUID


@dataclass(kw_only=True)
class Place:
    """A tenant with an agent and a knowledge base, and ways to repeat what is in it."""

    tenant: "Tenant"
    kb: "Kb"
    agent_id: UUID
    library: "Library"
    owner: Connection[Any]
    db: Database
    worker_db: Database
    forget: Forget
    run_id: UUID = field(default_factory=new_id)

    async def document(self, name: str, *texts: str, kb: "Kb | None" = None, **more: Any) -> UUID:
        """A document of these chunks."""
        return await self.library.document(kb or self.kb, name, *texts, **more)

    def write(self, table: str, **row: Any) -> UUID:
        """A row as it stands in the tenant; its id."""
        row = {"id": new_id()} | {
            name: json.dumps(value) if isinstance(value, dict | list) and name not in _ARRAYS else value
            for name, value in row.items()
        }
        columns, places = ", ".join(row), ", ".join(f"%({name})s" for name in row)
        with self.owner.transaction():
            act_in(self.owner, self.tenant.id)
            self.owner.execute(f"insert into veraz.{table} ({columns}) values ({places})", row)
        return UUID(str(row["id"]))

    def ask(
        self,
        question: str,
        answer: str = "Claro.",
        *,
        user: UUID | None = None,
        cites: UUID | None = None,
        **talk_columns: Any,
    ) -> Talk:
        """What somebody asked, as it is kept everywhere."""
        talk = self.write(
            "conversation",
            agent_id=self.agent_id,
            project_id=self.tenant.project_id,
            user_id=user,
            title=question[:120],
            **talk_columns,
        )
        asked = self.write("message", conversation_id=talk, role="user", text=question)
        query = self.write(
            "query_log",
            kind="ask",
            agent_id=self.agent_id,
            project_id=self.tenant.project_id,
            kb_ids=[self.kb.id],
            user_id=user,
            question=question,
            stages={},
            latency_ms=1,
        )
        evidence = [{"document_id": str(cites), "cited": True}] if cites else []
        said = self.write(
            "message", conversation_id=talk, role="assistant", text=answer, query_id=query, evidence=evidence
        )
        return Talk(id=talk, question_id=asked, answer_id=said, query_id=query)

    def said(self, talk: Talk) -> tuple[str, str, str, str]:
        """Title, question, answer and log line of a talk, as they stand now."""
        row = self.owner.execute(
            "select c.title, q.text, a.text, l.question from veraz.conversation c, veraz.message q, veraz.message a, "
            "veraz.query_log l where c.id = %s and q.id = %s and a.id = %s and l.id = %s",
            (talk.id, talk.question_id, talk.answer_id, talk.query_id),
        ).fetchone()
        assert row
        return row[0], row[1], row[2], row[3]

    def rows(self, query: str, *values: Any) -> list[Any]:
        """What stands there, as owner."""
        return self.owner.execute(query.encode(), values).fetchall()

    def user(self, external_id: str, display_name: str = "") -> UUID:
        """Somebody outside."""
        return self.write("app_user", external_id=external_id, display_name=display_name, role="member")

    async def delete(self, *documents: UUID, kb: "Kb | None" = None) -> Forgetting:
        """Deletes documents and forgets them; the receipt."""
        await Documents(self.db).delete(admin_of(self.tenant), (kb or self.kb).id, list(documents))
        return await self.forgotten()

    async def forgotten(self) -> Forgetting:
        """Does what was begun; the newest receipt."""
        for job in await queue.claim(self.worker_db, "w1", 10, kinds=[FORGET]):
            await self.forget(job, JobControl(self.worker_db, job))
        receipt = (await Forgettings(self.db).all(admin_of(self.tenant))).items[0]
        assert receipt.status == "done"
        return receipt


@pytest.fixture
async def place(
    library: Library,
    make_tenant: "MakeTenant",
    owner: Connection[Any],
    db: Database,
    worker_db: Database,
    settings: Settings,
) -> Place:
    """The place everything happens in."""
    tenant = make_tenant()
    kb = await library.kb(tenant)
    return Place(
        tenant=tenant,
        kb=kb,
        agent_id=await library.agent(tenant, kb),
        library=library,
        owner=owner,
        db=db,
        worker_db=worker_db,
        forget=Forget(worker_db, Files(LocalFiles(settings.home / "files")), PagePictures(settings.home)),
    )
