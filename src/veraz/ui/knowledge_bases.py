"""The knowledge bases: a list with counts and states, and a new one."""

from nicegui import ui
from nicegui.events import ValueChangeEventArguments

from veraz.library.knowledge_bases import NewKnowledgeBase
from veraz.library.model import KbKind, KnowledgeBase
from veraz.paging import PageRequest
from veraz.ui.alerts import Alert, filled
from veraz.ui.parts import dialog, empty, number, size, state, typed, when
from veraz.ui.shell import shell
from veraz.ui.visit import Visit, Visiting

_MANY = 6
"""From so many on they can be found by name."""


async def page(visit: Visiting) -> None:
    """The global knowledge bases of the project and those of the whole tenant."""
    t = visit.t
    shown = await shelves(visit, "global")
    about = t("Documents your agents answer from.")
    with shell(visit, t("Knowledge bases"), active="/knowledge-bases", subtitle=about):
        if not shown:
            with empty(
                "library_books",
                t("No knowledge base yet"),
                t("Create one, add documents, and assign it to an agent."),
            ):
                new_button(visit, "global")
            return
        with ui.row().classes("w-full items-center"):
            new_button(visit, "global")
            await _allowance(visit)
        cards(visit, shown)


async def _allowance(visit: Visit) -> None:
    """How many the plan allows, where it sets a limit."""
    overview = await visit.veraz.tenants.overview(visit.actor)
    limit = overview.plan.max_knowledge_bases
    if limit is not None and overview.usage is not None:
        used = number(visit, overview.usage.knowledge_bases)
        ui.label(
            visit.t("Your plan: {used} of {limit} knowledge bases", used=used, limit=number(visit, limit))
        ).classes("quiet small")


async def shelves(visit: Visit, kind: KbKind) -> list[KnowledgeBase]:
    """What the person may look into, of the chosen project and of all; an agent's own one is shown with the agent."""
    found = await visit.veraz.knowledge_bases.all(visit.actor, PageRequest(limit=500), kind=kind)
    return [kb for kb in found.items if kb.agent_id is None and kb.project_id in (None, visit.project_id)]


def cards(visit: Visit, shown: list[KnowledgeBase]) -> None:
    """One card for each; many can be found by name."""
    drawn: list[tuple[str, ui.card]] = []

    def find(event: ValueChangeEventArguments[str | None]) -> None:
        wanted = str(event.value or "").strip().lower()
        for words, card in drawn:
            card.set_visibility(wanted in words)

    if len(shown) > _MANY:
        ui.input(visit.t("Search by name"), on_change=find).props("clearable").classes("w-full")
    with ui.element("div").classes("grid-cards"):
        drawn += [(f"{kb.name} {kb.description}".lower(), _card(visit, kb)) for kb in shown]


def _card(visit: Visit, kb: KnowledgeBase) -> ui.card:
    t = visit.t
    with ui.card().classes("link kb-card") as card:
        with ui.row().classes("w-full justify-between items-start no-wrap"):
            with ui.element("h2"):
                ui.link(kb.name, visit.to(f"/knowledge-bases/{kb.id}")).classes("break")
            state(visit, kb.status)
        ui.label(kb.description or t("Without description")).classes("quiet small break")
        with ui.element("div").classes("figures"):
            _figure(number(visit, kb.total_documents), t("Documents"))
            _figure(number(visit, kb.total_chunks), t("Chunks"))
            _figure(size(visit, kb.total_size_bytes), t("Size"))
        where = t("Only yours") if kb.kind == "personal" else _reach(visit, kb)
        asked = (
            t("last searched {when}", when=when(visit, kb.last_queried_at))
            if kb.last_queried_at
            else t("not searched yet")
        )
        ui.label(f"{where} · {asked}").classes("quiet small")
    return card


def _figure(value: str, words: str) -> None:
    with ui.column().classes("gap-0"):
        ui.label(value).classes("value")
        ui.label(words).classes("quiet small")


def _reach(visit: Visit, kb: KnowledgeBase) -> str:
    return visit.t("Whole tenant") if kb.project_id is None else visit.t("This project")


def new_button(visit: Visit, kind: KbKind) -> None:
    """The way to a new one."""
    ui.button(visit.t("New knowledge base"), icon="add", on_click=lambda: _ask_for_new(visit, kind))


def _ask_for_new(visit: Visit, kind: KbKind) -> None:
    t = visit.t

    async def create() -> None:
        if not filled(visit, name):
            return
        kb = await visit.veraz.knowledge_bases.create(
            visit.actor,
            NewKnowledgeBase(
                name=typed(name.value, longest=200),
                description=typed(description.value),
                language=language.value,
                kind=kind,
                project_id=None if kind == "personal" or whole.value else visit.project_id,
            ),
        )
        box.close()
        ui.navigate.to(visit.to(f"/knowledge-bases/{kb.id}"))

    with dialog(t("New knowledge base")) as box:
        name = ui.input(t("Name")).props("autofocus maxlength=200").classes("w-full")
        description = ui.textarea(t("Description")).props("autogrow maxlength=2000").classes("w-full")
        language = ui.select(language_names(visit), value="es", label=t("Language of the documents")).classes(
            "w-full"
        )
        whole = ui.switch(t("For every project of the tenant"), value=False)
        whole.set_visibility(kind == "global" and visit.actor.is_tenant_admin)
        Alert()
        name.on("keydown.enter", visit.act(create))
        with ui.row().classes("w-full justify-end"):
            ui.button(t("Cancel"), on_click=box.close).props("flat")
            ui.button(t("Create"), on_click=visit.act(create))


def language_names(visit: Visit) -> dict[str, str]:
    """The languages documents may be in."""
    t = visit.t
    return {
        "es": t("Spanish"),
        "en": t("English"),
        "pt": t("Portuguese"),
        "fr": t("French"),
        "it": t("Italian"),
        "de": t("German"),
    }
