"""Passwords: what is taken for one, and how it is kept."""

from veraz.db.pool import Database
from veraz.db.scope import NOBODY
from veraz.db.sql import queries
from veraz.tenancy import tokens

Q = queries(__file__)


class Passwords:
    """Makes the hash that stands for a password."""

    def __init__(self, db: Database) -> None:
        self.db = db

    async def hashed(self, email: str, password: str) -> str:
        """The hash to keep. The accounts of one e-mail share a salt, so that signing in costs the same for one or many."""
        rows = await self.db.sign_in.call(NOBODY, Q.hashes, email=email.strip().lower())
        return await tokens.hash_password(password, like=rows[0]["password_hash"] if rows else None)
