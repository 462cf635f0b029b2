"""Each verb as a request: what both clients send, and how they read the answer. No network here."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar
from urllib.parse import quote as _quote

from veraz.client import models
from veraz.client.models import (
    Agent,
    Answer,
    Correction,
    Document,
    DocumentVersion,
    Json,
    KnowledgeBase,
    Progress,
    Received,
    SearchResult,
)

T = TypeVar("T")

API = "/api/v1"


@dataclass(frozen=True, slots=True, kw_only=True)
class Call(Generic[T]):
    """One request; `again` means that sending it twice does no harm."""

    method: str
    path: str
    read: Callable[[Any], T]
    body: Json | None = None
    params: Mapping[str, str | int] = field(default_factory=dict)
    again: bool = True


def any_call(method: str, path: str, body: Json | None, params: Mapping[str, str | int] | None) -> Call[Any]:
    """Any other path of the API, answered as JSON."""
    safe = method.upper() in ("GET", "HEAD", "PUT", "DELETE")
    return Call(method=method, path=path, read=_as_it_is, body=body, params=params or {}, again=safe)


def knowledge_bases(cursor: str | None) -> Call[tuple[list[KnowledgeBase], str | None]]:
    """A page of knowledge bases."""
    return _page("/knowledge-bases", KnowledgeBase.of, cursor)


def create_knowledge_base(name: str, more: Json) -> Call[KnowledgeBase]:
    """A new one; not repeated, since the name would be taken."""
    body = {"name": name, **more}
    return Call(method="POST", path="/knowledge-bases", read=KnowledgeBase.of, body=body, again=False)


def agents(cursor: str | None) -> Call[tuple[list[Agent], str | None]]:
    """A page of agents."""
    return _page("/agents", Agent.of, cursor)


def create_agent(name: str, more: Json) -> Call[Agent]:
    """A new agent."""
    return Call(method="POST", path="/agents", read=Agent.of, body={"name": name, **more}, again=False)


def assign(agent: str, kb: str, more: Json) -> Call[None]:
    """The agent reads the knowledge base."""
    path = f"/agents/{quoted(agent)}/knowledge-bases/{quoted(kb)}"
    return Call(method="PUT", path=path, read=_nothing, body=more)


def documents(kb: str, cursor: str | None) -> Call[tuple[list[Document], str | None]]:
    """A page of documents."""
    return _page(f"/knowledge-bases/{quoted(kb)}/documents", Document.of, cursor)


def delete_document(kb: str, document: str) -> Call[None]:
    """Forgets a document."""
    return Call(method="DELETE", path=_document(kb, document), read=_nothing)


def add_text(kb: str, title: str, content: str, more: Json) -> Call[Received]:
    """Text as a document."""
    body = {"title": title, "content": content, **more}
    path = f"/knowledge-bases/{quoted(kb)}/documents/text"
    return Call(method="POST", path=path, read=Received.of, body=body, again=False)


def add_url(kb: str, url: str, more: Json) -> Call[Received]:
    """A web page as a document."""
    path = f"/knowledge-bases/{quoted(kb)}/documents/url"
    return Call(method="POST", path=path, read=Received.of, body={"url": url, **more}, again=False)


def upload(kb: str, document: str | None = None) -> Call[str]:
    """A file, sent as a form, as a document of its own or as the next version of one; the document's id."""
    if document is not None:
        path = _document(kb, document)
        return Call(method="PUT", path=path, read=lambda data: str(data["document_id"]), again=False)
    path = f"/knowledge-bases/{quoted(kb)}/documents"
    return Call(method="POST", path=path, read=lambda data: str(data[0]["document_id"]), again=False)


def replace_text(kb: str, document: str, more: Json) -> Call[Received]:
    """The next version of a written text."""
    body = {name: value for name, value in more.items() if value is not None}
    return Call(method="PUT", path=_document(kb, document), read=Received.of, body=body, again=False)


def versions(kb: str, document: str, cursor: str | None) -> Call[tuple[list[DocumentVersion], str | None]]:
    """The versions of a document."""
    return _page(f"{_document(kb, document)}/versions", DocumentVersion.of, cursor)


def restore_version(kb: str, document: str, version: int) -> Call[Received]:
    """A new version that says what an earlier one said."""
    path = f"{_document(kb, document)}/versions/{version}/restore"
    return Call(method="POST", path=path, read=Received.of, again=False)


def supersede(kb: str, document: str, by: str | None) -> Call[Document]:
    """Another document is read in its place; None: it is read again."""
    return Call(method="PATCH", path=_document(kb, document), read=Document.of, body={"superseded_by": by})


def corrections(kb: str, document: str, cursor: str | None) -> Call[tuple[list[Correction], str | None]]:
    """What people corrected in a document."""
    return _page(f"{_document(kb, document)}/corrections", Correction.of, cursor)


def form(machine_id: str | None, metadata: Json | None) -> dict[str, str]:
    """What is said about files beside them."""
    said = {"machine_id": machine_id, "metadata": json.dumps(dict(metadata)) if metadata else None}
    return {name: value for name, value in said.items() if value is not None}


def progress(kb: str, document: str) -> Call[Progress]:
    """How far a document has come."""
    return Call(method="GET", path=f"{_document(kb, document)}/status", read=Progress.of)


def search(query: str, kb: str | Sequence[str] | None, agent: str | None, more: Json) -> Call[SearchResult]:
    """A search in a knowledge base, in several, or in what an agent may read."""
    if (kb is None) == (agent is None):
        raise ValueError("give kb or agent")
    body = {"query": query, **{name: value for name, value in more.items() if value is not None}}
    if kb is not None and not isinstance(kb, str):
        body["knowledge_base_ids"] = list(kb)
        return Call(method="POST", path="/search", read=models.search_result, body=body)
    where = f"/knowledge-bases/{quoted(kb)}" if kb else f"/agents/{quoted(agent or '')}"
    return Call(method="POST", path=f"{where}/search", read=models.search_result, body=body)


def ask(agent: str, question: str, *, stream: bool, more: Json) -> Call[Answer]:
    """A question; not repeated, since it may cost and is remembered."""
    body = {"question": question, "stream": stream}
    body |= {name: value for name, value in more.items() if value is not None}
    path = f"/agents/{quoted(agent)}/ask"
    return Call(method="POST", path=path, read=models.answer, body=body, again=False)


def _page(path: str, read: Callable[[Json], T], cursor: str | None) -> Call[tuple[list[T], str | None]]:
    params: dict[str, str | int] = {"limit": 200} | ({"cursor": cursor} if cursor else {})

    def both(data: Json) -> tuple[list[T], str | None]:
        return [read(one) for one in data["items"]], data["next_cursor"]

    return Call(method="GET", path=path, read=both, params=params)


def _document(kb: str, document: str) -> str:
    return f"/knowledge-bases/{quoted(kb)}/documents/{quoted(document)}"


def quoted(part: str) -> str:
    """One step of a path, whatever it holds."""
    return _quote(part, safe="")


def _as_it_is(data: Any) -> Any:
    return data


def _nothing(_: Any) -> None:
    return None
