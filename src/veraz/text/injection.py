"""Sentences in documents that speak to a machine instead of to a reader. They are data that says nothing.

Such a sentence is shown to no model, quoted by no writer and proves no claim. The patterns are those of an order
to an assistant, not the words themselves: a manual about prompts may still be quoted elsewhere.
"""

import hashlib
import re
from functools import lru_cache

from veraz.text.citations import CITATION
from veraz.text.plain import plain
from veraz.text.sentences import sentence_spans

ORDERS = (
    (
        "ignor|olvid|descart|desobed|omit|sobrescrib|disregard|forget|override|bypass",
        (
            r"\b(ignor(a|e|ad|en|es)|olvid(a|e|ad|en|es)|descart(a|e)|desobede(ce|zca)|omite|sobrescribe|disregard|forget|override|bypass)\b"
            r".{0,30}\b((instruc\w*|reglas|indicaciones|rules|guidelines) (anterior(es)?|previ[ao]s?|above|de arriba|del sistema)|"
            r"(previous|prior|all|above|system|your|tus) (\w+ )?(instruc\w*|rules|guidelines|prompt)|"
            r"todas las (instruc\w*|reglas)|(the )?rules above|everything above|todo lo anterior|prompt)\b"
        ),
    ),
    (
        "system|sistema|developer|assistant|asistente|chatbot|ai,|ai:|ia,|ia:|llm",
        (
            r"\b((system|sistema|developer|assistant|asistente|chatbot|llm)( prompt| message| mensaje| override)?\s*[,:>\]]|(ai|ia)[,:]).{0,40}"
            r"\b(ignor(a|e)|olvida|forget|respond(e|a)?|contesta|repl(y|ies)|answer|say|di|dile|escribe|you (must|are)|eres|debes|"
            r"(new|nuevas?) instruc\w*|a partir de ahora|from now on)\b"
        ),
    ),
    (
        "<|inst]|###",
        r"<\|\s*(im_start|im_end|system|assistant|user|endoftext)|\[/?inst\]|<</?sys>>|###\s*(system|instruction)\b",
    ),
    (
        "from now on|a partir de ahora",
        (
            r"\b(from now on|a partir de ahora)\b,?.{0,20}\b(respond(e|eras)?|contesta(ras)?|di(ras)?|reply|answer|say)\b.{0,20}"
            r"\b(only|solo|exactly|exactamente|con|with|que|that)\b"
        ),
    ),
    (
        "instruc",
        (
            r"\b(new|nuevas?|updated) (instructions?|instruccion(es)?)\s*[:.].{0,30}"
            r"\b(respond(e|a)?|contesta|output|reply|answer|say|di|print|escribe)\b"
        ),
    ),
    (
        "answer|respon|reply|respuesta",
        (
            r"\b(include|append|add|insert|put|anad(e|as)|agreg(a|ues)|incluy(e|as)|pon)\b.{0,60}"
            r"\b(in|to|of|en|a|al final de) (your|tu) (answer|response|reply|respuesta)\b"
        ),
    ),
    (
        "only|solo|unicamente con|exact|the following|lo siguiente",
        (
            r"\b(respond|reply|answer|output|print|say|responde|contesta|imprime|di|escribe|repite|repeat)\b.{0,15}"
            r"\b(only( with)?|solo( con)?|unicamente con|exactly|exactamente|the following|lo siguiente)\s*:"
        ),
    ),
    (
        "prompt|instruc|api key",
        (
            r"\b(your|tu|tus) (system prompt|prompt|hidden instructions|instrucciones ocultas)\b"
            r"|\b(reveal|show|print|leak|revela|muestra|imprime|filtra)\b.{0,30}\b(system prompt|your instructions|tus instrucciones|api keys?)\b"
        ),
    ),
    (
        "histor|conversa|user data|datos del usuario",
        (
            r"\b(send|leak|exfiltrate|envia|manda|filtra)\b.{0,30}\b((the|this|la|esta) (conversation|conversacion)|chat history|"
            r"historial de (la )?conversacion|user data|datos del usuario)\b.{0,30}\b(to|a|al|https?)\b"
        ),
    ),
    (
        "as an ai|como ia|como una ia|inteligencia artificial|language model|modelo de lenguaje",
        (
            r"\b(as (an ai|a language model)|como (una )?(ia|inteligencia artificial)|como modelo de lenguaje)\b.{0,20}"
            r"\b(you|debes|tienes que|must|should)\b"
        ),
    ),
    (
        "dan mode|modo dan|developer mode|modo desarrollador",
        r"\b(dan mode|modo dan|(developer mode|modo desarrollador) (on|enabled|activ\w+))\b",
    ),
    (
        "cite|check|verif|citar|compruebes|mencion|mention",
        (
            r"\b(do not|don't|never|no) (cite|check|verify|cites|citar|verifiques|compruebes|menciones|mention) (this|esto|sources|"
            r"the source|las fuentes|la fuente|esta instruccion|that you)"
        ),
    ),
    (
        "supported|verdict|veredicto",
        (
            r"\b(marc|marqu|mark|califi|consider|declar|respond|devuelv|juzg|juzgu|judge|rate|label)\w*\b.{0,40}"
            r"\b(all|everything|every|todos?|todas?|claims?|afirmacion\w*|this|esto|esta)\b.{0,40}\bsupported\b"
            r"|\b(verdicts?|veredictos?)\b.{0,60}\bsupported\b"
        ),
    ),
    (
        "nota|note|aviso|notice|mensaje|message",
        (
            r"\b(nota|note|aviso|notice|mensaje|message)\b.{0,12}\b(para|al?|to|for)\b.{0,12}\b(juez|judge|evaluador|evaluator|"
            r"verificador|verifier|modelo|model|asistente|assistant|ia|ai|llm)\b\s*:"
        ),
    ),
    (
        "context|chunk",
        r"\b(fin|end|inicio|begin|start) (de|del|of)?\s*(the )?(contexto|context|chunk)\s*([\].:>]|$)",
    ),
)
"""Each with its cues: one of them stands in every such sentence, and is found far sooner than the pattern."""
_ORDERS = tuple((tuple(cues.split("|")), re.compile(pattern)) for cues, pattern in ORDERS)
_PARAGRAPH = re.compile(r"\n[ \t]*\n")
_HIDDEN = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u180b-\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0"
    "\ufff9-\ufffb\U000e0000-\U000e0fff]"
)


def speaks_to_machine(text: str) -> bool:
    """Whether a sentence orders a machine about."""
    simple = plain(visible(text))
    return any(any(cue in simple for cue in cues) and order.search(simple) for cues, order in _ORDERS)


@lru_cache(maxsize=512)
def marked_sentences(text: str) -> tuple[tuple[int, int, bool], ...]:
    """The sentences of a text as spans, and whether each is an order or follows one in the same paragraph."""
    spans = sentence_spans(text)
    if not speaks_to_machine(text):  # what the whole does not say, no sentence of it says
        return tuple((start, end, False) for start, end in spans)
    found: list[tuple[int, int, bool]] = []
    ordered, last = False, 0
    for start, end in spans:
        ordered = (ordered and not _PARAGRAPH.search(text, last, start)) or speaks_to_machine(text[start:end])
        found.append((start, end, ordered))
        last = end
    return tuple(found)


def visible(text: str) -> str:
    """A text without signs nobody sees."""
    return _HIDDEN.sub("", text)


def position_in(text: str, position: int) -> int:
    """Where the sign at a position of `visible(text)` stands in the text itself."""
    for hidden in _HIDDEN.finditer(text):
        if hidden.start() > position:
            break
        position += hidden.end() - hidden.start()
    return position


_IMAGE = re.compile(r"!\[([^\]\n]*)\]\([^)\n]*\)")
_FENCE_LIKE = re.compile(r"<{2,}|>{2,}|`{3,}|~{3,}")


def without_orders(text: str) -> str:
    """The text with blanks where a sentence orders a machine about, so that every other word keeps its place."""
    if not speaks_to_machine(text):
        return text
    for start, end, order in marked_sentences(text):
        if order:
            text = text[:start] + re.sub(r"\S", " ", text[start:end]) + text[end:]
    return text


def harmless(text: str) -> str:
    """Document text as data: nothing invisible, no fences, images or citations, no sentence that orders a machine about."""
    text = _IMAGE.sub(lambda image: image[1], without_orders(visible(text)))
    return CITATION.sub(lambda match: " " + match[0].strip(" []()【】"), _FENCE_LIKE.sub(" ", text))


def fence_of(*texts: str) -> str:
    """A word for marks around texts that none of them can hold: it is made from all of them together."""
    return hashlib.sha256("\0".join(texts).encode()).hexdigest()[:12]
