"""No image, no tag and no address that does not stand in the evidence."""

import pytest

from veraz.verify.links import without_strange_links

EVIDENCE = ("Escriba a https://gym.example/alta o mire www.gym.example.",)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("Vea https://gym.example/alta.", "Vea https://gym.example/alta."),
        ("Vea [el alta](https://gym.example/alta).", "Vea el alta (https://gym.example/alta)."),
        ("Vea [el alta](https://evil.example/a).", "Vea el alta."),
        ("Vea https://evil.example/a ya.", "Vea  ya."),
        ("Vea https://gym.example/alta?q=clave ya.", "Vea  ya."),
        ("Vea https://gym.example/al ya.", "Vea  ya."),
        ("![x](https://gym.example/alta) Hola.", " Hola."),
        ("![x](https://evil.example/?q=1", ""),
        ("Cuesta <img src='https://evil.example'>10 €.", "Cuesta 10 €."),
        ("Si a < b, suba.", "Si a < b, suba."),
        ("javascript:alert(1)", "(1)"),
        ("[1]: https://evil.example\nHola.", "\nHola."),
    ],
)
def test_only_addresses_of_the_evidence_stay(text: str, shown: str) -> None:
    assert without_strange_links(text, EVIDENCE) == shown
