"""«Mi cuenta»: one's own password and second step, and where one is signed in."""

from nicegui import ui

from veraz.tenancy.model import SignedIn
from veraz.ui.alerts import Alert, filled
from veraz.ui.own_factor import OwnFactor
from veraz.ui.parts import called, confirm, heading, when
from veraz.ui.shell import shell
from veraz.ui.visit import Visit, Visiting


async def page(visit: Visiting) -> None:
    """What belongs to the person who looks at it."""
    t = visit.t
    with shell(visit, t("Your account"), active="/account"):
        with ui.card().classes("w-full"):
            heading(t("Password"), 2)
            _password(visit)
        with ui.card().classes("w-full"):
            heading(t("Second step"), 2)
            ui.label(t("With it, somebody who learns your password still cannot come in.")).classes(
                "quiet small"
            )
            await OwnFactor(visit).draw()
        with ui.card().classes("w-full"):
            heading(t("Where you are signed in"), 2)
            await _Sessions(visit).draw()


def _password(visit: Visit) -> None:
    t = visit.t

    async def change() -> None:
        if not filled(visit, current, new):
            return
        await visit.veraz.passwords.change(visit.actor, str(current.value), str(new.value))
        current.value = new.value = ""
        visit.done("Your password is changed. Your other sessions have ended.")

    ui.label(t("At least 8 characters; best several words that only you would put together.")).classes(
        "quiet small"
    )
    with ui.column().style("width: min(400px, 100%)"):
        current = (
            ui.input(t("Current password"), password=True)
            .props("name=current_password autocomplete=current-password")
            .classes("w-full")
        )
        new = (
            ui.input(t("New password"), password=True)
            .props("name=new_password autocomplete=new-password")
            .classes("w-full")
        )
        Alert()
        ui.button(t("Change password"), on_click=visit.act(change))


class _Sessions:
    """The list, which is drawn again when one of them ends."""

    def __init__(self, visit: Visit) -> None:
        self.visit = visit

    async def draw(self) -> None:
        """The sessions, and a way to end all others."""
        self.rows = ui.column().classes("w-full gap-2")
        await self._show()

    async def _show(self) -> None:
        found = await self.visit.veraz.sessions.all(self.visit.actor)
        self.rows.clear()
        with self.rows:
            for one in found:
                self._row(one)
            if len(found) > 1:
                ui.button(self.visit.t("End all others"), on_click=self._ask_end_others).props("outline")

    def _row(self, one: SignedIn) -> None:
        t, here = self.visit.t, one.id == self.visit.actor.session_id

        async def end() -> None:
            await self.visit.veraz.sessions.end(self.visit.actor, one.id)
            await self._show()

        with ui.row().classes("w-full items-center no-wrap"):
            with ui.column().classes("gap-0 grow"):
                ui.label(device_words(one.device) or t("Unknown device")).classes("break")
                seen = t("Last used {when}", when=when(self.visit, one.last_seen_at))
                ui.label(" · ".join(part for part in (one.address, seen) if part)).classes("quiet small")
            if here:
                ui.label(t("This session")).classes("quiet text-no-wrap")
            else:
                button = ui.button(t("End"), on_click=self.visit.act(end)).props("flat dense color=negative")
                called(button, f"{t('End')}: {seen}")

    def _ask_end_others(self) -> None:
        t = self.visit.t

        async def end() -> None:
            await self.visit.veraz.sessions.end_others(self.visit.actor)
            await self._show()

        confirm(
            self.visit,
            t("End all others?"),
            t("On the other devices you will have to sign in again."),
            t("End"),
            end,
        )


_BROWSERS = (
    ("Edg/", "Edge"),
    ("OPR/", "Opera"),
    ("Firefox/", "Firefox"),
    ("Chrome/", "Chrome"),
    ("Safari/", "Safari"),
)
_SYSTEMS = (
    ("Android", "Android"), ("iPhone", "iPhone"), ("iPad", "iPad"), ("Windows", "Windows"), ("Mac OS", "macOS"), ("Linux", "Linux"),
)  # fmt: skip


def device_words(agent: str) -> str:
    """What a browser says about itself, in two words; a program's name as it is."""
    named = [next((name for sign, name in signs if sign in agent), "") for signs in (_BROWSERS, _SYSTEMS)]
    return " · ".join(part for part in named if part) or agent.split(" ")[0][:60]
