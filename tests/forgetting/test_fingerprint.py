"""Forgotten words are recognised where they are repeated, and everybody's words are left alone."""

import pytest

from veraz.forgetting.fingerprint import Fingerprint, fingerprint, redacted, telling_candidates

SECRET = (
    "El contrato ZX-77319 de Trasmundia Velorcia cuesta 1.250.300 euros al año. "
    "La garantía cubre dos años y el manual explica cómo abrir la caja."
)


@pytest.fixture(scope="module")
def forgotten() -> Fingerprint:
    return fingerprint([SECRET], telling_candidates([SECRET]))


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
    assert forgotten.marks(text)


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
    assert not forgotten.marks(text)


def test_a_word_that_other_documents_hold_tells_nothing() -> None:
    forgotten = fingerprint(["Velorcia firma"], telling_candidates(["Velorcia firma"]) - {"velorcia"})
    assert not forgotten.marks("¿Quién es Velorcia?")


def test_json_keeps_its_shape_and_loses_only_what_repeats_it(forgotten: Fingerprint) -> None:
    value = {"a": ["Velorcia", "otra cosa", 3, None], "velorcia": {"b": "ZX-77319"}, "c": True}
    kept = redacted(value, forgotten, "[olvidado]")
    assert kept == {"a": ["[olvidado]", "otra cosa", 3, None], "[olvidado]": {"b": "[olvidado]"}, "c": True}
