"""The tests' way into their databases: passwords and a scope key that every clone of the template knows."""

from typing import Any
from uuid import UUID

from psycopg import Connection

from veraz.db.access import LOGIN_ROLES, Access
from veraz.db.scope import Scope, Signer

ACCESS = Access(
    passwords={role: f"{role}-for-tests" for role in LOGIN_ROLES}, scope_key=b"the tests' own scope key"
)


def act_as(connection: Connection[Any], scope: Scope) -> None:
    """From here to the end of the transaction this connection, also an owner's, acts as this caller."""
    signed = Signer(ACCESS.scope_key, connection.info.user).sign(scope)
    connection.execute("select set_config('veraz.scope', %s, true)", (signed,))


def act_in(connection: Connection[Any], tenant_id: UUID) -> None:
    """As nobody in particular inside one tenant: what an owner arranges gets its tenant_id from it."""
    act_as(connection, Scope(tenant_id=tenant_id))
