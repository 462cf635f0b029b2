"""Keys that sign end users, below the keys of programs: made, rotated and ended, and the rule that asks for them."""

from nicegui import ui
from nicegui.events import ValueChangeEventArguments

from veraz.tenancy.end_user_keys import EndUserKey, IssuedEndUserKey
from veraz.ui.parts import buttons, confirm, dialog, heading, icon_button, show_secret, typed, when
from veraz.ui.visit import Visit


async def end_user_keys(visit: Visit) -> None:
    """The section for administrators."""
    await _Section(visit).draw()


class _Section:
    """The list is drawn anew after every change; there are a few of them at most."""

    def __init__(self, visit: Visit) -> None:
        self.visit = visit

    async def draw(self) -> None:
        visit, t = self.visit, self.visit.t
        with ui.row().classes("w-full items-center q-mt-md"):
            heading(t("Signed end users"), 2)
            ui.space()
            ui.button(t("New signing key"), icon="add", on_click=self._ask_new).props("outline")
        ui.label(
            t(
                "A program of yours signs whom a service key acts for; a service key alone then opens nobody's memory."
            )
        ).classes("quiet small")
        tenant = (await visit.veraz.tenants.overview(visit.actor)).tenant
        ui.switch(
            t("Require signatures: refuse end users and machines that are only named"),
            value=tenant.signed_end_users,
            on_change=visit.act(self._require),
        )
        self.list = ui.column().classes("w-full gap-1")
        await self._refresh()

    async def _require(self, event: ValueChangeEventArguments[bool]) -> None:
        visit = self.visit
        await visit.veraz.tenants.change(
            visit.actor, visit.actor.tenant_id, signed_end_users=bool(event.value)
        )
        visit.done("Saved")

    async def _refresh(self) -> None:
        keys = await self.visit.veraz.end_user_keys.all(self.visit.actor)
        self.list.clear()
        with self.list:
            for key in keys:
                self._row(key)

    def _row(self, key: EndUserKey) -> None:
        visit, t = self.visit, self.visit.t
        with ui.row().classes("w-full items-center no-wrap"):
            with ui.column().classes("gap-0 grow"):
                ui.label(key.name).classes("break")
                until = t("ends {when}", when=when(visit, key.ends_at)) if key.ends_at else key.algorithm
                ui.label(f"{key.id} · {until}").classes("quiet small break")
            if key.ends_at is None:
                if key.algorithm == "HS256":  # of EdDSA, the new public key comes by the API
                    icon_button(
                        "autorenew", t("Rotate «{name}»", name=key.name), lambda: self._ask_rotate(key)
                    )
                icon_button("block", t("End «{name}»", name=key.name), lambda: self._ask_end(key))

    def _ask_new(self) -> None:
        visit, t = self.visit, self.visit.t

        async def create() -> None:
            wanted = typed(name.value, field=t("Name"), longest=200)
            issued = await visit.veraz.end_user_keys.issue(visit.actor, name=wanted)
            box.close()
            await self._shown(issued)

        with dialog(t("New signing key")) as box:
            name = ui.input(t("Name")).props("autofocus maxlength=200").classes("w-full")
            buttons(visit, box, t("Create"), visit.act(create))

    def _ask_rotate(self, key: EndUserKey) -> None:
        async def rotate() -> None:
            await self._shown(await self.visit.veraz.end_user_keys.rotate(self.visit.actor, key.id))

        t = self.visit.t
        text = t("The old one goes on for an hour, so that programs have time to change.")
        confirm(self.visit, t("Rotate «{name}»", name=key.name), text, t("Rotate"), rotate, danger=False)

    def _ask_end(self, key: EndUserKey) -> None:
        async def end() -> None:
            await self.visit.veraz.end_user_keys.end(self.visit.actor, key.id)
            await self._refresh()

        t = self.visit.t
        text = t("Nothing it signed is believed any more.")
        confirm(self.visit, t("End «{name}»", name=key.name), text, t("End"), end)

    async def _shown(self, issued: IssuedEndUserKey) -> None:
        if issued.secret is not None:
            show_secret(
                self.visit, self.visit.t("Your new signing key {id}", id=issued.key.id), issued.secret
            )
        await self._refresh()
