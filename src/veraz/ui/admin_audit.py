"""Administration: who changed what."""

import json
from uuid import UUID

from veraz.tenancy.model import AuditEntry
from veraz.ui.admin_people import ROLES
from veraz.ui.parts import STATES, TIERS, number, when
from veraz.ui.shell import shell
from veraz.ui.tables import CursorTable, Row, column
from veraz.ui.visit import Visit, Visiting


async def page(visit: Visiting) -> None:
    """Who changed what."""
    t = visit.t
    people = {
        one.id: one.display_name or one.email for one in (await visit.veraz.users.all(visit.actor)).items
    }
    with shell(
        visit, t("Audit"), active="/admin/audit", subtitle=t("Written by the database with every change.")
    ):
        columns = [
            column("at", t("Date"), sortable=False),
            column("who", t("Who"), sortable=False, classes="gt-xs"),
            column("what", t("What"), sortable=False, classes="name"),
            column("changes", t("Changes"), sortable=False, classes="name gt-xs small quiet"),
        ]
        table: CursorTable[AuditEntry] = CursorTable(
            visit,
            columns,
            lambda page: visit.veraz.audit.entries(visit.actor, page),
            lambda one: _audit_row(visit, one, people),
        )
        await table.refresh()


def _audit_row(visit: Visit, entry: AuditEntry, people: dict[UUID, str | None]) -> Row:
    who = people.get(entry.user_id) if entry.user_id else None
    return {
        "id": entry.id,
        "at": when(visit, entry.at),
        "who": who or (visit.t("A key") if entry.key_id else visit.t("Veraz")),
        "what": f"{visit.t(_VERBS[entry.action])}: {visit.t(_THINGS.get(entry.thing, 'something internal'))}",
        "changes": _changes(visit, entry),
    }


def _changes(visit: Visit, entry: AuditEntry) -> str:
    """What a person can read of it: values that changed; for something new or gone, its name."""
    pairs = {name: pair for name, pair in entry.changes.items() if isinstance(pair, list) and len(pair) == 2}
    if entry.action != "update":
        named = {name: pairs[name] for name in ("name", "email", "machine_id", "role") if name in pairs}
        kept = {name: old if new is None else new for name, (old, new) in named.items()}
        of_one = {name: value for name, value in kept.items() if (name, value) != ("machine_id", "global")}
        return " · ".join(_brief(visit, name, value) for name, value in of_one.items())
    return " · ".join(
        f"{visit.t(words)}: {_brief(visit, name, pairs[name][0])} → {_brief(visit, name, pairs[name][1])}"
        for name, words in _COLUMNS.items()
        if name in pairs
    )


def _brief(visit: Visit, column: str, value: object) -> str:
    if value is None:
        return "–"
    if isinstance(value, str):
        words = _WORDS.get(column, {})
        return visit.t(words[value]) if value in words else value[:60]
    if isinstance(value, float):
        return number(visit, value, 0 if value.is_integer() else 2)
    return json.dumps(value, ensure_ascii=False, default=str)[:60]


_WORDS = {
    "tier": {tier: words for tier, (_, words) in TIERS.items()},
    "status": {status: words for status, (_, _, words) in STATES.items()},
    "role": ROLES,
}
_COLUMNS = {
    "name": "Name",
    "title": "Title",
    "description": "Description",
    "status": "State",
    "role": "Role",
    "tier": "Tier",
    "authority_score": "Authority",
    "institution": "Institution",
    "language": "Language",
    "model": "Model",
    "plan": "Plan",
    "priority": "Priority",
    "search_weight": "Weight",
    "user_name": "Name to greet",
}
_THINGS = {
    "agent": "an agent",
    "api_key": "a key",
    "app_user": "a user",
    "assignment": "an assignment",
    "chunk": "a chunk",
    "document": "a document",
    "edition": "an edition",
    "identity_provider": "an identity provider",
    "knowledge_base": "a knowledge base",
    "licence": "a licence",
    "plan": "a plan",
    "project": "a project",
    "project_member": "a member",
    "second_factor": "a second step",
    "tenant": "the tenant",
    "webhook": "a webhook",
    "whatsapp_number": "a WhatsApp number",
    "widget": "a website widget",
}
_VERBS = {"insert": "Added", "update": "Changed", "delete": "Deleted"}
