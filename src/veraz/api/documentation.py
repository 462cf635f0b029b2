"""`/docs` and `/openapi.json`: what the API can do, for those who write programs; closed where strangers could read it."""

import json
from importlib.resources import files
from typing import Final

from fastapi import FastAPI, Request, Response
from fastapi.openapi.docs import get_swagger_ui_html
from fastapi.responses import HTMLResponse

from veraz.api.headers import nonce_of
from veraz.settings import Settings

_FILES: Final = {
    "swagger-ui-bundle.js": "application/javascript",
    "swagger-ui.css": "text/css",
    "favicon-32x32.png": "image/png",
}
_SHOWN: Final = {"filter": True, "displayRequestDuration": True, "tryItOutEnabled": True}


def add_documentation(app: FastAPI, settings: Settings) -> None:
    """The pages, where they are open."""
    if not is_open(settings.docs, settings):
        return
    app.add_api_route("/openapi.json", _description, include_in_schema=False)
    app.add_api_route("/docs", _page, include_in_schema=False)
    app.add_api_route("/swagger/{name}", _file, include_in_schema=False)


def is_open(wanted: str, settings: Settings) -> bool:
    """`auto` is open only where nobody but this machine gets in: no outside address, listening on loopback."""
    if wanted == "auto":
        return settings.host in ("127.0.0.1", "::1", "localhost") and settings.public_url is None
    return wanted == "open"


async def _description(request: Request) -> Response:
    return Response(json.dumps(request.app.openapi()), media_type="application/json")


async def _page(request: Request) -> HTMLResponse:
    page = get_swagger_ui_html(
        openapi_url="/openapi.json",
        title="Veraz",
        swagger_js_url="/swagger/swagger-ui-bundle.js",
        swagger_css_url="/swagger/swagger-ui.css",
        swagger_favicon_url="/swagger/favicon-32x32.png",
        swagger_ui_parameters=_SHOWN,
    )
    text = bytes(page.body).decode().replace("<script>", f'<script nonce="{nonce_of(request.scope)}">')
    return HTMLResponse(text)


async def _file(name: str) -> Response:
    if name not in _FILES:
        return Response(status_code=404)
    content = files("fastapi_swagger.resources").joinpath(name).read_bytes()
    return Response(content, media_type=_FILES[name])
