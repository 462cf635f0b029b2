"""The passages found for one question: which were read and quoted, which not and why."""

from collections.abc import Sequence
from typing import Any, Final

from nicegui import ui

from veraz.learn.traces import QuestionTrace
from veraz.ui.parts import bar, number
from veraz.ui.visit import Visit

UNREAD: Final = {
    "far_behind": "Not read: much less relevant than the best one",
    "token_budget": "Not read: there was no more room for the model to read it",
}
CUTS: Final = {
    "below_threshold": "below the similarity the agent asks for",
    "similar_to_better": "says the same as a better one",
    "source_cap": "too many passages of the same document",
    "top_k": "not among the best {n}",
    "token_budget": "there was no more room",
}


def passages(visit: Visit, found: QuestionTrace, trace: dict[str, Any]) -> None:
    """What was searched, then every passage: those read first, the others folded away with the reason."""
    t, search, every = visit.t, trace["search"], trace["passages"]
    read = [one for one in every if one["number"]]
    rest = [one for one in every if not one["number"]]
    ui.label(_summary(visit, search, found.agent, len(read), sum(one["quoted"] for one in every))).classes(
        "small"
    )
    for space in search["without_meaning"]:
        ui.label(
            t("The embedding service {name} did not answer; only words were searched.", name=space)
        ).classes("small text-warning")
    for one in read:
        _passage(visit, found, one, search)
    if rest:
        words = t("Found and not read: {n}", n=number(visit, len(rest)))
        with ui.expansion(words, icon="visibility_off").classes("w-full").props("dense"):
            for one in rest:
                _passage(visit, found, one, search)


def _summary(visit: Visit, search: dict[str, Any], agent: str, read: int, quoted: int) -> str:
    t = visit.t
    names = ", ".join(_base(visit, base["name"], agent) for base in search["bases"])
    searched = t("Fragments searched: {n}", n=number(visit, search["searched"]))
    counts = t(
        "Passages found: {found}, read: {read}, quoted: {quoted}",
        found=number(visit, search["retrieved"]),
        read=number(visit, read),
        quoted=number(visit, quoted),
    )
    return " · ".join(part for part in (names, searched, counts) if part)


def _base(visit: Visit, name: str, agent: str) -> str:
    """A knowledge base as people call it; that of the agent's own entries has a made-up name."""
    return visit.t("Manual entries") if name.startswith(f"{agent[:60]} · ") else name


def _passage(visit: Visit, found: QuestionTrace, one: dict[str, Any], search: dict[str, Any]) -> None:
    t = visit.t
    with ui.element("div").classes("trace-passage"):
        with ui.row().classes("w-full items-center gap-2"):
            if one["number"]:
                ui.label(str(one["number"])).classes("trace-number")
            if "document_id" in one:
                target = visit.to(f"/knowledge-bases/{one['kb_id']}/documents/{one['document_id']}")
                page = f" · {t('page {n}', n=one['page'])}" if one["page"] else ""
                ui.link(f"{one['document']}{page}", target).classes("grow break")
            else:
                ui.label(t("A passage of personal knowledge")).classes("grow quiet")
            if one["quoted"]:
                with ui.element("span").classes("state good"):
                    ui.icon("format_quote").props("aria-hidden=true")
                    ui.label(t("Quoted"))
        _relevance(visit, one["relevance"])
        if reasons := list(_reasons(visit, one, search)):
            ui.label(". ".join(reasons)).classes("small text-warning")
        if text := found.texts.get(one.get("chunk_id", "")):
            ui.label(_plain(text)).classes("quiet small trace-excerpt")
        elif "chunk_id" in one:
            ui.label(t("The passage was changed or deleted since.")).classes("quiet small")
        _scores(visit, one)


def _plain(text: str) -> str:
    """In one line, without the marks of headings and lists."""
    lines = (line.strip().lstrip("#*-> ").strip() for line in text.splitlines())
    return " ".join(line for line in lines if line)


def _relevance(visit: Visit, value: float) -> None:
    percent = number(visit, 100 * value, 0 if value >= 0.1 else 1)
    with ui.row().classes("w-full items-center no-wrap gap-2"):
        bar(value, visit.t("Relevance"))
        ui.label(f"{percent} %").classes("small num")


def _reasons(visit: Visit, one: dict[str, Any], search: dict[str, Any]) -> Sequence[str]:
    """Why a passage was not read, and what the search had against it; one that was read needs no excuse."""
    if one["number"] or not one["unread"]:
        return ()
    said = [visit.t(UNREAD[one["unread"]])]
    if one["cut"] in CUTS:
        words = visit.t(CUTS[one["cut"]]).replace("{n}", number(visit, search["top_k"]))
        said.append(visit.t("Search: {reason}", reason=words))
    return said


def _scores(visit: Visit, one: dict[str, Any]) -> None:
    t = visit.t
    parts = [
        t("similarity {n}", n=number(visit, one["similarity"], 2)),
        t("words {n}", n=number(visit, one["words"], 1)),
        t("match {n}", n=number(visit, one["match"], 2)),
        *([t("boost {n}", n=number(visit, one["boost"], 2))] if one["boost"] else []),
        *([t("reranked")] if one["reranked"] else []),
        t("{n} tokens", n=number(visit, one["tokens"])),
    ]
    ui.label(" · ".join(parts)).classes("quiet small break")
