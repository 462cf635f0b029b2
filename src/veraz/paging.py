"""Lists come in pages: newest first, each page naming the cursor of the next."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Generic, Protocol, TypeVar
from uuid import UUID

from veraz import errors


class HasId(Protocol):
    """A row that a cursor can point at."""

    @property
    def id(self) -> UUID | int: ...


class HasMoment(HasId, Protocol):
    """A row of a list in the order of its last change."""

    @property
    def updated_at(self) -> datetime: ...


T = TypeVar("T")
M = TypeVar("M", bound=HasMoment)
R = TypeVar("R", bound=HasId)


@dataclass(frozen=True, slots=True, kw_only=True)
class Page(Generic[T]):
    """Some items, and where the next ones start."""

    items: list[T]
    next_cursor: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class PageRequest:
    """How many items, after which one."""

    limit: int = 50
    cursor: str | None = None

    def __post_init__(self) -> None:
        if not 1 <= self.limit <= 500:
            raise errors.Invalid(field="limit", reason="1…500")

    @property
    def after_id(self) -> UUID | None:
        """The cursor as an id."""
        try:
            return UUID(self.cursor) if self.cursor else None
        except ValueError:
            raise errors.Invalid(field="cursor", reason="it was not given out by this list") from None

    @property
    def after_number(self) -> int | None:
        """The cursor as a number."""
        if not self.cursor:
            return None
        if not self.cursor.isdecimal() or len(self.cursor) > 18:
            raise errors.Invalid(field="cursor", reason="it was not given out by this list")
        return int(self.cursor)

    @property
    def after_moment(self) -> tuple[datetime, UUID] | None:
        """The cursor as a moment and the id of the row that was changed then."""
        if not self.cursor:
            return None
        microseconds, _, id_ = self.cursor.partition(".")
        try:
            return _EPOCH + timedelta(microseconds=int(microseconds)), UUID(id_)
        except (ValueError, OverflowError):
            raise errors.Invalid(field="cursor", reason="it was not given out by this list") from None

    @property
    def fetch(self) -> int:
        """One row more than asked for tells whether there is a next page."""
        return self.limit + 1

    def page(self, rows: list[R]) -> Page[R]:
        """Cuts the extra row off and turns it into a cursor."""
        items = rows[: self.limit]
        more = len(rows) > self.limit
        return Page(items=items, next_cursor=str(items[-1].id) if more else None)

    def page_by_moment(self, rows: list[M]) -> Page[M]:
        """The same for a list in the order of the last change: what changes meanwhile comes first again, never twice."""
        items = rows[: self.limit]
        if len(rows) <= self.limit:
            return Page(items=items, next_cursor=None)
        microseconds = (items[-1].updated_at - _EPOCH) // timedelta(microseconds=1)
        return Page(items=items, next_cursor=f"{microseconds}.{items[-1].id}")


_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
FIRST_PAGE = PageRequest()
