"""Domain intelligence: what a knowledge base is about, from a chat model or its own words, confirmed by a person, then applied."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any
from uuid import UUID

from veraz import errors
from veraz.answer.model import QUOTES
from veraz.db.forgettings import newest_forgetting
from veraz.db.pool import Database, Transaction
from veraz.db.sql import queries
from veraz.ids import new_id
from veraz.learn.domain_model import DomainForm, domain_request
from veraz.learn.domain_words import Sampled, found_in
from veraz.library.agents import AgentProfile, change_agent, need_manageable
from veraz.library.knowledge_bases import get_kb, need_writable
from veraz.library.retrieval import RetrievalConfig
from veraz.observe import log
from veraz.search.spending import Q as SPENDING
from veraz.search.spending import credits_left
from veraz.settings import Settings
from veraz.tenancy.model import Actor
from veraz.tenancy.permissions import need

if TYPE_CHECKING:
    from veraz.providers.chat.forms import Filled, Forms, PickForms

Q = queries(__file__)

_SAMPLE = 400
_TOKENS_PER_CREDIT = 1_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Domain:
    """What a knowledge base is about."""

    kb_id: UUID
    user_input: str
    interpreted_intent: str
    subdomains: list[str]
    source_categories: list[dict[str, Any]]
    critical_variables: list[str]
    validation_queries: list[str]
    known_debates: list[str]
    recommended_config: dict[str, Any]
    model: str | None
    user_confirmed: bool
    created_at: datetime


class Domains:
    """Looks at knowledge bases as a whole."""

    def __init__(self, db: Database, settings: Settings, *, forms: "PickForms | None" = None) -> None:
        self.db = db
        self.settings = settings
        self._forms = forms

    async def get(self, actor: Actor, kb_id: UUID) -> Domain:
        """What was found last."""
        need(actor, "read")
        async with self.db.transaction(actor.scope()) as tx:
            await get_kb(tx, kb_id)
            return await tx.get(Domain, Q.domain, thing="row", id=kb_id)

    async def analyse(self, actor: Actor, kb_id: UUID, user_input: str = "") -> Domain:
        """Reads a sample of the knowledge base, with the chat model where there is one; the result waits for confirmation.

        Nothing is kept, and it has to be asked again, where something was forgotten while the model read.
        """
        found = await self._analysed(actor, kb_id, user_input)
        if found is None:
            raise errors.ForgottenMeanwhile()
        return found

    async def _analysed(self, actor: Actor, kb_id: UUID, user_input: str) -> Domain | None:
        async with self.db.transaction(actor.scope()) as tx:
            kb = await need_writable(tx, actor, kb_id)
            newest = await newest_forgetting(tx)
            sample = await tx.all(Sampled, Q.sample, id=kb_id, limit=_SAMPLE)
            paid = bool(sample) and await credits_left(tx)
        filled = await self._filled(sample, kb.language, user_input) if paid else None
        found = filled.form.columns() if filled else found_in(sample, kb.language, user_input)
        async with self.db.transaction(actor.scope()) as tx:
            await need_writable(tx, actor, kb_id)
            if filled:
                await _charge(tx, filled)
            if await newest_forgetting(tx) != newest:
                return None
            model = filled.model if filled else None
            return await tx.get(
                Domain, Q.keep, thing="row", id=kb_id, user_input=user_input, model=model, **found
            )

    async def confirm(self, actor: Actor, kb_id: UUID) -> Domain:
        """A person agrees: what was found describes the knowledge base, and is how the agents that read it answer.

        What somebody decided already stays: a description, an agent's style, an agent's retrieval settings.
        """
        async with self.db.transaction(actor.scope()) as tx:
            await need_writable(tx, actor, kb_id)
            domain = await tx.get(Domain, Q.confirm, thing="row", id=kb_id)
            await tx.run(Q.describe, id=kb_id, description=domain.interpreted_intent)
            for agent_id in await tx.values(Q.readers, id=kb_id):
                await _configure(tx, actor, agent_id, domain.recommended_config)
            return domain

    async def _filled(
        self, sample: Sequence[Sampled], language: str, user_input: str
    ) -> "Filled[DomainForm] | None":
        """The model's view; None without a model, and when it fails."""
        name = self.settings.chat_model
        if name is None or name == QUOTES:
            return None
        request = domain_request(user_input, [one.content for one in sample], language)
        try:
            forms = await asyncio.to_thread(self._picked, name)  # the first time it loads the model's SDK
            return await forms.fill(DomainForm, request)
        except (errors.OutsideFault, errors.Invalid) as fault:
            log.warning("domain_without_model", model=name, reason=fault.code)
            return None

    def _picked(self, name: str) -> "Forms":
        from veraz.providers.chat.forms import pick_forms

        return self._forms(name) if self._forms else pick_forms(name, self.settings)


async def _charge(tx: Transaction, filled: "Filled[DomainForm]") -> None:
    credits = -(-filled.usage.tokens // _TOKENS_PER_CREDIT)
    await tx.run(
        SPENDING.charge,
        about=new_id(),
        credits=min(credits, int(await tx.value(SPENDING.balance))),
        reason="domain",
        model=filled.model,
        tokens=filled.usage.tokens,
        cost=filled.usage.cost_usd,
    )


async def _configure(tx: Transaction, actor: Actor, agent_id: UUID, config: dict[str, Any]) -> None:
    agent = await need_manageable(tx, actor, agent_id)
    retrieval = {k: v for k, v in config.get("retrieval", {}).items() if k not in agent.retrieval}
    changes: dict[str, Any] = {}
    if retrieval:
        changes["retrieval"] = RetrievalConfig.from_json(agent.retrieval | retrieval)
    if agent.answer_style == AgentProfile(name="").answer_style:
        changes["answer_style"] = config.get("answer_style", agent.answer_style)
    await change_agent(tx, actor, agent_id, changes)
