"""`veraz end-user-key`: keys with which a tenant's programs sign whom a service key acts for."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated
from uuid import UUID

import typer

from veraz.cli.common import Home, TenantName, operator, out, with_veraz

if TYPE_CHECKING:
    from veraz.tenancy.end_user_keys import Algorithm, EndUserKey, IssuedEndUserKey
    from veraz.wiring import Veraz

KeyId = Annotated[UUID, typer.Argument(metavar="KEY", help="The key's id.")]
PublicKey = Annotated[
    Path | None,
    typer.Option("--public-key", help="PEM of an Ed25519 public key; without it a secret is made."),
]


def register(app: typer.Typer) -> None:
    """Adds `end-user-key`."""
    group = typer.Typer(no_args_is_help=True, help="Keys that sign end users.")
    for name, command in (
        ("create", create),
        ("list", list_keys),
        ("rotate", rotate),
        ("end", end),
        ("require", require),
    ):
        group.command(name)(command)
    app.add_typer(group, name="end-user-key")


def create(
    name: Annotated[str, typer.Option("--name")],
    public_key: PublicKey = None,
    tenant: TenantName = None,
    home: Home = None,
) -> None:
    """Make a key; its secret is shown once."""
    pem = public_key.read_text(encoding="utf-8") if public_key else None

    async def work(veraz: "Veraz") -> "IssuedEndUserKey":
        actor = await operator(veraz, tenant)
        algorithm: Algorithm = "EdDSA" if pem else "HS256"
        return await veraz.end_user_keys.issue(actor, name=name, algorithm=algorithm, public_key=pem)

    _show(with_veraz(home, work))


def list_keys(tenant: TenantName = None, home: Home = None) -> None:
    """Show the keys, newest first."""

    async def work(veraz: "Veraz") -> "list[EndUserKey]":
        return await veraz.end_user_keys.all(await operator(veraz, tenant))

    for key in with_veraz(home, work):
        until = key.ends_at.isoformat(timespec="minutes") if key.ends_at else "–"
        out.print(f"{key.id}  {key.algorithm}  {until}  {key.name}", highlight=False, soft_wrap=True)


def rotate(
    key: KeyId,
    overlap: Annotated[int, typer.Option("--overlap", help="Minutes the old key goes on.")] = 60,
    public_key: PublicKey = None,
    tenant: TenantName = None,
    home: Home = None,
) -> None:
    """Make the key that takes its place; the old one ends by itself."""
    pem = public_key.read_text(encoding="utf-8") if public_key else None

    async def work(veraz: "Veraz") -> "IssuedEndUserKey":
        actor = await operator(veraz, tenant)
        return await veraz.end_user_keys.rotate(actor, key, public_key=pem, overlap_minutes=overlap)

    _show(with_veraz(home, work))


def end(key: KeyId, tenant: TenantName = None, home: Home = None) -> None:
    """End a key at once."""

    async def work(veraz: "Veraz") -> None:
        await veraz.end_user_keys.end(await operator(veraz, tenant), key)

    with_veraz(home, work)


def require(
    rule: Annotated[str, typer.Argument(metavar="on|off", help="Whether plain headers are refused.")],
    tenant: TenantName = None,
    home: Home = None,
) -> None:
    """Require signed end users and machines, or believe plain headers again."""
    if rule not in ("on", "off"):
        raise typer.BadParameter("on, off", param_hint="RULE")

    async def work(veraz: "Veraz") -> None:
        actor = await operator(veraz, tenant)
        await veraz.tenants.change(actor, actor.tenant_id, signed_end_users=rule == "on")

    with_veraz(home, work)


def _show(issued: "IssuedEndUserKey") -> None:
    out.print(str(issued.key.id), highlight=False)
    if issued.secret:
        out.print(issued.secret, highlight=False, soft_wrap=True)
