"""Who looks at a page, in which language and project; and handlers that do nothing once the session has ended."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import wraps
from inspect import isawaitable
from pathlib import Path
from typing import Annotated, Any, Final, cast
from urllib.parse import quote
from uuid import UUID
from zoneinfo import ZoneInfo

from babel import Locale
from fastapi import Depends, HTTPException, Request
from nicegui import ui

from veraz import errors
from veraz.api.caller import session_of
from veraz.security import tell_refusal
from veraz.tenancy.model import Actor, Project, ProjectRole, User
from veraz.tenancy.tokens import SESSION_PREFIX
from veraz.ui.alerts import nearest_alert
from veraz.ui.formats import Language, locale_of
from veraz.ui.spanish import SPANISH
from veraz.ui.visitors import count_visit, know_visitor
from veraz.wiring import Veraz

LANGUAGES: Final[dict[Language, str]] = {"es": "Español", "en": "English"}

DARK_COOKIE: Final = "veraz_dark"
PROJECT_COOKIE: Final = "veraz_project"
LANGUAGE_COOKIE: Final = "veraz_language"
ZONE_COOKIE: Final = "veraz_zone"
ZONE_SCRIPT: Final = Path(__file__).with_name("zone.js").read_text(encoding="utf-8")
"""Sets that cookie; every document has it in its head."""


@dataclass(slots=True, kw_only=True)
class Visit:
    """One person at one page. The actor is renewed with every action, so that lost rights are lost at once."""

    veraz: Veraz
    token: str = field(repr=False)
    actor: Actor
    user: User
    language: Language
    path: str
    dark: bool | None
    zone: ZoneInfo
    locale: Locale
    """How the visitor's country writes numbers and dates."""
    projects: list[Project]
    project: Project | None
    level: ProjectRole
    """What the person is in the chosen project; a tenant's admin is admin everywhere."""
    opened: Callable[[str], None] = field(default=lambda place: None, repr=False)
    """Tells the frame to which place of the navigation the page belongs."""

    def t(self, text: str, **fields: object) -> str:
        """Our own words in the visitor's language."""
        return say(self.language, text, **fields)

    def to(self, path: str) -> str:
        """The address of a page in the visitor's language."""
        return f"/{self.language}{path}"

    @property
    def manages(self) -> bool:
        """Whether the person looks after the knowledge and the agents of the chosen project."""
        return self.level in ("admin", "manager")

    @property
    def project_id(self) -> UUID | None:
        """The chosen project."""
        return self.project.id if self.project else None

    async def renewed(self, path: str) -> "Visit":
        """The same person at another page, with the rights they have now."""
        wanted = str(self.project_id or "")
        return await _visit(
            self.veraz, self.token, self.language, path, wanted, self.dark, self.zone, self.locale
        )

    def act(self, handler: Callable[..., Any], *, by_clock: bool = False) -> Callable[..., Any]:
        """A handler that runs only while the session is good, and says what went wrong until the next act of the person.

        What a clock does is no act of theirs: what was told stays, and the session is not used by it.
        """

        @wraps(handler)
        async def checked(*args: Any, **kwargs: Any) -> None:
            try:
                callers = self.veraz.callers
                look = callers.by_clock if by_clock else callers.authenticate
                self.actor = await look(self.token)
                if not by_clock and (alert := nearest_alert()):
                    alert.clear_all()
                outcome = handler(*args, **kwargs)
                if isawaitable(outcome):
                    await outcome
            except errors.Unauthenticated:
                ui.navigate.to(login_address(self.language, self.path))
            except errors.PasswordChangeNeeded:
                ui.navigate.to(password_address(self.language, self.path))
            except errors.VerazError as error:
                tell_refusal(error)
                self.sorry(error)

        return checked

    def sorry(self, error: errors.VerazError) -> None:
        """What went wrong, where the eye is, until it has been read."""
        if alert := nearest_alert():
            alert.tell(error, self.language)
            return
        ui.notify(
            error.message(self.language),
            type="negative",
            position="top",
            multi_line=True,
            timeout=9000,
            close_button=self.t("Close"),
            group=False,
        )

    def done(self, text: str, **fields: object) -> None:
        """A short word that something worked."""
        ui.notify(self.t(text, **fields), type="positive", position="bottom", group=False)


def say(language: str, text: str, **fields: object) -> str:
    """The text in that language; English is written in the code."""
    words = SPANISH[text] if language == "es" else text
    return words.format(**fields) if fields else words


def login_address(language: str, path: str) -> str:
    """The sign-in page, which leads back to where the person was."""
    return f"/{language}/login?next={quote(path, safe='')}"


def password_address(language: str, path: str) -> str:
    """Where somebody changes a password that another chose for them, and goes on from."""
    return f"/{language}/password/own?next={quote(path, safe='')}"


async def visit(request: Request) -> Visit:
    """The visitor of this request, or the way to the sign-in page."""
    veraz: Veraz = request.app.state.veraz
    language = language_of_path(request.url.path)
    token = session_of(request) or ""
    path = request.url.path + (f"?{request.url.query}" if request.url.query else "")
    dark = {"1": True, "0": False}.get(request.cookies.get(DARK_COOKIE, ""))
    zone = zone_of(request.cookies.get(ZONE_COOKIE, ""))
    wanted = request.cookies.get(PROJECT_COOKIE, "")
    locale = locale_of(language, request.headers.get("accept-language", ""))
    try:
        found = await _visit(veraz, token, language, path, wanted, dark, zone, locale)
        await veraz.rates.of_caller(found.actor)
        know_visitor(request)
        return found
    except errors.Unauthenticated as error:
        await _count_stranger(request, language)
        raise HTTPException(303, headers={"Location": login_address(language, path)}) from error
    except errors.PasswordChangeNeeded as error:
        raise HTTPException(303, headers={"Location": password_address(language, path)}) from error
    except errors.RateLimited as error:
        raise _too_often(error, language) from error


async def _count_stranger(request: Request, language: Language) -> None:
    try:
        await count_visit(request)
    except errors.RateLimited as error:
        raise _too_often(error, language) from error


def _too_often(error: errors.RateLimited, language: Language) -> HTTPException:
    return HTTPException(429, error.message(language), headers={"Retry-After": str(error.context["seconds"])})


async def _visit(
    veraz: Veraz,
    token: str,
    language: Language,
    path: str,
    wanted: str,
    dark: bool | None,
    zone: ZoneInfo,
    locale: Locale,
) -> Visit:
    if not token.startswith(SESSION_PREFIX):
        raise errors.Unauthenticated()
    actor = await veraz.callers.authenticate(token)
    user, page = await asyncio.gather(veraz.users.me(actor), veraz.projects.all(actor))
    projects = page.items
    project = _chosen(projects, wanted)
    return Visit(
        veraz=veraz,
        token=token,
        actor=actor,
        user=cast(User, user),
        language=language,
        path=path,
        dark=dark,
        zone=zone,
        locale=locale,
        projects=projects,
        project=project,
        level=await _level(veraz, actor, project),
    )


Visiting = Annotated[Visit, Depends(visit)]


def language_of_path(path: str) -> Language:
    """The first part of every page's address."""
    return "en" if path.split("/", 2)[1:2] == ["en"] else "es"


def zone_of(name: str) -> ZoneInfo:
    """The browser's time zone as its cookie says, else UTC."""
    try:
        return ZoneInfo(name.replace("%2F", "/"))
    except (ValueError, OSError, KeyError):
        return ZoneInfo("UTC")


def _chosen(projects: list[Project], wanted: str) -> Project | None:
    return next((p for p in projects if str(p.id) == wanted), projects[-1] if projects else None)


async def _level(veraz: Veraz, actor: Actor, project: Project | None) -> ProjectRole:
    if actor.is_tenant_admin:
        return "admin"
    if project is None:
        return "member"
    members = await veraz.projects.members(actor, project.id)
    return next((m.role for m in members if m.user_id == actor.user_id), "member")
