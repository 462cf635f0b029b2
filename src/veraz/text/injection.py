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
        "ignor|olvid|descart|desobedec|omit|sobrescrib|anul|disregard|forget|override|bypass",
        (
            r"\b(ignor|olvid|descart|desobedec|omit|sobrescrib|anul|disregard|forget|ignore|override|bypass)\w*\b.{0,60}"
            r"\b(instruc|reglas|indicacion|orden|ordenes|prompt|contexto|anterior|previ|above|rules|guidelines|everything|todo lo)"
        ),
    ),
    (
        "system|sistema|developer|assistant|asistente",
        r"\b(system|sistema|developer|assistant|asistente)\s*(prompt|message|mensaje|override)?\s*[:>\]]\s",
    ),
    (
        "<|inst]|###",
        r"<\|?\s*(im_start|im_end|system|assistant|user|endoftext)|\[/?inst\]|<</?sys>>|###\s*(system|instruction|instruccion)",
    ),
    (
        "you are now|from now on|act as|pretend|ahora eres|a partir de ahora|actua como|haz como si|finge",
        r"\b(you are now|from now on|act as|pretend (to be|you)|ahora eres|a partir de ahora|actua como|haz como si|finge)\b",
    ),
    (
        "instruc|rules|reglas",
        r"\b(new|nuevas?|updated|real|verdaderas?) (instructions?|instrucci\w+|rules|reglas)\b",
    ),
    (
        (
            "user|usuario|only with|solo con|unicamente con|exact|the following|lo siguiente|this |este enlace|esta imagen|answer|"
            "response|reply|respuesta|siempre que|verbatim|the word|la palabra|la frase"
        ),
        (
            r"\b(respond|reply|answer|say|output|print|write|tell|contesta|responde|di|diga|escribe|imprime|devuelve|repite|repeat|"
            r"dile|digale|afirma|anade|incluye|include|append|add)\b.{0,40}\b(the user|al usuario|user that|usuario que|only with|"
            r"solo con|unicamente con|exactly|exactamente|the following|lo siguiente|this (link|image|url)|este enlace|esta imagen|"
            r"in (your|the) (answer|response|reply)|en (tu|la|su) respuesta|al final de (la|tu) respuesta|siempre que|verbatim|"
            r"the word|la palabra|la frase)\b"
        ),
    ),
    (
        "prompt|instruc|hidden|api key|clave|contrasena|password|secret",
        r"\b(your|tu|tus|sus) (system prompt|prompt|instructions|instrucciones|hidden|api key|clave|contrasena|password|secret)",
    ),
    (
        "prompt|instruc|key|clave|secret|conversa|credential|credencial|password|contrasena|histor|datos del usuario|user data",
        (
            r"\b(reveal|show|leak|exfiltrat|send|revela|muestra|filtra|envia|manda)\w*\b.{0,50}\b(system prompt|prompt|instruc\w+|"
            r"api.?key|clave|secret\w*|conversation|conversacion|credential\w*|credencial\w*|password|contrasena|history|historial|"
            r"datos del usuario|user data)"
        ),
    ),
    (
        "as an ai|como ia|como una ia|inteligencia artificial|language model|modelo de lenguaje",
        r"\b(as an ai|como (una )?(ia|inteligencia artificial)|language model|modelo de lenguaje)\b",
    ),
    (
        "jailbreak|dan mode|modo dan|developer mode|modo desarrollador|prompt injection",
        r"\b(jailbreak|dan mode|modo dan|developer mode|modo desarrollador|prompt injection)\b",
    ),
    (
        "cite|check|verif|citar|compruebes|mencion|mention",
        (
            r"\b(do not|don't|never|no) (cite|check|verify|cites|citar|verifiques|compruebes|menciones|mention) (this|esto|sources|"
            r"the source|las fuentes|la fuente|esta instruccion|that you)"
        ),
    ),
    ("![", r"!\[[^\]]*\]\(\s*https?:"),
    (
        "asistente|assistant|chatbot|ai,|ai:|ai ,|ai :|ia,|ia:|ia ,|ia :|llm|model",
        (
            r"\b(asistente|assistant|chatbot|ai|ia|llm|modelo|model)\b\s*[,:]\s*.{0,60}\b(ignor|olvid|respond|di|diga|escrib|say|must|debes|"
            r"debe|answer|reply)"
        ),
    ),
    (
        "supported|verdict|veredicto",
        (
            r"\b(marc|marqu|mark|veredict|verdict|califi|consider|declar|respond|devuelv|juzg|juzgu|judge|rate|label|return|answer)\w*\b.{0,60}"
            r"\b(supported|verdicts?|veredictos?)\b"
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
        "context|chunk|document|instruc",
        r"\[?(fin|end|inicio|begin|start) (de|del|of)?\s*(the )?(contexto|context|chunk|documento|document|instrucciones|instructions)\]?",
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
    """Document text as data: nothing invisible, no fences, no citations, no sentence that orders a machine about."""
    text = without_orders(visible(text))
    return CITATION.sub(lambda match: " " + match[0].strip(" []()【】"), _FENCE_LIKE.sub(" ", text))


def fence_of(*texts: str) -> str:
    """A word for marks around texts that none of them can hold: it is made from all of them together."""
    return hashlib.sha256("\0".join(texts).encode()).hexdigest()[:12]
