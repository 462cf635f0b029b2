"""Administration of the house: keys, plan and credits."""

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

from nicegui import ui

from veraz.paging import PageRequest
from veraz.tenancy.model import ApiKey, CreditEntry, Plan
from veraz.tenancy.permissions import need_admin
from veraz.ui.end_user_keys import end_user_keys
from veraz.ui.parts import (
    STATES,
    bar,
    buttons,
    confirm,
    dialog,
    heading,
    number,
    show_secret,
    size,
    stat,
    typed,
    when,
)
from veraz.ui.shell import shell
from veraz.ui.tables import NAME_CELL, STATE_CELL, CursorTable, Row, column
from veraz.ui.visit import Visit, Visiting

_REVOKE_CELL = """
<q-td :props="props" auto-width><q-btn v-if="props.row.usable" flat dense no-caps color="negative" :label="props.row.words_revoke"
  :aria-label="props.row.words_revoke + ' ' + props.row.name" @click="$parent.$emit('revoke', props.row)"></q-btn></q-td>
"""
_SCOPES = {
    "ask": "Ask agents",
    "read": "Read knowledge",
    "ingest": "Add documents",
    "manage": "Manage agents and knowledge",
    "admin": "Everything",
}


async def keys_page(visit: Visiting) -> None:
    """Keys for programs."""
    t = visit.t
    makers = await _makers(visit)
    with shell(visit, t("Keys"), active="/admin/keys", subtitle=t("Programs use keys to call Veraz.")):
        with ui.row():
            ui.button(t("New key"), icon="add", on_click=lambda: _new_key(visit, table.first))
        columns = [
            column("name", t("Name"), sortable=False, classes="name"),
            column("scopes", t("Permissions"), sortable=False, classes="name gt-xs"),
            column("status", t("State"), sortable=False),
            column("last", t("Last used"), sortable=False, classes="gt-sm"),
            column("revoke", t("Actions"), sortable=False),
        ]
        table: CursorTable[ApiKey] = CursorTable(
            visit,
            columns,
            lambda page: visit.veraz.keys.all(visit.actor, page),
            lambda one: _key_row(visit, one, makers),
            cells=(("name", NAME_CELL), ("status", STATE_CELL), ("revoke", _REVOKE_CELL)),
            nothing=t("No keys yet. A program needs one to ask, search or add documents."),
        )
        table.table.on("revoke", lambda event: _ask_revoke(visit, event.args, table.refresh))
        await table.refresh()
        if visit.actor.is_tenant_admin:
            await end_user_keys(visit)


async def _makers(visit: Visit) -> dict[UUID, str]:
    """Who may have made a key, for who may see everybody."""
    if not visit.actor.is_tenant_admin:
        return {}
    users = (await visit.veraz.users.all(visit.actor, PageRequest(limit=500))).items
    return {one.id: one.display_name or one.email or "" for one in users}


def _key_row(visit: Visit, key: ApiKey, makers: Mapping[UUID, str]) -> Row:
    usable = key.revoked_at is None and (key.expires_at is None or key.expires_at > datetime.now(UTC))
    kind, icon, words = STATES["active" if usable else "revoked"]
    maker = makers.get(key.created_by) if key.created_by else None
    return {
        "id": str(key.id),
        "name": key.name,
        "note": f"{key.prefix}…" + (f" · {visit.t('Made by {who}', who=maker)}" if maker else ""),
        "scopes": ", ".join(visit.t(_SCOPES[scope]) for scope in key.scopes),
        "state": visit.t(words),
        "state_kind": kind,
        "state_icon": icon,
        "last": when(visit, key.last_used_at),
        "usable": usable,
        "words_revoke": visit.t("Revoke"),
    }


def _new_key(visit: Visit, after: Any) -> None:
    t, admin = visit.t, visit.actor.is_tenant_admin

    async def create() -> None:
        issued = await visit.veraz.keys.issue(
            visit.actor,
            name=typed(name.value, field=t("Name"), longest=100),
            scopes=scopes.value,
            expires_at=datetime.now(UTC) + timedelta(days=int(days.value)) if days.value else None,
            personal=bool(personal.value),
            ends_with_password=bool(ends.value),
        )
        box.close()
        show_secret(visit, t("Your new key"), issued.secret)
        await after()

    with dialog(t("New key")) as box:
        name = ui.input(t("Name")).props("autofocus maxlength=100").classes("w-full")
        options = {scope: t(words) for scope, words in _SCOPES.items()}
        scopes = (
            ui.select(options, value=["ask"], multiple=True, label=t("Permissions"))
            .props("use-chips")
            .classes("w-full")
        )
        days = ui.number(t("Days until it expires; empty never"), min=1, max=3650, precision=0).classes(
            "w-full"
        )
        personal = ui.switch(t("It acts as me, with no more rights than mine"), value=not admin)
        personal.set_visibility(admin)  # nobody else makes another kind
        ends = ui.switch(t("Revoke it when my password changes")).bind_visibility_from(personal, "value")
        buttons(visit, box, t("Create"), visit.act(create))


def _ask_revoke(visit: Visit, row: Row, after: Any) -> None:
    t = visit.t

    async def revoke() -> None:
        await visit.veraz.keys.revoke(visit.actor, UUID(row["id"]))
        await after()

    confirm(
        visit,
        t("Revoke «{name}»?", name=row["name"]),
        t("Programs that use it stop working at once."),
        t("Revoke"),
        revoke,
    )


async def plan_page(visit: Visiting) -> None:
    """What the tenant may hold and spend, and what it did."""
    need_admin(visit.actor, "read the ledger")
    t, overview = visit.t, await visit.veraz.tenants.overview(visit.actor)
    usage, credits, plan = overview.usage, overview.credits, overview.plan
    assert usage is not None, "admins are told"
    assert credits is not None
    with shell(
        visit,
        t("Plan and credits"),
        active="/admin/plan",
        subtitle=f"{overview.tenant.name} · {plan_name(visit, plan)}",
    ):
        with ui.element("div").classes("stats"):
            stat(number(visit, credits), t("AI credits left"))
            stat(number(visit, usage.documents), t("Documents"))
            stat(size(visit, usage.bytes), t("Size"))
            stat(number(visit, usage.users), t("Users"))
            stat(number(visit, usage.agents), t("Agents"))
        with ui.card().classes("w-full"):
            heading(t("Knowledge bases"), 2)
            limit = plan.max_knowledge_bases
            ui.label(
                t("{used} of {limit}", used=usage.knowledge_bases, limit=limit)
                if limit
                else t("{used}, without limit", used=usage.knowledge_bases)
            )
            if limit:
                bar(usage.knowledge_bases / limit, t("Knowledge bases"))
        await _ledger(visit)


def plan_name(visit: Visit, plan: Plan) -> str:
    """What a plan is called; those that come with Veraz in the visitor's language."""
    return visit.t(_PLANS[plan.code]) if _PLANS.get(plan.code) == plan.name else plan.name


async def _ledger(visit: Visit) -> None:
    t = visit.t
    heading(t("Movements"), 2)
    columns = [
        column("created_at", t("Date"), sortable=False, classes="gt-xs"),
        column("reason", t("Reason"), sortable=False, classes="name"),
        column("model", t("Model"), sortable=False, classes="gt-sm"),
        column("credits", t("Credits"), align="right", sortable=False, classes="num"),
        column("balance", t("Left"), align="right", sortable=False, classes="num gt-xs"),
    ]
    table: CursorTable[CreditEntry] = CursorTable(
        visit,
        columns,
        lambda page: visit.veraz.plans.ledger(visit.actor, page),
        lambda one: _movement(visit, one),
    )
    await table.refresh()


def _movement(visit: Visit, entry: CreditEntry) -> Row:
    return {
        "id": entry.id,
        "created_at": when(visit, entry.created_at),
        "reason": visit.t(_REASONS[entry.reason]) if entry.reason in _REASONS else entry.reason,
        "model": entry.model or "–",
        "credits": number(visit, entry.credits),
        "balance": number(visit, entry.balance),
    }


_PLANS = {"free": "Free", "professional": "Professional", "business": "Business", "unlimited": "Unlimited"}
_REASONS = {
    "ingest": "Reading documents",
    "reserve": "Set aside for a job",
    "refund": "Given back",
    "plan": "From the plan",
    "answer": "Writing answers",
    "rewrite": "Rewriting",
    "rerank": "Ranking",
    "judge": "Checking",
}
