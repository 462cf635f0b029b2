"""Questions that a text answers, put together from its own words: what it asks itself, sentences that give a figure or a date, rows.

Only forms that the documents answer are here. Headings («¿Qué dice el documento sobre …?») are not: half of them were refused.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from veraz.text.dates import dates
from veraz.text.injection import speaks_to_machine
from veraz.text.numbers import figures
from veraz.text.sentences import sentences

_LONGEST = 200
_UNIT = re.compile(r"\s[^\W\d_]{2,}")
_SUBJECT = r"(?P<subject>(?:el|la|los|las|the)\s+(?:[^\s,.;:]+\s+){1,9}?)"
_REFLEXIVE = r"se\s+(?!pued)[^\W\d_]{3,}(?:an|en|a|e)|deben?\s+[^\W\d_]+rse"
_FORMS: tuple[tuple[str, "re.Pattern[str]", str], ...] = tuple(
    (need, re.compile(rf"^{_SUBJECT}(?P<verb>{verbs})\s+(?P<rest>{rest}.+)$", re.IGNORECASE), wording)
    for need, verbs, rest, wording in (
        ("date", r"abri[óo]|naci[óo]|muri[óo]|(?:se\s+)?termin[óo]|comenz[óo]|empez[óo]|se fund[óo]|se inaugur[óo]|fue inaugurad[oa]|fue fundad[oa]", "", "¿Cuándo {verb} {subject}?"),
        ("date", r"cierran?|vencen?|se presentan?|empezar[áa]n?|terminar[áa]n?", r"(?:el|del|desde)\b", "¿Cuándo {verb} {subject}?"),
        ("figure", r"miden?|cuestan?|pesan?|duran?|tardan?", "", "¿Cuánto {verb} {subject}?"),
        ("figure", _REFLEXIVE, r"(?:[^\s,.;]+\s+){0,3}?(?:dentro de l[ao]s|en un (?:plazo )?máximo de|en un plazo de)\b", "¿En qué plazo {verb} {subject}?"),
        ("figure", r"se\s+(?:reembolsan?|cubren?|pagan?)", r"hasta\b", "¿Hasta cuánto {verb} {subject}?"),
        ("figure", r"tienen?", r"una?\s+(?P<noun>[^\W\d_]{4,}(?:\s+de\s+[^\W\d_]{4,})?)\s+(?:de|del)\s+(?=\d)", "¿Qué {noun} {verb} {subject}?"),
        ("figure", r"es", "", "¿Cuál {verb} {subject}?"),
        ("figure", r"son", "", "¿Cuáles {verb} {subject}?"),
        ("date", r"opened|began|ended|started|was founded|was opened", "", "When {verb} {subject}?"),
        ("figure", r"is|are", "", "What {verb} {subject}?"),
    )
)  # fmt: skip
_CUT_SHORT = re.compile(
    r"[()«»\"]|^\S+\s+(?:de|del|que)\b|\b(?:no|se|ya|s[óo]lo|tambi[ée]n|not|also|only)$", re.IGNORECASE
)
"""Subjects that leave open what is meant («los de patología»), or that end with a word of the verb."""
_ASKS = r"What|How|When|Where|Who|Which|Why|Can|May|Do|Does|Is|Are|Como|Quanto|Quando|Onde|Qual|Quais|Posso"
_ASKED = re.compile(
    rf"^[ \t#*•-]*+(?:\d[\d.]*[.)]?[ \t]+)?(?P<question>¿[^¿?\n]+\?|(?:{_ASKS})\s[^?\n]+\?)[ \t*]*+$",
    re.MULTILINE,
)
_CODE = re.compile(r"c[óo]digo|clave|id|n[úu]mero|fecha|radicado|folio", re.IGNORECASE)
_OFFICE = re.compile(r"sucursal|sede|agencia|oficina|tienda", re.IGNORECASE)
_COLUMNS: tuple[tuple["re.Pattern[str]", str], ...] = tuple(
    (re.compile(column, re.IGNORECASE), wording)
    for column, wording in (
        (r"(?:precio|tarifa|costo|coste)\b(?!.*anterior).*", "¿Cuál es {column} de {name}?"),
        (r"tel[ée]fono", "¿Cuál es el teléfono de {name}?"),
        (r"direcci[óo]n|domicilio", "¿Cuál es la dirección de {name}?"),
    )
)
_FEMININE = re.compile(r"tarifa", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class AnsweredQuestion:
    """A question, and the words of the text that answer it."""

    question: str
    source: str
    """The sentence or row it was made of; empty where the text asks it itself."""
    fact: str = ""
    """The figure or date that is asked for."""


def own_questions(text: str) -> Iterator[AnsweredQuestion]:
    """What a text asks itself, each question on a line of its own."""
    for match in _ASKED.finditer(text):
        yield AnsweredQuestion(question=match["question"], source="")


def sentence_questions(text: str) -> Iterator[AnsweredQuestion]:
    """What its sentences that give a figure or a date answer."""
    for sentence in sentences(text):
        if made := _of_sentence(" ".join(sentence.split())):
            yield made


def row_questions(text: str) -> Iterator[AnsweredQuestion]:
    """What its rows («Sucursal: Centro; Teléfono: 81 5550») answer: one question each."""
    for line in text.splitlines():
        cells = [cell.partition(": ") for cell in line.split("; ")]
        row = [(column.strip(), value.strip()) for column, _, value in cells]
        if len(row) >= 3 and all(column and value for column, value in row) and (made := _of_row(row)):
            yield AnsweredQuestion(question=made, source=line)


def _of_sentence(sentence: str) -> AnsweredQuestion | None:
    """None for a sentence that gives no figure or date."""
    if len(sentence) > _LONGEST:
        return None
    for need, form, wording in _FORMS:
        if (match := form.match(sentence)) and (fact := _fact(match["rest"], need)):
            subject = match["subject"].strip()
            if _CUT_SHORT.search(subject) or speaks_to_machine(sentence):
                return None
            parts = match.groupdict() | {"subject": subject[0].lower() + subject[1:]}
            return AnsweredQuestion(question=wording.format(**parts), source=sentence, fact=fact)
    return None


def _fact(text: str, need: str) -> str | None:
    """The first date or figure, with the word it counts."""
    days = dates(text)
    if need == "date" and days:
        return text[days[0].start : days[0].end]
    outside = (f for f in figures(text) if not any(d.start < f.end and f.start < d.end for d in days))
    figure = next((f for f in outside if f.explicit), None)
    if figure is None:
        return None
    value = text[figure.start : figure.end]
    unit = _UNIT.match(text, figure.end) if value[-1].isdigit() and need == "figure" else None
    return value + (unit[0] if unit else "")


def _of_row(row: list[tuple[str, str]]) -> str | None:
    named = next((cell for cell in row if not _CODE.match(cell[0]) and cell[1][:1].isalpha()), None)
    if named is None:
        return None
    column, value = named
    name = f"la {column.lower()} {value}" if _OFFICE.fullmatch(column) else f"«{value}»"
    for form, wording in _COLUMNS:
        for asked, given in row:
            if form.fullmatch(asked) and any(sign.isdigit() for sign in given):
                article = "la" if _FEMININE.match(asked) else "el"
                plain_name = asked.split(" (")[0]
                return wording.format(column=f"{article} {plain_name[0].lower()}{plain_name[1:]}", name=name)
    return None
