"""What browsers are told with every answer: which code may run, who may frame it, what they may pass on.

An inline script runs only with the nonce of its response, so that markup somebody smuggles in stays markup. The page
framework compiles its templates in the browser, which takes `unsafe-eval`; no other page gets it.
"""

import secrets
from typing import Final

from starlette.datastructures import MutableHeaders
from starlette.types import Scope

_ALWAYS: Final = {
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "same-origin",
    "Permissions-Policy": (
        "accelerometer=(), camera=(), display-capture=(), geolocation=(), gyroscope=(), magnetometer=(), microphone=(), "
        "midi=(), payment=(), usb=()"
    ),
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}
_HTTPS_ONLY: Final = "max-age=63072000; includeSubDomains"
_NOTHING: Final = "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"
_PAGE: Final = (
    "default-src 'none'; object-src 'none'; script-src {script}; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; "
    "font-src 'self' data:; connect-src 'self'; manifest-src 'self'; frame-ancestors 'none'; base-uri 'none'; "
    "form-action 'self'"
)
_FRAMEWORK: Final = ("/es", "/en")
_LINKS: Final = "/s/"


def nonce_of(scope: Scope) -> str:
    """The word that lets the inline scripts of this response run."""
    state = scope.setdefault("state", {})
    found: str = state.setdefault("nonce", secrets.token_urlsafe(18))
    return found


def add_headers(scope: Scope, headers: MutableHeaders, *, https: bool) -> None:
    """To an answer that says nothing else."""
    path: str = scope["path"]
    page = headers.get("content-type", "").startswith("text/html")
    if path.startswith(_LINKS):
        headers.setdefault("Referrer-Policy", "no-referrer")  # the address is what lets people in
    for name, value in _ALWAYS.items():
        headers.setdefault(name, value)
    headers.setdefault("Content-Security-Policy", _policy(scope) if page else _NOTHING)
    if path.startswith("/api/") or page:
        headers.setdefault("Cache-Control", "no-store")
    if https:
        headers.setdefault("Strict-Transport-Security", _HTTPS_ONLY)
        _keep_cookies_on_https(headers)


def _keep_cookies_on_https(headers: MutableHeaders) -> None:
    """Whichever door sets one."""
    for place, (name, value) in enumerate(headers.raw):
        if name == b"set-cookie" and b"; secure" not in value.lower():
            headers.raw[place] = (name, value + b"; Secure")


def _policy(scope: Scope) -> str:
    path: str = scope["path"]
    script = f"'self' 'nonce-{nonce_of(scope)}'"
    if path in _FRAMEWORK or path.startswith(tuple(f"{one}/" for one in _FRAMEWORK)):
        script += " 'unsafe-eval'"
    if path.startswith(_LINKS):
        script = "'none'"
    return _PAGE.format(script=script)
