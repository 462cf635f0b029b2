"""A model that changes what it read and a judge that believes it: what code promises to catch is caught, nothing true is lost.

The documents are true sentences with marked facts, `{kind:value}`. Every edit puts another value in the place of one of
them; the judge calls it supported and quotes the true sentence, as a judge would that skims and is not caught by the
control claim.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest

from veraz.verify.model import Checked

if TYPE_CHECKING:
    from tests.support.judges import wrongly_judged
else:
    from support.judges import wrongly_judged

DOCUMENTS: dict[str, tuple[str, ...]] = {
    "Tarifas 2026": (
        "La cuota del plan {name:Medio} es de {figure:25} {money:euros} {rate:al mes}.",
        "El bono de la sala {name:Olimpo} cuesta {figure:140} {money:pesos} {rate:a la semana}.",
        "La matrícula cuesta {figure:60} {money:soles} y se paga antes del {date:15 de marzo de 2026}.",
        "El recargo por demora es del {figure:7}{share: %} y lo aplica {name:Tesorería}.",
        "La tutoría se factura a {figure:38} {money:euros} {rate:por hora} en {name:Bilbao}.",
    ),
    "Horarios": (
        "La biblioteca de {name:Lugo} abre a las {clock:9:15} y cierra a las {clock:20:45}.",
        "La visita guiada dura {figure:55} {span:minutos} y empieza a las {clock:11:20}.",
        "El servicio nocturno empieza el {date:21 de junio de 2026} en {name:Zafra}.",
        "El taller de cerámica dura {figure:14} {span:semanas}.",
    ),
    "Reglamento": (
        "El plazo de reclamación es de {figure:10} días {days:hábiles}.",
        "La sala admite {bound:hasta} {figure:80} personas.",
        "El préstamo exige {bound:al menos} {figure:18} {span:meses} de antigüedad.",
        "La devolución se hace en {figure:30} días {days:naturales} en la oficina de {name:Teruel}.",
        "Se permite un peso de {bound:como máximo} {figure:23} {mass:kilos}.",
        "El comité decide en {word:quince} días {days:laborables}.",
    ),
    "Acta de la junta": (
        "La junta del {date:12 de mayo de 2025} aprobó {figure:48000} {money:euros} para {name:Robotia}.",
        "La presidenta {name:Ana Belmonte} presentó el informe el {date:2025-09-04}.",
        "El presupuesto sube {figure:4} {points:puntos porcentuales} por decisión de {name:Iván Solís}.",
        "Votaron a favor {word:cuarenta} socios y lo certificó {name:Nuria Vidal}.",
    ),
    "Ficha técnica": (
        "La bomba {code:GX-2500} pesa {figure:57} {mass:kilos} y mide {figure:92} {length:centímetros}.",
        "El depósito del modelo {code:TR-88} tiene {figure:350} {volume:litros}.",
        "El cable mide {figure:45} {length:metros} y lo fabrica {name:Voltaria}.",
        "La revisión del equipo {code:K7-310} se hizo el {date:3/11/2025}.",
    ),
    "Membership guide": (
        "The {name:Aurora} plan costs {figure:35} {money_en:euros} {rate_en:a month}.",
        "Refunds take {figure:12} {days_en:working} days.",
        "The hall in {name:Leeds} holds {bound_en:up to} {figure:250} people.",
        "The course starts on {date_en:March 15, 2026}.",
    ),
    "Guia do associado": (
        "A mensalidade do plano {name:Solar} é de {figure:49} {money_pt:reais} {rate_pt:por mês}.",
        "O prazo é de {figure:20} dias {days_pt:úteis}.",
        "A sala de {name:Coimbra} recebe {bound_pt:até} {figure:70} pessoas.",
        "A entrega será em {date_pt:8 de outubro de 2026}.",
    ),
}
ROWS = (
    "Norte: 30; Sur: 47; Centro: 58",
    "Enero: 1.250 €; Febrero: 1.480 €; Marzo: 990 €",
    "Adultos: 12 €; Jubilados: 7 €; Escolares: 5 €",
    "Lisboa: 310 | Porto: 275 | Faro: 140",
    "Room Alfa: 25 seats; Room Beta: 64 seats",
)
_SLOT = re.compile(r"\{(\w+):([^}]+)\}")
_MONTHS = {
    "date": "enero febrero abril julio",
    "date_en": "January February May July",
    "date_pt": "janeiro abril maio",
}
_OTHERS: dict[str, str] = {
    "money": "euros|pesos|soles|libras esterlinas",
    "money_en": "euros|pesos|pounds",
    "money_pt": "euros|reais|pesos",
    "rate": "al mes|al año|a la semana|por hora|al día|al trimestre",
    "rate_en": "a month|a year|a week|per day",
    "rate_pt": "por mês|por ano|por semana",
    "span": "minutos|horas|semanas|meses|años",
    "days": "hábiles|naturales",
    "days_en": "working|calendar",
    "days_pt": "úteis|corridos",
    "mass": "kilos|gramos|toneladas",
    "length": "metros|centímetros|kilómetros|milímetros",
    "volume": "litros|mililitros",
    "share": " %| puntos porcentuales",
    "points": "puntos porcentuales|%",
    "word": "dieciocho|veintinueve|sesenta",
    "code": "ZR-4100|GX-2600",
}
_BOUNDS: dict[str, tuple[str, str]] = {
    "bound": ("hasta|como máximo|no más de", "al menos|más de|como mínimo"),
    "bound_en": ("up to|at most", "at least|more than"),
    "bound_pt": ("até|no máximo", "pelo menos|mais de"),
}
_SAME_KIND = ({"laborables", "hábiles"},)
STRANGERS = ("Wolfgang", "Marbella", "Kessler")
ADDED = (
    "{} y admite 437 plazas.",
    "{}, según Wolfgang Kessler.",
    "{} e incluye 613 euros de bonificación.",
    "{} desde el 9 de agosto de 2031.",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Edit:
    """A true sentence, where it stands, and what was made of it."""

    kind: str
    truth: str
    place: str
    text: str


def plain_text(marked: str) -> str:
    return _SLOT.sub(lambda slot: slot[2], marked)


def other_digits(value: str) -> Iterator[str]:
    """The same notation with another first digit, or another length."""
    first = int(value[0])
    for shift in (3, 5):
        yield f"{(first + shift - 1) % 9 + 1}{value[1:]}"
    yield f"{value}7"


def other_dates(kind: str, value: str) -> Iterator[str]:
    day = re.sub(r"\b(\d{1,2})\b(?=\D*$|\D+\d{4}$)", lambda m: str(int(m[1]) % 27 + 2), value, count=1)
    year = re.sub(r"\d{4}", lambda m: str(int(m[0]) + 3), value)
    yield from {day, year} - {value}
    for month in _MONTHS[kind].split():
        if re.search(r"[a-z]{3}", value):
            known = r"(?<=de )[a-z]+(?= de)" if kind != "date_en" else r"^\w+"
            yield re.sub(known, month, value)


def other_values(kind: str, value: str) -> Iterator[str]:
    if kind in ("figure", "clock"):
        yield from other_digits(value) if kind == "figure" else other_times(value)
    elif kind in _MONTHS:
        yield from other_dates(kind, value)
    elif kind == "name":
        yield from (value.replace(value.split()[-1], stranger) for stranger in STRANGERS)
    elif kind in _BOUNDS:
        upper, lower = _BOUNDS[kind]
        yield from (lower if value in upper.split("|") else upper).split("|")
    else:
        alike = next((same for same in _SAME_KIND if value in same), {value})
        yield from (other for other in _OTHERS[kind].split("|") if other not in alike)


def other_times(value: str) -> Iterator[str]:
    hour, minutes = value.split(":")
    yield f"{int(hour) + 1}:{minutes}"
    yield f"{hour}:{(int(minutes) + 25) % 60:02}"


def edits() -> Iterator[Edit]:
    for place, sentences in DOCUMENTS.items():
        for marked in sentences:
            truth = plain_text(marked)
            for slot in _SLOT.finditer(marked):
                for other in other_values(slot[1], slot[2]):
                    text = plain_text(marked[: slot.start()] + other + marked[slot.end() :])
                    yield Edit(kind=slot[1].split("_")[0], truth=truth, place=place, text=text)
            for added in ADDED:
                text = added.format(truth.rstrip("."))
                yield Edit(kind="invented", truth=truth, place=place, text=text)
    yield from other_columns()


def other_columns() -> Iterator[Edit]:
    for row in ROWS:
        cells = [cell.split(": ") for cell in re.split(r"; | \| ", row)]
        for label, _ in cells:
            for other, value in cells:
                if other != label:
                    text = f"La cifra de {label} es {value}."
                    yield Edit(kind="column", truth=row, place="Cuadro", text=text)


EDITS = list(edits())
KINDS = sorted({edit.kind for edit in EDITS})


def test_there_are_enough_edits_and_none_is_true() -> None:
    assert len({edit.text for edit in EDITS}) >= 200
    assert len(KINDS) >= 14
    assert all(edit.text != edit.truth for edit in EDITS)


@pytest.mark.parametrize("kind", KINDS)
async def test_an_edit_is_held_back_though_the_judge_believes_it(kind: str) -> None:
    passed = [
        edit
        for edit in EDITS
        if edit.kind == kind
        and (await wrongly_judged(edit.text, [edit.truth], place=[edit.place])).held_back is None
    ]
    assert passed == []


@pytest.mark.parametrize("place", DOCUMENTS)
async def test_the_sentences_as_they_stand_get_through(place: str) -> None:
    for marked in DOCUMENTS[place]:
        truth = plain_text(marked)
        await gets_through(truth, truth, place=place)


# --- true sentences ------------------------------------------------------------------------------------------------

PARAPHRASES: dict[str, tuple[str, ...]] = {
    "La cuota del Plan Medio es de 25 euros al mes.": (
        "El Plan Medio cuesta 25 € mensuales.",
        "Cada mes se pagan veinticinco euros por el Plan Medio.",
        "The Plan Medio costs 25 euros a month.",
        "O Plan Medio custa vinte e cinco euros por mês.",
        "Sí, son 25 €.",
        "25 euros.",
        "Por el Plan Medio se abonan 25,00 euros cada mes.",
        "It costs twenty-five euros per month.",
    ),
    "El alquiler asciende a $38,000 mensuales.": (
        "Son 38.000 pesos al mes.",
        "Se pagan 38 000 dólares cada mes.",
        "El alquiler mensual es de treinta y ocho mil.",
        "Rent is $38,000 a month.",
        "Son 38 mil pesos mensuales.",
    ),
    "El presupuesto total es de 6,500,000 pesos.": (
        "Hay 6.5 millones de pesos.",
        "Se dispone de 6,5 millones.",
        "The budget is 6.5 million pesos.",
        "El presupuesto suma 6.500.000 pesos.",
    ),
    "El plazo de reclamación es de 10 días hábiles.": (
        "Tiene diez días laborables para reclamar.",
        "Claims take 10 business days.",
        "O prazo é de 10 dias úteis.",
        "Hay 10 días para reclamar.",
        "You have 10 working days.",
        "Dispone de un plazo de 10 días laborables.",
    ),
    "La sala admite hasta 80 personas.": (
        "Caben como máximo ochenta personas.",
        "El aforo es de 80 personas.",
        "Entran a lo sumo 80 personas.",
        "The room holds at most 80 people.",
        "A sala recebe até oitenta pessoas.",
        "El límite de 80 personas no se supera.",
    ),
    "El préstamo exige al menos 18 meses de antigüedad.": (
        "Hace falta un mínimo de 18 meses.",
        "Se piden dieciocho meses como requisito.",
        "You need at least eighteen months.",
        "São precisos pelo menos 18 meses.",
        "Hace falta por lo menos año y medio, 18 meses.",
    ),
    "La garantía dura 24 meses.": (
        "La garantía es de dos años.",
        "The warranty lasts two years.",
        "A garantia dura 2 anos.",
        "Tiene 24 meses de garantía.",
    ),
    "El aviso se da con 48 horas de antelación.": (
        "Avise dos días antes.",
        "Give two days' notice.",
        "Avise com 48 horas.",
        "Son cuarenta y ocho horas.",
    ),
    "La junta se celebró el 12 de mayo de 2025 en Ávila.": (
        "Fue el 12/05/2025.",
        "It took place on May 12, 2025 in Ávila.",
        "Se reunieron en Avila en mayo de 2025.",
        "Foi em 12 de maio de 2025.",
        "La fecha es 2025-05-12.",
        "En 2025 se celebró una junta en Ávila.",
        "Se celebró el doce de mayo.",
    ),
    "La presidenta Ana Belmonte presentó el informe ante 36 socios.": (
        "El informe lo presentó Ana Belmonte.",
        "Belmonte expuso el informe a treinta y seis socios.",
        "Ana Belmonte, presidenta, presentó un informe.",
        "The report was presented by Ana Belmonte.",
        "Había 36 socios cuando habló la Presidenta.",
    ),
    "El recargo es del 7 % y sube 2 puntos al año.": (
        "Se aplica un siete por ciento.",
        "The surcharge is 7 percent.",
        "O acréscimo é de 7 %.",
        "Aumenta dos puntos cada año.",
        "Primero es del 7 % y luego del 9 %.",
    ),
    "La biblioteca abre a las 9:15 y cierra a las 20:45.": (
        "Abre a las 9:15.",
        "Cierra a las 8:45 de la tarde.",
        "It closes at 20:45.",
        "El horario es de 9.15 h a 20.45 h.",
    ),
    "El museo abre a las 10:00 y cierra a las 18:00.": (
        "Abre a las diez.",
        "Cierra a las seis de la tarde.",
        "It opens at 10 and closes at 18:00.",
        "Está abierto ocho horas.",
        "Fecha às 6 da tarde.",
    ),
    "La bomba GX-2500 pesa 57 kg y el motor TR-88 pesa 43 kg.": (
        "Juntos pesan 100 kilos.",
        "El TR-88 es 14 kg más ligero.",
        "La GX-2500 pesa cincuenta y siete kilos.",
        "The GX-2500 weighs 57 kilograms.",
        "O TR-88 pesa 43 quilos.",
    ),
    "Norte: 30; Sur: 45; Centro: 25": (
        "En el Norte son 30.",
        "El Sur tiene 45 y el Centro 25.",
        "Entre los tres suman 100.",
        "El Sur supera al Norte en 15.",
        "The highest figure is 45.",
    ),
    "Votaron 30 de los 40 socios.": (
        "Votó el 75 %.",
        "Faltaron 10 socios.",
        "Only 30 of the 40 members voted.",
        "Votaram trinta sócios.",
        "El 25 % no votó.",
    ),
    "El precio pasó de 80 a 100 euros.": (
        "Subió un 25 %.",
        "Aumentó 20 euros.",
        "The price is now 100 euros.",
        "Antes costaba ochenta euros.",
        "Passou de oitenta para cem euros.",
    ),
    "Los menores de 12 años no pagan.": (
        "Es gratis para niños de menos de 12 años.",
        "Children under 12 do not pay.",
        "Menores de doce años: gratis.",
        "Crianças menores de 12 anos não pagam.",
    ),
    "Refunds take 5 working days and cost £12.": (
        "Los reembolsos tardan cinco días hábiles.",
        "El reembolso cuesta 12 libras esterlinas.",
        "Cuesta £12 y tarda 5 días laborables.",
        "O reembolso demora 5 dias úteis.",
    ),
    "A mensalidade é de R$ 49 até 31 de dezembro de 2026.": (
        "La mensualidad es de 49 reales.",
        "Vale hasta el 31 de diciembre de 2026.",
        "It costs 49 reais until December 31, 2026.",
        "Custa quarenta e nove reais.",
    ),
    "El curso consta de tres módulos de 40 horas.": (
        "Son 120 horas en total.",
        "Hay 3 módulos.",
        "Each of the three modules takes 40 hours.",
        "Cada módulo dura cuarenta horas.",
    ),
    "Está prohibido fumar en la planta 3.": (
        "No se puede fumar en la planta tres.",
        "Smoking is forbidden on floor 3.",
        "En la tercera planta no se fuma.",
        "Fumar no está permitido ahí.",
    ),
}


def test_there_are_enough_paraphrases() -> None:
    assert sum(map(len, PARAPHRASES.values())) >= 100


@pytest.mark.parametrize("truth", PARAPHRASES)
async def test_the_same_in_other_words_gets_through(truth: str) -> None:
    held = [
        (text, checked.held_back.reason)
        for text in PARAPHRASES[truth]
        if (checked := await wrongly_judged(text, [truth])).held_back
    ]
    assert held == []


@pytest.mark.parametrize(
    ("text", "place", "question"),
    [
        ("En 2026 el Plan Medio cuesta 25 €.", "Tarifas 2026 › Plan Medio", "¿Cuánto cuesta?"),
        ("Según las Tarifas 2026, son 25 €.", "Tarifas 2026 › Plan Medio", "¿Cuánto cuesta?"),
        ("Sí, Lucía: con 3 hijos son 25 €.", "Tarifas", "Soy Lucía y tengo 3 hijos, ¿cuánto es?"),
        ("El 1 de enero de 2026 cuesta 25 €.", "Tarifas a 1 de enero de 2026", "¿Cuánto cuesta?"),
    ],
)
async def test_what_stands_in_the_place_or_the_question_gets_through(
    text: str, place: str, question: str
) -> None:
    await gets_through(text, "Cuesta 25 euros al mes.", place=place, question=question)


async def gets_through(text: str, truth: str, *, place: str, question: str = "¿Qué se sabe?") -> Checked:
    checked = await wrongly_judged(text, [truth], place=[place], question=question)
    assert checked.held_back is None
    assert checked.proof is not None
    assert checked.proof.verdict == "supported"
    return checked


# --- a model that hides what it makes up: the judge believes it, code does not --------------------------------------


@pytest.mark.parametrize(
    "hides",
    [
        "El plan Medio cuesta 25 euros. Ver www.estafa.example, dice Boris Karloff.",
        "**Cuesta 99 euros.**",
        "¿Sabías que cuesta 99 euros?",
        "Cuesta (99 euros) al mes.",
        "«Cuesta 99 euros», dice la guía.",
        "Cuesta noventa y nueve euros.",
        "Cuesta ９９ euros.",
        "Cuesta 0,25 euros.",
        "Cuesta 25 mil euros.",
        "Cuesta -25 euros.",
        "Cuesta 25.000 euros.",
        "Cuesta 25 € anuales.",
    ],
)
async def test_a_false_figure_is_seen_however_it_is_dressed(hides: str) -> None:
    checked = await wrongly_judged(hides, ["La cuota del plan Medio es de 25 euros al mes."])
    assert checked.held_back is not None
