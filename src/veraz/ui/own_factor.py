"""One's own second factor: setting it up, new recovery codes, taking it away."""

from nicegui import ui

from veraz.tenancy.second_factor import FactorState
from veraz.tenancy.totp import NewSecret
from veraz.ui.alerts import filled
from veraz.ui.login_factor import qr_code, recovery_codes
from veraz.ui.parts import buttons, dialog, when
from veraz.ui.visit import Visit


class OwnFactor:
    """What there is and what one may do with it; drawn again after each change."""

    def __init__(self, visit: Visit) -> None:
        self.visit = visit

    async def draw(self) -> None:
        """The state and its buttons."""
        self.box = ui.column().classes("w-full gap-3")
        await self._show()

    async def _show(self) -> None:
        state = await self.visit.veraz.second_factor.state(self.visit.actor)
        self.box.clear()
        with self.box:
            self._enabled(state) if state.enabled else self._missing(state)

    def _missing(self, state: FactorState) -> None:
        t = self.visit.t
        ui.label(
            t("Your organization asks you for it the next time you sign in.")
            if state.required
            else t("You sign in with your password alone.")
        )
        ui.button(t("Set up an authenticator app"), on_click=self._ask_password)

    def _enabled(self, state: FactorState) -> None:
        t = self.visit.t
        ui.label(t("Set up {when}.", when=when(self.visit, state.confirmed_at)))
        ui.label(t("Recovery codes left: {n}", n=state.recovery_codes_left)).classes(
            "quiet" if state.recovery_codes_left > 2 else "text-warning"
        )
        with ui.row():
            ui.button(t("New recovery codes"), icon="refresh", on_click=self._ask_code).props("outline")
            if not state.required:
                ui.button(t("Remove"), icon="delete", on_click=self._ask_removal).props("flat color=negative")
        if state.required:
            ui.label(t("Your organization asks you for it, so it stays.")).classes("quiet small")

    def _ask_password(self) -> None:
        visit, t = self.visit, self.visit.t

        async def go_on() -> None:
            made = await visit.veraz.second_factor.begin(
                visit.actor,
                account=visit.user.email or visit.user.display_name,
                password=str(password.value or ""),
            )
            box.close()
            self._scan(made)

        with dialog(t("Set up an authenticator app")) as box:
            ui.label(t("First your password, so that nobody does this behind your back.")).classes("quiet")
            password = (
                ui.input(t("Password"), password=True)
                .props("autocomplete=current-password autofocus")
                .classes("w-full")
            )
            buttons(visit, box, t("Go on"), visit.act(go_on))

    def _scan(self, made: NewSecret) -> None:
        visit, t = self.visit, self.visit.t

        async def confirm() -> None:
            if not filled(visit, code):
                return
            codes = await visit.veraz.second_factor.confirm(
                visit.actor, str(code.value), session_token=visit.token
            )
            box.close()
            await self._show()
            self._codes(codes)

        with dialog(t("Scan this with your authenticator app")) as box:
            qr_code(visit.language, made.qr_svg, made.secret)
            code = _code_input(t("Code the app shows now"))
            buttons(visit, box, t("Confirm"), visit.act(confirm))

    def _ask_code(self) -> None:
        visit, t = self.visit, self.visit.t

        async def make() -> None:
            codes = await visit.veraz.second_factor.new_recovery_codes(
                visit.actor, code=str(code.value or "")
            )
            box.close()
            await self._show()
            self._codes(codes)

        with dialog(t("New recovery codes")) as box:
            ui.label(t("The old ones stop working.")).classes("quiet")
            code = _code_input(t("Code"))
            buttons(visit, box, t("Create"), visit.act(make))

    def _ask_removal(self) -> None:
        visit, t = self.visit, self.visit.t

        async def remove() -> None:
            await visit.veraz.second_factor.remove(visit.actor, code=str(code.value or "") or "-")
            box.close()
            await self._show()
            visit.done("Removed")

        with dialog(t("Remove the second step?")) as box:
            ui.label(t("Afterwards your password alone lets anybody in who knows it.")).classes("quiet")
            code = _code_input(t("Code of the app, or a recovery code"))
            buttons(visit, box, t("Remove"), visit.act(remove))

    def _codes(self, codes: list[str]) -> None:
        t = self.visit.t
        with dialog(t("Keep your recovery codes")) as box:
            recovery_codes(self.visit.language, codes)
            with ui.row().classes("w-full justify-end"):
                ui.button(t("I have kept them"), on_click=box.close)


def _code_input(words: str) -> ui.input:
    return (
        ui.input(words)
        .props("autocomplete=one-time-code autocapitalize=off spellcheck=false maxlength=64 autofocus")
        .classes("w-full")
    )
