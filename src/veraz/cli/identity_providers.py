"""Identity providers (OpenID Connect) from the command line, acting as the tenant's admin."""

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated
from uuid import UUID

import typer

from veraz.cli.common import Home, Json, TenantName, operator, out, show_fields, with_veraz

if TYPE_CHECKING:
    from veraz.providers.oidc import Discovery
    from veraz.sso.model import IdentityProvider
    from veraz.wiring import Veraz

Id = Annotated[UUID, typer.Argument(help="Id of the provider.")]

app = typer.Typer(
    no_args_is_help=True, help="Where people sign in instead of with a password (OpenID Connect)."
)


@app.command("create")
def create(
    name: Annotated[str, typer.Option("--name", help="What people read: «Entrar con …».")],
    issuer: Annotated[str, typer.Option("--issuer", help="https://…, as the issuer writes it.")],
    client_id: Annotated[str, typer.Option("--client-id")],
    client_secret: Annotated[
        str | None, typer.Option("--client-secret", help="Asked for when it is «-».")
    ] = None,
    domain: Annotated[list[str] | None, typer.Option("--domain", help="Mail domain; repeatable.")] = None,
    link_users: Annotated[bool, typer.Option("--link-users", help="By a verified e-mail.")] = False,
    create_users: Annotated[bool, typer.Option("--create-users", help="Of the domains.")] = False,
    shows_factor: Annotated[
        bool, typer.Option("--shows-factor", help="It asks for a second factor.")
    ] = False,
    admin_group: Annotated[
        list[str] | None, typer.Option("--admin-group", help="Group of administrators; repeatable.")
    ] = None,
    groups_claim: Annotated[str, typer.Option("--groups-claim")] = "groups",
    listed: Annotated[bool, typer.Option("--listed", help="Show it on everybody's sign-in page.")] = False,
    tenant: TenantName = None,
    home: Home = None,
    as_json: Json = False,
) -> None:
    """Connect an identity provider; prints the address to register there."""
    from veraz.sso.model import GroupRole, ProviderChange

    if client_secret == "-":
        client_secret = typer.prompt("client secret", hide_input=True)
    change = ProviderChange(
        name=name,
        issuer=issuer,
        client_id=client_id,
        client_secret=client_secret,
        domains=domain or [],
        links_users=link_users,
        creates_users=create_users,
        shows_factor=shows_factor,
        groups_claim=groups_claim,
        groups=[GroupRole(group=group, role="admin") for group in admin_group or []],
        listed=listed,
    )

    async def work(veraz: "Veraz") -> tuple["IdentityProvider", str, str]:
        made = await veraz.identity_providers.create(await operator(veraz, tenant), change)
        return made, veraz.sso.redirect_uri(made.id), veraz.sso.sign_in_uri(made.id)

    made, redirect_uri, sign_in_url = with_veraz(home, work)
    show_fields({"id": str(made.id), "redirect_uri": redirect_uri, "sign_in_url": sign_in_url}, as_json)


@app.command("list")
def providers(tenant: TenantName = None, home: Home = None, as_json: Json = False) -> None:
    """The tenant's identity providers."""

    async def work(veraz: "Veraz") -> "Sequence[IdentityProvider]":
        return (await veraz.identity_providers.all(await operator(veraz, tenant))).items

    found = with_veraz(home, work)
    if as_json:
        out.print_json(
            json.dumps([{"id": str(one.id), "name": one.name, "issuer": one.issuer} for one in found])
        )
        return
    for one in found:
        out.print(f"{one.id}  {one.name}  {one.issuer}", highlight=False, soft_wrap=True)


@app.command("test")
def test(provider_id: Id, tenant: TenantName = None, home: Home = None) -> None:
    """Ask the issuer whether it answers."""

    async def work(veraz: "Veraz") -> "Discovery":
        return await veraz.identity_providers.test(await operator(veraz, tenant), provider_id)

    out.print(f"Responde: {with_veraz(home, work).issuer}", highlight=False)


@app.command("delete")
def delete(provider_id: Id, tenant: TenantName = None, home: Home = None) -> None:
    """Remove it; the sessions that came through it end."""

    async def work(veraz: "Veraz") -> None:
        await veraz.identity_providers.delete(await operator(veraz, tenant), provider_id)

    with_veraz(home, work)
    out.print("Eliminado.")
