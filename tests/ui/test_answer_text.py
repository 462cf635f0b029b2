"""Answers become HTML that can do nothing but be read."""

from uuid import UUID

from veraz.answer.model import Claim
from veraz.ui.answer_text import answer_html, with_sources

ONE, TWO = UUID(int=1), UUID(int=2)
NUMBERS = {ONE: 1, TWO: 2}


def claim(text: str, *ids: UUID) -> Claim:
    return Claim(text=text, chunk_ids=ids, verdict="supported")


def test_a_claim_points_at_the_passages_that_prove_it() -> None:
    text = "El plazo es de **30 días** [Chunk 1]. Gracias."
    markup = answer_html(text, [claim("El plazo es de **30 días**", ONE, TWO)], NUMBERS, anchor="p")
    assert 'data-proof="p-1 p-2"' in markup
    assert "<sup>1</sup><sup>2</sup>" in markup
    assert "<strong>30 días</strong>" in markup
    assert "Chunk" not in markup


def test_the_full_stop_after_a_citation_belongs_to_the_claim() -> None:
    text = "Tarda 48 horas [Chunk 1]. A Canarias, 8 días [Chunk 2]."
    claims = [claim("Tarda 48 horas.", ONE), claim("A Canarias, 8 días.", TWO)]
    markup = answer_html(text, claims, NUMBERS, anchor="p")
    assert markup.count('class="claim"') == 2
    assert "Tarda 48 horas.<sup>1</sup>" in markup


def test_a_claim_that_is_not_in_the_text_changes_nothing() -> None:
    assert "claim" not in answer_html("Otra cosa.", [claim("No está aquí", ONE)], NUMBERS, anchor="p")


def test_markup_scripts_images_and_odd_links_do_not_survive() -> None:
    text = (
        "<script>alert(1)</script> <img src=x onerror=alert(1)> ![x](http://evil.example/x.png) "
        "[clic](javascript:alert(1)) [bien](https://example.com/a) \ue000" + "0\ue001falso\ue002"
    )
    markup = answer_html(text, [], NUMBERS, anchor="p")
    for forbidden in ("<script", "<img", "javascript:", 'class="claim"', "onerror=alert(1)>"):
        assert forbidden not in markup.replace("&lt;", "«")
    assert 'href="https://example.com/a"' in markup
    assert 'rel="noopener noreferrer nofollow"' in markup


def test_the_text_of_a_claim_is_no_pattern() -> None:
    assert "claim" in answer_html(
        "¿Cuesta (3,90 €)? Sí.", [claim("¿Cuesta (3,90 €)?", ONE)], NUMBERS, anchor="p"
    )


def test_sources_follow_the_text_when_it_is_copied() -> None:
    assert with_sources("Treinta días.", {1: "a.md"}) == "Treinta días.\n\n[1] a.md"
