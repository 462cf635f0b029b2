"""The tools. Each resolves the caller, calls one service verb and renders; rights are the caller's own."""

from collections.abc import Awaitable, Callable
from functools import wraps
from typing import Annotated, Literal, ParamSpec, TypeVar
from uuid import UUID

from mcp.server.mcpserver import Context
from mcp.server.mcpserver.exceptions import ToolError
from pydantic import Field

from veraz import errors
from veraz.answer.service import Ask
from veraz.library.model import Agent, KnowledgeBase
from veraz.mcp import views
from veraz.paging import PageRequest
from veraz.search.service import LONGEST_QUERY, Wish
from veraz.security import tell_refusal
from veraz.tenancy.model import Actor
from veraz.wiring import Veraz

P = ParamSpec("P")
T = TypeVar("T")

Who = Callable[[Context], Awaitable[Actor]]
"""The caller of one request."""

Words = Annotated[str, Field(min_length=1, max_length=LONGEST_QUERY)]
Named = Annotated[str | None, Field(description="Name or id")]
Shelf = Annotated[str, Field(description="Name or id of the knowledge base")]
Cursor = Annotated[str | None, Field(description="next_cursor of the page before")]
Count = Annotated[int, Field(ge=1, le=20)]

_READ_AT_ONCE = 20
_LISTED = PageRequest(limit=200)


def spoken(tool: Callable[P, Awaitable[T]]) -> Callable[P, Awaitable[T]]:
    """Our errors as sentences the model can act on, with their stable code."""

    @wraps(tool)
    async def speaking(*args: P.args, **kwargs: P.kwargs) -> T:
        try:
            return await tool(*args, **kwargs)
        except errors.VerazError as error:
            tell_refusal(error)
            raise ToolError(f"{error.message('en')} ({error.code})") from error

    return speaking


class Tools:
    """The tools on these services; `agent` is who answers when a call names nobody."""

    def __init__(self, veraz: Veraz, who: Who, *, agent: str | None = None) -> None:
        self.veraz = veraz
        self.who = who
        self.agent = agent

    @spoken
    async def search_knowledge(
        self,
        query: Words,
        ctx: Context,
        agent: Named = None,
        knowledge_base: Named = None,
        top_k: Count = 5,
    ) -> views.Found:
        """Search documents for passages about something: what an agent may read, or one knowledge base.

        Cite document and page of what you use. Nothing found means that nothing is known.
        """
        actor, wish = await self.who(ctx), Wish(top_k=top_k)
        if knowledge_base:
            kb = await self._kb(actor, knowledge_base)
            found = await self.veraz.search.search_kb(actor, kb.id, query, wish=wish, origin="program")
        else:
            chosen = await self._agent(actor, agent)
            found = await self.veraz.search.search_agent(actor, chosen.id, query, wish=wish, origin="program")
        return views.Found(passages=views.passages_of(found.evidence.hits))

    @spoken
    async def ask_agent(
        self,
        question: Words,
        ctx: Context,
        agent: Named = None,
        conversation_id: UUID | None = None,
        language: Literal["es", "en"] | None = None,
    ) -> views.Answered:
        """Ask an agent. It answers only from its documents, with the passages behind every claim, or refuses."""
        actor = await self.who(ctx)
        chosen = await self._agent(actor, agent)
        ask = Ask(question=question, conversation_id=conversation_id, language=language, channel="mcp")
        return views.answered(await self.veraz.answers.answer(actor, chosen.id, ask))

    @spoken
    async def list_agents(self, ctx: Context) -> views.AgentList:
        """The agents you may talk to."""
        page = await self.veraz.agents.all(await self.who(ctx), _LISTED)
        return views.AgentList(agents=[views.agent_entry(agent) for agent in page.items])

    @spoken
    async def list_knowledge_bases(self, ctx: Context) -> views.KnowledgeBaseList:
        """The knowledge bases you may look into."""
        page = await self.veraz.knowledge_bases.all(await self.who(ctx), _LISTED)
        return views.KnowledgeBaseList(knowledge_bases=[views.kb_entry(kb) for kb in page.items])

    @spoken
    async def list_documents(
        self, knowledge_base: Shelf, ctx: Context, cursor: Cursor = None
    ) -> views.DocumentList:
        """The documents of a knowledge base, newest first."""
        actor = await self.who(ctx)
        kb = await self._kb(actor, knowledge_base)
        page = await self.veraz.documents.all(actor, kb.id, PageRequest(cursor=cursor))
        entries = [views.document_entry(document) for document in page.items]
        return views.DocumentList(documents=entries, next_cursor=page.next_cursor)

    @spoken
    async def read_document(
        self, knowledge_base: Shelf, document_id: UUID, ctx: Context, cursor: Cursor = None
    ) -> views.DocumentText:
        """The text of a document in reading order, some pieces at a time."""
        actor = await self.who(ctx)
        kb = await self._kb(actor, knowledge_base)
        document = await self.veraz.documents.get(actor, kb.id, document_id)
        request = PageRequest(limit=_READ_AT_ONCE, cursor=cursor)
        page = await self.veraz.documents.chunks(actor, kb.id, document_id, request)
        return views.DocumentText(
            document_id=document.id,
            document=document.name,
            pieces=[views.read_piece(chunk) for chunk in page.items],
            next_cursor=page.next_cursor,
        )

    async def _agent(self, actor: Actor, name: str | None) -> Agent:
        """The agent named here or when the server was started, or the only one there is."""
        if wanted := name or self.agent:
            return await self.veraz.agents.by_name(actor, wanted)
        there = (await self.veraz.agents.all(actor, _LISTED)).items
        if len(there) == 1:
            return there[0]
        names = ", ".join(f"«{agent.name}»" for agent in there) or "–"
        raise errors.Invalid(
            field="agent", reason=errors.Phrase(f"name one of {names}", es=f"elija uno de {names}")
        )

    async def _kb(self, actor: Actor, name: str) -> KnowledgeBase:
        kb = await self.veraz.knowledge_bases.by_name(actor, name)
        if kb is None:
            raise errors.NotFound(thing="knowledge base", id=name)
        return kb
