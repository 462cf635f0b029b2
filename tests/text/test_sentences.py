"""Where sentences start and end."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from veraz.text.sentences import sentence_spans, sentences


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("El Sr. López pagó. La Dra. Ruiz no.", ["El Sr. López pagó.", "La Dra. Ruiz no."]),
        ("Véase el Art. 5 y el núm. 3. Luego siga.", ["Véase el Art. 5 y el núm. 3.", "Luego siga."]),
        ("Cuesta 3.5 millones. Es caro.", ["Cuesta 3.5 millones.", "Es caro."]),
        ("¿Quién vino? ¡Nadie! Eso dijo.", ["¿Quién vino?", "¡Nadie!", "Eso dijo."]),
        ("J. R. R. Tolkien escribió. Fin.", ["J. R. R. Tolkien escribió.", "Fin."]),
        ("Frutas, e.g. Apples, help. Good.", ["Frutas, e.g. Apples, help.", "Good."]),
        ("—¿Vienes? preguntó ella. Sí.", ["—¿Vienes? preguntó ella.", "Sí."]),
        ("Es del 14,71 % E.A. (1,15 % mensual). Sube.", ["Es del 14,71 % E.A. (1,15 % mensual).", "Sube."]),
        ("Vive en EE. UU. desde ayer.", ["Vive en EE. UU. desde ayer."]),
        ("1. Introducción general. Sigue.", ["1. Introducción general.", "Sigue."]),
        ("Dijo: «Vete.» Y se fue.", ["Dijo: «Vete.»", "Y se fue."]),
        ("Un párrafo\n\notro párrafo", ["Un párrafo", "otro párrafo"]),
        ("Lista\n- uno\n- dos", ["Lista", "- uno", "- dos"]),
        ("Una línea partida\nen dos. Otra.", ["Una línea partida\nen dos.", "Otra."]),
        ("   ", []),
    ],
)
def test_a_sentence_ends_where_a_reader_would_end_it(text: str, expected: list[str]) -> None:
    assert sentences(text) == expected


@given(st.text(alphabet="ab .?!¿«»\n1SrA", max_size=200))
def test_sentences_lose_nothing_and_never_overlap(text: str) -> None:
    spans = sentence_spans(text)
    assert "".join("".join(text[a:b].split()) for a, b in spans) == "".join(text.split())
    assert all(b <= c for (_, b), (c, _) in pairwise(spans))
    assert all(text[a:b] == text[a:b].strip() != "" for a, b in spans)
