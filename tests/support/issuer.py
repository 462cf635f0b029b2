"""A small OpenID Connect issuer on a real port: real redirects, real signed tokens, and every lie one asks it for."""

import base64
import hashlib
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs, urlencode, urlsplit

import httpx
from fastapi import FastAPI, Request
from fastapi.responses import JSONResponse, RedirectResponse, Response
from joserfc import jwt
from joserfc.jwk import OctKey, RSAKey

if TYPE_CHECKING:
    from tests.support.loopback import served
else:
    from support.loopback import served

CLIENT, SECRET = "veraz", "a secret agreed with the issuer"
_KEY = RSAKey.generate_key(2048, {"kid": "first", "use": "sig"}, private=True)
"""Made once: a key takes a while."""

Claims = dict[str, Any]


@dataclass
class Issuer:
    """Vouches for `person`; tests change what it says before anybody asks."""

    url: str = ""
    person: Claims = field(
        default_factory=lambda: {
            "sub": "outside-1",
            "email": "eva@acme.test",
            "email_verified": True,
            "name": "Eva Outside",
        }
    )
    lie: Callable[[Claims], Claims] = field(default=lambda claims: claims)
    """Changes the ID token before it is signed."""
    sign: Callable[[Claims], str] | None = None
    """Signs in another way than one should."""
    userinfo: Claims | None = None
    published: list[dict[str, Any]] = field(default_factory=list)
    key: RSAKey = field(default_factory=lambda: _KEY)
    down: bool = False
    named: str | None = None
    """What it calls itself."""
    codes: dict[str, dict[str, str]] = field(default_factory=dict)
    exchanges: int = 0

    def discovery(self) -> Response:
        if self.down:
            return Response(status_code=503)
        return JSONResponse(
            {
                "issuer": self.named or self.url,
                "authorization_endpoint": f"{self.url}/authorize",
                "token_endpoint": f"{self.url}/token",
                "jwks_uri": f"{self.url}/jwks",
                "end_session_endpoint": f"{self.url}/leave",
                "authorization_response_iss_parameter_supported": True,
                **({"userinfo_endpoint": f"{self.url}/userinfo"} if self.userinfo else {}),
            }
        )

    def jwks(self) -> Response:
        return JSONResponse({"keys": self.published or [self.key.as_dict(private=False)]})

    def authorize(self, request: Request) -> Response:
        """Nobody has to type anything: the person is always there and says yes."""
        asked = dict(request.query_params)
        code = f"code-{len(self.codes)}"
        self.codes[code] = asked
        answer = {"code": code, "state": asked["state"], "iss": self.url}
        return RedirectResponse(f"{asked['redirect_uri']}?{urlencode(answer)}", 303)

    async def token(self, request: Request) -> Response:
        """A code once, from the right client, with the verifier of its challenge."""
        self.exchanges += 1
        form = {name: values[0] for name, values in parse_qs((await request.body()).decode()).items()}
        asked = self.codes.pop(form.get("code", ""), None)
        basic = base64.b64encode(f"{CLIENT}:{SECRET}".encode()).decode()
        challenge = hashlib.sha256(form.get("code_verifier", "").encode()).digest()
        good = (
            asked is not None
            and request.headers.get("authorization") == f"Basic {basic}"
            and asked["redirect_uri"] == form["redirect_uri"]
            and asked["code_challenge_method"] == "S256"
            and asked["code_challenge"] == base64.urlsafe_b64encode(challenge).decode().rstrip("=")
        )
        if not good or asked is None:
            return JSONResponse({"error": "invalid_grant"}, 400)
        return JSONResponse(
            {"access_token": "at", "token_type": "Bearer", "expires_in": 60, "id_token": self.id_token(asked)}
        )

    def id_token(self, asked: dict[str, str]) -> str:
        now = int(time.time())
        claims = {"iss": self.url, "aud": CLIENT, "iat": now, "exp": now + 300, "nonce": asked["nonce"]}
        claims = self.lie(claims | self.person)
        return (
            self.sign(claims) if self.sign else jwt.encode({"alg": "RS256", "kid": "first"}, claims, self.key)
        )


def unsigned(claims: Claims) -> str:
    """`alg: none`."""
    head, body = (
        base64.urlsafe_b64encode(str(part).replace("'", '"').replace("True", "true").encode())
        .decode()
        .rstrip("=")
        for part in ({"alg": "none", "typ": "JWT"}, claims)
    )
    return f"{head}.{body}."


def signed_with_the_public_key(claims: Claims) -> str:
    """HS256, with the published key as the shared secret."""
    shared = OctKey.import_key(_KEY.as_pem(private=False))
    return jwt.encode({"alg": "HS256", "kid": "first"}, claims, shared, algorithms=["HS256"])


def signed_by_somebody_else(claims: Claims) -> str:
    """The right name of the key, another key."""
    other = RSAKey.generate_key(2048, private=True)
    return jwt.encode({"alg": "RS256", "kid": "first"}, claims, other)


def new_key() -> RSAKey:
    """After a rotation."""
    return RSAKey.generate_key(2048, {"kid": "second", "use": "sig"}, private=True)


@asynccontextmanager
async def issuing() -> AsyncIterator[Issuer]:
    """An issuer for as long as the block lasts."""
    issuer, app = Issuer(), FastAPI()
    app.get("/.well-known/openid-configuration")(lambda: issuer.discovery())
    app.get("/jwks")(lambda: issuer.jwks())
    app.add_api_route("/authorize", issuer.authorize, methods=["GET"])
    app.add_api_route("/token", issuer.token, methods=["POST"])
    app.get("/userinfo")(lambda: JSONResponse(issuer.userinfo))
    async with served(app) as address:
        issuer.url = address
        yield issuer


async def visited(address: str) -> str:
    """The issuer's page as the browser sees it: where it sends the person, path and query only."""
    async with httpx.AsyncClient() as browser:
        answer = await browser.get(address)
    assert answer.status_code == 303, answer.text
    back = urlsplit(answer.headers["location"])
    return f"{back.path}?{back.query}"
