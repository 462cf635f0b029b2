"""An OpenID Connect issuer outside: what it says of itself, where people sign in there, and whom it vouches for.

Everything goes through the guarded way out (web.py): an admin of a tenant types the issuer's address, and the issuer names
further ones. What it signs is believed only with one of its own published keys and an asymmetric algorithm.
"""

import asyncio
import hmac
import json
import time
from dataclasses import dataclass, field
from typing import Any, Final
from urllib.parse import urlencode

import httpx
from authlib.oauth2.auth import ClientAuth
from authlib.oauth2.rfc6749.parameters import prepare_grant_uri
from authlib.oauth2.rfc7636 import create_s256_code_challenge
from joserfc import jwt
from joserfc.errors import JoseError
from joserfc.jwk import KeySet

from veraz.errors import FetchRefused, IssuerFailed, Phrase
from veraz.providers.web import safe_transport
from veraz.providers.web_rules import WEB_PORTS, checked_url
from veraz.settings import Settings

ALGORITHMS: Final = (
    "RS256",
    "RS384",
    "RS512",
    "PS256",
    "PS384",
    "PS512",
    "ES256",
    "ES384",
    "ES512",
    "EdDSA",
    "Ed25519",
)
"""Never `none`, never HS…: with those, whoever knows the public key or the client's secret could sign."""
CLOCK_SKEW: Final = 60
_SECONDS: Final = 10.0
_MOST_BYTES: Final = 512 * 1024
_REMEMBERED_SECONDS: Final = 300.0
_OLDEST_TOKEN: Final = 3600


@dataclass(frozen=True, slots=True, kw_only=True)
class OidcClient:
    """How we are known to an issuer."""

    issuer: str
    client_id: str
    secret: str | None = field(repr=False)
    scopes: tuple[str, ...]
    redirect_uri: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Discovery:
    """What an issuer says of itself."""

    issuer: str
    authorization_endpoint: str
    token_endpoint: str
    jwks_uri: str
    userinfo_endpoint: str | None
    end_session_endpoint: str | None
    posts_secret: bool
    """The secret goes into the body, not into a header."""
    names_itself: bool
    """It says who it is when it sends people back (RFC 9207)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempt:
    """What binds an answer to the question: kept by the browser that asked, sealed."""

    state: str
    nonce: str
    verifier: str


class OidcIssuers:
    """Talks with issuers."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._known: dict[str, tuple[float, Discovery]] = {}

    async def discover(self, issuer: str, *, anew: bool = False) -> Discovery:
        """Its discovery document; remembered for some minutes."""
        moment, known = self._known.get(issuer, (0.0, None))
        if known and not anew and time.monotonic() - moment < _REMEMBERED_SECONDS:
            return known
        address = f"{self.checked(issuer).rstrip('/')}/.well-known/openid-configuration"
        found = self._read(issuer, await self._get(issuer, address))
        self._known[issuer] = (time.monotonic(), found)
        return found

    async def sign_in_address(self, client: OidcClient, attempt: Attempt) -> str:
        """Where the browser goes: authorization code with PKCE."""
        found = await self.discover(client.issuer)
        address: str = prepare_grant_uri(
            found.authorization_endpoint,
            client_id=client.client_id,
            response_type="code",
            redirect_uri=client.redirect_uri,
            scope=" ".join(client.scopes),
            state=attempt.state,
            nonce=attempt.nonce,
            code_challenge=create_s256_code_challenge(attempt.verifier),
            code_challenge_method="S256",
        )
        return address

    async def identify(self, client: OidcClient, attempt: Attempt, code: str) -> dict[str, Any]:
        """A code → the claims about a person, verified; what the ID token leaves out is asked for."""
        found = await self.discover(client.issuer)
        tokens = await self._exchange(client, found, attempt, code)
        claims = await self._verified(client, found, attempt, str(tokens.get("id_token") or ""))
        access = tokens.get("access_token")
        if found.userinfo_endpoint and isinstance(access, str):
            more = await self._get(client.issuer, found.userinfo_endpoint, bearer=access)
            if more.get("sub") != claims["sub"]:
                raise failed(client.issuer, OTHER_PERSON)
            claims = _merged(claims, more)
        return claims

    def sign_out_address(self, found: Discovery, client_id: str, back: str) -> str | None:
        """Where the browser goes to end the session there too."""
        if not found.end_session_endpoint:
            return None
        query = urlencode({"client_id": client_id, "post_logout_redirect_uri": back})
        separator = "&" if "?" in found.end_session_endpoint else "?"
        return f"{found.end_session_endpoint}{separator}{query}"

    def checked(self, address: str) -> str:
        """An address we may visit and send people to: of the public web, and with TLS."""
        private = self._settings.fetch_allow_private
        url = checked_url(address, allow_private=private, ports=None if private else WEB_PORTS)
        if url.scheme != "https" and not private:
            raise FetchRefused(url=address, reason=NOT_SECURE)
        return address

    # asking

    async def _exchange(
        self, client: OidcClient, found: Discovery, attempt: Attempt, code: str
    ) -> dict[str, Any]:
        body = {
            "grant_type": "authorization_code",
            "code": code,
            "redirect_uri": client.redirect_uri,
            "code_verifier": attempt.verifier,
        }
        method = (
            "none"
            if client.secret is None
            else "client_secret_post"
            if found.posts_secret
            else "client_secret_basic"
        )
        headers = {"Content-Type": "application/x-www-form-urlencoded", "Accept": "application/json"}
        auth = ClientAuth(client.client_id, client.secret, method)
        url, headers, text = auth.prepare("POST", found.token_endpoint, headers, urlencode(body))
        return await self._ask(client.issuer, "POST", url, headers=dict(headers), content=text)

    async def _get(self, issuer: str, address: str, *, bearer: str | None = None) -> dict[str, Any]:
        headers = {"Accept": "application/json"} | ({"Authorization": f"Bearer {bearer}"} if bearer else {})
        return await self._ask(issuer, "GET", address, headers=headers)

    async def _ask(self, issuer: str, method: str, address: str, **more: Any) -> dict[str, Any]:
        """A JSON object from the issuer, in time and of a bearable size."""
        self.checked(address)
        try:
            async with (
                asyncio.timeout(_SECONDS),
                httpx.AsyncClient(
                    transport=safe_transport(self._settings), trust_env=False, timeout=_SECONDS
                ) as http,
                http.stream(method, address, **more) as answer,
            ):
                content = b""
                async for piece in answer.aiter_bytes():
                    content += piece
                    if len(content) > _MOST_BYTES:
                        raise failed(issuer, NONSENSE)
        except (httpx.HTTPError, TimeoutError) as problem:
            raise failed(issuer, SILENT) from problem
        if answer.status_code != 200:
            raise failed(issuer, refusal(answer.status_code))
        return _object(issuer, content)

    # believing

    def _read(self, issuer: str, document: dict[str, Any]) -> Discovery:
        if document.get("issuer") != issuer:
            raise failed(issuer, OTHER_ISSUER)
        needed = [document.get(name) for name in ("authorization_endpoint", "token_endpoint", "jwks_uri")]
        optional = [document.get(name) for name in ("userinfo_endpoint", "end_session_endpoint")]
        if not all(isinstance(one, str) for one in needed):
            raise failed(issuer, NONSENSE)
        for address in (*needed, *(one for one in optional if one)):
            self.checked(str(address))
        methods = document.get("token_endpoint_auth_methods_supported") or ["client_secret_basic"]
        return Discovery(
            issuer=issuer,
            authorization_endpoint=str(needed[0]),
            token_endpoint=str(needed[1]),
            jwks_uri=str(needed[2]),
            userinfo_endpoint=str(optional[0]) if optional[0] else None,
            end_session_endpoint=str(optional[1]) if optional[1] else None,
            posts_secret="client_secret_basic" not in methods and "client_secret_post" in methods,
            names_itself=document.get("authorization_response_iss_parameter_supported") is True,
        )

    async def _verified(
        self, client: OidcClient, found: Discovery, attempt: Attempt, id_token: str
    ) -> dict[str, Any]:
        """The ID token's claims. Its keys are fetched for every sign-in, so that an issuer may change them at any time."""
        published = await self._get(client.issuer, found.jwks_uri)
        keys = [key for key in published.get("keys") or [] if _signs(key)]
        try:
            token = jwt.decode(id_token, KeySet.import_key_set({"keys": keys}), algorithms=ALGORITHMS)
        except (JoseError, ValueError, KeyError, TypeError) as problem:
            raise failed(client.issuer, NOT_SIGNED) from problem
        claims: dict[str, Any] = token.claims
        if (reason := _disbelief(claims, client, attempt.nonce)) is not None:
            raise failed(client.issuer, reason)
        return claims


def _merged(claims: dict[str, Any], more: dict[str, Any]) -> dict[str, Any]:
    """Both together, the signed ones first; an e-mail only together with who says that it was verified."""
    mail = {"email", "email_verified", "xms_edov"}
    weaker = more if claims.keys() & {"email_verified", "xms_edov"} else claims
    without = {name: value for name, value in weaker.items() if name not in mail}
    return without | claims if weaker is more else more | without


def _signs(key: Any) -> bool:
    """A public key for signatures; a shared one, published by mistake, signs nothing."""
    return isinstance(key, dict) and key.get("kty") in ("RSA", "EC", "OKP") and key.get("use", "sig") == "sig"


def _disbelief(claims: dict[str, Any], client: OidcClient, nonce: str) -> Phrase | None:
    """Why these claims, though signed, are not for this sign-in; nothing when they are."""
    audience = claims.get("aud")
    audiences = audience if isinstance(audience, list) else [audience]
    party = claims.get("azp", client.client_id if len(audiences) == 1 else None)
    subject = claims.get("sub")
    checks = (
        (claims.get("iss") == client.issuer, OTHER_ISSUER),
        (client.client_id in audiences and party == client.client_id, OTHER_AUDIENCE),
        (_in_time(claims), EXPIRED),
        (hmac.compare_digest(str(claims.get("nonce", "")).encode(), nonce.encode()), OTHER_NONCE),
        (isinstance(subject, str) and 0 < len(subject) <= 255, NONSENSE),
    )
    return next((reason for good, reason in checks if not good), None)


def _in_time(claims: dict[str, Any]) -> bool:
    """Made a while ago at most, and good now; clocks differ by a minute."""
    now, made, until, begins = time.time(), claims.get("iat"), claims.get("exp"), claims.get("nbf", 0)
    if not all(isinstance(one, int | float) and not isinstance(one, bool) for one in (made, until, begins)):
        return False
    assert made is not None and until is not None
    return bool(
        until > now - CLOCK_SKEW
        and begins <= now + CLOCK_SKEW
        and now - _OLDEST_TOKEN <= made <= now + CLOCK_SKEW
    )


def _object(issuer: str, content: bytes) -> dict[str, Any]:
    try:
        found = json.loads(content)
    except (ValueError, RecursionError) as problem:
        raise failed(issuer, NONSENSE) from problem
    if not isinstance(found, dict):
        raise failed(issuer, NONSENSE)
    return found


def failed(issuer: str, reason: Phrase) -> IssuerFailed:
    """The issuer could not vouch for anybody."""
    return IssuerFailed(host=httpx.URL(issuer).host or issuer, reason=reason)


def refusal(status: int) -> Phrase:
    """What it answered instead."""
    return Phrase(f"it answered {status}", es=f"respondió {status}")


NOT_SECURE: Final = Phrase("it does not begin with https", es="no empieza por https")
SILENT: Final = Phrase("it does not answer", es="no responde")
NONSENSE: Final = Phrase("its answer cannot be read", es="su respuesta no se puede leer")
OTHER_ISSUER: Final = Phrase("it calls itself by another name", es="dice llamarse de otra manera")
OTHER_AUDIENCE: Final = Phrase(
    "its answer is for another application", es="su respuesta es para otra aplicación"
)
OTHER_NONCE: Final = Phrase(
    "its answer is for another sign-in", es="su respuesta es de otro inicio de sesión"
)
OTHER_PERSON: Final = Phrase("it speaks of two people", es="habla de dos personas")
NOT_SIGNED: Final = Phrase(
    "its answer is not signed with its key", es="su respuesta no está firmada con su clave"
)
EXPIRED: Final = Phrase("its answer has expired", es="su respuesta caducó")
