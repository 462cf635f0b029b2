"""Connections and transactions. Every query runs in a transaction whose scope says who is calling."""

import asyncio
import json
import re
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from itertools import islice
from typing import Any, Self, TypeVar

import psycopg
from pgvector.psycopg import register_vector_async
from psycopg import AsyncConnection
from psycopg import errors as pg
from psycopg.conninfo import conninfo_to_dict
from psycopg.rows import class_row, dict_row, scalar_row
from psycopg.types.json import JsonbDumper, set_json_dumps, set_json_loads
from psycopg_pool import AsyncConnectionPool, PoolTimeout

from veraz import errors
from veraz.db import types
from veraz.db.access import APP, PLATFORM, QUEUE, SIGN_IN, WORKER, Access
from veraz.db.scope import NOBODY, Scope, Signer
from veraz.observe import current_request_id
from veraz.security import record

T = TypeVar("T")

_ROWS_AT_ONCE = 100
_HELPERS: Mapping[str, Mapping[str, int]] = {APP: {SIGN_IN: 4, PLATFORM: 2}, WORKER: {QUEUE: 4}}
"""The pools of other roles that a pool brings along, each with its size."""
_SET_CALLER = "select veraz.leave_nothing(), set_config('veraz.scope', %s, true), set_config('veraz.request_id', %s, true)"
_BEGIN = "begin isolation level read committed read write not deferrable"
"""Whatever the caller before has made the default of the connection."""
_LEAVE_NOTHING = "select veraz.leave_nothing()"
_COMMIT = f"commit; {_LEAVE_NOTHING}"
_FORGED = "VZ010"
_EXPIRED = "VZ011"

set_json_dumps(lambda value: json.dumps(value, ensure_ascii=False))
set_json_loads(json.loads)
psycopg.adapters.register_dumper(dict, JsonbDumper)
types.register()


class Transaction:
    """One transaction with one caller. Rows come back as the dataclass asked for."""

    def __init__(self, connection: AsyncConnection[Any], signer: Signer) -> None:
        self.connection = connection
        self._signer = signer

    async def all(self, kind: type[T], query: str, /, **params: object) -> list[T]:
        """Every row, as `kind`."""
        async with self.connection.cursor(row_factory=class_row(kind)) as cursor:
            await cursor.execute(query, params)
            return await cursor.fetchall()

    async def one(self, kind: type[T], query: str, /, **params: object) -> T | None:
        """The first row as `kind`, or None."""
        async with self.connection.cursor(row_factory=class_row(kind)) as cursor:
            await cursor.execute(query, params)
            return await cursor.fetchone()

    async def get(self, kind: type[T], query: str, /, *, thing: str, **params: object) -> T:
        """The first row as `kind`; none is a NotFound about `thing`."""
        row = await self.one(kind, query, **params)
        if row is None:
            raise errors.NotFound(thing=thing, id=params.get("id", ""))
        return row

    async def value(self, query: str, /, **params: object) -> Any:
        """The first column of the first row, or None."""
        async with self.connection.cursor(row_factory=scalar_row) as cursor:
            await cursor.execute(query, params)
            return await cursor.fetchone() if cursor.description else None

    async def values(self, query: str, /, **params: object) -> list[Any]:
        """The first column of every row."""
        async with self.connection.cursor(row_factory=scalar_row) as cursor:
            await cursor.execute(query, params)
            return await cursor.fetchall()

    async def rows(self, query: str, /, **params: object) -> list[dict[str, Any]]:
        """Every row as a mapping; for reports whose columns are not known here."""
        async with self.connection.cursor(row_factory=dict_row) as cursor:
            await cursor.execute(query, params)
            return await cursor.fetchall()

    async def binary_rows(self, query: str, /, **params: object) -> list[dict[str, Any]]:
        """Every row as a mapping, sent in binary: for rows that carry vectors."""
        async with self.connection.cursor(row_factory=dict_row, binary=True) as cursor:
            await cursor.execute(query, params)
            return await cursor.fetchall()

    async def run(self, query: str, /, **params: object) -> int:
        """Runs a statement; how many rows it touched."""
        cursor = await self.connection.execute(query, params)
        return cursor.rowcount

    async def many(self, query: str, params: Iterable[Mapping[str, object]]) -> None:
        """Runs a statement once per mapping, a hundred to a round trip, so that others on the loop get their turn."""
        rest = iter(params)
        async with self.connection.cursor() as cursor:
            while batch := list(islice(rest, _ROWS_AT_ONCE)):
                await cursor.executemany(query, batch)
                await asyncio.sleep(0)

    @asynccontextmanager
    async def savepoint(self) -> AsyncIterator[None]:
        """What fails inside is undone without ending the transaction."""
        async with self.connection.transaction():
            yield

    async def become(self, scope: Scope) -> None:
        """Continues this transaction as another caller (a platform admin setting up a new tenant)."""
        await self.connection.execute(_SET_CALLER, (self._signer.sign(scope), current_request_id() or ""))


class Database:
    """A pool of connections as one login role, which signs for every transaction who is calling."""

    def __init__(self, conninfo: str, access: Access, *, size: int = 10, name: str = "veraz") -> None:
        self.conninfo = conninfo
        self.role = str(conninfo_to_dict(conninfo).get("user", ""))
        self._signer = Signer(access.scope_key, self.role)
        self.pool: AsyncConnectionPool[AsyncConnection[Any]] = AsyncConnectionPool(
            conninfo,
            min_size=1 if self.role in _HELPERS else 0,
            max_size=size,
            open=False,
            name=name,
            timeout=15,
            configure=self._configure,
            kwargs={"application_name": name},
        )
        self._giving: set[asyncio.Future[None]] = set()
        self._helpers = {
            role: Database(access.address(conninfo, role), access, size=most, name=name)
            for role, most in _HELPERS.get(self.role, {}).items()
            if role in access.passwords
        }

    @property
    def sign_in(self) -> "Database":
        """As the role that looks credentials up, before anybody is calling; it reads no table."""
        return self._helpers[SIGN_IN]

    @property
    def platform(self) -> "Database":
        """As the role of the platform's administrators: tenants and plans."""
        return self._helpers[PLATFORM]

    def for_platform(self, scope: Scope) -> "Database":
        """The platform's pool for its administrators; for everybody else this one, where they see what is theirs."""
        return self.platform if scope.platform else self

    @property
    def queue(self) -> "Database":
        """As the role that hands out jobs to workers; what they are about is read inside their tenant."""
        return self._helpers[QUEUE]

    async def __aenter__(self) -> Self:
        await self.pool.open()
        for helper in self._helpers.values():
            await helper.pool.open()
        return self

    async def __aexit__(self, *_: object) -> None:
        for helper in self._helpers.values():
            await helper.pool.close()
        await self.pool.close()

    @asynccontextmanager
    async def transaction(self, scope: Scope = NOBODY) -> AsyncIterator[Transaction]:
        """A transaction as this caller. PostgreSQL's errors come out as ours."""
        with _our_errors(scope):
            connection, _ = await self._first(lambda taken: self._begin(taken, scope))
            clean = False
            try:
                yield Transaction(connection, self._signer)
                await connection.execute(_COMMIT)
                clean = True
            finally:
                await self._give_back(connection, clean=clean)

    async def call(self, scope: Scope, query: str, /, **params: object) -> list[dict[str, Any]]:
        """The rows of one function of the database: a transaction in one round trip, harmless when repeated.

        The query says who is calling with `veraz.as_caller(%(caller)s, …)` around an argument, because arguments are
        worked out before a function is called. Where it does not, nobody is calling and nothing is found.
        """

        async def run(taken: AsyncConnection[Any]) -> list[dict[str, Any]]:
            caller = {"scope": self._signer.sign(scope), "request_id": current_request_id() or ""}
            return await Transaction(taken, self._signer).binary_rows(query, caller=caller, **params)

        with _our_errors(scope):
            connection, rows = await self._first(run)
            await self._give_back(connection, clean=True)
            return rows

    async def _begin(self, connection: AsyncConnection[Any], scope: Scope) -> None:
        """In one round trip. The scope is a parameter: other sessions of this role can read our statements' text."""
        async with connection.pipeline():
            await connection.execute(_BEGIN)
            await connection.execute(_SET_CALLER, (self._signer.sign(scope), current_request_id() or ""))

    async def _configure(self, connection: AsyncConnection[Any]) -> None:
        await connection.set_autocommit(True)  # a transaction begins together with its scope
        # a statement prepared on the connection could be replaced by one whose text was injected
        connection.prepare_threshold = None
        await register_vector_async(connection)
        await self._ask_time(connection)

    async def _ask_time(self, connection: AsyncConnection[Any]) -> None:
        cursor = await connection.execute("select extract(epoch from clock_timestamp())::float8")
        if row := await cursor.fetchone():
            self._signer.set_clock(row[0])

    async def _first(
        self, statement: Callable[[AsyncConnection[Any]], Awaitable[T]]
    ) -> tuple[AsyncConnection[Any], T]:
        """A connection and what its first statement gave, tried again once where the connection was lost."""
        connection = await self.pool.getconn()
        try:
            return connection, await statement(connection)
        except BaseException as error:  # also a caller who leaves: the connection goes back either way
            expired = (
                isinstance(error, psycopg.Error) and error.sqlstate == _EXPIRED and not connection.closed
            )
            if expired:  # one of the clocks has jumped
                await connection.rollback()
                await self._ask_time(connection)
            await self._give_back(connection)
            lost = connection.closed and isinstance(error, psycopg.OperationalError)
            if not lost and not expired:
                raise
        connection = await self._living()
        try:
            return connection, await statement(connection)
        except BaseException:
            await self._give_back(connection)
            raise

    async def _living(self) -> AsyncConnection[Any]:
        """A connection that answers: those lost while nobody used them are passed over."""
        spare = self.pool.max_size
        while True:
            connection = await self.pool.getconn()
            try:
                await self.pool.check_connection(connection)
                return connection
            except BaseException as error:
                await self._give_back(connection)
                spare -= 1
                if not spare or not isinstance(error, psycopg.OperationalError):
                    raise

    async def _give_back(self, connection: AsyncConnection[Any], *, clean: bool = False) -> None:
        """Goes on when the caller leaves meanwhile, or the pool would be one connection short for ever."""
        giving = asyncio.ensure_future(self._return(connection, clean))
        self._giving.add(giving)
        giving.add_done_callback(self._giving.discard)
        await asyncio.shield(giving)

    async def _return(self, connection: AsyncConnection[Any], clean: bool) -> None:
        """A connection that cannot be left clean is closed; the pool makes another."""
        try:
            if not clean and not connection.closed:
                await connection.rollback()
                await connection.execute(_LEAVE_NOTHING)
        except psycopg.Error:
            await connection.close()
        finally:
            await self.pool.putconn(connection)


@contextmanager
def _our_errors(scope: Scope) -> Iterator[None]:
    """PostgreSQL's errors and the pool's as ours. A scope it does not believe is told of."""
    try:
        yield
    except PoolTimeout as error:
        raise errors.DatabaseUnavailable(reason="no free connection") from error
    except psycopg.Error as error:
        if error.sqlstate == _FORGED:
            record("scope_forged", scope, outcome="refused", reason=_plain(error))
        raise translate(error) from error
    except UnicodeEncodeError as error:
        raise errors.Invalid(field="text", reason="it holds characters that are not valid Unicode") from error


def translate(error: psycopg.Error) -> errors.VerazError:
    """PostgreSQL's word for it → ours."""
    rule = _RULES.get(error.sqlstate or "")
    if rule is not None:
        return rule(error)
    if isinstance(error, pg.OperationalError | pg.InterfaceError):
        return errors.DatabaseUnavailable(reason=str(error).strip().split("\n")[0])
    if isinstance(error, pg.DataError | pg.IntegrityError):
        return errors.Invalid(
            field=error.diag.column_name or error.diag.constraint_name or "…", reason=_plain(error)
        )
    raise error


def _thing(error: psycopg.Error) -> str:
    """The glossary's word for a table."""
    table = error.diag.table_name or "row"
    return {"app_user": "user", "api_key": "key", "project_member": "member"}.get(
        table, table.replace("_", " ")
    )


def _data(error: psycopg.Error) -> errors.VerazError:
    """Sizes of vectors are told by pgvector with the words of its own; our functions say more, in theirs."""
    if re.match(r"different vector dimensions \d|expected \d+ dimensions", _plain(error)):
        return errors.EmbeddingChanged()
    return errors.Invalid(field="…", reason=_plain(error))


_RULES: Mapping[str, Callable[[psycopg.Error], errors.VerazError]] = {
    "23505": lambda e: errors.NameTaken(thing=_thing(e)),
    "23503": lambda e: errors.NotFound(thing=_thing(e)),
    "22000": _data,
    "42501": lambda e: errors.Forbidden(action="do this"),
    "VZ001": lambda e: errors.PersonalCorpusNotAllowed(agents=_plain(e)),
    "VZ002": lambda e: errors.ProjectMismatch(),
    "VZ003": lambda e: errors.Invalid(field="id", reason=_plain(e)),
    "VZ004": lambda e: errors.Forbidden(action=_plain(e)),
    "VZ403": lambda e: errors.FeatureDisabled(feature=_plain(e)),
    "VZ005": lambda e: errors.LastAdmin(),
    "VZ012": lambda e: errors.LicenceRevoked(machine_id=_plain(e)),
    "VZ402": lambda e: errors.CreditsExhausted(credits=_plain(e), needed=e.diag.message_detail),
    _FORGED: lambda e: errors.DatabaseUnavailable(
        reason="it does not accept this process's signature; start it again with the installation's secret"
    ),
    _EXPIRED: lambda e: errors.DatabaseUnavailable(reason="its clock and ours have moved apart; try again"),
    "55P03": lambda e: errors.DatabaseUnavailable(reason="busy with another change; try again"),
    "40001": lambda e: errors.DatabaseUnavailable(reason="busy with another change; try again"),
    "40P01": lambda e: errors.DatabaseUnavailable(reason="busy with another change; try again"),
}


def _plain(error: psycopg.Error) -> str:
    return error.diag.message_primary or str(error)
