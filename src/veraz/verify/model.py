"""The types of proving: a source, a quote in it, what a judge said, what becomes of a sentence."""

from dataclasses import dataclass
from typing import Literal
from uuid import UUID

from veraz.providers.chat.base import NO_USAGE, Usage
from veraz.text.injection import without_orders
from veraz.verify.claims import Piece


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """A passage as writer and judge are given it: number `n` of `[Chunk n]`."""

    number: int
    chunk_id: UUID
    text: str
    place: tuple[str, ...] = ()
    """Title, headings, file name: where the passage stands."""
    page: int | None = None
    language: str = "es"

    def __post_init__(self) -> None:
        """A sentence that orders a machine about is no evidence: blanks take its room, for writer, judge and proof alike."""
        object.__setattr__(self, "text", without_orders(self.text))
        object.__setattr__(self, "place", tuple(map(without_orders, self.place)))

    @property
    def heading(self) -> str:
        """The place in one line."""
        return ". ".join(self.place)


@dataclass(frozen=True, slots=True, kw_only=True)
class Quote:
    """A stretch of a source, word for word; an empty stretch with words quotes the title or a heading above it."""

    number: int
    chunk_id: UUID
    text: str
    start: int
    end: int


Said = Literal["supported", "contradicted", "not_said"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgement:
    """What a judge says of one claim: its verdict, and the stretches it quotes by passage number."""

    verdict: Said
    quotes: tuple[tuple[int, str], ...] = ()


NOT_SAID = Judgement(verdict="not_said")


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """A judge's reply: one judgement per claim, in order, and what it took."""

    judgements: tuple[Judgement, ...]
    usage: Usage = NO_USAGE
    model: str = ""
    complete: bool = True
    """Whether something was said of every claim; what was left out is taken for not said."""


Verdict = Literal["supported", "quoted"]
"""A judge and the code have proven it, or it stands in a document word for word."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Proof:
    """Why a sentence may be shown."""

    verdict: Verdict
    quotes: tuple[Quote, ...]

    @property
    def numbers(self) -> tuple[int, ...]:
        """The sources quoted, each once."""
        return tuple(dict.fromkeys(quote.number for quote in self.quotes))


@dataclass(frozen=True, slots=True, kw_only=True)
class HeldBack:
    """A sentence nobody may see, and why."""

    text: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Checked:
    """One piece of a draft after checking: shown with its proof, shown without (it claims nothing), or held back."""

    piece: Piece
    proof: Proof | None = None
    held_back: HeldBack | None = None


Fault = Literal["no_judge", "judge_down", "judge_unreliable"]
"""Why there was no judge."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckedPieces:
    """The pieces of one batch in their order, what judging them took, and why there was no judge where there was none."""

    pieces: tuple[Checked, ...]
    usage: Usage = NO_USAGE
    fault: Fault | None = None
