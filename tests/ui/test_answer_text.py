"""Answers become HTML that can do nothing but be read."""

import html

from veraz.ui.answer_text import answer_html, with_sources


def test_a_claim_opens_its_first_proof_and_each_number_its_own() -> None:
    text = "El plazo es de **30 días** [Chunk 1]. Gracias."
    markup = answer_html(text, [("El plazo es de **30 días**", (1, 2))])
    assert '<span class="claim" role="button" tabindex="0" data-proof="1">' in markup
    assert '<sup data-proof="1">1</sup><sup data-proof="2">2</sup>' in markup
    assert "<strong>30 días</strong>" in markup
    assert "Chunk" not in markup


def test_the_full_stop_after_a_citation_belongs_to_the_claim() -> None:
    text = "Tarda 48 horas [Chunk 1]. A Canarias, 8 días [Chunk 2]."
    markup = answer_html(text, [("Tarda 48 horas.", (1,)), ("A Canarias, 8 días.", (2,))])
    assert markup.count('class="claim"') == 2
    assert 'Tarda 48 horas.<sup data-proof="1">1</sup>' in markup


def test_a_quotation_is_shown_sign_by_sign() -> None:
    said = "«mi_codigo_ largo, 5 * 2*3 %, [Anexo 3](nota 5), `x`, <b>, \\* y A*B*C»"
    text = f"Esto dicen **los documentos**:\n- aviso: {said} [Chunk 1]"
    markup = answer_html(text, [(said, (1,))], verbatim={0})
    assert html.escape(said, quote=False) in markup
    assert "<strong>los documentos</strong>" in markup
    assert "<li>" in markup


def test_the_name_of_a_column_is_shown_as_it_is_written() -> None:
    assert "«lunes_a_viernes: 9; 2*3*4»" in answer_html("«lunes_a_viernes: 9; 2*3*4» y *no más*", [])


def test_a_claim_that_is_not_in_the_text_changes_nothing() -> None:
    assert "claim" not in answer_html("Otra cosa.", [("No está aquí", (1,))])


def test_a_claim_without_proofs_is_only_text() -> None:
    assert "claim" not in answer_html("El plazo es de 30 días.", [("El plazo es de 30 días.", ())])


def test_markup_scripts_images_and_odd_links_do_not_survive() -> None:
    text = (
        "<script>alert(1)</script> <img src=x onerror=alert(1)> ![x](http://evil.example/x.png) "
        "[clic](javascript:alert(1)) [bien](https://example.com/a) \ue000" + "0\ue001falso\ue002"
    )
    markup = answer_html(text, [])
    for forbidden in ("<script", "<img", "javascript:", 'class="claim"', "onerror=alert(1)>"):
        assert forbidden not in markup.replace("&lt;", "«")
    assert 'href="https://example.com/a"' in markup
    assert 'rel="noopener noreferrer nofollow"' in markup


def test_the_text_of_a_claim_is_no_pattern() -> None:
    assert "claim" in answer_html("¿Cuesta (3,90 €)? Sí.", [("¿Cuesta (3,90 €)?", (1,))])


def test_sources_follow_the_text_when_it_is_copied() -> None:
    claims = [("Treinta días.", (1,))]
    copied = with_sources("Treinta días [Chunk 4].", claims, ["a.md · http://veraz.test/s/x"])
    assert copied == "Treinta días. [1]\n\n[1] a.md · http://veraz.test/s/x"
