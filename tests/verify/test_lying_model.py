"""A scripted model that invents figures, cites missing or wrong chunks, or none: nothing unsupported is ever shown."""

import random
from dataclasses import dataclass
from uuid import uuid4

import pytest
from veraz.verify.verify import verify

from veraz.answer.reading import Source
from veraz.text.plain import plain

THINGS = [
    "bomba",
    "caldera",
    "válvula",
    "turbina",
    "grúa",
    "prensa",
    "cinta",
    "sierra",
    "soldadora",
    "fresadora",
]
PEOPLE = [
    "Ana García",
    "Luis Pérez",
    "Marta Ruiz",
    "Pedro Salas",
    "Nuria Vidal",
    "Hugo Castro",
    "Elena Mora",
    "Iván Solís",
]
CITIES = ["Lugo", "Sevilla", "Bilbao", "Cádiz", "Murcia", "Gijón", "Huelva", "Soria", "Teruel", "Ávila"]
MONTHS = ["enero", "marzo", "mayo", "julio", "octubre", "diciembre"]


@dataclass(frozen=True, slots=True, kw_only=True)
class World:
    """Passages and the true sentences in each."""

    sources: list[Source]
    truths: dict[int, list[str]]


def world(seed: int) -> World:
    dice = random.Random(seed)
    things, people, cities = dice.sample(THINGS, 8), dice.sample(PEOPLE, 8), dice.sample(CITIES, 8)
    truths: dict[int, list[str]] = {}
    for number in range(1, 5):
        mine = range(2 * number - 2, 2 * number)
        truths[number] = [
            sentence
            for i in mine
            for sentence in (
                f"La {things[i]} de {cities[i]} pesa {dice.randint(2, 9)}.{dice.randint(100, 999)} kg.",
                f"{people[i]} dirige el taller de {cities[i]} desde el {dice.randint(1, 28)} de {dice.choice(MONTHS)} de {dice.randint(1990, 2023)}.",
                f"El seguro de la {things[i]} cubre el {dice.randint(10, 95)} % de los daños.",
            )
        ]
    sources = [Source(number=n, chunk_id=uuid4(), text=" ".join(s)) for n, s in truths.items()]
    return World(sources=sources, truths=truths)


def lie(world: World, dice: random.Random) -> str:
    """One sentence of an answer, true or not, with a citation that is right, wrong, missing or absent."""
    number = dice.choice(list(world.truths))
    sentence = dice.choice(world.truths[number])
    kind = dice.choice(["true", "figure", "swap", "name", "place", "denied", "added"])
    if kind == "figure":
        sentence = "".join(str((int(c) + dice.randint(1, 8)) % 9 + 1) if c.isdigit() else c for c in sentence)
    elif kind == "swap":
        other = dice.choice(world.truths[dice.choice(list(world.truths))])
        sentence = " ".join(sentence.split()[:4] + other.split()[4:])
    elif kind == "name":
        sentence = sentence.replace(sentence.split()[0], dice.choice(["Carmen", "Madrid", "Wolfgang"]), 1)
    elif kind == "place":
        sentence = next((sentence.replace(c, dice.choice(CITIES)) for c in CITIES if c in sentence), sentence)
    elif kind == "denied":
        sentence = (
            sentence.replace(" pesa", " no pesa")
            .replace(" dirige", " nunca dirige")
            .replace(" cubre", " no cubre")
        )
    elif kind == "added":
        sentence = sentence.rstrip(".") + dice.choice(
            [" y es gratis.", ", según Europa.", " e incluye 24 revisiones.", " sin ningún coste."]
        )
    cited = dice.choice(
        [
            f" [Chunk {number}]",
            f" [Chunk {dice.randint(1, 4)}]",
            f" [Chunk {dice.randint(5, 99)}]",
            "",
            f" [{number}]",
        ]
    )
    return sentence.rstrip(".") + cited + "."


@pytest.mark.parametrize("seed", range(200))
async def test_no_unsupported_claim_is_shown(seed: int) -> None:
    dice = random.Random(seed + 10_000)
    here = world(seed)
    draft = " ".join(lie(here, dice) for _ in range(dice.randint(1, 6)))
    verdict = await verify(draft, here.sources, question="¿Qué se sabe del taller?", language="es")
    for claim in verdict.claims:
        assert claim.numbers
        true_here = {plain(truth).rstrip(".") for number in claim.numbers for truth in here.truths[number]}
        assert plain(claim.text).rstrip(".") in true_here, (claim, draft)
    for text in (claim.text.rstrip(".") for claim in verdict.claims):
        assert text in verdict.text


@pytest.mark.parametrize("seed", range(20))
async def test_true_claims_survive_whatever_they_cite(seed: int) -> None:
    dice = random.Random(seed)
    here = world(seed)
    picked = [(n, dice.choice(truths)) for n, truths in here.truths.items()]
    draft = " ".join(f"{s.rstrip('.')} [Chunk {dice.choice([n, 77, 1 + n % 4])}]." for n, s in picked)
    verdict = await verify(draft, here.sources, question="¿Qué se sabe?", language="es")
    assert [claim.numbers for claim in verdict.claims] == [(n,) for n, _ in picked]
    assert not verdict.removed
