"""What must never be in an answer, and what must never have changed."""

import base64
import binascii
import io
import re
import unicodedata
import zipfile
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final
from uuid import UUID

from psycopg import sql

if TYPE_CHECKING:
    from tests.support import isolation_model as m
    from tests.support.attacks.asgi import Answer, Request
    from tests.support.attacks.forge import SCRIPT
    from tests.support.attacks.world import CANARY, Attacker, AttackWorld, Known
    from tests.support.isolation_model import Eyes
    from tests.support.isolation_world import Owner
else:
    from support.attacks.asgi import Answer, Request
    from support.attacks.forge import SCRIPT
    from support.attacks.world import CANARY, Attacker, AttackWorld, Known
    from support.isolation_model import Eyes
    from support.isolation_world import Owner

_ID: Final = re.compile(r"[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}")
_LONG: Final = 200_000
_CURSOR: Final = re.compile(r'"next_cursor"\s*:\s*"([A-Za-z0-9_\-+/=]{12,})"')
_PLATFORMS_OWN: Final = frozenset({"tenant", "plan", "credit_balance", "credit_entry", "audit_entry"})
"""What the platform's admin may know and change of every company."""
_TOLD_TO_VISITORS: Final = frozenset({"widget", "agent"})
"""What a website's widget shows to whoever passes by."""
_READ_BY_VISITORS: Final = frozenset({"document", "chunk", "correction"})
"""What the agent behind a widget may quote to its visitors."""
_INSIDES: Final = {
    "a traceback": re.compile(r"Traceback \(most recent|File \"[^\"]+\.py\", line \d"),
    "words of SQL": re.compile(
        r"psycopg|pg_catalog|violates (?:check|foreign|unique|not-null|row-level)|duplicate key value|syntax error at or near"
        r"|permission denied for|(?:relation|column|function) \"?[\w.]+\"?(?:\(.*\))? does not exist|current transaction is aborted"
        r"|insert into veraz|select .{1,80} from veraz|row-level security"
    ),
    "a hash of a password": re.compile(r"\$argon2|\$2[aby]\$\d\d"),
    "a file of the machine": re.compile(r"root:x?:0:0"),
    "a worked out template": re.compile(r"(?<!\d)219359(?!\d)"),
}
_OWN_WORDS: Final = re.compile(
    r"column (?:\w+\.)?[^\n]{1,400} does not exist|Could not find the function public\."
)
"""What PostgREST itself says of names it was given."""


class Detector:
    """Looks at one answer with the eyes of whoever asked."""

    def __init__(self, world: AttackWorld) -> None:
        self.world = world
        self._tokens = re.compile(r"vz[a-z]_[^\s\"'&<,;]{8,80}")
        self._read: set[bytes] = set()
        self._given: set[str] = set()

    def listen(self, request: Request, attacker: Attacker) -> None:
        """What callers name their own users, machines and rows comes back to them later; that is no leak."""
        if attacker.tenant:
            stored = [value for name, value in request.headers if name.lower().startswith("x-veraz-")]
            stored += [request.body.decode("utf-8", "replace")] if request.method != "GET" else []
            self._given.update(_plain("\n".join(stored).lower()))

    def findings(self, door: str, request: Request, answer: Answer, attacker: Attacker) -> Iterator[str]:
        """Everything wrong with this answer, in words."""
        yield from _broken(answer)
        if len(answer.body) > _LONG and self._seen(answer.body):
            return
        told = "\n".join(_texts(answer))
        said = request.text()
        yield from self._leaked(door, told.lower(), said.lower(), attacker)
        for token in set(self._tokens.findall(told)):
            if token in self.world.secrets and token not in said:
                yield f"a secret of {self.world.secrets[token]}"
        yield from _inside_out(told[:_LONG], said, answer)
        yield from _answered_back(answer)

    def _seen(self, body: bytes) -> bool:
        """The same long thing, a script for instance, need not be read again."""
        known = body in self._read
        self._read.add(body)
        return known

    def _leaked(self, door: str, told: str, said: str, attacker: Attacker) -> Iterator[str]:
        asked = set(_plain(unicodedata.normalize("NFKC", said))) | self._given
        for one in set(_plain(told)):
            canary = f"{CANARY}{one}" in told and f"{CANARY}{one}" not in said
            row = self.world.known.get(one) if canary or one not in asked else None
            if row and not self._may_know(door, one, row, attacker, said if canary else None):
                text = "canary" if canary else "id"
                whose = "its own company's" if row.tenant == attacker.tenant else "another company's"
                yield f"the {text} of {whose} {row.table}"

    def _may_know(self, door: str, one: str, row: Known, attacker: Attacker, said: str | None) -> bool:
        """`said`: what the request said, where the row's canary came back."""
        if row.tenant != attacker.tenant:
            platform = attacker.platform and row.table in _PLATFORMS_OWN
            return platform or (door in ("widget", "unannounced") and row.table in _TOLD_TO_VISITORS)
        if attacker.visitor:
            return row.table in _TOLD_TO_VISITORS | _READ_BY_VISITORS
        if attacker.eyes is None or said is None:
            return attacker.tenant is not None
        acting = (attacker.eyes, *_at_machines(attacker.eyes, said))
        return any(self._mine(one, row, eyes, weak=attacker.strength < 4) for eyes in acting)

    def _mine(self, one: str, row: Known, eyes: "m.Eyes", *, weak: bool) -> bool:
        """Whether the rule lets them see it. Who can change much changes the rule as they go; personal stays personal."""
        world = self.world.world
        document = self.world.documents.get(one)
        if document and (weak or world.kbs[document.kb].personal):
            return _sees(document, eyes)
        judge = {
            "knowledge_base": lambda: eyes.lists_kb(world.kbs[UUID(one)]),
            "agent": lambda: eyes.sees_agent(world.agents[UUID(one)]),
            "conversation": lambda: eyes.sees_conversation(world.conversations[UUID(one)]),
            "query_log": lambda: eyes.sees_question(world.questions[UUID(one)]),
            "project": lambda: eyes.sees_project(world.projects[UUID(one)]),
            "app_user": lambda: eyes.sees_user(world.users[UUID(one)]),
        }.get(row.table)
        return not weak or judge is None or judge()


def _at_machines(eyes: "m.Eyes", said: str) -> Iterator["m.Eyes"]:
    """A program that acts for no machine may name one in its request."""
    if eyes.is_person or eyes.machine:
        return
    for machine in {licence.machine for licence in eyes.world.licences.values()}:
        if machine in said:
            yield Eyes(eyes.world, replace(eyes.caller, machine=machine))


def _sees(document: "m.Document", eyes: "m.Eyes") -> bool:
    return eyes.sees_document(document) or eyes.lists_document(document) or eyes.looks_at(document)


def _plain(text: str) -> list[str]:
    return [found.replace("-", "") for found in _ID.findall(text)]


def _texts(answer: Answer) -> Iterator[str]:
    """The headers, the body, and what is wrapped in it."""
    yield "\n".join(f"{name}: {value}" for name, value in answer.headers if name != "x-request-id")
    body = answer.body.decode("utf-8", "replace")
    yield body
    for cursor in _CURSOR.findall(body):
        raw = _decoded(cursor)
        yield raw.decode("utf-8", "replace")
        yield raw.hex()
    if answer.body[:2] == b"PK":
        with zipfile.ZipFile(io.BytesIO(answer.body)) as packed:
            for name in packed.namelist():
                yield packed.read(name).decode("utf-8", "replace")


def _decoded(text: str) -> bytes:
    try:
        return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
    except (ValueError, binascii.Error):
        return b""


def _broken(answer: Answer) -> Iterator[str]:
    if answer.hung:
        yield "no end of the answer"
    elif answer.crashed:
        yield f"a crash: {answer.crashed[:200]}"
    elif answer.status >= 500 and not _announced(answer):
        yield f"status {answer.status}"
    elif answer.status == 0:
        yield "no answer"


def _announced(answer: Answer) -> bool:
    """503 «not ready» and 502 «outside service failed» are answers; a crash is not."""
    return answer.status in (502, 503) and (b'"code"' in answer.body or b'"not ready"' in answer.body)


def _inside_out(told: str, said: str, answer: Answer) -> Iterator[str]:
    for what, pattern in _INSIDES.items():
        for found in pattern.finditer(told):
            text = found.group()
            if text not in said and not _OWN_WORDS.search(told):
                yield f"{what}: {text[:80]}"
                break
    if SCRIPT in told and "html" in answer.header("content-type"):
        yield "a script that was sent"


def _answered_back(answer: Answer) -> Iterator[str]:
    for name, value in answer.headers:
        if "\r" in value or "\n" in value:
            yield f"a line break in {name}"
        if name == "set-cookie" and "evil" in value:
            yield "a cookie that was sent"
        if name == "location" and ("evil" in value.split("?")[0] or value.startswith("//")):
            yield f"a way to another place: {value[:100]}"
        if name == "access-control-allow-origin" and "evil" in value:
            yield "another site may read it"


# what changed


def fingerprint(owner: Owner) -> dict[tuple[str, str], str]:
    """Table and company → a hash of all its rows; tables of nobody in particular under «»."""
    query = sql.SQL(" union all ").join(
        sql.SQL(
            "select {name}, coalesce({who}::text, ''), md5(string_agg(md5(t::text), '' order by md5(t::text))) "
            "from veraz.{table} t group by 2"
        ).format(name=sql.Literal(table), who=_whose(table, tenant), table=sql.Identifier(table))
        for table, tenant in _rows(owner, _TABLES)
    )
    return {(table, tenant): value for table, tenant, value in owner.execute(query).fetchall()}


def _whose(table: str, has_tenant: bool) -> sql.Composable:
    if table == "tenant":
        return sql.SQL("t.id")
    return sql.SQL("t.tenant_id") if has_tenant else sql.SQL("null")


_TABLES: Final = """
select c.relname, exists (
    select from pg_attribute t where t.attrelid = c.oid and t.attname = 'tenant_id' and not t.attisdropped)
from pg_class c join pg_namespace n on n.oid = c.relnamespace and n.nspname = 'veraz'
where c.relkind = 'r' order by 1
"""
_OF_VISITORS: Final = frozenset(
    [
        "conversation",
        "message",
        "query_log",
        "query_trace",
        "credit_balance",
        "credit_entry",
        "event",
        "audit_entry",
        "job",
        "feedback",
        "webhook_delivery",
    ]
)
_OF_NOBODY: Final = frozenset({"embedding_space", "rate"})
_TOLD_BY_REFUSALS: Final = frozenset({"security_event"})
"""What a refusal itself leaves behind, also with the company whose key was tried."""


def changes(
    before: dict[tuple[str, str], str], after: dict[tuple[str, str], str], attacker: Attacker, door: str
) -> list[str]:
    """Rows of others that are not what they were."""
    found = []
    for table, tenant in sorted(before.keys() | after.keys()):
        if before.get((table, tenant)) == after.get((table, tenant)):
            continue
        mine = tenant == str(attacker.tenant)
        platforms = attacker.platform and (table in _PLATFORMS_OWN)
        visitors = door == "widget" and table in _OF_VISITORS
        nobodys = not tenant and table in _OF_NOBODY
        if not (mine or platforms or visitors or nobodys or table in _TOLD_BY_REFUSALS):
            found.append(f"rows of {table} of {'another company' if tenant else 'nobody'}")
    return found


def _rows(owner: Owner, query: str) -> list[tuple[Any, ...]]:
    return owner.execute(query.encode()).fetchall()
