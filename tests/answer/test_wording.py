"""What the product itself says: refusals, greetings, who it is and what it reads."""

import pytest

from veraz.answer.model import Persona, Refusal
from veraz.answer.turns import Topic
from veraz.answer.wording import conversation_text, headings, listed, phrases, refusal_text

LUNA = Persona(agent="Luna", company="Acme", user_name="María")
REFUSALS: tuple[Refusal, ...] = ("no_evidence", "off_topic", "not_answered", "unsupported", "human")
TOPICS: tuple[Topic, ...] = ("greeting", "thanks", "farewell", "identity", "abilities")


def test_a_refusal_is_said_in_the_readers_language() -> None:
    assert "no tengo" in refusal_text(Persona(agent="Luna"), "off_topic")
    assert "evidence" in refusal_text(Persona(agent="Luna", language="en"), "no_evidence")
    assert refusal_text(Persona(agent="Luna", language="de"), "off_topic") == refusal_text(
        Persona(agent="Luna"), "off_topic"
    )


def test_the_agents_own_words_come_before_ours() -> None:
    own = Persona(agent="Luna", fallback_message="Escriba a info@acme.es.")
    assert refusal_text(own, "not_answered", question="x", near=["Guía"]) == "Escriba a info@acme.es."
    assert refusal_text(own, "human") == refusal_text(Persona(agent="Luna"), "human")


def test_a_hand_over_is_announced() -> None:
    assert refusal_text(LUNA, "off_topic", handoff=True).endswith("conversación.")


def test_what_was_found_near_is_named() -> None:
    text = refusal_text(
        LUNA, "not_answered", question="precio del plan", near=["Guía", "Tarifas › Medio", "C"]
    )
    assert "«precio del plan»" in text
    assert "«Guía» y «Tarifas › Medio»" in text
    assert "«C»" not in text
    assert "«Guía»" not in refusal_text(LUNA, "off_topic", question="x", near=["Guía"])


def test_a_long_question_is_cut_in_a_refusal() -> None:
    assert len(refusal_text(LUNA, "not_answered", question="¿y? " * 500, near=["Guía"])) < 400


@pytest.mark.parametrize("language", ["es", "en", "pt"])
def test_every_language_says_everything(language: str) -> None:
    persona = Persona(agent="Luna", company="Acme", user_name="María", language=language)
    assert len(headings(language)) == 5
    assert all(refusal_text(persona, refusal, question="x", near=["y"]) for refusal in REFUSALS)
    for topic in TOPICS:
        for again in (True, False):
            text = conversation_text(persona, topic, ["Guía"], 1, description="Ayudo.", again=again)
            assert text
            assert "{" not in text
    assert phrases(language)["handoff"]["wanted"]


def test_a_greeting_says_who_speaks_for_whom_and_what_it_reads() -> None:
    text = conversation_text(LUNA, "greeting", ["Guía", "Tarifas"], 2)
    assert text.startswith("¡Hola, María! Soy Luna de Acme.")
    assert "«Guía» y «Tarifas»" in text


def test_a_second_greeting_is_shorter() -> None:
    assert (
        conversation_text(LUNA, "greeting", ["Guía"], 1, again=True)
        == "¡Hola de nuevo, María! ¿En qué puedo ayudar?"
    )


def test_of_many_documents_three_are_named_and_all_counted() -> None:
    text = conversation_text(Persona(agent="Luna"), "identity", ["A", "B", "C", "D"], 40)
    assert "40 documentos" in text
    assert "«A», «B» y «C»" in text
    assert "«D»" not in text


def test_an_agent_without_documents_says_so() -> None:
    assert "Todavía no" in conversation_text(Persona(agent="Luna"), "abilities", [], 0)


def test_what_an_agent_is_for_is_said_with_what_it_can_do() -> None:
    said = conversation_text(LUNA, "abilities", ["Guía"], 1, description=" Ayudo con las tarifas. ")
    assert said.endswith(" Ayudo con las tarifas.")


def test_names_with_braces_do_no_harm() -> None:
    persona = Persona(agent="Luna {x}", company="{0}", user_name="{reads}")
    assert "Luna {x}" in conversation_text(persona, "greeting", ["{titles}"], 1)
    assert "«{question}»" in refusal_text(persona, "not_answered", question="{places}", near=["{question}"])


def test_a_list_reads_as_a_sentence() -> None:
    assert [listed(items, "es") for items in ([], ["a"], ["a", "b"], ["a", "b", "c"])] == [
        "", "a", "a y b", "a, b y c",
    ]  # fmt: skip
