"""Tenants, users and keys from the command line, acting as the tenant's admin."""

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated

import typer

from veraz.cli.common import Home, Json, TenantName, operator, out, show_fields, with_veraz

if TYPE_CHECKING:
    from veraz.tenancy.keys import IssuedKey
    from veraz.tenancy.model import ApiKey, Tenant, User
    from veraz.wiring import Veraz

Name = Annotated[str, typer.Option("--name")]
Email = Annotated[str, typer.Option("--email")]
Password = Annotated[
    str | None,
    typer.Option("--password", help="A first one. Better leave it out: a link is shown, to choose one."),
]
MustChange = Annotated[
    bool, typer.Option("--must-change", help="The first password only lets them in to choose another.")
]


def register(app: typer.Typer) -> None:
    """Adds `tenant`, `user` and `key`."""
    for name, command, help_text in (
        ("tenant", create_tenant, "Companies."),
        ("user", create_user, "People who sign in."),
        ("key", create_key, "API keys."),
    ):
        group = typer.Typer(no_args_is_help=True, help=help_text)
        group.callback()(lambda: None)
        group.command("create")(command)
        if name == "user":
            group.command("reset-factor")(reset_factor)
            group.command("link")(password_link)
            group.command("disable")(disable_user)
        app.add_typer(group, name=name)


def create_key(
    name: Name,
    scope: Annotated[
        list[str] | None, typer.Option("--scope", help="admin, manage, ingest, read, ask; repeatable.")
    ] = None,
    tenant: TenantName = None,
    home: Home = None,
    as_json: Json = False,
) -> None:
    """Make an API key; its secret is shown once."""

    async def work(veraz: "Veraz") -> "IssuedKey":
        return await veraz.keys.issue(
            await operator(veraz, tenant), name=name, scopes=scope or ["admin"], personal=False
        )

    issued = with_veraz(home, work)
    if as_json:
        out.print_json(
            json.dumps(
                {
                    "id": str(issued.key.id),
                    "name": issued.key.name,
                    "key": issued.secret,
                    "scopes": issued.key.scopes,
                }
            )
        )
    else:
        out.print(issued.secret, highlight=False, soft_wrap=True)


def create_user(
    email: Email,
    password: Password = None,
    must_change: MustChange = False,
    role: Annotated[str, typer.Option("--role", help="admin or member")] = "member",
    name: Annotated[str, typer.Option("--name")] = "",
    tenant: TenantName = None,
    home: Home = None,
    as_json: Json = False,
) -> None:
    """Add somebody who signs in."""
    if role not in ("admin", "member"):
        raise typer.BadParameter("admin, member", param_hint="--role")
    from veraz.tenancy.users import NewUser

    async def work(veraz: "Veraz") -> "tuple[User, str | None]":
        actor = await operator(veraz, tenant)
        new = NewUser(
            email=email,
            password=password,
            must_change_password=must_change,
            display_name=name,
            role="admin" if role == "admin" else "member",
        )
        if password is not None:
            return await veraz.users.add(actor, new), None
        made = await veraz.password_links.invite(actor, new)
        return made.user, made.address(veraz.settings.address)

    user, link = with_veraz(home, work)
    _show({"id": str(user.id), "email": user.email, "role": user.role}, link, as_json)


def password_link(email: Email, tenant: TenantName = None, home: Home = None, as_json: Json = False) -> None:
    """Make the link with which somebody chooses a password: who was invited, or lost it. Good once."""
    from veraz import errors

    async def work(veraz: "Veraz") -> str:
        actor = await operator(veraz, tenant)
        user_id = await veraz.second_factor.user_named(actor, email)
        if user_id is None:
            raise errors.NotFound(thing="user", id=email)
        return (await veraz.password_links.make(actor, user_id)).address(veraz.settings.address)

    _show({"email": email}, with_veraz(home, work), as_json)


def disable_user(
    email: Email,
    revoke_keys: Annotated[
        bool, typer.Option("--revoke-keys", help="Also the organization's keys that they made.")
    ] = False,
    tenant: TenantName = None,
    home: Home = None,
) -> None:
    """Let somebody in no more; says which of the organization's keys that they made go on."""
    from veraz import errors
    from veraz.tenancy.users import UserChange

    async def work(veraz: "Veraz") -> "list[ApiKey]":
        actor = await operator(veraz, tenant)
        user_id = await veraz.second_factor.user_named(actor, email)
        if user_id is None:
            raise errors.NotFound(thing="user", id=email)
        await veraz.users.change(actor, user_id, UserChange(disabled=True, revoke_keys=revoke_keys))
        return await veraz.keys.made_by(actor, user_id)

    left = with_veraz(home, work)
    out.print(f"{email} ya no puede entrar.", highlight=False)
    if left:
        named = ", ".join(f"{key.name} ({key.prefix}…)" for key in left)
        out.print(
            f"Siguen activas las claves que creó: {named}. Para revocarlas: --revoke-keys", highlight=False
        )


def reset_factor(email: Email, tenant: TenantName = None, home: Home = None) -> None:
    """Take away the second factor of somebody who lost their telephone; their sessions end."""
    from veraz import errors

    async def work(veraz: "Veraz") -> None:
        actor = await operator(veraz, tenant)
        user_id = await veraz.second_factor.user_named(actor, email)
        if user_id is None:
            raise errors.NotFound(thing="user", id=email)
        await veraz.second_factor.reset(actor, user_id)

    with_veraz(home, work)
    out.print(
        f"{email} entra ahora solo con su contraseña, hasta que configure otro segundo paso.", highlight=False
    )


def create_tenant(
    name: Name,
    admin_email: Annotated[str, typer.Option("--admin-email")],
    admin_password: Annotated[str | None, typer.Option("--admin-password")] = None,
    must_change: MustChange = False,
    plan: Annotated[str, typer.Option("--plan")] = "professional",
    home: Home = None,
    as_json: Json = False,
) -> None:
    """Add a company with its first administrator."""
    from veraz.tenancy.tenants import NewTenant

    async def work(veraz: "Veraz") -> "tuple[Tenant, str | None]":
        actor = await operator(veraz, None)
        new = NewTenant(
            name=name,
            plan=plan,
            admin_email=admin_email,
            admin_password=admin_password,
            admin_must_change_password=must_change,
        )
        if admin_password is not None:
            return await veraz.tenants.create(actor, new), None
        made, link = await veraz.password_links.found(actor, new)
        return made, link.address(veraz.settings.address)

    made, link = with_veraz(home, work)
    fields = {"id": str(made.id), "name": made.name, "plan": made.plan, "admin_email": admin_email}
    _show(fields, link, as_json)


def _show(fields: Mapping[str, str | None], link: str | None, as_json: bool) -> None:
    show_fields(dict(fields) | ({"link": link} if link else {}), as_json)
