"""Text comes out clean, composed and with its language known."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from veraz import errors
from veraz.ingest.model import Block, Notice, Parsed
from veraz.ingest.parse import wire
from veraz.ingest.parse.clean import clean, tidy
from veraz.ingest.parse.language import guess_language


@given(st.text(st.characters(codec=None)))
def test_clean_text_holds_nothing_invisible_and_stays_clean(text: str) -> None:
    done = clean(text)
    done.encode("utf-8")
    assert unicodedata.is_normalized("NFC", done)
    assert not any(unicodedata.category(letter) in ("Cc", "Cs") and letter not in "\n\t" for letter in done)
    assert clean(done) == done


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        ("nin\u0303o cafe\u0301", "niño café"),
        ("uno\r\ndos\rtres\x0bcuatro", "uno\ndos\ntres\ncuatro"),
        ("a\u00a0b\u2009c", "a b c"),
        ("co\u00adche \u200bsin\ufeff marcas", "coche sin marcas"),
        ("\ud83d\ude00 par \ud83d suelto", "😀 par  suelto"),
        ("visible\U000e0049\U000e0067", "visible"),
        ("\uf0b7 punto", "• punto"),
        ("familia 👨\u200d👩\u200d👧", "familia 👨\u200d👩\u200d👧"),
    ],
)
def test_what_each_mark_becomes(raw: str, expected: str) -> None:
    assert clean(raw) == expected


def test_tidy_text_has_no_blank_edges_or_runs() -> None:
    assert tidy("  uno   dos \n\n  tres\t\n") == "uno dos\ntres"


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("Los empleados tienen derecho a un permiso por cada año de trabajo según el convenio.", "es"),
        ("The employees are entitled to one day of leave for each year that they have worked.", "en"),
        (
            "Os funcionários têm direito a um dia de folga para cada ano que não foi usado, mais as férias.",
            "pt",
        ),
        (
            "Les salariés ont droit à un jour de congé pour chaque année dans une entreprise qui est la leur.",
            "fr",
        ),
        ("Die Mitarbeiter haben für jedes Jahr einen Tag Urlaub und das ist in dem Vertrag geregelt.", "de"),
        (
            "I dipendenti hanno diritto a un giorno di permesso per ogni anno che è stato lavorato nella ditta.",
            "it",
        ),
        ("12345 67890", None),
        ("", None),
    ],
)
def test_the_language_is_heard_in_the_commonest_words(text: str, language: str | None) -> None:
    assert guess_language(text) == language


def test_a_document_survives_the_way_out_of_the_jail() -> None:
    blocks = (
        Block(kind="heading", start=0, end=4, page=1),
        Block(
            kind="table_row",
            start=5,
            end=9,
            part="Hoja 1",
            row=3,
            headers=("Hola", "Año"),
            table_header="A | B",
        ),
    )
    parsed = Parsed(
        text="Hola año.", blocks=blocks, unit="sheet", title="T", notices=(Notice(code="c", en="e", es="ñ"),)
    )
    assert wire.unpack(wire.pack(parsed)) == parsed


def test_an_error_survives_the_way_out_of_the_jail_in_both_languages() -> None:
    phrase = errors.Phrase("100 levels of nesting", es="100 niveles de anidamiento")
    error = wire.unpack_error(wire.pack_error(errors.TooLarge(what="año.json", limit=phrase), "detail"))
    assert type(error) is errors.TooLarge
    assert error.message("es") == "«año.json» es demasiado grande: el límite es 100 niveles de anidamiento."
    assert error.message("en").endswith("the limit is 100 levels of nesting.")
    assert error.__notes__ == ["detail"]
