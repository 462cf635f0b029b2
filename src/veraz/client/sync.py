"""The client for ordinary programs."""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import replace
from typing import Any, Self, TypeVar

import httpx

from veraz.client import calls
from veraz.client.calls import API, Call
from veraz.client.errors import DocumentFailed, NotFound, TimedOut, error_of
from veraz.client.events import Event, EventReader
from veraz.client.files import OnBytes, Source, opened
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
from veraz.client.retry import is_stream, no_api, pause_after, result_of, unreachable
from veraz.client.signing import EndUserKey
from veraz.client.who import Who

T = TypeVar("T")


class Veraz:
    """A connection to a Veraz server, as the owner of a key."""

    def __init__(
        self,
        url: str = "http://127.0.0.1:8080",
        *,
        key: str,
        language: str = "es",
        timeout: float = 60.0,
        attempts: int = 3,
        http: httpx.Client | None = None,
    ) -> None:
        self._http = http or httpx.Client(base_url=url, timeout=timeout)
        self._who = Who(key=key, language=language)
        self._attempts = attempts

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Closes the connections."""
        self._http.close()

    def acting(
        self, *, user: str | None = None, machine: str | None = None, sign_with: EndUserKey | None = None
    ) -> "Veraz":
        """The same service key on behalf of an end user or a machine, said or signed, on the same connections."""
        other = Veraz(key=self._who.key, attempts=self._attempts, http=self._http)
        other._who = replace(self._who, user=user, machine=machine, sign_with=sign_with)
        return other

    def call(
        self,
        method: str,
        path: str,
        body: Json | None = None,
        params: Mapping[str, str | int] | None = None,
    ) -> Any:
        """Any other path below /api/v1, answered as JSON."""
        return self._run(calls.any_call(method, path, body, params))

    # knowledge bases and agents

    def knowledge_bases(self) -> Iterator[KnowledgeBase]:
        """All you may look into."""
        return self._pages(calls.knowledge_bases)

    def knowledge_base(self, name: str, **more: Any) -> KnowledgeBase:
        """The one of this name, made with `more` if there is none."""
        mine = (kb for kb in self.knowledge_bases() if kb.administered)
        found = (kb for kb in mine if kb.name.casefold() == name.casefold())
        return next(found, None) or self._run(calls.create_knowledge_base(name, more))

    def agents(self) -> Iterator[Agent]:
        """All you may talk to."""
        return self._pages(calls.agents)

    def agent(self, name: str, **more: Any) -> Agent:
        """The one of this name, made with `more` if there is none."""
        found = (agent for agent in self.agents() if agent.name.casefold() == name.casefold())
        return next(found, None) or self._run(calls.create_agent(name, more))

    def assign(self, agent: str, kb: str, **more: Any) -> None:
        """The agent reads the knowledge base from now on; `priority` and `search_weight` may be given."""
        self._run(calls.assign(agent, kb, more))

    # documents

    def upload(
        self,
        kb: str,
        source: Source,
        *,
        name: str | None = None,
        machine_id: str | None = None,
        metadata: Json | None = None,
        document: str | None = None,
        progress: OnBytes | None = None,
    ) -> str:
        """Sends a file piece by piece; the document's id. `progress` is told bytes sent and bytes in all.

        With `document` it is the next version of that one, as is a file whose name a document has already.
        """
        call = calls.upload(kb, document)
        with opened(source, name, progress) as (filename, file):
            try:
                outcome: httpx.Response | httpx.TransportError = self._http.request(
                    call.method,
                    API + call.path,
                    files={"files": (filename, file)},  # type: ignore[dict-item]
                    data=calls.form(machine_id, metadata),
                    headers=self._who.headers,
                )
            except httpx.TransportError as error:
                outcome = error
        return result_of(call, outcome)

    def add_text(self, kb: str, title: str, content: str, **more: Any) -> Received:
        """Text as a document."""
        return self._run(calls.add_text(kb, title, content, more))

    def replace_text(
        self, kb: str, document: str, *, title: str | None = None, content: str | None = None
    ) -> Received:
        """The next version of a written text; what is not given stays."""
        return self._run(calls.replace_text(kb, document, {"title": title, "content": content}))

    def versions(self, kb: str, document: str) -> Iterator[DocumentVersion]:
        """The versions of a document, newest first."""
        return self._pages(lambda cursor: calls.versions(kb, document, cursor))

    def restore_version(self, kb: str, document: str, version: int) -> Received:
        """A new version that says what an earlier one said."""
        return self._run(calls.restore_version(kb, document, version))

    def supersede(self, kb: str, document: str, by: str | None) -> Document:
        """Another document is read in its place; None: it is read again."""
        return self._run(calls.supersede(kb, document, by))

    def corrections(self, kb: str, document: str) -> Iterator[Correction]:
        """What people corrected in a document."""
        return self._pages(lambda cursor: calls.corrections(kb, document, cursor))

    def add_url(self, kb: str, url: str, **more: Any) -> Received:
        """A web page as a document."""
        return self._run(calls.add_url(kb, url, more))

    def documents(self, kb: str) -> Iterator[Document]:
        """All documents of a knowledge base, newest first."""
        return self._pages(lambda cursor: calls.documents(kb, cursor))

    def delete_document(self, kb: str, document: str) -> None:
        """Forgets a document with its chunks and its file; one that is gone already is gone."""
        try:
            self._run(calls.delete_document(kb, document))
        except NotFound:
            return

    def status(self, kb: str, document: str) -> Progress:
        """How far a document has come."""
        return self._run(calls.progress(kb, document))

    def wait(
        self,
        kb: str,
        document: str,
        *,
        timeout: float = 600.0,
        every: float = 0.5,
        progress: Callable[[Progress], None] | None = None,
    ) -> Progress:
        """Until the document can be searched; `progress` is told each look. Raises DocumentFailed or TimedOut."""
        deadline = time.monotonic() + timeout
        while True:
            state = self.status(kb, document)
            if progress:
                progress(state)
            if state.status == "failed":
                raise DocumentFailed(document, state.error_code, state.error_message)
            if state.ended:
                return state
            if time.monotonic() > deadline:
                raise TimedOut(f"document {document} is at {state.progress_percent} %")
            time.sleep(every)

    # questions

    def search(
        self,
        query: str,
        *,
        kb: str | Sequence[str] | None = None,
        agent: str | None = None,
        top_k: int | None = None,
        similarity_threshold: float | None = None,
        filters: Json | None = None,
    ) -> SearchResult:
        """Passages of a knowledge base, of several, or of what an agent may read for you."""
        more = {"top_k": top_k, "similarity_threshold": similarity_threshold, "filters": filters}
        return self._run(calls.search(query, kb, agent, more))

    def ask(
        self, agent: str, question: str, *, conversation_id: str | None = None, language: str | None = None
    ) -> Answer:
        """The whole answer at once."""
        more = {"conversation_id": conversation_id, "language": language}
        return self._run(calls.ask(agent, question, stream=False, more=more))

    @contextmanager
    def stream(
        self, agent: str, question: str, *, conversation_id: str | None = None, language: str | None = None
    ) -> Iterator[Iterator[Event]]:
        """The answer while it is written: `with veraz.stream(…) as events: for event in events: …`."""
        more = {"conversation_id": conversation_id, "language": language}
        call = calls.ask(agent, question, stream=True, more=more)
        request = self._http.build_request(
            call.method, API + call.path, json=call.body, headers=self._who.headers
        )
        try:
            response = self._http.send(request, stream=True)
        except httpx.TransportError as error:
            raise unreachable(error) from error
        with closing(response):
            if response.is_error:
                raise error_of(response.status_code, response.read())
            if not is_stream(response):
                no_api(response)
            yield _events(response)

    # hands

    def _run(self, call: Call[T]) -> T:
        for left in reversed(range(self._attempts)):
            outcome = self._send(call)
            pause = pause_after(call, outcome, left)
            if pause is None:
                return result_of(call, outcome)
            time.sleep(pause)
        raise AssertionError("the last attempt stands")

    def _send(self, call: Call[Any]) -> httpx.Response | httpx.TransportError:
        try:
            return self._http.request(
                call.method, API + call.path, json=call.body, params=call.params, headers=self._who.headers
            )
        except httpx.TransportError as error:
            return error

    def _pages(self, page: Callable[[str | None], Call[tuple[list[T], str | None]]]) -> Iterator[T]:
        cursor: str | None = None
        while True:
            items, cursor = self._run(page(cursor))
            yield from items
            if cursor is None:
                return


def _events(response: httpx.Response) -> Iterator[Event]:
    reader = EventReader()
    try:
        for line in response.iter_lines():
            if (event := reader.feed(line)) is not None:
                yield event
    except httpx.TransportError as error:
        raise unreachable(error) from error
    reader.end()
