"""The application: every router under /api/v1, the operators' paths at the root, documentation without a CDN."""

from fastapi import FastAPI

from veraz import __doc__ as about
from veraz.api import (
    accounts,
    administration,
    agent_versions,
    agents,
    ask,
    attention,
    conversations,
    document_views,
    documents,
    domains,
    edge,
    end_user_keys,
    exams,
    forgettings,
    identity_providers,
    jobs,
    kairo,
    keys,
    knowledge,
    knowledge_bases,
    licences,
    links,
    models,
    openai,
    operations,
    passages,
    passwords,
    problems,
    projects,
    rebuilds,
    receiving,
    rpc,
    search,
    second_factor,
    security_events,
    sessions,
    usage,
    versions,
    webhooks,
    whatsapp,
    whatsapp_numbers,
    widget,
    widget_settings,
)
from veraz.api.addresses import RealAddress, TrustedProxies
from veraz.api.cookies import PlainCookies
from veraz.api.documentation import add_documentation
from veraz.api.hosts import HostGuard, names_of
from veraz.api.mcp import add_mcp
from veraz.api.middleware import BodyLimit, RequestMiddleware
from veraz.api.widget_cors import ApiCors, WidgetCors
from veraz.wiring import Veraz

VERSION = "0.1.0"


def create_app(veraz: Veraz) -> FastAPI:
    """The HTTP door on these services."""
    app = FastAPI(
        title="Veraz",
        version=VERSION,
        description=about or "",
        docs_url=None,
        openapi_url=None,
        redoc_url=None,
        swagger_ui_oauth2_redirect_url=None,
    )
    app.state.veraz = veraz
    problems.install(app)
    _add_routes(app)
    add_mcp(app, veraz)
    add_documentation(app, veraz.settings)
    _add_middleware(app, veraz)
    return app


def _add_routes(app: FastAPI) -> None:
    """A path is looked for from the first to the last, so that what is asked for most stands first."""
    often = (
        search,
        sessions,
        ask,
        passages,
        document_views,
        conversations,
        documents,
        jobs,
        receiving,
        knowledge,
        knowledge_bases,
        agents,
    )
    seldom = (
        agent_versions,
        models,
        versions,
        rebuilds,
        exams,
        forgettings,
        attention,
        domains,
        accounts,
        passwords,
        second_factor,
        identity_providers,
        projects,
        keys,
        end_user_keys,
        licences,
        administration,
        security_events,
        webhooks,
        usage,
    )
    for part in (*often, *seldom, whatsapp_numbers, widget_settings):
        app.include_router(part.router, prefix="/api/v1", responses=problems.RESPONSES)
    app.include_router(operations.router)
    app.include_router(openai.router)
    app.include_router(rpc.router)
    for part in (edge, whatsapp, kairo, links, widget):
        app.include_router(part.router, responses=problems.RESPONSES)


def _add_middleware(app: FastAPI, veraz: Veraz) -> None:
    """Added last runs first: ids and headers surround everything else."""
    settings = veraz.settings
    app.add_middleware(WidgetCors)
    app.add_middleware(BodyLimit, json_bytes=settings.max_body_bytes, upload_bytes=settings.max_upload_bytes)
    if settings.cors_origins:
        app.add_middleware(
            ApiCors,
            allow_origins=list(settings.cors_origins),
            allow_methods=["*"],
            allow_headers=["*"],
            expose_headers=["X-Request-ID"],
        )
    app.add_middleware(HostGuard, names=names_of(settings))
    app.add_middleware(RequestMiddleware, https=settings.secure_cookies)
    app.add_middleware(RealAddress, proxies=TrustedProxies(settings.trusted_proxies))
    app.add_middleware(PlainCookies)
