"""Administration of the platform: every tenant, its plan, its credits."""

from collections.abc import Awaitable, Callable

from nicegui import ui

from veraz import errors
from veraz.tenancy.model import Tenant
from veraz.tenancy.tenants import NewTenant
from veraz.ui.admin_house import plan_name
from veraz.ui.admin_people import EDIT_CELL, show_link
from veraz.ui.parts import buttons, dialog, number, typed, when
from veraz.ui.shell import shell
from veraz.ui.tables import CursorTable, column
from veraz.ui.visit import Visit, Visiting

_EDIT, _CREDITS = EDIT_CELL, EDIT_CELL.replace("words_edit", "words_credits").replace("'edit'", "'credits'")
After = Callable[[], Awaitable[None]]


async def page(visit: Visiting) -> None:
    """Every tenant, for the platform's admins."""
    t = visit.t
    await visit.veraz.tenants.all(visit.actor)
    plans = {plan.code: plan_name(visit, plan) for plan in await visit.veraz.plans.all(visit.actor)}
    with shell(visit, t("Tenants"), active="/admin/tenants"):
        with ui.row():
            ui.button(t("New tenant"), icon="add", on_click=lambda: _new(visit, plans, table.first))
        columns = [
            column("name", t("Name"), sortable=False, classes="name"),
            column("plan", t("Plan"), sortable=False, classes="gt-xs"),
            column("created_at", t("Date"), sortable=False, classes="gt-xs"),
            column("credits", t("Credits"), sortable=False),
            column("edit", t("Actions"), sortable=False),
        ]
        table: CursorTable[Tenant] = CursorTable(
            visit,
            columns,
            lambda page: visit.veraz.tenants.all(visit.actor, page),
            lambda one: {
                "id": str(one.id),
                "name": one.name,
                "plan": plans.get(one.plan, one.plan),
                "created_at": when(visit, one.created_at),
                "words_edit": t("Edit"),
                "words_credits": t("Credits"),
            },
            cells=(("edit", _EDIT), ("credits", _CREDITS)),
        )

        def one(wanted: str) -> Tenant:
            return next(item for item in table.items if str(item.id) == wanted)

        table.table.on("edit", lambda event: _edit(visit, one(event.args), plans, table.refresh))
        table.table.on("credits", lambda event: _grant(visit, one(event.args)))
        await table.refresh()


def _new(visit: Visit, plans: dict[str, str], after: After) -> None:
    t = visit.t

    async def create() -> None:
        new = NewTenant(
            name=typed(name.value, field=t("Name"), longest=100),
            plan=plan.value,
            admin_email=typed(email.value, field=t("E-mail"), longest=320),
        )
        _, link = await visit.veraz.password_links.found(visit.actor, new)
        box.close()
        show_link(visit, t("Invitation for {who}", who=new.admin_email), link)
        await after()

    with dialog(t("New tenant")) as box:
        name = ui.input(t("Name")).props("autofocus maxlength=100").classes("w-full")
        plan = ui.select(plans, value="professional", label=t("Plan")).classes("w-full")
        email = (
            ui.input(t("E-mail of its administrator")).props("type=email autocomplete=off").classes("w-full")
        )
        ui.label(t("You get a link for them, with which they choose a password.")).classes("quiet small")
        buttons(visit, box, t("Create"), visit.act(create))


def _edit(visit: Visit, tenant: Tenant, plans: dict[str, str], after: After) -> None:
    t = visit.t

    async def save() -> None:
        await visit.veraz.tenants.change(
            visit.actor, tenant.id, name=typed(name.value, field=t("Name"), longest=100), plan=plan.value
        )
        box.close()
        visit.done("Saved")
        await after()

    with dialog(tenant.name) as box:
        name = ui.input(t("Name"), value=tenant.name).props("maxlength=100").classes("w-full")
        plan = ui.select(plans, value=tenant.plan, label=t("Plan")).classes("w-full")
        ui.label(t("Another plan changes the limits at once; credits stay as they are.")).classes(
            "quiet small"
        )
        if tenant.id != visit.actor.tenant_id:
            ui.button(
                t("Delete tenant"), icon="delete", on_click=lambda: _delete(visit, tenant, box, after)
            ).props("flat color=negative")
        buttons(visit, box, t("Save"), visit.act(save))


def _delete(visit: Visit, tenant: Tenant, before: ui.dialog, after: After) -> None:
    t = visit.t
    before.close()

    async def delete() -> None:
        await visit.veraz.forgettings.forget_tenant(visit.actor, tenant.id, name=typed(name.value))
        box.close()
        visit.done("Deleted")
        await after()

    with dialog(t("Delete «{name}»?", name=tenant.name)) as box:
        ui.label(
            t(
                "Everything in it goes for ever: knowledge, files, conversations, people, keys. "
                "To go on, type its name: {name}",
                name=tenant.name,
            )
        ).classes("break")
        name = (
            ui.input(t("Name")).props("name=name autofocus maxlength=200 autocomplete=off").classes("w-full")
        )
        buttons(visit, box, t("Delete"), visit.act(delete), danger=True)


def _grant(visit: Visit, tenant: Tenant) -> None:
    t = visit.t

    async def grant() -> None:
        if not credits.value:
            raise errors.Invalid(field=t("Credits"), reason="≠ 0")
        why = typed(reason.value, field=t("Reason"), longest=200)
        left = await visit.veraz.plans.grant(visit.actor, tenant.id, int(credits.value), why)
        box.close()
        visit.done("Credits now: {n}", n=number(visit, left))

    with dialog(t("Credits for «{name}»", name=tenant.name)) as box:
        credits = ui.number(t("Credits"), value=1000, precision=0).props("autofocus").classes("w-full")
        ui.label(t("A negative number takes credits away.")).classes("quiet small")
        reason = ui.input(t("Reason")).props("maxlength=200").classes("w-full")
        buttons(visit, box, t("Grant"), visit.act(grant))
