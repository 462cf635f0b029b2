"""What a text is about: its lexemes without words that carry a sentence and say nothing of their own."""

from veraz.text.stop_words import STOP_WORDS
from veraz.text.words import lexemes

_LIGHT_WORDS = """
    ser estar es son era eran fue fueron sido siendo ha han haber hay tener tiene tienen tuvo hacer hace hacen poder puede
    pueden deber debe deben existir existe existen encontrar encuentra encuentran llamar llama llaman llamado llamada indica
    indicar menciona mencionar segun documento texto contexto fragmento informacion ademas tambien asi tal manera forma caso
    general actualmente principalmente aproximadamente cerca alrededor siguiente siguientes respecto relacion parte total
    tipo cada varios diversos diferentes ejemplo trata tratarse denomina conoce considera mismo misma mismos propio dicho
    dicha pregunta respuesta responde consiste contar cuenta disponer dispone ofrecer ofrece proporciona
    be is are was were been being have has had do does did can could may might must should will would according document
    text context passage information also thus way case currently mainly approximately about around following regarding
    part kind type each several various different example called known considered same own question answer consists offers
"""
_LIGHT = frozenset(stem for language in ("es", "en") for stem in lexemes(_LIGHT_WORDS, language))


def content_words(text: str, language: str) -> frozenset[str]:
    """The lexemes that say what it is about."""
    return frozenset(lexemes(text, language)) - _LIGHT - STOP_WORDS["es"]
