"""Forgotten words are recognised where they are repeated, and everybody's words are left alone."""

import pytest

from veraz.forgetting.fingerprint import Fingerprint, Sign, Source, fingerprint, redacted

SECRET = (
    "El contrato ZX-77319 de Trasmundia Velorcia cuesta 1.250.300 euros al año. "
    "La garantía cubre dos años y el manual explica cómo abrir la caja."
)


@pytest.fixture(scope="module")
def forgotten() -> Fingerprint:
    return fingerprint([Source(text=SECRET)])


@pytest.mark.parametrize(
    "text",
    [
        "¿Qué es el ZX-77319?",
        "zx77319, ¿no? o ZX 77319",
        "Velorcia",
        "archivo velorcia.pdf",
        "https://a.test/#:~:text=Trasmundia%20Velorcia",
        "Son 1.250.300 €",
        "dice que la garantía cubre dos años y el manual explica",
        "LA GARANTIA CUBRE DOS AÑOS, Y EL MANUAL EXPLICA todo",
    ],
)
def test_what_repeats_it_is_seen(forgotten: Fingerprint, text: str) -> None:
    found = forgotten.signs(text)
    assert found
    assert all(sign.stands_in(text) for sign in found)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "¿Cuánto dura la garantía?",
        "¿Dónde está el manual de la caja?",
        "El contrato cuesta 30 euros al año.",
        "¿Qué pasó en 2024?",
        "La garantía y el manual de dos años",
    ],
)
def test_what_only_speaks_the_same_language_is_not(forgotten: Fingerprint, text: str) -> None:
    assert not forgotten.signs(text)


def test_of_what_stands_on_something_else_only_a_telling_word_counts(forgotten: Fingerprint) -> None:
    run = "la garantía cubre dos años y el manual"
    assert not forgotten.signs(run, words_only=True)
    assert forgotten.signs(f"{run} de Velorcia", words_only=True) == {Sign("word", ("velorcia",))}


@pytest.mark.parametrize(
    ("name", "text", "says"),
    [
        ("Despido secreto de Rosa.md", "¿Qué hay del despido, tan secreto, de Rosa?", True),
        ("Despido secreto de Rosa.md", "¿Hubo algún despido este año?", False),
        ("Despido Rosa.docx", "¿Cuándo es el despido de Rosa?", True),
        ("Despido Rosa.docx", "Rosa no sabe nada del despido de Juan", False),
        ("plan-2024.pdf", "¿Qué dice el plan 2024?", True),
        ("plan-2024.pdf", "¿Qué plan tenían antes de 2024?", False),
        ("Manual.pdf", "¿Dónde está el manual?", False),
    ],
)
def test_a_name_of_everyday_words_is_known_by_all_of_them(name: str, text: str, says: bool) -> None:
    called = fingerprint([Source(text=name, what="name")])
    assert bool(called.signs(text)) is says
    assert all(sign.stands_in(text) for sign in called.signs(text))


def test_a_word_of_another_language_of_the_house_tells_nothing() -> None:
    catalan = "Els abonats poden entrar gratuïtament al matí"
    assert fingerprint([Source(text=catalan, language="ca")]).signs("Obre al matí?") == set()
    assert fingerprint([Source(text=catalan)], ["ca"]).signs("Obre al matí?") == set()


def test_where_there_is_no_dictionary_a_word_needs_a_figure() -> None:
    basque = Source(text="Liburutegiak hamabost egunez uzten ditu ZX-77319 liburuak", language="eu")
    assert fingerprint([basque]).signs("Noiz itzuli behar ditut liburuak?") == set()
    assert fingerprint([basque]).signs("ZX-77319?")


def test_what_was_typed_is_known_only_as_a_whole() -> None:
    forgotten = fingerprint([Source(text="¿Puedo pagar con Bizum?", what="typed")])
    assert forgotten.was_typed("¿PUEDO pagar con bizum?")
    assert forgotten.was_typed("Ahora fallan preguntas (1): «¿Puedo pagar con Bizum?».")
    assert not forgotten.was_typed("¿Puedo pagar con Bizum en la tienda?")
    assert not forgotten.signs("¿Puedo pagar con Bizum?")


def test_json_keeps_its_shape_and_loses_only_what_repeats_it(forgotten: Fingerprint) -> None:
    value = {"a": ["Velorcia", "otra cosa", 3, None], "velorcia": {"b": "ZX-77319"}, "c": True}
    kept = redacted(value, lambda text: bool(forgotten.signs(text)), "[olvidado]")
    assert kept == {"a": ["[olvidado]", "otra cosa", 3, None], "[olvidado]": {"b": "[olvidado]"}, "c": True}
