"""From a question and its passages to quotations, or to a refusal that says why."""

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.support.passages import make_hit
    from tests.support.quoting import AGES, PLANS, ROOMS, Quoter, hit_of
else:
    from support.passages import make_hit
    from support.quoting import AGES, PLANS, ROOMS, Quoter, hit_of

OLD = hit_of("# Tarifas\n\nLa entrada general cuesta 8 euros.\n", "tarifas_2023.md")
NEW = hit_of("# Tarifas\n\nLa entrada general cuesta 10 euros.\n", "tarifas_2025.md")


async def test_without_passages_there_is_no_evidence(quoter: Quoter) -> None:
    assert (await quoter.ask("¿Cuánto cuesta?")).reading.refusal == "no_evidence"


async def test_what_is_about_something_else_is_off_topic(quoter: Quoter) -> None:
    asked = await quoter.ask("¿Quién es el presidente de Noruega?", hit_of(PLANS))
    assert (asked.reading.refusal, asked.text) == ("off_topic", "")


async def test_what_the_documents_do_not_say_is_refused(quoter: Quoter) -> None:
    asked = await quoter.ask("¿Hay aparcamiento para motos?", hit_of(PLANS))
    assert asked.reading.refusal in ("not_answered", "off_topic")
    assert asked.text == ""


async def test_several_questions_in_one_each_get_their_quotation(quoter: Quoter) -> None:
    text = (await quoter.ask("¿Cuánto cuesta el Plan Básico y a qué hora abren?", hit_of(PLANS))).text
    assert "20 euros" in text
    assert "7:00 a 22:00" in text
    assert "45 euros" not in text


@pytest.mark.parametrize(
    ("question", "group", "others"),
    [
        ("¿Cuánto cuesta la clase para un niño de 5 años?", "Delfines", ("Tiburones", "Ballenas")),
        ("¿En qué grupo va una niña de 8 años?", "Tiburones", ("Delfines", "Ballenas")),
    ],
)
async def test_a_figure_finds_the_row_of_its_range(
    quoter: Quoter, question: str, group: str, others: tuple[str, ...]
) -> None:
    text = (await quoter.ask(question, hit_of(AGES))).text
    assert group in text
    assert not any(other in text for other in others)


async def test_only_the_current_edition_is_quoted(quoter: Quoter) -> None:
    text = (await quoter.ask("¿Cuánto cuesta la entrada general?", OLD, NEW)).text
    assert "10 euros" in text
    assert "8 euros" not in text


async def test_the_old_edition_is_quoted_when_its_year_is_named(quoter: Quoter) -> None:
    text = (await quoter.ask("¿Cuánto costaba la entrada general en 2023?", OLD, NEW)).text
    assert "8 euros" in text
    assert "10 euros" not in text


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("How much is the Plan Familiar per month?", "«La cuota es de 45 euros al mes. Incluye la piscina.»"),
        ("What time do you open on weekdays?", "«Abrimos de lunes a viernes de 7:00 a 22:00.»"),
    ],
)
async def test_an_english_question_finds_the_spanish_sentence(
    quoter: Quoter, question: str, said: str
) -> None:
    assert said in (await quoter.ask(question, hit_of(PLANS), language="en")).text


async def test_a_spanish_question_finds_the_english_sentence(quoter: Quoter) -> None:
    guide = hit_of("# Gym\n\nThe monthly fee is 30 euros.\n\nLockers need a coin.\n\nThe pool is closed.\n")
    assert "30 euros" in (await quoter.ask("¿Cuánto cuesta la cuota mensual?", guide)).text


async def test_a_summary_is_not_refused_where_the_document_is_found(quoter: Quoter) -> None:
    asked = await quoter.ask("Resume las tarifas del gimnasio", hit_of(PLANS), hit_of(ROOMS, "hotel.md"))
    assert asked.reading.refusal is None
    assert asked.text.count("\n- ") == 4


async def test_a_passage_without_blocks_still_answers(quoter: Quoter) -> None:
    text = "La cuota mensual del gimnasio es de 30 euros. Ana García dirige el gimnasio. Abre a las 9."
    asked = await quoter.ask("¿Cuánto es la cuota mensual del gimnasio?", make_hit(text))
    assert "«La cuota mensual del gimnasio es de 30 euros.» [Chunk 1]" in asked.text
