"""A corrected text laid over the one it was made of."""

import random

import pytest

from veraz.text.alignment import align

OLD = "Horario\n\nAbre a las nueve de la mañana.\n\nCuotas\n\nLa cuota es de 30 euros."


def places(text: str, *stretches: str) -> list[tuple[int, int]]:
    return [(text.index(one), text.index(one) + len(one)) for one in stretches]


def test_what_is_the_same_has_its_exact_place_on_both_sides_of_a_change() -> None:
    new = OLD.replace("nueve", "diez y media")
    laid = align(OLD, new)
    for kept in ("Horario", "Abre a las", "mañana.", "Cuotas", "cuota es de 30"):
        assert laid.original(*places(new, kept)[0]) == places(OLD, kept)[0]
        assert laid.corrected(*places(OLD, kept)[0]) == places(new, kept)[0]
        assert not laid.changes(*places(OLD, kept)[0])


def test_a_changed_stretch_has_the_place_of_what_stood_there() -> None:
    new = OLD.replace("nueve", "diez y media")
    laid = align(OLD, new)
    assert laid.original(*places(new, "y media")[0]) == places(OLD, "nueve")[0]
    assert laid.corrected(*places(OLD, "nueve")[0]) == places(new, "diez y media")[0]
    assert laid.changes(*places(OLD, "Abre a las nueve")[0])


def test_new_words_part_what_was_there_and_belong_to_the_span_before() -> None:
    new = OLD.replace("mañana.\n\n", "mañana.\n\nLos lunes cierra.\n\n")
    laid = align(OLD, new)
    spans = places(OLD, "Horario", "Abre a las nueve de la mañana.", "Cuotas")
    carried = [new[a:b] for a, b in laid.carry(spans, last_choice=(0, 2))]
    assert carried == ["Horario", "Abre a las nueve de la mañana.\n\nLos lunes cierra.", "Cuotas"]
    assert not laid.changes(*spans[1]) and not laid.changes(*spans[2])
    assert new[slice(*laid.corrected(*laid.original(*places(new, "lunes")[0])))] == "Los lunes cierra."


def test_new_words_below_a_heading_belong_to_its_paragraph() -> None:
    new = OLD.replace("Cuotas\n\n", "Cuotas\n\nAviso nuevo. ")
    carried = align(OLD, new).carry(places(OLD, "Cuotas", "La cuota es de 30 euros."), last_choice=(0,))
    assert [new[a:b] for a, b in carried] == ["Cuotas", "Aviso nuevo. La cuota es de 30 euros."]


def test_new_words_at_the_edges_take_their_neighbour_with_them() -> None:
    new = f"Aviso. {OLD} Nada más."
    laid = align(OLD, new)
    assert laid.original(0, 6) == (0, 7)
    assert OLD[slice(*laid.original(len(new) - 4, len(new)))] == "euros."
    assert new[slice(*laid.corrected(0, len(OLD)))] == new


def test_words_left_out_leave_nothing_and_other_blanks_are_no_change() -> None:
    new = OLD.replace(" de la mañana.", ".").replace("\n\n", "\n")
    laid = align(OLD, new)
    gone = OLD.replace(" de la mañana", "")
    assert (
        gone[slice(*align(OLD, gone).corrected(*places(OLD, "Abre a las nueve de la")[0]))]
        == "Abre a las nueve"
    )
    assert not laid.changes(*places(OLD, "Cuotas\n\nLa cuota")[0])
    assert new[slice(*laid.corrected(*places(OLD, "Cuotas\n\nLa cuota")[0]))] == "Cuotas\nLa cuota"


def test_signs_around_a_changed_word_stay_where_they_are() -> None:
    old, new = "Pieza: (3); Precio: 30.", "Pieza: (tres); Precio: 33."
    changed = [one for one in align(old, new).stretches if not one.same]
    assert [(old[one.start : one.end], new[one.at : one.until]) for one in changed] == [
        ("3", "tres"),
        ("30", "33"),
    ]


@pytest.mark.parametrize("seed", range(40))
def test_whatever_is_changed_there_and_back_holds_the_same_words(seed: int) -> None:
    chance = random.Random(seed)
    old = " ".join(chance.choices("abcdefgh", k=60))
    words = old.split()
    for _ in range(chance.randint(1, 12)):
        at = chance.randrange(len(words))
        words[at : at + chance.randint(0, 3)] = chance.choices("aexyz", k=chance.randint(0, 3))
    new = chance.choice([" ", "\n", "  "]).join(words) or "x"
    laid = align(old, new)
    assert [s.start for s in laid.stretches] == sorted(s.start for s in laid.stretches)
    assert all(s.start < s.end for s in laid.stretches)
    for one in laid.stretches:
        assert not one.same or old[one.start : one.end] == new[one.at : one.until]
    covered = "".join(new[s.at : s.until] for s in laid.stretches)
    assert "".join(covered.split()) == "".join(new.split())
    for _ in range(30):
        start = chance.randrange(len(new))
        end = min(len(new), start + chance.randint(1, 20))
        where = laid.original(start, end)
        said = laid.corrected(*where)
        if new[start:end].strip():
            assert new[start:end].strip() in new[slice(*said)]
