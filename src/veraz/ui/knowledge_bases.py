"""The shelves: a list with counts and states, and a new one."""

from nicegui import ui

from veraz.library.knowledge_bases import NewKnowledgeBase
from veraz.library.model import KbKind, KnowledgeBase
from veraz.paging import PageRequest
from veraz.ui.parts import buttons, dialog, empty, number, size, state, typed, when
from veraz.ui.shell import shell
from veraz.ui.visit import Visit, Visiting


async def page(visit: Visiting) -> None:
    """The global knowledge bases of the project and those of the whole tenant."""
    shown = await shelves(visit, "global")
    with shell(
        visit,
        visit.t("Knowledge bases"),
        active="/knowledge-bases",
        subtitle=visit.t("Documents your agents answer from."),
    ):
        if not shown:
            with empty(
                "library_books",
                visit.t("No knowledge base yet"),
                visit.t("Create one, add documents, and assign it to an agent."),
            ):
                new_button(visit, "global")
            return
        with ui.row():
            new_button(visit, "global")
        cards(visit, shown)


async def shelves(visit: Visit, kind: KbKind) -> list[KnowledgeBase]:
    """What the person may look into, of the chosen project and of all; an agent's own one is shown with the agent."""
    found = await visit.veraz.knowledge_bases.all(visit.actor, PageRequest(limit=500), kind=kind)
    return [kb for kb in found.items if kb.agent_id is None and kb.project_id in (None, visit.project_id)]


def cards(visit: Visit, shown: list[KnowledgeBase]) -> None:
    """One card for each."""
    with ui.element("div").classes("grid-cards"):
        for kb in shown:
            _card(visit, kb)


def _card(visit: Visit, kb: KnowledgeBase) -> None:
    with ui.card().classes("link"):
        with ui.row().classes("w-full justify-between items-start no-wrap"):
            with ui.element("h2"):
                ui.link(kb.name, visit.to(f"/knowledge-bases/{kb.id}")).classes("break")
            state(visit, kb.status)
        ui.label(kb.description or visit.t("Without description")).classes("quiet small break")
        ui.label(
            visit.t(
                "Documents {documents} · chunks {chunks} · {size}",
                documents=number(visit, kb.total_documents),
                chunks=number(visit, kb.total_chunks),
                size=size(visit, kb.total_size_bytes),
            )
        ).classes("small")
        where = visit.t("Only yours") if kb.kind == "personal" else _reach(visit, kb)
        ui.label(f"{where} · {visit.t('updated {when}', when=when(visit, kb.updated_at))}").classes(
            "quiet small"
        )


def _reach(visit: Visit, kb: KnowledgeBase) -> str:
    return visit.t("Whole tenant") if kb.project_id is None else visit.t("This project")


def new_button(visit: Visit, kind: KbKind) -> None:
    """The way to a new one."""
    ui.button(visit.t("New knowledge base"), icon="add", on_click=lambda: _ask_for_new(visit, kind))


def _ask_for_new(visit: Visit, kind: KbKind) -> None:
    async def create() -> None:
        kb = await visit.veraz.knowledge_bases.create(
            visit.actor,
            NewKnowledgeBase(
                name=typed(name.value, field=visit.t("Name"), longest=200),
                description=typed(description.value),
                language=language.value,
                kind=kind,
                project_id=None if kind == "personal" or whole.value else visit.project_id,
            ),
        )
        box.close()
        ui.navigate.to(visit.to(f"/knowledge-bases/{kb.id}"))

    with dialog(visit.t("New knowledge base")) as box:
        name = ui.input(visit.t("Name")).props("autofocus maxlength=200").classes("w-full")
        description = ui.textarea(visit.t("Description")).props("autogrow maxlength=2000").classes("w-full")
        language = ui.select(
            language_names(visit), value="es", label=visit.t("Language of the documents")
        ).classes("w-full")
        whole = ui.switch(visit.t("For every project of the tenant"), value=False)
        whole.set_visibility(kind == "global" and visit.actor.is_tenant_admin)
        buttons(visit, box, visit.t("Create"), visit.act(create))


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
