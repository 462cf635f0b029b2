"""The SQL functions that outside programs call by name, and one call of one of them as PostgREST would make it.

Only names from the catalogue below ever become SQL; every value travels as a parameter.
"""

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Literal

from psycopg import errors as pg

from veraz import errors
from veraz.db.pool import Transaction

Operator = Literal["=", "<>", ">", ">=", "<", "<=", "like", "ilike", "@>", "<@", "in", "is"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Function:
    """A function with its parameters' types; without columns it answers with one value."""

    name: str
    schema: str
    parameters: Mapping[str, str]
    required: frozenset[str]
    columns: tuple[str, ...] = ()
    changes: bool = False
    """Whether it changes anything, so that it is not for GET."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Condition:
    """One column, or a value inside its JSON, held against something."""

    column: str
    path: tuple[str, ...] = ()
    operator: Operator
    value: str | list[str] | None
    negated: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """One column to sort by."""

    column: str
    descending: bool = False
    nulls_first: bool | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """Which rows and columns of the answer are wanted."""

    columns: tuple[str, ...] = ()
    conditions: Sequence[Condition] = ()
    order: Sequence[Order] = ()
    limit: int | None = None
    offset: int = 0
    counted: bool = False


EVERYTHING: Final = View()


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """Rows (or one value) as JSON text, how many they are, and how many there are in all when that was asked."""

    body: str
    rows: int
    total: int | None


async def call(
    tx: Transaction, function: Function, arguments: Mapping[str, Any], view: View = EVERYTHING
) -> Answer:
    """Calls a function of the catalogue with the caller's rights."""
    query = _Query(function, arguments)
    if not function.columns:
        body = await tx.value(f"select to_json({query.call})::text", **query.values)
        return Answer(body=body or "null", rows=1, total=None)
    try:
        row = (await tx.rows(query.text(view), **query.values))[0]
    except (pg.UndefinedFunction, pg.DatatypeMismatch, pg.AmbiguousFunction) as unfit:
        said = unfit.diag.message_primary or str(unfit)
        raise errors.Invalid(
            field="query", reason=said
        ) from unfit  # an operator the column's type does not know
    return Answer(body=row["body"], rows=row["rows"], total=row["total"])


@dataclass(slots=True)
class _Query:
    """A call being written: its text, and the values that go with it."""

    function: Function
    arguments: Mapping[str, Any]
    values: dict[str, object] = field(default_factory=dict)

    @property
    def call(self) -> str:
        given = ", ".join(f"{name} => {self._argument(name)}" for name in self.arguments)
        return f"{self.function.schema}.{self.function.name}({given})"

    def text(self, view: View) -> str:
        where = " and ".join(self._condition(c) for c in view.conditions) or "true"
        columns = ", ".join(f"f.{name}" for name in view.columns or self.function.columns)
        order = ", ".join(_ordered(o) for o in view.order)
        total = "(select count(*) from found)" if view.counted else "null::bigint"
        return (
            f"with found as (select row_number() over () as place_, f.* from {self.call} f where {where}), "
            f"kept as (select {columns} from found f order by {order + ', ' if order else ''}f.place_ "
            f"limit {self._value(view.limit)}::bigint offset {self._value(view.offset)}::bigint) "
            f"select coalesce((select json_agg(k) from kept k), '[]')::text as body, "
            f"(select count(*) from kept) as rows, {total} as total"
        )

    def _argument(self, name: str) -> str:
        kind = self.function.parameters[name]
        return f"{self._value(_WRITTEN[kind](name, self.arguments[name]))}::text::{kind}"

    def _condition(self, condition: Condition) -> str:
        left = f"f.{condition.column}"
        if condition.path:
            left = f"(to_jsonb({left}) #>> {self._value(list(condition.path))}::text[])"
        return f"{'not ' if condition.negated else ''}({left} {self._right(condition)})"

    def _right(self, condition: Condition) -> str:
        if condition.operator == "is":
            return f"is {condition.value}"  # one of three words the door knows
        if condition.operator == "in":
            assert isinstance(condition.value, list)
            return f"in ({', '.join(self._value(v) for v in condition.value) or 'null'})"
        if condition.operator in ("like", "ilike"):
            return f"::text {condition.operator} {self._value(condition.value)}::text"
        return f"{condition.operator} {self._value(condition.value)}"  # typed by the other side

    def _value(self, value: object) -> str:
        name = f"v{len(self.values)}"
        self.values[name] = value
        return f"%({name})s"


def _ordered(order: Order) -> str:
    nulls = "" if order.nulls_first is None else f" nulls {'first' if order.nulls_first else 'last'}"
    return f"f.{order.column} {'desc' if order.descending else 'asc'}{nulls}"


def _vector(name: str, value: Any) -> str | None:
    """A vector as a JSON list or as pgvector's own text."""
    if value is None:
        return None
    text = (
        value
        if isinstance(value, str)
        else f"[{','.join(_number(name, item) for item in _list(name, value))}]"
    )
    if text.count(",") >= _LONGEST_VECTOR:
        raise errors.Invalid(field=name, reason=f"≤ {_LONGEST_VECTOR}")
    return text


def _number(name: str, value: Any) -> str:
    number = _float(value)
    if number is None or not math.isfinite(number):
        raise errors.Invalid(field=name, reason=errors.Phrase("numbers only", es="solo números"))
    return str(number)


def _float(value: Any) -> float | None:
    try:
        return None if isinstance(value, bool) or not isinstance(value, int | float) else float(value)
    except OverflowError:
        return None


def _list(name: str, value: Any) -> list[Any]:
    if not isinstance(value, list):
        raise errors.Invalid(field=name, reason=errors.Phrase("a list is needed", es="hace falta una lista"))
    return value


def _ids(name: str, value: Any) -> str | list[str] | None:
    return value if value is None or isinstance(value, str) else [str(item) for item in _list(name, value)]


def _text(name: str, value: Any) -> str | None:
    return value if value is None or isinstance(value, str) else json.dumps(value)


_LONGEST_VECTOR: Final = 16_000
_WRITTEN: Final = {
    "uuid": _text,
    "uuid[]": _ids,
    "public.vector": _vector,
    "int": _text,
    "float8": _text,
    "numeric": _text,
    "text": _text,
    "jsonb": _text,
}

CATALOGUE: Final[Mapping[str, Function]] = {
    function.name: function
    for function in (
        Function(
            name="search_agent_knowledge",
            schema="public",
            parameters={
                "p_agent_id": "uuid",
                "p_project_id": "uuid",
                "p_query_embedding": "public.vector",
                "p_match_count": "int",
                "p_match_threshold": "float8",
            },
            required=frozenset({"p_agent_id", "p_project_id", "p_query_embedding"}),
            columns=("id", "content", "title", "source", "similarity"),
        ),
        Function(
            name="search_knowledge_base",
            schema="ai_agents",
            parameters={
                "p_tenant_id": "uuid",
                "p_kb_ids": "uuid[]",
                "p_query_embedding": "public.vector",
                "p_top_k": "int",
                "p_similarity_threshold": "numeric",
            },
            required=frozenset({"p_tenant_id", "p_kb_ids", "p_query_embedding"}),
            columns=(
                "chunk_id",
                "document_id",
                "document_name",
                "content",
                "page_number",
                "similarity_score",
            ),
        ),
        Function(
            name="match_documents",
            schema="public",
            parameters={
                "query_embedding": "public.vector",
                "match_threshold": "float8",
                "match_count": "int",
                "filter_machine_id": "text",
                "filter": "jsonb",
            },
            required=frozenset({"query_embedding"}),
            columns=("id", "content", "similarity", "metadata"),
        ),
        Function(
            name="search_rag_hybrid",
            schema="public",
            parameters={
                "query_text": "text",
                "query_embedding": "public.vector",
                "target_rag_id": "uuid",
                "match_count": "int",
                "rrf_k": "int",
            },
            required=frozenset({"query_text", "query_embedding", "target_rag_id"}),
            columns=(
                "id",
                "content",
                "subdomain",
                "source_name",
                "source_url",
                "source_tier",
                "evidence_level",
                "authority_score",
                "metadata",
                "quality",
                "similarity",
                "keyword_rank",
                "rrf_score",
            ),
        ),
        Function(
            name="user_owns_rag_project",
            schema="public",
            parameters={"target_rag_id": "uuid"},
            required=frozenset({"target_rag_id"}),
        ),
        Function(
            name="purge_completed_jobs",
            schema="public",
            parameters={"target_rag_id": "uuid"},
            required=frozenset({"target_rag_id"}),
            changes=True,
        ),
    )
}
"""Every function that may be called from outside."""
