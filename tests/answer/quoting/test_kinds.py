"""The kind of thing a question asks for, and whether a text holds it."""

import pytest

from veraz.answer.quoting.kinds import asked_kinds, has_figure, holds


@pytest.mark.parametrize(
    ("question", "value"),
    [
        ("¿Cuánto cuesta la cuota?", "money"),
        ("¿Qué precio tiene?", "money"),
        ("How much is it?", "money"),
        ("¿A qué hora abren?", "clock"),
        ("¿Cuándo empieza el curso?", "date"),
        ("¿Cuánto tarda el envío?", "duration"),
        ("¿Qué porcentaje se descuenta?", "percent"),
        ("¿Quién dirige el gimnasio?", "name"),
        ("¿Cuál es el teléfono de recepción?", "contact"),
    ],
)
def test_a_question_says_what_kind_of_thing_it_asks_for(question: str, value: str) -> None:
    assert value in [kind.value for kind in asked_kinds(question)]


def test_a_question_about_how_asks_for_a_way() -> None:
    assert "way" in [kind.name for kind in asked_kinds("¿Cómo me doy de baja?")]


def test_often_no_kind_is_said() -> None:
    assert asked_kinds("¿Incluye la piscina?") == ()


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("La cuota es de 30 euros.", "money"),
        ("Son $1,200 al mes.", "money"),
        ("Abre a las 9:30.", "clock"),
        ("De 8 a 14 hs.", "clock"),
        ("Empieza el 3 de marzo de 2026.", "date"),
        ("Cierra los domingos.", "date"),
        ("Tarda tres días hábiles.", "duration"),
        ("Dura media hora.", "duration"),
        ("Se descuenta el 10 %.", "percent"),
        ("Lo dirige Ana García.", "name"),
        ("Llame al 91 555 12 34.", "contact"),
        ("Escriba a info@acme.es.", "contact"),
        ("Tiene dos camas.", "number"),
    ],
)
def test_a_text_holds_a_thing_of_its_kind(text: str, value: str) -> None:
    assert holds(text, value)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("Tiene 30 plazas.", "money"),
        ("Cuesta 30 euros.", "clock"),
        ("Cuesta 30 euros.", "date"),
        ("Cuesta 30 euros.", "duration"),
        ("Abre a las 9:30.", "percent"),
        ("La dirección es colegiada.", "name"),
        ("Abre a las 9:30.", "contact"),
        ("Una persona le atiende.", "number"),
    ],
)
def test_a_text_does_not_hold_a_thing_of_another_kind(text: str, value: str) -> None:
    assert not holds(text, value)


def test_a_figure_may_be_a_word() -> None:
    assert has_figure("tres plantas")
    assert has_figure("3 plantas")
    assert not has_figure("varias plantas")
