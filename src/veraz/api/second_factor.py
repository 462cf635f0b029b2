"""The second factor: the second step of a sign-in, one's own, a colleague's, and the tenant's rule."""

from datetime import datetime
from typing import Annotated, Literal
from uuid import UUID

from fastapi import APIRouter, Request, Response
from pydantic import Field

from veraz.api.accounts import Password, Token, device_of, know_device_of, set_cookie, token_answer
from veraz.api.bodies import SIGN_IN, takes
from veraz.api.caller import Caller, Services, token_of
from veraz.api.schemas import Body, View

router = APIRouter(tags=["accounts"])

Code = Annotated[str, Field(min_length=1, max_length=64)]
Challenge = Annotated[str, Field(min_length=1, max_length=200)]


class ChallengeBody(Body):
    """What a sign-in answered that waits for its second step."""

    challenge: Challenge


class AnswerBody(ChallengeBody):
    """The challenge and a code of the authenticator app, or a recovery code."""

    code: Code


class CodeBody(Body):
    """A code of the authenticator app, or a recovery code."""

    code: Code


class PasswordBody(Body):
    """Your password, where you have one."""

    password: Password | None = None


class RemovalBody(Body):
    """Your password, or a code."""

    password: Password | None = None
    code: Code | None = None


class NewSecretView(View):
    """For the authenticator app: the secret to type, or the picture to scan (SVG)."""

    secret: str
    uri: str
    qr_svg: str


class RecoveryCodes(View):
    """Each works once; shown this once."""

    recovery_codes: list[str]


class EnrolledToken(Token, RecoveryCodes):
    """A session, and the recovery codes of the second factor just set up."""


class FactorStateView(View):
    """Whether you have a second factor, and whether you must."""

    enabled: bool
    confirmed_at: datetime | None
    recovery_codes_left: int
    required: bool


class SignInRules(Body):
    """Who must have a second factor; `rights`: administrators and whoever manages a project."""

    second_factor: Literal["optional", "rights", "everyone"]


class SignInRulesView(View):
    """The tenant's rules about signing in."""

    second_factor: Literal["optional", "rights", "everyone"]


@router.post("/auth/second-factor")
@takes(SIGN_IN)
async def answer(body: AnswerBody, request: Request, response: Response, veraz: Services) -> Token:
    """The second step of a sign-in: a code → a session token (and the cookie the pages use)."""
    session = await veraz.challenges.answer(body.challenge, body.code, device=device_of(request))
    set_cookie(response, session, secure=veraz.settings.secure_cookies)
    await know_device_of(request, response, session)
    return token_answer(session)


@router.post("/auth/second-factor/enrolment")
@takes(SIGN_IN)
async def begin_enrolment(body: ChallengeBody, request: Request, veraz: Services) -> NewSecretView:
    """For who must set up a second factor before anything else: the secret for the app."""
    return NewSecretView.model_validate(
        await veraz.challenges.begin_enrolment(body.challenge, device=device_of(request))
    )


@router.post("/auth/second-factor/enrolment/confirm")
@takes(SIGN_IN)
async def confirm_enrolment(
    body: AnswerBody, request: Request, response: Response, veraz: Services
) -> EnrolledToken:
    """The app's first code → a session token and the recovery codes."""
    done = await veraz.challenges.confirm_enrolment(body.challenge, body.code, device=device_of(request))
    set_cookie(response, done.session, secure=veraz.settings.secure_cookies)
    await know_device_of(request, response, done.session)
    return EnrolledToken(**token_answer(done.session).model_dump(), recovery_codes=done.recovery_codes)


@router.get("/me/second-factor")
async def state(actor: Caller, veraz: Services) -> FactorStateView:
    """Whether you have one."""
    return FactorStateView.model_validate(await veraz.second_factor.state(actor))


@router.post("/me/second-factor")
@takes(SIGN_IN)
async def begin(body: PasswordBody, actor: Caller, veraz: Services) -> NewSecretView:
    """A secret for your authenticator app; it counts once you confirm it with a code."""
    user = await veraz.users.me(actor)
    account = (user.email or user.display_name) if user else ""
    made = await veraz.second_factor.begin(actor, account=account, password=body.password)
    return NewSecretView.model_validate(made)


@router.post("/me/second-factor/confirm")
@takes(SIGN_IN)
async def confirm(body: CodeBody, request: Request, actor: Caller, veraz: Services) -> RecoveryCodes:
    """The app's first code. Your other sessions end; this one goes on."""
    codes = await veraz.second_factor.confirm(actor, body.code, session_token=token_of(request) or "")
    return RecoveryCodes(recovery_codes=codes)


@router.post("/me/second-factor/recovery-codes")
@takes(SIGN_IN)
async def recovery_codes(body: CodeBody, actor: Caller, veraz: Services) -> RecoveryCodes:
    """New recovery codes in the place of all old ones."""
    return RecoveryCodes(recovery_codes=await veraz.second_factor.new_recovery_codes(actor, code=body.code))


@router.post("/me/second-factor/remove", status_code=204)
@takes(SIGN_IN)
async def remove(body: RemovalBody, actor: Caller, veraz: Services) -> None:
    """Removes your second factor."""
    await veraz.second_factor.remove(actor, password=body.password, code=body.code)


@router.delete("/users/{user_id}/second-factor", status_code=204)
async def reset(user_id: UUID, actor: Caller, veraz: Services) -> None:
    """Resets a colleague's second factor and ends their sessions (administrators)."""
    await veraz.second_factor.reset(actor, user_id)


@router.get("/tenant/sign-in")
async def rules(actor: Caller, veraz: Services) -> SignInRulesView:
    """The tenant's rules about signing in."""
    return SignInRulesView(second_factor=await veraz.second_factor.rule(actor))


@router.put("/tenant/sign-in")
@takes(SIGN_IN)
async def set_rules(body: SignInRules, actor: Caller, veraz: Services) -> SignInRulesView:
    """Sets the rules (administrators); sessions that have not shown what is asked for end at once."""
    return SignInRulesView(second_factor=await veraz.second_factor.set_rule(actor, body.second_factor))
