"""Judges for tests that need no chat model: they say what a function says, and count how often they are asked."""

from collections.abc import Callable, Sequence
from uuid import uuid4

from veraz.errors import OutsideFault
from veraz.verify.claims import Piece
from veraz.verify.model import NOT_SAID, Checked, Judged, Judgement, Source
from veraz.verify.proof import Case, Prover

Says = Callable[[str], Judgement]


class TestJudge:
    """Gives the judgement a function gives, or fails as it was told to fail."""

    __test__ = False

    def __init__(self, says: "Says | OutsideFault", name: str = "fake:judge") -> None:
        self.name = name
        self.says = says
        self.asked: list[tuple[str, ...]] = []
        self.given: list[tuple[Source, ...]] = []

    async def judge(
        self, question: str, sources: Sequence[Source], claims: Sequence[str], before: str = ""
    ) -> Judged:
        """One judgement per claim."""
        self.asked.append(tuple(claims))
        self.given.append(tuple(sources))
        if isinstance(self.says, OutsideFault):
            raise self.says
        return Judged(judgements=tuple(self.says(claim) for claim in claims), model=self.name)


def supported(*quotes: str, passage: int = 1) -> Says:
    """Everything is supported by these words of a passage."""
    found = tuple((passage, quote) for quote in quotes)
    return lambda claim: Judgement(verdict="supported", quotes=found)


def nothing(claim: str) -> Judgement:
    """Nothing is said."""
    return NOT_SAID


def passage(text: str, *place: str, number: int = 1, page: int | None = None) -> Source:
    """A passage out of thin air."""
    return Source(number=number, chunk_id=uuid4(), text=text, place=place, page=page)


def claim(text: str, *cited: int) -> Piece:
    """A sentence of a draft."""
    return Piece(kind="claim", text=text, cited=cited)


async def wrongly_judged(
    text: str, quotes: Sequence[str], *, place: Sequence[str] = (), question: str = "¿Qué se sabe?"
) -> Checked:
    """A sentence a wrong judge calls supported by these words, which are a passage's whole text."""
    case = Case(question=question, sources=(passage("\n".join(quotes), *place),))
    judge = TestJudge(supported(*quotes))
    return (await Prover(judge).check([claim(text)], case)).pieces[0]
