"""Inline scripts of the pages carry the nonce of their response; others do not run."""

from typing import Any, Final

from jinja2 import BaseLoader, Environment
from nicegui import client, ui

from veraz.api.headers import nonce_of

_NONCE: Final = ' nonce="{{ request.state.nonce }}"'


def head_script(code: str) -> None:
    """A script in the head of the document that is being built."""
    nonce = nonce_of(ui.context.client.request.scope)
    ui.add_head_html(f'<script nonce="{nonce}">{code}</script>')


def sign_scripts() -> None:
    """The page framework's own scripts get the nonce in its template, where no word of anybody stands yet."""
    environment = client.templates.env
    if not isinstance(environment.loader, _Signed):
        assert environment.loader is not None
        environment.loader = _Signed(environment.loader)
        if environment.cache is not None:
            environment.cache.clear()


class _Signed(BaseLoader):
    def __init__(self, inner: BaseLoader) -> None:
        self.inner = inner

    def get_source(self, environment: Environment, template: str) -> tuple[str, Any, Any]:
        source, name, fresh = self.inner.get_source(environment, template)
        return source.replace("<script", f"<script{_NONCE}"), name, fresh
