"""Documents read by the real parsers, as the passages that a question finds; and what is quoted of them."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING
from uuid import NAMESPACE_URL, uuid5

from veraz.answer.assemble import Assembly
from veraz.answer.evidence import sources_of
from veraz.answer.model import Persona
from veraz.answer.question import read_question
from veraz.answer.quoting.choose import choose
from veraz.answer.quoting.meanings import Meanings
from veraz.answer.quoting.rank import Asked, Rated, needed_words, rate
from veraz.answer.quoting.read import Reading, read
from veraz.answer.quoting.units import Unit, units_of
from veraz.answer.quoting.write import quotation_pieces
from veraz.answer.writer import Task
from veraz.ingest.parse.base import Source
from veraz.ingest.parse.read import read as parse
from veraz.library.model import AnswerStyle
from veraz.providers.embedding.base import Vectors
from veraz.search.model import Hit
from veraz.verify.model import Checked

if TYPE_CHECKING:
    from tests.support.passages import make_hit
else:
    from support.passages import make_hit


def hit_of(text: str, name: str = "guia.md") -> Hit:
    """A whole document as one passage, with the blocks its parser found."""
    parsed = parse(Source(data=text.encode(), filename=name))
    return make_hit(
        parsed.text,
        document_id=uuid5(NAMESPACE_URL, name),
        document_name=name,
        title=parsed.title,
        blocks=parsed.blocks,
    )


def units(*hits: Hit) -> list[Unit]:
    """What can be quoted of the passages."""
    return units_of(hits, sources_of(hits))


@dataclass(frozen=True, slots=True)
class Quoted:
    """What became of a question."""

    reading: Reading
    pieces: Sequence[Checked]
    text: str
    """What is shown; nothing where the question is refused."""


class Quoter:
    """Asks passages questions with the model of this machine, without a database."""

    def __init__(self, meanings: Meanings) -> None:
        self.meanings = meanings

    async def ask(
        self,
        question: str,
        *hits: Hit,
        style: AnswerStyle = "strict",
        language: str = "es",
        before: str = "",
        all_read: bool = True,
    ) -> Quoted:
        """What is quoted, as the pipeline does it, after what was asked before."""
        sources = sources_of(hits)
        meant = f"{before} {question}".strip()
        task = Task(
            question=question,
            meant=meant,
            persona=Persona(agent="Luna", style=style, language=language),
            hits=hits,
            sources=sources,
            may_search=not all_read,
        )
        found = await read(read_question(meant, language), question, units_of(hits, sources), self.meanings)
        pieces = [] if found.refusal else quotation_pieces(task, found)
        shown = Assembly()
        return Quoted(found, pieces, shown.add(pieces) + shown.close())

    async def vectors(self, question: str, found: Sequence[Unit]) -> dict[str, Vectors]:
        """All that rating the units needs."""
        return await self.meanings.of(
            (question, *(unit.meaning for unit in found), *needed_words(question, found))
        )

    async def rate(
        self, question: str, found: Sequence[Unit]
    ) -> tuple[Asked, list[Rated], dict[str, Vectors]]:
        """The units beside the question, best first."""
        vectors = await self.vectors(question, found)
        return *rate(read_question(question, "es"), found, vectors), vectors

    async def choose(self, question: str, *hits: Hit) -> list[list[str]]:
        """The texts of each quotation that is chosen, whether or not they answer."""
        asked, rated, vectors = await self.rate(question, units(*hits))
        return [[unit.text for unit in one.units] for one in choose(asked, rated, vectors)]


PLANS = """# Tarifas del gimnasio

## Plan Básico

La cuota es de 20 euros al mes. Incluye la sala de máquinas.

## Plan Familiar

La cuota es de 45 euros al mes. Incluye la piscina.

## Baja

Para darse de baja siga estos pasos:

1. Rellene el formulario de baja.
2. Entréguelo en recepción antes del día 20.
3. Devuelva la tarjeta de acceso.

## Horario

Abrimos de lunes a viernes de 7:00 a 22:00.
"""
ROOMS = """# Habitaciones

| Habitación | Precio | Camas | Vista | Planta |
|---|---|---|---|---|
| Doble estándar | 80 € | 2 | Patio | 1 |
| Suite Mar | 150 € | 1 | Mar | 4 |
| Individual | 55 € | 1 | Calle | 2 |
"""
AGES = """# Clases de natación

| Edad | Grupo | Precio |
|---|---|---|
| 4 a 6 años | Delfines | 30 € |
| 7 a 10 años | Tiburones | 35 € |
| más de 10 años | Ballenas | 40 € |
"""
