"""Pages inside the frame: moving between them loads no document; each is built for the visitor as they are now."""

import asyncio
import json
from collections.abc import Awaitable, Callable, Mapping
from inspect import signature
from typing import Any, Final

from nicegui import PageArguments, ui
from nicegui.elements.sub_pages import SubPages
from pydantic import TypeAdapter, ValidationError

from veraz import errors
from veraz.api.problems import status_of
from veraz.ids import new_id
from veraz.observe import log
from veraz.security import tell_refusal
from veraz.ui.frame import Frame
from veraz.ui.shell import broken, sorry
from veraz.ui.visit import Visit, login_address

Build = Callable[..., Awaitable[None]]
_SKELETON_LINES: Final = ("40%", "100%", "100%", "70%")


class FramedPages(SubPages, component="sub_pages.js", default_classes="nicegui-sub-pages"):
    """Shows the page of the current address below the language's."""

    def __init__(self, frame: Frame, pages: Mapping[str, Build]) -> None:
        self.visit = frame.visit
        routes = {path: _builder(build) for path, build in pages.items()}
        super().__init__(routes, root_path=f"/{frame.visit.language}", data={"frame": frame})

    async def built(self) -> None:
        """Waits for the page of the first request, so that it comes with the document."""
        await asyncio.gather(*self._active_tasks, return_exceptions=True)

    def shown_at(self, path: str) -> None:
        """The page that is shown has this address from now on, without being built again."""
        address = self.visit.to(path)
        self._router.current_path = address
        self._match = self._find_matching_path()
        there = json.dumps(address)
        self.client.run_javascript(f"history.replaceState({{page: {there}}}, '', {there})")

    def _render_404(self) -> None:
        _refuse(self.visit, errors.NotFound(thing="page", id=self._router.current_path))


def readdress(path: str) -> None:
    """Gives the page that is shown another address: a conversation is named once it has begun."""
    pages = (one for one in ui.context.client.layout.descendants() if isinstance(one, FramedPages))
    for shown in pages:
        shown.shown_at(path)


def _builder(build: Build) -> Callable[[PageArguments], Awaitable[None]]:
    """The page with what surrounds its building: a skeleton before it, and what is shown where it fails."""

    async def show(arguments: PageArguments) -> None:
        frame: Frame = arguments.data["frame"]
        skeleton = _skeleton(frame.visit)
        box = ui.element("div").classes("w-full")
        box.set_visibility(False)  # shown whole, so that nothing jumps
        with box:
            await _build(build, frame, arguments, box)
        skeleton.delete()
        box.set_visibility(True)

    return show


async def _build(build: Build, frame: Frame, arguments: PageArguments, box: ui.element) -> None:
    visit = frame.visit
    try:
        if not ui.context.client.sub_pages_router.is_initial_request:  # else looked up with the document
            visit = await visit.renewed(_address(visit, arguments))
        visit.opened = frame.opened
        await build(visit, **_parameters(build, arguments))
    except errors.Unauthenticated:
        ui.context.client.open(login_address(visit.language, visit.path))
    except errors.VerazError as error:
        box.clear()
        _refuse(visit, error)
    except Exception:  # noqa: BLE001 the outermost handler of this door
        incident = str(new_id())[-12:]
        log.exception("page_failed", path=arguments.path, incident=incident)
        box.clear()
        _status(500)
        broken(visit, incident)


def _address(visit: Visit, arguments: PageArguments) -> str:
    query = f"?{arguments.query_parameters}" if arguments.query_parameters else ""
    return visit.to(arguments.path) + query


def _parameters(build: Build, arguments: PageArguments) -> dict[str, Any]:
    """What the page wants of its address; a value that cannot be meant is a page that does not exist."""
    given = {**arguments.query_parameters, **arguments.path_parameters}
    wanted = {name: one for name, one in signature(build).parameters.items() if name in given}
    try:
        return {
            name: TypeAdapter(one.annotation).validate_python(given[name]) for name, one in wanted.items()
        }
    except ValidationError as error:
        raise errors.NotFound(thing="page", id=arguments.path) from error


def _refuse(visit: Visit, error: errors.VerazError) -> None:
    tell_refusal(error)
    _status(status_of(error))
    sorry(visit, error)


def _status(code: int) -> None:
    if ui.context.client.sub_pages_router.is_initial_request:
        ui.status_code(code)


def _skeleton(visit: Visit) -> ui.element:
    """Grey lines where the page will be; only who waits sees them."""
    with ui.column().classes("page skeleton").props("aria-hidden=true") as lines:
        for width in _SKELETON_LINES:
            ui.skeleton(width=width, height="1.6rem")
    return lines
