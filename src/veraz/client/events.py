"""An answer while it is written: server-sent events as types. Every `Delta` is proven and final."""

import json
from dataclasses import dataclass

from veraz.client.errors import ConnectionFailed, problem_error
from veraz.client.models import Answer, Claim, Json, Passage, answer, claim


@dataclass(frozen=True, slots=True, kw_only=True)
class Searching:
    """The question is being looked up."""

    question: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """The evidence."""

    evidence: list[Passage]


@dataclass(frozen=True, slots=True, kw_only=True)
class Delta:
    """The next words of the answer, proven and final."""

    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """A piece of the draft before anything of it was proven; only for who asked for it with `unchecked`."""

    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Checked:
    """The text as it stands after every claim was checked."""

    text: str
    claims: list[Claim]


@dataclass(frozen=True, slots=True, kw_only=True)
class Answered:
    """The end: the whole answer."""

    answer: Answer


Event = Searching | Found | Delta | Draft | Checked | Answered


class EventReader:
    """Lines of an event stream → events; an `error` event is raised."""

    def __init__(self) -> None:
        self._name = ""
        self._data: list[str] = []
        self._ended = False

    def feed(self, line: str) -> Event | None:
        """The event this line completes, if it completes one we know."""
        if line.startswith("event:"):
            self._name = line[6:].strip()
        elif line.startswith("data:"):
            self._data.append(line[5:].removeprefix(" "))
        elif not line and self._data:
            name, data = self._name, "\n".join(self._data)
            self._name, self._data = "", []
            return self._read(name, data)
        return None

    def end(self) -> None:
        """The stream is over; one that stopped before its answer was cut off."""
        if not self._ended:
            raise ConnectionFailed("the stream ended before the answer did")

    def _read(self, name: str, data: str) -> Event | None:
        try:
            event = _event(name, json.loads(data))
        except (ValueError, LookupError, TypeError, AttributeError) as error:
            raise ConnectionFailed(f"the event «{name}» cannot be read") from error
        self._ended = self._ended or isinstance(event, Answered)
        return event


def _event(name: str, data: Json) -> Event | None:
    match name:
        case "searching":
            return Searching(question=data["question"])
        case "found":
            return Found(evidence=[Passage.of(one) for one in data["evidence"]])
        case "delta":
            return Delta(text=data["text"])
        case "draft":
            return Draft(text=data["text"])
        case "checked":
            return Checked(text=data["text"], claims=[claim(one) for one in data["claims"]])
        case "answered":
            return Answered(answer=answer(data))
        case "error":
            raise problem_error(int(data.get("status", 500)), data)
    return None
