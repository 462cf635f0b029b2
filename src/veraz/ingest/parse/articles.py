"""Articles of laws, clauses of contracts and the divisions above them, known by how they begin."""

import re
from dataclasses import dataclass

_TENS = r"d[eé]cim[oa]|vig[eé]sim[oa]|trig[eé]sim[oa]|cuadrag[eé]sim[oa]"
_UNITS = (
    r"primer[oa]?|segund[oa]|tercer[oa]?|cuart[oa]|quint[oa]|sext[oa]|s[eé]ptim[oa]|octav[oa]|noven[oa]"
    r"|und[eé]cim[oa]|duod[eé]cim[oa]"
)
_ORDINAL = rf"(?:(?:{_TENS})[ -]?(?:{_UNITS})|{_TENS}|{_UNITS}|[uú]nic[oa]|preliminar)"
_NUMBER = (
    r"(?:\d{1,4}(?:[.-]\d{1,3})*(?:\.?\s?[ºª°]|[oa]\b)?(?:\s(?:bis|ter|qu[aá]ter|quinquies|sexies)\b)?"
    rf"|[IVXLC]{{1,7}}\b|(?i:{_ORDINAL})\b|[A-Z]\b)"
)
_KINDS = (
    r"libro|parte|anexo|annex|ap[eé]ndice|appendix",
    r"t[ií]tulo|title|disposici[oó]n\s+(?:adicional|transitoria|derogatoria|final)",
    r"cap[ií]tulo|chapter",
    r"secci[oó]n|section",
    r"subsecci[oó]n|subsection",
    r"art[ií]culo|article|art\.|cl[aá]usula|clause|estipulaci[oó]n",
)
"""The words divisions are called by, from the largest to the smallest."""
_ARTICLE_RANK = len(_KINDS) - 1
_WORDS = "|".join(f"(?P<rank{rank}>{words})" for rank, words in enumerate(_KINDS))
_DIVISION = re.compile(
    rf"(?P<label>(?i:{_WORDS})\s*{_NUMBER})(?:\s*\.?\s?[-–—]+\s*|\s*[.:](?:\s+|$)|\s*(?:\n|$)|(?P<loose>\s+)(?=[A-ZÁÉÍÓÚÑ]))"
)
_CLAUSE = re.compile(
    rf"(?P<label>(?i:{_ORDINAL}))(?P<dash>\s*[.:]?\s?[-–—]+\s*)|(?P<capitals>[A-ZÁÉÍÓÚ]{{5,}}(?: [A-ZÁÉÍÓÚ]{{5,}})?)\s*[.:]\s+"
)
_IS_ORDINAL = re.compile(_ORDINAL, re.IGNORECASE)
_SENTENCE_END = re.compile(r"[.:]\s*[-–—]*\s+(?=[A-ZÁÉÍÓÚÑ¿\d«(])|\.?\s*[-–—]{1,2}\s+(?=[A-ZÁÉÍÓÚÑ])|\n")
_VERBS = re.compile(
    r"\b(?:es|son|ser[áa]n?|est[áa]n?|deben?|deber[áa]n?|pueden?|podr[áa]n?|tienen?|tendr[áa]n?|quedan?|quedar[áa]n?|se|ha|han|hay"
    r"|no|que|consiste|regulan?|entrar[áa]|is|are|shall|must|may|will|has|have|can)\b",
    re.IGNORECASE,
)
_DETERMINERS = re.compile(
    r"(?:el|la|los|las|una?|unos|unas|est[eao]s?|cada|tod[oa]s?|cualquier|ning[uú]na?|quien(?:es)?|cuando|si|en|para|por|al|con"
    r"|sin|the|this|these|all|any|each|every|no|if|when)\b",
    re.IGNORECASE,
)
_CONTENTS_LINE = re.compile(r"\.{3,}|…|[\t ]\d{1,4}$")
_BEGINNINGS = re.compile(
    r"(?i:lib|par|an[en]|ap[eép]|t[ií]t|dis|cap|ch|sec|sub|art|cl[aá]|est|pri|seg|ter|cua|qui|sex|s[eé]p|oct|nov|d[eé]c|und|duo"
    r"|vig|tri|[uú]ni|pre)"
)
"""The first letters of all that may begin a division: most paragraphs need no closer look."""
_TITLE_CHARACTERS = 120
_TITLE_WORDS = 15


@dataclass(frozen=True, slots=True)
class Division:
    """An article, a clause or a division above them."""

    rank: int
    """How large it is: 0 for a book or an annex, the most for an article."""
    name: str
    """Number and title: «Artículo 12. Plazos»."""
    heading_end: int
    """Where its heading ends when it stands alone on its line; 0 when the text goes on in the same line."""
    untitled: bool


def division_of(words: str) -> Division | None:
    """The article, clause or division a paragraph begins; None for any other paragraph."""
    if not words[:1].isupper() or not _BEGINNINGS.match(words):
        return None
    found = _DIVISION.match(words)
    if not found:
        return _clause_of(words)
    rank = next(rank for rank in range(len(_KINDS)) if found.group(f"rank{rank}"))
    line = words[found.end() :].partition("\n")[0] if "\n" not in found.group() else ""
    if found.group("loose") and not _is_loose_title(line):
        return None
    return _division(rank, found.group("label"), words, found.end() - found.group().endswith("\n"))


def is_title(words: str) -> bool:
    """Whether words name what follows, rather than say something."""
    if not words or len(words) > _TITLE_CHARACTERS or len(words.split()) > _TITLE_WORDS:
        return False
    if _VERBS.search(words) or _CONTENTS_LINE.search(words) or words[-1] in ",;:":
        return False
    return not (words.endswith(".") and _DETERMINERS.match(words))


def _clause_of(words: str) -> Division | None:
    """A clause of a contract, called by its ordinal alone: «PRIMERA.- Objeto»."""
    found = _CLAUSE.match(words)
    label = found and (found.group("label") or found.group("capitals"))
    if not found or not label or not _IS_ORDINAL.fullmatch(label):
        return None
    return _division(_ARTICLE_RANK, label, words, found.end())


def _division(rank: int, label: str, words: str, start: int) -> Division | None:
    line_end = words.find("\n", start) if "\n" in words[start:] else len(words)
    line = words[start:line_end].strip()
    if _CONTENTS_LINE.search(line) and "\n" not in words:
        return None
    if not line:
        return Division(rank, label, line_end, untitled=True)
    if is_title(line) and not _SENTENCE_END.search(line):
        return Division(rank, _named(label, line), line_end, untitled=False)
    title = _SENTENCE_END.split(line, maxsplit=1)[0] + "."
    return Division(rank, _named(label, title) if is_title(title) else label, 0, untitled=False)


def _is_loose_title(line: str) -> bool:
    """A title with nothing but a space before it must leave no doubt: «Artículo 12 Plazos»."""
    return is_title(line) and len(line.split()) <= 8 and not re.search(r"[\d,.]", line.rstrip("."))


def _named(label: str, title: str) -> str:
    return f"{label}. {title.rstrip('. ').strip()}"
