"""Names and codes in a text: words with capitals that do not just begin a sentence, acronyms, codes with digits."""

import re
from dataclasses import dataclass

from veraz.text.languages import words
from veraz.text.plain import plain
from veraz.text.stop_words import STOP_WORDS

_TOKEN = re.compile(r"[^\W_]+(?:[-’'.&/@+:_][^\W_]+)*")
_LABEL = re.compile(r"\s*[:|=(–—]")
"""Behind the letter of «A: 20 €»; «A» is a word elsewhere."""
_LIST_MARK = re.compile(r"^[\s>#*\-–—•·_(¿¡«“\"']*(?:\d{1,2}[.)]\s+)?[\s*_(¿¡«“\"']*")
_LEAD_ENDINGS = ("mente", "mos", "ando", "iendo", "ly", "ing")
_LEAD_WORDS = """
    actualmente ademas adicionalmente ahora ante asimismo aqui aunque bajo basicamente cabe como con conforme
    cuando cuenta cuesta dado debe deben debera dentro desde despues dispone donde durante ejemplo entonces entre
    es eso esta estan estas este esto estos existe existen finalmente fue fueron generalmente gracias ha habia
    habra hacer hacia han hasta hay incluye incluyen luego mediante mientras muchos ningun no nuestra nuestro nunca
    ofrece ofrecen otra otro para pero permite permiten por posteriormente primero primera principalmente puede
    pueden pueda puedes queda respecto requiere se segun segundo segunda sera seran si siempre siendo sin sobre
    solo son su sus tambien tampoco tanto tener tenga tiene tienen tendra tercero toda todas todo todos tras ultimo
    un una unas unos usted utiliza varias varios vale va ya about according additionally after all also although
    always an and any as at because before below both but by can costs currently did do does due during each every
    few finally first following for from generally had has have however if in include includes instead it its last
    later many may most moreover must never no none not now of on once one only or other our over per please second
    several she should since some soon such that the their then there these they third this those though thus to
    today under until up use used uses was we were what when where which while who will with within without yes you
    your articulo apartado capitulo seccion tabla pagina precio horario respuesta resumen nota paso requisito
    requisitos article section table page price answer summary note step requirement requirements
"""
_GREETINGS = words("greetings")
_LEADS = frozenset(_LEAD_WORDS.split()) | _GREETINGS
_TITLE = re.compile(r"[\s>#*\-•]*\*\*[^*\n]{1,80}?(?:\*\*\s*:|:\s*\*\*)")
"""«**Return Policy**: …»: a title of the writer's own, where any word may have a capital."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Name:
    """A word that names something; a leading one may only be the first word of its sentence."""

    word: str
    start: int
    leading: bool = False


def names(text: str) -> list[Name]:
    """The names and codes of a sentence, word by word."""
    start = _LIST_MARK.match(text)
    first = start.end() if start else 0
    title = _TITLE.match(text)
    titled = title.end() if title else 0
    tokens = [match for match in _TOKEN.finditer(text) if any(sign.isalpha() for sign in match[0])]
    return [
        Name(word=plain(token[0]), start=token.start(), leading=leading)
        for index, token in enumerate(tokens)
        if _looks_like_name(token[0])
        and not ((leading := _leads(text, tokens, index, first, titled)) and _common_lead(token[0]))
    ]


def _leads(text: str, tokens: list["re.Match[str]"], index: int, first: int, titled: int) -> bool:
    """Whether a capital may have another reason than a name."""
    token = tokens[index]
    if token.start() < titled and token[0].istitle():
        return True
    if index == 1 and plain(tokens[0][0]) in _GREETINGS:
        return True
    if index and plain(tokens[index - 1][0]) in words("titles", "short"):
        return False
    return _opens(text, token.start(), first) and not _goes_on(text, tokens, index)


def _looks_like_name(token: str) -> bool:
    return (
        token[0].isupper()
        or (any(s.isdigit() for s in token) and any(s.isalpha() for s in token))
        or "@" in token
    )


def _opens(text: str, start: int, first: int) -> bool:
    """A capital that only begins a sentence, a quotation or what follows a colon."""
    before = text[max(0, start - 8) : start].rstrip("*_ «“\"'¿¡(")
    return start <= first or before[-1:] in ":.!?…\n|"


def _goes_on(text: str, tokens: list["re.Match[str]"], index: int) -> bool:
    """«Ana García» at the start is a name, «Ofrece» is not; acronyms and codes always are."""
    token = tokens[index][0]
    if (len(token) > 1 and token.isupper()) or any(sign.isdigit() for sign in token):
        return True
    if len(token) == 1 and _LABEL.match(text, tokens[index].end()):
        return True
    if _common_lead(token):
        return False
    following = tokens[index + 1] if index + 1 < len(tokens) else None
    if following is None or not following[0][0].isupper():
        return False  # «Fuera de Argentina» is as common as «Universidad de Salamanca»
    return not set(text[tokens[index].end() : following.start()]) & set(".,:;!?\n")


def _common_lead(token: str) -> bool:
    word = plain(token)
    known = word in _LEADS or word in STOP_WORDS["es"] or word in STOP_WORDS["en"]
    return known or (len(word) > 6 and word.endswith(_LEAD_ENDINGS))
