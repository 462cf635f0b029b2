"""Isolation is attacked: random companies, every caller, every table and path, before and after rights are taken away.

`support/isolation_model.py` says in plain Python what PRODUCT.md's rule allows; this story compares. A difference is a
leak or a false denial, and hypothesis prints how to get there again.
"""

import asyncio
from collections import Counter
from collections.abc import Awaitable
from random import Random
from typing import TYPE_CHECKING, Any, TypeVar
from uuid import UUID

import httpx
import psycopg
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    precondition,
    rule,
    run_state_machine_as_test,
)

from veraz.api.app import create_app
from veraz.db.pool import Database
from veraz.db.scope import Scope
from veraz.settings import Settings
from veraz.wiring import Veraz, assemble

if TYPE_CHECKING:
    from tests.support import isolation_model as m
    from tests.support.access import ACCESS, act_as
    from tests.support.isolation_http import HttpAttack
    from tests.support.isolation_sql import SqlAttack
    from tests.support.isolation_world import Owner, make_world, some_callers, store_world
else:
    from support import isolation_model as m
    from support.access import ACCESS, act_as
    from support.isolation_http import HttpAttack
    from support.isolation_sql import SqlAttack
    from support.isolation_world import Owner, make_world, some_callers, store_world

T = TypeVar("T")
LOOKS_AFTER_A_CHANGE = 3
LOOKS_IN_THE_END = 20
WRITERS_PER_WORLD = 6
WRITES_OF_EACH_KIND = 5
HTTP_CALLERS_PER_WORLD = 5
HTTP_ROWS_PER_CALLER = 20


def test_nobody_sees_or_changes_what_is_not_theirs(
    owner: Owner, app_url: str, settings_without_models: Settings
) -> None:
    attempts: Counter[str] = Counter()
    with asyncio.Runner() as runner:
        stage = Stage(owner, app_url, settings_without_models, runner, attempts)
        run_state_machine_as_test(
            lambda: RightsComeAndGo(stage),  # type: ignore[arg-type]
            settings=settings(
                max_examples=3,
                stateful_step_count=10,
                deadline=None,
                suppress_health_check=list(HealthCheck),
                print_blob=True,
                phases=[Phase.generate],  # a difference names its row; a smaller world would not say more
                report_multiple_bugs=False,
                database=None,
            ),
        )
        stage.close()
    print(f"isolation: {dict(attempts)} attempts, {attempts.total()} in all")
    assert attempts.total() >= 5_000, attempts


class Stage:
    """The database and the application that every world is played on."""

    def __init__(
        self, owner: Owner, app_url: str, config: Settings, runner: asyncio.Runner, attempts: Counter[str]
    ) -> None:
        self.owner, self.runner, self.attempts = owner, runner, attempts
        self.raw = psycopg.connect(app_url, autocommit=True)
        self.db = Database(app_url, ACCESS, size=3)
        self.wait(self.db.__aenter__())
        self.veraz: Veraz = assemble(config, self.db)
        transport = httpx.ASGITransport(create_app(self.veraz))
        self.client = httpx.AsyncClient(transport=transport, base_url="http://veraz.test")

    def wait(self, work: Awaitable[T]) -> T:
        """Runs asynchronous work from the synchronous story."""

        async def main() -> T:
            return await work

        return self.runner.run(main())

    def close(self) -> None:
        """Lets go of the connections."""
        self.raw.close()
        self.wait(self.client.aclose())
        self.wait(self.db.__aexit__())


class RightsComeAndGo(RuleBasedStateMachine):
    """A world whose rights change; after each change some callers look, and at the end they attack."""

    def __init__(self, stage: Stage) -> None:
        super().__init__()
        self.stage = stage
        self.world = m.World()

    @initialize(seed=st.integers(min_value=0, max_value=2**32))
    def begin(self, seed: int) -> None:
        """Fills the database. Ids are new each time, so what is chosen among them is not for hypothesis to replay."""
        self.random = Random(seed)
        self.world = make_world(self.random)
        store_world(self.stage.owner, self.world)

    # rights go, and come back

    @rule(number=st.integers(min_value=0))
    def unassign(self, number: int) -> None:
        """An agent no longer reads a kb."""
        if gone := self._pick(self.world.assignments, number):
            del self.world.assignments[gone.id]
            self._sql("delete from veraz.assignment where id = %s", gone.id)
            self.look(gone.tenant)

    @rule(number=st.integers(min_value=0))
    def archive_or_wake(self, number: int) -> None:
        """A kb goes to the archive, or comes back."""
        if kb := self._pick(self.world.kbs, number):
            kb.archived = not kb.archived
            state = "archived" if kb.archived else "active"
            self._sql("update veraz.knowledge_base set status = %s where id = %s", state, kb.id)
            self.look(kb.tenant)

    @rule(number=st.integers(min_value=0), level=st.sampled_from(["member", "manager", "admin", None]))
    def change_membership(self, number: int, level: Any) -> None:
        """Somebody joins a project, rises, falls or leaves."""
        project = self._pick(self.world.projects, number)
        people = [
            u for u in self.world.users.values() if project and u.tenant == project.tenant and not u.external
        ]
        if project and people:
            user = people[number % len(people)]
            project.members.pop(user.id, None)
            self._sql(
                "delete from veraz.project_member where project_id = %s and user_id = %s", project.id, user.id
            )
            if level:
                project.members[user.id] = level
                self._sql(
                    "insert into veraz.project_member (tenant_id, project_id, user_id, role) values (%s, %s, %s, %s)",
                    project.tenant, project.id, user.id, level,
                )  # fmt: skip
            self.look(project.tenant, also=m.Caller(user=user.id))

    @rule(number=st.integers(min_value=0))
    def revoke_key(self, number: int) -> None:
        """A key dies."""
        if key := self._pick(self.world.keys, number):
            key.revoked = True
            self._sql("update veraz.api_key set revoked_at = now() where id = %s", key.id)
            self.look(key.tenant, also=m.Caller(key=key.id))

    @rule(number=st.integers(min_value=0))
    def disable_or_enable_user(self, number: int) -> None:
        """A person or an end user is shut out, or let in again."""
        if user := self._pick(self.world.users, number):
            user.disabled = not user.disabled
            disabled = "now()" if user.disabled else "null"
            self._sql(f"update veraz.app_user set disabled_at = {disabled} where id = %s", user.id)
            self.look(user.tenant, also=self._as_user(user))

    @rule(number=st.integers(min_value=0))
    def revoke_or_renew_licence(self, number: int) -> None:
        """A machine is shut out, or let in again."""
        if licence := self._pick(self.world.licences, number):
            licence.revoked = not licence.revoked
            state = "revoked" if licence.revoked else "active"
            self._sql("update veraz.licence set status = %s where id = %s", state, licence.id)
            key = next(k.id for k in self.world.keys.values() if k.tenant == licence.tenant and not k.user)
            self.look(licence.tenant, also=m.Caller(key=key, machine=licence.machine))

    @rule(number=st.integers(min_value=0))
    def allow_or_forbid_personal_corpora(self, number: int) -> None:
        """An agent stops reading what people gave it, or starts again."""
        if agent := self._pick(self.world.agents, number):
            agent.allows_personal = not agent.allows_personal
            allows = agent.allows_personal
            self._sql("update veraz.agent set allows_personal_corpus = %s where id = %s", allows, agent.id)
            self.look(agent.tenant)

    @precondition(lambda self: bool(self.world.documents))
    @rule(number=st.integers(min_value=0), machine=st.sampled_from(["global", "m1", "m2"]))
    def bind_document(self, number: int, machine: str) -> None:
        """A document is bound to another machine; its chunks go with it."""
        if document := self._pick(self.world.documents, number):
            document.machine = machine
            self._sql("update veraz.document set machine_id = %s where id = %s", machine, document.id)
            self.look(document.tenant)

    # looking and attacking

    def look(self, tenant: UUID, also: m.Caller | None = None) -> None:
        """Some callers look at everything, at once after a change."""
        chosen = some_callers(self.world, self.random, LOOKS_AFTER_A_CHANGE, tenant=tenant)
        for caller in chosen:
            self._sql_attack(caller, writes=0)
        self._sql_attack(also or chosen[0], writes=0)
        self._http_attack(also or chosen[0], lists=4, rows=3)

    def teardown(self) -> None:
        """The attack on the world as it is in the end."""
        if not self.world.tenants:
            return
        for caller in some_callers(self.world, self.random, LOOKS_IN_THE_END):
            self._sql_attack(caller, writes=0)
        for caller in some_callers(self.world, self.random, WRITERS_PER_WORLD):
            self._sql_attack(caller, writes=WRITES_OF_EACH_KIND)
        for caller in some_callers(self.world, self.random, HTTP_CALLERS_PER_WORLD):
            self._http_attack(caller, lists=100, rows=HTTP_ROWS_PER_CALLER)

    def _sql_attack(self, caller: m.Caller, *, writes: int) -> None:
        eyes = m.Eyes(self.world, caller)
        if eyes.refused():
            return
        secret = caller.headers(self.world)["Authorization"].removeprefix("Bearer ")
        actor = self.stage.wait(
            self.stage.veraz.callers.authenticate(
                secret, external_user=caller.external, machine_id=caller.machine
            )
        )
        self._sql("delete from veraz.query_log where question <> 'secret'")  # what earlier attempts left
        attack = SqlAttack(self.stage.raw, self.world, eyes, actor.scope(), self.random)
        found = list(attack.run(writes=writes))
        self.stage.attempts["sql"] += attack.attempts
        assert not found, f"{self._describe(caller)}:\n" + "\n".join(found[:10])

    def _http_attack(self, caller: m.Caller, *, lists: int, rows: int) -> None:
        async def all_of(attack: HttpAttack) -> list[str]:
            return [difference async for difference in attack.run(lists=lists, rows=rows)]

        self._sql("delete from veraz.query_log where question <> 'secret'")  # what earlier attempts left
        attack = HttpAttack(self.stage.client, self.world, caller, self.random)
        found = self.stage.wait(all_of(attack))
        self.stage.attempts["http"] += attack.attempts
        assert not found, f"{self._describe(caller)}:\n" + "\n".join(found[:10])

    def _describe(self, caller: m.Caller) -> str:
        return f"{caller} ({self.world.keys.get(caller.key or UUID(int=0)) or self.world.users.get(caller.user or UUID(int=0))})"

    # hands

    def _pick(self, rows: dict[UUID, T], number: int) -> T | None:
        return list(rows.values())[number % len(rows)] if rows else None

    def _as_user(self, user: m.User) -> m.Caller:
        if not user.external:
            return m.Caller(user=user.id)
        key = next(k.id for k in self.world.keys.values() if k.tenant == user.tenant and not k.user)
        return m.Caller(key=key, external=user.external)

    def _sql(self, statement: str, *values: object) -> None:
        with self.stage.owner.transaction():
            act_as(self.stage.owner, Scope(tenant_id=self.world.tenants[0], role="admin", platform=True))
            self.stage.owner.execute(statement.encode(), values)
