"""Settings → pools, providers, services. The one place where the parts are put together."""

import asyncio
import os
import secrets
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass

from veraz import errors, security
from veraz.answer.conversations import Conversations
from veraz.answer.running import RunningAnswers
from veraz.answer.service import LOCAL_MODEL, Answers
from veraz.channels.deliver import DELIVER, DeliverWebhook
from veraz.channels.kairo import Kairo
from veraz.channels.webhooks import Webhooks
from veraz.channels.whatsapp.deliver import WhatsAppDelivery
from veraz.channels.whatsapp.numbers import WhatsAppNumbers
from veraz.channels.whatsapp.outbox import WhatsAppOutbox
from veraz.channels.whatsapp.receive import WhatsAppInbox
from veraz.channels.whatsapp.turns import WHATSAPP, WhatsAppTurns
from veraz.channels.widget.settings import Widgets
from veraz.channels.widget.tokens import VisitorTokens
from veraz.channels.widget.visitors import WidgetVisitors
from veraz.db import embedded
from veraz.db.access import APP, LOGIN_ROLES, WORKER, Access
from veraz.db.migrate import migrate
from veraz.db.pool import Database
from veraz.forgetting.job import FORGET, Forget
from veraz.forgetting.service import Forgettings, forget_machine
from veraz.ingest.chunk_edit import ChunkEditor
from veraz.ingest.chunk_forget import ChunkForgetter
from veraz.ingest.cleanup import ForgetFiles
from veraz.ingest.correcting import Corrections
from veraz.ingest.crawling import CRAWL, CrawlSite
from veraz.ingest.documents import Documents
from veraz.ingest.events import Events
from veraz.ingest.fetch_rules import FetchLimits
from veraz.ingest.jobs import Jobs
from veraz.ingest.pipeline import IngestDocument
from veraz.ingest.preview import Previews
from veraz.ingest.rebuild import INGEST, Rebuilds
from veraz.ingest.receive import Reception
from veraz.ingest.replace import Replacements
from veraz.ingest.superseding import Superseding
from veraz.ingest.vectors import in_step
from veraz.ingest.versions import Versions
from veraz.ingest.warm import warm
from veraz.learn.agent_overview import AgentOverviews
from veraz.learn.attention import Attention
from veraz.learn.domain import Domains
from veraz.learn.exam import Exams
from veraz.learn.exam_job import RUN_EXAM, RunExam
from veraz.learn.exam_proposals import ExamProposals
from veraz.learn.gaps import Gaps
from veraz.learn.suggestions import Suggestions
from veraz.learn.traces import Traces
from veraz.learn.usage import UsageReports
from veraz.library.agent_versions import AgentVersions
from veraz.library.agents import Agents
from veraz.library.assignments import Assignments
from veraz.library.knowledge_bases import KnowledgeBases
from veraz.library.models import Models
from veraz.library.spaces import Spaces
from veraz.passages.service import Passages
from veraz.providers.files.pick import pick_file_store
from veraz.providers.files.pictures import PagePictures
from veraz.providers.files.tenants import Files
from veraz.providers.oidc import OidcIssuers
from veraz.providers.vectors.pick import pick_vector_engine
from veraz.providers.whatsapp import CloudApi
from veraz.queue.handler import Handler
from veraz.queue.worker import Worker
from veraz.search.embeddings import Embeddings
from veraz.search.functions import Functions
from veraz.search.links import QuoteLinks
from veraz.search.service import Search
from veraz.settings import Settings
from veraz.sso.providers import IdentityProviders
from veraz.sso.sign_in import SingleSignOn
from veraz.tenancy.audit import Audit
from veraz.tenancy.callers import Callers
from veraz.tenancy.challenges import Challenges
from veraz.tenancy.end_user_keys import EndUserKeys
from veraz.tenancy.keys import Keys
from veraz.tenancy.licences import Licences
from veraz.tenancy.password_links import PasswordLinks
from veraz.tenancy.passwords import Passwords
from veraz.tenancy.plans import Plans
from veraz.tenancy.projects import Projects
from veraz.tenancy.rates import Rates
from veraz.tenancy.second_factor import SecondFactor
from veraz.tenancy.secrets import Vault
from veraz.tenancy.security_events import SecurityEvents
from veraz.tenancy.sessions import Sessions
from veraz.tenancy.sign_in import SignIn
from veraz.tenancy.tenants import Tenants
from veraz.tenancy.tokens import derive
from veraz.tenancy.users import Users
from veraz.upkeep import looked_after


@dataclass(frozen=True, slots=True, kw_only=True)
class Veraz:
    """Every service, ready to be called by a door."""

    settings: Settings
    db: Database
    second_factor: SecondFactor
    challenges: Challenges
    sign_in: SignIn
    callers: Callers
    rates: Rates
    users: Users
    tenants: Tenants
    identity_providers: IdentityProviders
    sso: SingleSignOn
    sessions: Sessions
    passwords: Passwords
    password_links: PasswordLinks
    projects: Projects
    keys: Keys
    end_user_keys: EndUserKeys
    licences: Licences
    plans: Plans
    audit: Audit
    security_events: SecurityEvents
    forgettings: Forgettings
    spaces: Spaces
    knowledge_bases: KnowledgeBases
    agents: Agents
    agent_versions: AgentVersions
    agent_overviews: AgentOverviews
    models: Models
    assignments: Assignments
    files: Files
    documents: Documents
    reception: Reception
    replacements: Replacements
    rebuilds: Rebuilds
    previews: Previews
    chunk_editor: ChunkEditor
    chunk_forgetter: ChunkForgetter
    corrections: Corrections
    versions: Versions
    superseding: Superseding
    jobs: Jobs
    events: Events
    webhooks: Webhooks
    search: Search
    usage: UsageReports
    traces: Traces
    functions: Functions
    answers: Answers
    passages: Passages
    conversations: Conversations
    running: RunningAnswers
    suggestions: Suggestions
    embeddings: Embeddings
    gaps: Gaps
    attention: Attention
    exams: Exams
    exam_proposals: ExamProposals
    domains: Domains
    whatsapp_numbers: WhatsAppNumbers
    whatsapp_inbox: WhatsAppInbox
    whatsapp_outbox: WhatsAppOutbox
    widgets: Widgets
    widget_visitors: WidgetVisitors
    kairo: Kairo


@asynccontextmanager
async def open_veraz(settings: Settings) -> AsyncIterator[Veraz]:
    """The whole platform on its database, migrated, for as long as the block lasts."""
    async with (
        open_store(settings) as store,
        Database(store.app_url, store.access, size=settings.database_pool_size) as db,
    ):
        veraz = assemble(settings, db)
        try:
            yield veraz
        finally:
            await veraz.running.close()
            await veraz.security_events.close()


def assemble(settings: Settings, db: Database) -> Veraz:
    """The services on one pool."""
    plans = Plans(db)
    rates = Rates(db, settings, secret=derive(installation_secret(settings), "rates"))
    passwords = Passwords(db, rates)
    users, tenants = Users(db, passwords), Tenants(db, plans, passwords)
    vault = Vault(installation_secret(settings))
    callers = Callers(db, vault, idle_minutes=settings.session_idle_minutes)
    spaces = Spaces(settings)
    kbs = KnowledgeBases(db, plans, spaces)
    chunk_editor = ChunkEditor(db, spaces)
    files = Files(pick_file_store(settings))
    reception = Reception(db, files, plans, FetchLimits.of(settings))
    search = Search(db, spaces, engine=pick_vector_engine(settings))
    links = QuoteLinks(installation_secret(settings), settings.address)
    answers = Answers(db, search, settings, links=links)
    factor = SecondFactor(db, vault, rates)
    sign_in = SignIn(db, callers, factor, rates, session_hours=settings.session_hours)
    issuers = OidcIssuers(settings)
    outbox = WhatsAppOutbox(db)
    gaps = Gaps(db, spaces.embedder_named(LOCAL_MODEL))
    conversations = Conversations(db, deliver=outbox.said)
    suggestions = Suggestions(db)
    return Veraz(
        settings=settings,
        db=db,
        second_factor=factor,
        challenges=Challenges(db, sign_in, factor),
        sign_in=sign_in,
        callers=callers,
        rates=rates,
        identity_providers=IdentityProviders(db, vault, issuers),
        sso=SingleSignOn(db, sign_in, vault, issuers, address=settings.address),
        users=users,
        tenants=tenants,
        sessions=Sessions(db),
        passwords=passwords,
        password_links=PasswordLinks(
            db,
            users,
            tenants,
            passwords,
            hours={False: settings.invitation_hours, True: settings.reset_hours},
        ),
        projects=Projects(db),
        keys=Keys(db),
        licences=Licences(db, forget_machine),
        end_user_keys=EndUserKeys(db, vault),
        plans=plans,
        audit=Audit(db),
        security_events=_security_events(settings, db),
        forgettings=Forgettings(db),
        spaces=spaces,
        knowledge_bases=kbs,
        agents=Agents(db, kbs),
        agent_versions=AgentVersions(db),
        agent_overviews=AgentOverviews(db),
        models=Models(db, settings),
        assignments=Assignments(db),
        files=files,
        documents=Documents(db),
        reception=reception,
        replacements=Replacements(reception),
        rebuilds=Rebuilds(db, spaces),
        previews=Previews(db, files, settings),
        chunk_editor=chunk_editor,
        chunk_forgetter=ChunkForgetter(db, PagePictures(settings.home)),
        corrections=Corrections(db, chunk_editor),
        versions=Versions(db),
        superseding=Superseding(db),
        jobs=Jobs(db),
        events=Events(db),
        webhooks=Webhooks(db, Vault(installation_secret(settings)), settings),
        search=search,
        usage=UsageReports(db),
        traces=Traces(db),
        functions=Functions(db),
        answers=answers,
        passages=Passages(db, files, settings, links),
        conversations=conversations,
        running=RunningAnswers(answers, conversations),
        suggestions=suggestions,
        embeddings=Embeddings(db, spaces, plans),
        gaps=gaps,
        attention=Attention(db, gaps),
        exams=Exams(db, answers),
        exam_proposals=ExamProposals(db),
        domains=Domains(db, settings),
        whatsapp_numbers=WhatsAppNumbers(db, vault),
        whatsapp_inbox=WhatsAppInbox(db, vault),
        whatsapp_outbox=outbox,
        widgets=Widgets(db),
        widget_visitors=WidgetVisitors(
            db, answers, VisitorTokens(installation_secret(settings)), suggestions.openers, rates
        ),
        kairo=Kairo(db, answers),
    )


def _security_events(settings: Settings, db: Database) -> SecurityEvents:
    """What this process records is kept in its database."""
    events = SecurityEvents(db)
    security.kept_by(events.accept, salt=derive(installation_secret(settings), "security events"))
    return events


@asynccontextmanager
async def events_kept(settings: Settings, store: "Store") -> AsyncIterator[None]:
    """For a command that needs no services: what it records is kept before it ends."""
    async with Database(store.app_url, store.access, size=2) as db:
        events = _security_events(settings, db)
        try:
            yield
        finally:
            await events.close()


@asynccontextmanager
async def open_worker(settings: Settings) -> AsyncIterator[Worker]:
    """A worker with a handler for every kind of job, on its own pool."""
    size = settings.worker_concurrency * 3 + 4
    async with (
        open_store(settings) as store,
        Database(store.worker_url, store.access, size=size, name="veraz worker") as db,
        looked_after(settings, store.owner_url, db, Files(pick_file_store(settings))),
        in_step(db, pick_vector_engine(settings)),
        warm(settings, parsers=True),
    ):
        events = _security_events(settings, db)
        yield Worker(db, handlers(settings, db), settings)
        await events.close()


def handlers(settings: Settings, db: Database) -> dict[str, Handler]:
    """Who does which kind of job."""
    files, pictures = Files(pick_file_store(settings)), PagePictures(settings.home)
    return {
        INGEST: IngestDocument(db, files, Spaces(settings), settings),
        CRAWL: CrawlSite(db, Plans(db), settings),
        "forget_files": ForgetFiles(files, pictures),
        FORGET: Forget(db, files, pictures),
        DELIVER: DeliverWebhook(db, Vault(installation_secret(settings)), settings),
        WHATSAPP: _whatsapp(settings, db),
        RUN_EXAM: RunExam(db, Exams(db, _answers(settings, db))),
    }


def _whatsapp(settings: Settings, db: Database) -> WhatsAppTurns:
    api = CloudApi(settings.whatsapp_graph_url)
    delivery = WhatsAppDelivery(db, api, Vault(installation_secret(settings)))
    quiet = settings.whatsapp_quiet_seconds
    return WhatsAppTurns(db, _answers(settings, db), delivery, quiet_seconds=quiet)


def _answers(settings: Settings, db: Database) -> Answers:
    search = Search(db, Spaces(settings), engine=pick_vector_engine(settings))
    links = QuoteLinks(installation_secret(settings), settings.address)
    return Answers(db, search, settings, links=links)


@dataclass(frozen=True, slots=True, kw_only=True)
class Store:
    """Where the database answers, for each role."""

    owner_url: str
    access: Access

    @property
    def app_url(self) -> str:
        """As requests reach it."""
        return self.access.address(self.owner_url, APP)

    @property
    def worker_url(self) -> str:
        """As jobs reach it."""
        return self.access.address(self.owner_url, WORKER)


@asynccontextmanager
async def open_store(settings: Settings) -> AsyncIterator[Store]:
    """A migrated database, with an address for each role."""
    async with open_owner(settings) as owner_url:
        yield await _migrated(settings, owner_url)


@asynccontextmanager
async def open_owner(settings: Settings) -> AsyncIterator[str]:
    """The owner's address of the database that was named, or of the embedded one of this home."""
    settings.home.mkdir(parents=True, exist_ok=True)
    if settings.database_url:
        yield settings.database_url.get_secret_value()
        return
    async with embedded.kept(settings.home) as address:
        yield address.url


async def _migrated(settings: Settings, owner_url: str) -> Store:
    access = access_of(installation_secret(settings))
    await asyncio.to_thread(migrate, owner_url, access)
    return Store(owner_url=owner_url, access=access)


def access_of(secret: str) -> Access:
    """The way into the database for whoever knows the installation's secret."""
    return Access(
        passwords={role: derive(secret, f"database:{role}") for role in LOGIN_ROLES},
        scope_key=bytes.fromhex(derive(secret, "database scopes")),
    )


def installation_secret(settings: Settings) -> str:
    """The secret everything else is derived from: given, or made once under home."""
    if settings.secret_key:
        return settings.secret_key.get_secret_value()
    path = settings.home / "secret"
    if not path.exists():
        draft = path.with_name(f"secret.{os.getpid()}.{secrets.token_hex(4)}")
        draft.touch(mode=0o600)
        draft.write_text(secrets.token_urlsafe(48))
        with suppress(FileExistsError):  # another process of this home may have been first
            path.hardlink_to(draft)
        draft.unlink()
    if not (secret := path.read_text().strip()):  # everything would be derived from nothing, as anybody can
        raise errors.Invalid(field=str(path), reason=_EMPTY)
    return secret


_EMPTY = errors.Phrase(
    "this file is empty, and everything would be derived from nothing: put the installation's secret back",
    es="este archivo está vacío y todo se derivaría de nada: reponga el secreto de la instalación",
)
