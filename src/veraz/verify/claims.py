"""An answer cut into lines and sentences: claims with what they cite, courtesies, headings, refusals."""

import re
from collections.abc import Collection
from dataclasses import dataclass
from typing import Literal

from veraz.text.citations import CITATION
from veraz.text.measures import measures
from veraz.text.plain import plain, plain_words
from veraz.text.sentences import sentence_spans

Kind = Literal["claim", "courtesy", "heading", "refusal", "blank"]

SOURCE_NOTE = re.compile(r"[ \t]*\((?:fuentes?|sources?|fontes?):[^()\n]*\)", re.IGNORECASE)
"""«(Fuente: Guía, https://…)»: the product writes its own, from what proves the sentence."""
_BULLET = re.compile(r"^(?P<mark>\s*(?:[-*•·–]|\d{1,3}[.)])\s+|\s*>\s?)")
_HEADING = re.compile(r"^\s*(?:#{1,6}\s+\S|\*\*[^*]{2,80}\*\*:?\s*$)")
_KNOWN = r"(?:informacion|evidencia|datos?|respuesta|information|evidence|data|answer|informac\w+)\b"
_ADMISSION = re.compile(
    rf"^\W*(?:lo siento,? |sorry,? |desculpe,? )?(?:no (?:tengo|tenemos|dispongo de|disponemos de|encuentro|encontre)|"
    rf"i (?:do not|don't) have|i (?:could not|couldn't|did not|didn't) find|nao (?:tenho|temos|encontrei)) (?:\w+ ){{0,3}}?{_KNOWN}"
    r"|^\W*(?:lo siento,? |sorry,? )?(?:no (?:puedo|podemos) (?:responder|contestar)|no (?:lo )?se\W*$|i (?:do not|don't) know\W*$|"
    r"i (?:cannot|can't) answer|nao (?:posso|podemos) responder)"
)
"""Somebody says what he himself does not know; that claims nothing about the documents."""
_ADMITTING_WORDS = """
    a about al answer at cannot can't con contestar could couldn't data datos de del desculpe did didn't disponemos dispongo do
    documentos documents don't el em en encontre encontrei encuentro enough es esa ese eso essa esse esta este esto evidence
    evidencia find for have i in informacao informacion information isso la las lo los mais mas me mi mis more my na nao no nos
    not o of on para pasajes passages pergunta podemos posso pregunta puedo que question respecto responder resposta respuesta se
    siento sobre sorry su suficiente sus tema temos tenemos tengo tenho that the this to tu tus un una y your"""
_ADMITTING = frozenset(_ADMITTING_WORDS.split())
_ABSENCE = re.compile(
    r"\b(?:documentos?|fragmentos?|pasajes?|contexto|documents?|passages?|context|trechos?)\b.{0,40}\b(?:no|nao|not|don't|doesn't) "
    r"(?:lo trata\w*|menciona\w*|contiene\w*|indica\w*|incluye\w*|especifica\w*|dice\w*|responde\w*|tratan?|detalla\w*|mention|contain|say|"
    r"include|specify|provide|answer|state|cover|mencionam?|dizem)\b|\b(?:no|nao) consta\b|\bno (?:se )?(?:menciona|indica|especifica)\b"
    r"|\b(?:no hay|there is no|nao ha) (?:informacion|information|informac\w+)\b"
)
_APOLOGY = re.compile(r"^\W*(?:lo siento|sorry|desculpe),?\s*")
_JOINS_MORE = re.compile(
    r"[,;:—–(]|\b(?:pero|porque|aunque|sino|pues|mientras|que|y|e|but|because|although|though|since|while|however|and)\b"
)
_COURTESY = re.compile(
    r"(?:hola|atentamente|buen[oa]s (?:dias|tardes|noches)|saludos|gracias|muchas gracias|con gusto|claro|por supuesto|encantad[oa]|de nada|"
    r"espero (?:que esto )?(?:te|le|os|les)? ?(?:ayude|sirva|haya ayudado)|estoy aqui para ayudar(?:te|le|les)?|quedo a (?:tu|su) disposicion|"
    r"(?:puedo|te puedo|le puedo|en que (?:mas )?(?:te |le )?puedo) ayudar(?:te|le)?|"
    r"hello|hi|hey|dear|good (?:morning|afternoon|evening)|thanks?|thank you|sure|of course|certainly|you're welcome|"
    r"ola|oi|obrigad[oa]|bom dia|boa (?:tarde|noite)|posso ajudar|espero ter ajudado|"
    r"i hope (?:this|that) helps|let me know if|(?:can|may) i help|how can i help|is there anything else)"
)
_COURTESY_WORDS = """
    a al algo anything asistente ayudar ayudarle ayudarte buenas buenos can claro como con de del dias el else en encantado
    encantada es espero esto for gusto happy have hello help helps here hi hola hope how i if in is la le let know mas may me
    more mucho muchas tardes noches my of otra otro por cosa puedo que questions preguntas duda dudas si tiene tienes sir soy su
    supuesto sure te thank thanks that the there this to tu un una usted with would you your assistant any saludos atentamente
    gracias ola oi tudo bem boa bom dia tarde noite posso ajudar mais com prazer espero ter ajudado obrigado obrigada sus ayude sirva disposicion quedo estoy aqui para morning afternoon evening good dear certainly course welcome we
    glad ask contact nosotros nos contacte consulta consulte necesita necesitas"""
_COURTESY_FILL = frozenset(_COURTESY_WORDS.split())
_AGREEING = frozenset({"claro", "por", "supuesto", "sure", "of", "course", "certainly"})
"""A sentence of these alone seems to agree without saying to what; nobody misses it. «Sí.» and «No.» are claims."""


_AGREEMENT = frozenset({"si", "no", "yes", "sim", "nao", "claro", "supuesto", "sure", "course", "certainly"})
"""With one of these a sentence says something about what was asked."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """One sentence, heading or blank line of an answer, in order."""

    kind: Kind
    text: str
    """Without its citations."""
    cited: tuple[int, ...] = ()
    mark: str = ""
    """The bullet or number in front of it."""
    ends_line: bool = False


def pieces_of(
    answer: str, *, known: frozenset[str] = frozenset(), continues: bool = False, ends_line: bool = True
) -> list[Piece]:
    """The answer's pieces; `known` are words a courtesy may hold, such as the reader's and the agent's name.

    `continues` when the text begins in the middle of a line, `ends_line` when its last line is whole.
    """
    found: list[Piece] = []
    lines = SOURCE_NOTE.sub("", answer.replace("\r", "")).split("\n")
    for index, line in enumerate(lines):
        whole = ends_line or index < len(lines) - 1
        if not line.strip():
            found.append(Piece(kind="blank", text="", ends_line=whole))
        elif _HEADING.match(line) and not CITATION.search(line):
            found.append(Piece(kind="heading", text=line.strip(), ends_line=True))
        else:
            found += _sentences(line, known, continues=continues and index == 0, whole=whole)
    return found


def is_admission(text: str) -> bool:
    """Whether a sentence says no more than that its writer does not know."""
    simple = plain(text)
    return bool(_ADMISSION.search(simple)) and not any(measure.certain for measure in measures(text))


def is_admission_about(text: str, asked: Collection[str]) -> bool:
    """Whether an admission names nothing but what was asked."""
    return all(word in asked or word in _ADMITTING for word in plain_words(text))


def says_it_is_missing(text: str) -> bool:
    """Whether a sentence says that the documents do not say something: true or not, it answers nothing."""
    return is_admission(text) or bool(_ABSENCE.search(plain(text)))


def _sentences(line: str, known: frozenset[str], *, continues: bool, whole: bool) -> list[Piece]:
    bullet = None if continues else _BULLET.match(line)
    mark = bullet["mark"] if bullet else ""
    body = _citations_inside(line[len(mark) :])
    spans = sentence_spans(body)
    found = [
        _piece(body[a:b], mark if i == 0 else "", whole and i == len(spans) - 1, known)
        for i, (a, b) in enumerate(spans)
    ]
    return [piece for piece in found if piece.text or piece.cited] or [
        Piece(kind="blank", text="", ends_line=True)
    ]


def _citations_inside(line: str) -> str:
    """«Cuesta 20 €. [Chunk 1]» → «Cuesta 20 € [Chunk 1].», so that a citation stays with its sentence."""
    cited = rf"((?:{CITATION.pattern.replace('?P<numbers>', '').replace('?P<bare>', '')})+)"
    return re.sub(
        rf"(?<![.!?…])([.!?…]++)\s*{cited}(?=\s|$)", lambda m: f"{m[2]}{m[1]}", line, flags=re.IGNORECASE
    )


def _piece(text: str, mark: str, ends_line: bool, known: frozenset[str]) -> Piece:
    cited = tuple(dict.fromkeys(int(n) for match in CITATION.finditer(text) for n in _numbers(match)))
    text = re.sub(r"\s{2,}+", " ", text)
    bare = re.sub(r"(?<!\s)\s++([.,;:!?])", r"\1", CITATION.sub("", text)).strip()
    kind = _kind(bare, known)
    if kind == "refusal" and cited:
        kind = "claim"  # what cites a passage says something about it
    if kind == "refusal" and _JOINS_MORE.search(_APOLOGY.sub("", plain(bare))):
        kind = "claim"  # what a refusal says besides has to be proven
    if kind == "blank":
        bare = ""
    return Piece(kind=kind, text=bare, cited=cited, mark=mark, ends_line=ends_line)


def _numbers(match: "re.Match[str]") -> list[str]:
    return re.findall(r"\d+", match["numbers"] or match["bare"] or "")


def _kind(text: str, known: frozenset[str]) -> Kind:
    words = plain_words(text)
    if _AGREEING.issuperset(words):
        return "blank"
    allowed = _COURTESY_FILL | known
    if (
        all(word in allowed for word in words)
        and _COURTESY.search(plain(text))
        and _AGREEMENT.isdisjoint(words)
    ):
        return "courtesy"
    if is_admission(text):
        return "refusal"
    return "claim"
