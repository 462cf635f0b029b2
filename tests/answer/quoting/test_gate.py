"""The gate opens where the quotation answers, and stays shut where the thing or its kind is nowhere."""

import json
from importlib.resources import files
from typing import TYPE_CHECKING

import pytest

from veraz.answer.quoting.choose import choose
from veraz.answer.quoting.gate import EVEN, features, probability

if TYPE_CHECKING:
    from tests.support.quoting import PLANS, ROOMS, Quoter, hit_of, units
else:
    from support.quoting import PLANS, ROOMS, Quoter, hit_of, units

GYM = """# Gimnasio municipal

El gimnasio municipal está en la calle Mayor.

La cuota mensual del gimnasio es de 30 euros.

Ana García dirige el gimnasio desde 2015.

Debe presentar un certificado médico antes de inscribirse.

No se permite entrar con calzado de calle.

Las taquillas se abren con una moneda de un euro.
"""


async def sure(quoter: Quoter, question: str, document: str) -> float:
    """How surely the document answers."""
    asked, rated, vectors = await quoter.rate(question, units(hit_of(document)))
    return probability(asked, rated, choose(asked, rated, vectors), vectors)


@pytest.mark.parametrize(
    ("question", "document"),
    [
        ("¿Cuánto es la cuota mensual del gimnasio?", GYM),
        ("¿Quién dirige el gimnasio?", GYM),
        ("¿Dónde está el gimnasio municipal?", GYM),
        ("¿Cuánto cuesta el Plan Familiar?", PLANS),
        ("¿Cuánto cuesta la Suite Mar?", ROOMS),
    ],
)
async def test_the_gate_opens_where_the_documents_answer(
    quoter: Quoter, question: str, document: str
) -> None:
    assert await sure(quoter, question, document) >= EVEN


@pytest.mark.parametrize(
    ("question", "document"),
    [
        ("¿Quién es el presidente de Noruega?", GYM),
        ("¿Qué gobierno aprobó la reforma fiscal de Noruega?", PLANS),
        ("¿Cómo se cocina una paella valenciana?", ROOMS),
        ("¿Hay aparcamiento para motos?", PLANS),
    ],
)
async def test_the_gate_stays_shut_where_the_thing_is_nowhere(
    quoter: Quoter, question: str, document: str
) -> None:
    assert await sure(quoter, question, document) < EVEN


async def test_a_name_that_stands_nowhere_makes_a_question_less_answerable(quoter: Quoter) -> None:
    right = await sure(quoter, "¿Quién dirige el gimnasio?", GYM)
    assert await sure(quoter, "¿Quién dirige el gimnasio de Salamanca?", GYM) < right


async def test_a_kind_of_thing_that_is_nowhere_makes_a_question_less_answerable(quoter: Quoter) -> None:
    with_price = GYM
    without = GYM.replace("es de 30 euros", "se paga en recepción")
    question = "¿Cuánto es la cuota mensual del gimnasio?"
    assert await sure(quoter, question, without) < await sure(quoter, question, with_price)


async def test_without_a_quotation_nothing_is_sure(quoter: Quoter) -> None:
    asked, rated, vectors = await quoter.rate("¿Cuánto cuesta?", [])
    assert probability(asked, rated, [], vectors) == 0.0


async def test_every_feature_has_its_weight(quoter: Quoter) -> None:
    asked, rated, vectors = await quoter.rate("¿Cuánto cuesta?", units(hit_of(GYM)))
    stored = files("veraz.answer.quoting").joinpath("gate_weights.json").read_text(encoding="utf-8")
    seen = features(asked, rated, choose(asked, rated, vectors), vectors)
    assert {*seen, "bias"} == set(json.loads(stored))
