"""What several routers share: pages, text and JSON that can be stored, paging parameters."""

import math
from typing import Annotated, Any, Final, Generic, Self, TypeVar

from fastapi import Depends, Query
from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, model_validator

from veraz import errors
from veraz.api.problems import speaking
from veraz.paging import Page, PageRequest

T = TypeVar("T")


def _storable(text: str) -> str:
    if "\x00" in text:
        raise ValueError("NUL characters cannot be stored")
    try:
        text.encode()  # a hundred times as fast as to look at every character of a long text
    except UnicodeEncodeError:
        raise ValueError("half a surrogate pair is not a character") from None
    return text


def _storable_json(value: dict[str, Any]) -> dict[str, Any]:
    """JSON may hold what PostgreSQL cannot: NUL, half characters, NaN, thousands of levels."""
    level: list[Any] = [value]
    for _ in range(_DEEPEST + 1):
        level = [inner for item in level for inner in _inside(item)]
        if not level:
            return value
    raise ValueError("the JSON is nested too deeply")


def _inside(item: Any) -> list[Any]:
    if isinstance(item, str):
        _storable(item)
    elif isinstance(item, float) and not math.isfinite(item):
        raise ValueError("NaN and Infinity are not JSON")
    elif isinstance(item, dict):
        return [*item.keys(), *item.values()]
    return item if isinstance(item, list) else []


_DEEPEST: Final = 32
_MOST_TYPOS: Final = 10

Text = Annotated[str, AfterValidator(_storable)]
Name = Annotated[str, Field(min_length=1, max_length=200), AfterValidator(_storable)]
JsonObject = Annotated[dict[str, Any], AfterValidator(_storable_json)]
StoredJson = dict[str, Any]
"""JSON in an answer: what is stored is shown, whatever a door would say to it today."""


def _said(kept: errors.Sentence | str | None) -> str | None:
    return errors.said(kept, speaking.get()) if isinstance(kept, dict) else kept


Said = Annotated[str | None, BeforeValidator(_said)]
"""A sentence that was kept in both languages, in the caller's."""


class Body(BaseModel):
    """A request body; unknown fields are refused, so that a typo is noticed."""

    model_config = ConfigDict(extra="forbid", str_strip_whitespace=True)

    @model_validator(mode="before")
    @classmethod
    def of_few_fields(cls, given: Any) -> Any:
        """A finding costs thirty times as much as the field it is about; thousands of them say no more than one."""
        many = isinstance(given, dict) and len(given) > len(cls.model_fields) + _MOST_TYPOS
        if many and cls.model_config.get("extra") == "forbid":
            raise ValueError("it has too many fields that do not exist")
        return given


class View(BaseModel):
    """An answer, read straight from a dataclass of the services."""

    model_config = ConfigDict(from_attributes=True)


class Told(View):
    """What went wrong, told in the caller's language."""

    error_code: str | None
    error_message: str | None

    @model_validator(mode="after")
    def in_the_callers_language(self) -> Self:
        """It is kept in Spanish, as it was said when it happened."""
        self.error_message = errors.retold(self.error_code, self.error_message, speaking.get())
        return self


class PageView(BaseModel, Generic[T]):
    """One page of a list."""

    items: list[T]
    next_cursor: str | None


def page_of(kind: type[T], page: Page[Any]) -> PageView[T]:
    """A page of rows as a page of views."""
    items = [kind.model_validate(item) for item in page.items]  # type: ignore[attr-defined]
    return PageView(items=items, next_cursor=page.next_cursor)


async def paging(
    limit: Annotated[int, Query(ge=1, le=500)] = 50,
    cursor: Annotated[str | None, Query(max_length=64)] = None,
) -> PageRequest:
    """`?limit=&cursor=`."""
    return PageRequest(limit=limit, cursor=cursor)


Paging = Annotated[PageRequest, Depends(paging)]
