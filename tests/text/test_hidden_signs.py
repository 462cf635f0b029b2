"""Signs nobody sees take no room, and what is found without them is found again with them."""

from veraz.text.injection import position_in, visible


def test_a_position_among_what_is_seen_is_found_in_the_text_itself() -> None:
    text = "✔️ Incluye\u200d IVA\ufe0f."
    seen = visible(text)
    for word in ("Incluye", "IVA", "."):
        at = position_in(text, seen.index(word))
        assert text[at : at + len(word)] == word
    assert position_in("sin nada", 4) == 4
