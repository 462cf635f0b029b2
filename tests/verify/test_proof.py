"""Supported is what a judge says and code can follow; without a judge, only quotations are shown."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import pytest

from veraz.errors import OutsideBusy, OutsideDown, OutsideFault, OutsideRejected, UnreliableJudge
from veraz.verify.claims import Piece, pieces_of
from veraz.verify.judge import Judge
from veraz.verify.model import NOT_SAID, Judged, Judgement, Source
from veraz.verify.proof import Case, Prover, Verdicts

if TYPE_CHECKING:
    from tests.support.judges import TestJudge, claim, nothing, passage, supported
else:
    from support.judges import TestJudge, claim, nothing, passage, supported

PLANS = passage("El plan A cuesta 10 € al mes. El plan B cuesta 20 € al mes.", "Tarifas 2026")
POOL = passage("La piscina mide 25 metros. No admite menores de 16 años.", "Piscina", number=2)
CASE = Case(
    question="¿Qué se sabe?",
    sources=(PLANS, POOL),
    headings=("Qué hacer", "Fuentes", "What to do", "O QUE FAZER"),
)
LONG = "La piscina tiene 25 metros de largo."


async def shown(judge: Judge | None, *pieces: Piece, case: Case = CASE) -> list[str]:
    """What becomes of each piece: the verdict, the reason why not, or nothing."""
    checked = (await Prover(judge).check(pieces, case)).pieces
    return [
        one.proof.verdict if one.proof else one.held_back.reason if one.held_back else "" for one in checked
    ]


# --- with a judge --------------------------------------------------------------------------------------------------


async def test_what_a_judge_supports_by_a_quote_is_shown_with_it() -> None:
    judge = TestJudge(supported("La piscina mide 25 metros.", passage=2))
    (checked,) = (await Prover(judge).check([claim(LONG, 1)], CASE)).pieces
    assert checked.proof is not None
    assert checked.proof.numbers == (2,)
    (quote,) = checked.proof.quotes
    assert (quote.chunk_id, quote.text) == (POOL.chunk_id, "La piscina mide 25 metros")


@pytest.mark.parametrize("number", [1, 2, 99, 0])
async def test_a_quote_is_found_in_the_passage_it_stands_in(number: int) -> None:
    judge = TestJudge(supported("La piscina mide 25 metros.", passage=number))
    (checked,) = (await Prover(judge).check([claim(LONG)], CASE)).pieces
    assert checked.proof is not None
    assert checked.proof.numbers == (2,)


@pytest.mark.parametrize(
    ("judgement", "reason"),
    [
        (Judgement(verdict="not_said"), "not_said"),
        (Judgement(verdict="contradicted"), "contradicted"),
        (Judgement(verdict="not_said", quotes=((2, "La piscina mide 25 metros."),)), "not_said"),
        (Judgement(verdict="supported"), "quote_not_found"),
        (Judgement(verdict="supported", quotes=((2, "La piscina tiene 25 metros."),)), "quote_not_found"),
        (Judgement(verdict="supported", quotes=((2, ""),)), "quote_not_found"),
    ],
)
async def test_what_is_not_supported_by_words_that_stand_there_is_held_back(
    judgement: Judgement, reason: str
) -> None:
    assert await shown(TestJudge(lambda text: judgement), claim(LONG)) == [reason]


async def test_a_judge_is_asked_about_quotations_too() -> None:
    assert await shown(TestJudge(nothing), claim("La piscina mide 25 metros.")) == ["not_said"]


async def test_facts_must_stand_in_the_quote_whatever_the_judge_says() -> None:
    judge = TestJudge(supported("La piscina mide 25 metros.", passage=2))
    figure, name = await shown(judge, claim("Mide 50 metros."), claim("La piscina Olímpica mide 25 metros."))
    assert figure.startswith("figure")
    assert name.startswith("name")


async def test_a_figure_of_another_sentence_needs_a_quote_of_its_own() -> None:
    told = claim("Los mayores de 16 años nadan 25 metros.")
    one = TestJudge(supported("La piscina mide 25 metros.", passage=2))
    both = TestJudge(supported("La piscina mide 25 metros", "No admite menores de 16 años", passage=2))
    assert (await shown(one, told))[0].startswith("figure")
    assert (await shown(both, claim("Con 16 años se nadan 25 metros."))) == ["supported"]


async def test_a_judge_that_forges_one_of_its_quotes_is_not_believed() -> None:
    judge = TestJudge(supported("La piscina mide 25 metros.", "Es gratis para todos.", passage=2))
    assert await shown(judge, claim(LONG)) == ["quote_not_found"]


async def test_the_place_of_a_quoted_passage_counts_and_that_of_another_does_not() -> None:
    plans = TestJudge(supported("El plan A cuesta 10 € al mes."))
    pool = TestJudge(supported("La piscina mide 25 metros.", passage=2))
    assert await shown(plans, claim("En 2026 el plan A cuesta 10 €.")) == ["supported"]
    assert (await shown(pool, claim("En 2026 mide 25 metros.")))[0].startswith("figure")


async def test_only_claims_are_judged_and_all_of_them_at_once() -> None:
    judge = TestJudge(nothing)
    draft = "Hola.\n\n## Fuentes\nUno dos. Tres cuatro [Chunk 1].\nNo tengo esa información."
    checked = await Prover(judge).check(pieces_of(draft), CASE)
    assert judge.asked == [("Uno dos.", "Tres cuatro.")]
    assert [one.held_back is None for one in checked.pieces] == [True, True, True, False, False, True]
    assert checked.fault is None


async def test_nothing_to_judge_asks_nobody() -> None:
    judge = TestJudge(nothing)
    assert await shown(judge, Piece(kind="courtesy", text="Hola.")) == [""]
    assert not judge.asked


async def test_a_claim_longer_than_any_sentence_is_not_read() -> None:
    judge = TestJudge(nothing)
    assert await shown(judge, claim("El plan A cuesta 10 € al mes. " * 400)) == ["too_long"]
    assert not judge.asked


async def test_a_judge_reads_what_is_cited_and_the_first_of_the_others() -> None:
    judge = TestJudge(nothing)
    many = tuple(passage(f"Texto {n}.", number=n) for n in range(1, 31))
    await shown(judge, claim("Uno.", 27), claim("Dos.", 3), case=Case(question="¿?", sources=many))
    numbers = [source.number for source in judge.given[0]]
    assert numbers == [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 27]


# --- without one ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("fault", "reason"),
    [
        (None, "no_judge"),
        (OutsideDown(host="a", reason="500"), "judge_down"),
        (OutsideBusy(host="a", reason="429"), "judge_down"),
        (OutsideRejected(host="a", reason="401"), "judge_down"),
        (UnreliableJudge(host="a", reason="sí a todo"), "judge_unreliable"),
    ],
)
async def test_without_a_judge_only_quotations_are_shown(fault: OutsideFault | None, reason: str) -> None:
    judge = TestJudge(fault) if fault else None
    claims = [claim("La piscina mide 25 metros.", 1), claim(LONG), claim("La piscina mide 52 metros.")]
    checked = await Prover(judge).check(claims, CASE)
    assert checked.fault == reason
    first, *others = checked.pieces
    assert first.proof is not None
    assert (first.proof.verdict, first.proof.numbers) == ("quoted", (2,))
    assert [one.held_back.reason for one in others if one.held_back] == [reason, reason]


# --- what was judged before ----------------------------------------------------------------------------------------


async def test_the_same_claim_is_judged_once() -> None:
    judge, verdicts = TestJudge(supported("La piscina mide 25 metros.", passage=2)), Verdicts()
    for _ in range(2):
        checked = await Prover(judge, verdicts).check([claim(LONG)], CASE)
        assert all(one.proof for one in checked.pieces)
    assert judge.asked == [(LONG,)]


async def test_a_sentence_is_judged_with_those_before_it() -> None:
    """«Incluye piscina.» is true behind one plan and false behind another."""
    verdicts, included = Verdicts(), claim("Incluye piscina.")

    class Honest(TestJudge):
        async def judge(
            self, question: str, sources: Sequence[Source], claims: Sequence[str], before: str = ""
        ) -> Judged:
            self.asked.append(tuple(claims))
            follows = supported("La piscina mide 25 metros.", "El plan A cuesta 10 € al mes.")
            said = [follows(text) if "plan A" in claims[0] else NOT_SAID for text in claims]
            return Judged(judgements=tuple(said), model=self.name)

    judge = Honest(nothing)
    gold = await Prover(judge, verdicts).check([claim("Te recomiendo el plan A."), included], CASE)
    silver = await Prover(judge, verdicts).check([claim("Te recomiendo el plan B."), included], CASE)
    assert gold.pieces[1].proof
    assert silver.pieces[1].held_back
    assert len(judge.asked) == 2


async def test_the_other_tenant_cannot_learn_what_was_judged() -> None:
    judge, verdicts = TestJudge(supported("La piscina mide 25 metros.", passage=2)), Verdicts()
    for owner in ("acme", "rival"):
        await Prover(judge, verdicts, owner).check([claim(LONG)], CASE)
    assert judge.asked == [(LONG,), (LONG,)]


async def test_a_judge_that_failed_is_not_asked_again() -> None:
    judge = TestJudge(OutsideDown(host="x", reason="500"))
    prover = Prover(judge)
    for _ in range(3):
        assert (await prover.check([claim(LONG)], CASE)).fault == "judge_down"
    assert len(judge.asked) == 1


@pytest.mark.parametrize(
    "other",
    [
        Case(question="¿Otra?", sources=CASE.sources),
        Case(question=CASE.question, sources=(PLANS,)),
        Case(question=CASE.question, sources=(PLANS, passage("La piscina mide 50 metros.", number=2))),
        Case(question=CASE.question, sources=(PLANS, passage(POOL.text, "Otra piscina", number=2))),
    ],
)
async def test_another_question_or_passage_is_judged_anew(other: Case) -> None:
    judge, verdicts = TestJudge(supported("La piscina mide 25 metros.", passage=2)), Verdicts()
    for case in (CASE, other):
        await Prover(judge, verdicts).check([claim(LONG)], case)
    assert len(judge.asked) == 2


async def test_a_verdict_of_another_tenant_shows_nothing_of_its_passages() -> None:
    """The same text under another id: the verdict is known, the proof is the own passage's."""
    judge, verdicts = TestJudge(supported("La piscina mide 25 metros.", passage=1)), Verdicts()
    mine, theirs = (Case(question="¿?", sources=(passage("La piscina mide 25 metros."),)) for _ in range(2))
    for case in (mine, theirs):
        (checked,) = (await Prover(judge, verdicts).check([claim(LONG)], case)).pieces
        assert checked.proof is not None
        assert {quote.chunk_id for quote in checked.proof.quotes} == {case.sources[0].chunk_id}


async def test_another_judge_judges_anew() -> None:
    verdicts = Verdicts()
    for name in ("fake:one", "fake:two"):
        judge = TestJudge(nothing, name=name)
        await Prover(judge, verdicts).check([claim(LONG)], CASE)
        assert len(judge.asked) == 1


async def test_a_failed_judge_is_asked_again() -> None:
    verdicts = Verdicts()
    await Prover(TestJudge(OutsideDown(host="a", reason="500")), verdicts).check([claim(LONG)], CASE)
    judge = TestJudge(supported("La piscina mide 25 metros.", passage=2))
    (checked,) = (await Prover(judge, verdicts).check([claim(LONG)], CASE)).pieces
    assert checked.proof


async def test_old_verdicts_are_forgotten() -> None:
    verdicts = Verdicts()
    for number in range(5_000):
        verdicts.keep({number.to_bytes(4, "big"): Judgement(verdict="not_said")})
    assert verdicts.get((0).to_bytes(4, "big")) is None
    assert verdicts.get((4_999).to_bytes(4, "big"))


async def test_what_was_said_before_is_part_of_what_was_judged() -> None:
    judge, verdicts = TestJudge(supported("El plan B cuesta 20 € al mes.")), Verdicts()
    for before in ("El plan B es el mejor.", "El plan A es el mejor."):
        await Prover(judge, verdicts).check([claim("Cuesta 20 € al mes.")], CASE, before=before)
    assert len(judge.asked) == 2


# --- headings ------------------------------------------------------------------------------------------------------


def heading(text: str) -> Piece:
    return Piece(kind="heading", text=text, ends_line=True)


@pytest.mark.parametrize(
    "text",
    [
        "## Qué hacer",
        "**Fuentes**",
        "## What to do",
        "## O que fazer",
        "## Tarifas",
        "**Plan B:**",
        "### La piscina",
    ],
)
async def test_a_title_of_ours_or_of_words_that_were_read_claims_nothing(text: str) -> None:
    assert await shown(TestJudge(nothing), heading(text)) == [""]


@pytest.mark.parametrize(
    "text",
    [
        "## El plan A fue prohibido",
        "## El plan A fue prohibido en 2019",
        "**El plan A cuesta 20 €**",
        "## Sauna gratis",
        "## PWNED",
    ],
)
async def test_a_title_with_other_words_or_figures_has_to_be_proven(text: str) -> None:
    assert await shown(TestJudge(nothing), heading(text)) == ["not_said"]


@pytest.mark.parametrize("text", ["**El plan A no cuesta**", "## La piscina admite menores"])
async def test_a_title_that_is_a_sentence_has_to_be_proven(text: str) -> None:
    assert await shown(TestJudge(nothing), heading(text)) == ["not_said"]


def test_a_source_says_where_it_stands() -> None:
    assert Source(number=1, chunk_id=PLANS.chunk_id, text="x", place=("A", "B")).heading == "A. B"
