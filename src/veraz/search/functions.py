"""The seeds' SQL functions for callers that speak PostgREST: the same search, asked with a vector of their own."""

from collections.abc import Mapping
from typing import Any

from veraz.db import functions
from veraz.db.functions import EVERYTHING, Answer, Function, View
from veraz.db.pool import Database
from veraz.tenancy.model import Actor
from veraz.tenancy.permissions import need


class Functions:
    """Calling them with the caller's rights."""

    def __init__(self, db: Database) -> None:
        self.db = db

    async def call(
        self, actor: Actor, function: Function, arguments: Mapping[str, Any], view: View = EVERYTHING
    ) -> Answer:
        """What the function answers this caller."""
        if function.changes:
            need(actor, "manage")
        elif not actor.may("read"):
            need(actor, "ask")
        async with self.db.transaction(actor.scope()) as tx:
            return await functions.call(tx, function, arguments, view)
