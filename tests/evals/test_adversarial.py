"""Questions made unanswerable: every edit leaves a question that its paragraph does not answer, the same at every run."""

from veraz.evals.adversarial import cases
from veraz.evals.datasets import Dataset, Item

PARAGRAPHS = (
    "El gimnasio Norte abrió en 1998 bajo la dirección de Ana García. La cuota máxima del gimnasio Norte es de 30 euros. Pedro Ruiz cuida la piscina.",
    "El museo del Prado guarda cuadros de Velázquez y de Goya.",
)
ITEM = Item(
    id="1",
    question="¿Cuánto es la cuota máxima del gimnasio Norte desde 1998?",
    paragraph=0,
    article=0,
    answers=("30 euros",),
    answerable=True,
)
DATASET = Dataset(paragraphs=PARAGRAPHS, articles=(0, 0), items=(ITEM,))


def test_every_edit_changes_the_question_or_takes_the_answer_away() -> None:
    made = {case.edit: case for case in cases(DATASET, "es")}
    assert {"none", "name", "distant_name", "figure", "contrary", "sentence", "article"} <= set(made)
    assert made["none"].question == ITEM.question
    assert made["none"].answerable
    assert "Norte" not in made["name"].question
    assert any(name in made["distant_name"].question for name in ("Prado", "Velázquez", "Goya"))
    assert "1998" not in made["figure"].question
    assert "minim" in made["contrary"].question
    assert "30 euros" not in (made["sentence"].text or "")
    assert made["article"].text is None
    for edit in ("name", "distant_name", "figure", "contrary"):
        assert made[edit].question != ITEM.question
        assert "30" not in made[edit].question
        assert not made[edit].answerable


def test_the_same_seed_makes_the_same_questions() -> None:
    assert cases(DATASET, "es") == cases(DATASET, "es")
    assert all(case.answerable for case in cases(DATASET, "es") if case.edit == "none")
