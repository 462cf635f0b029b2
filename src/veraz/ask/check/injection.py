"""Sentences in documents that speak to a machine instead of to a reader. They are data that says nothing.

Such a sentence is shown to no model, quoted by no writer and proves no claim. The patterns are those of an order
to an assistant, not the words themselves: a manual about prompts may still be quoted elsewhere.
"""

import re

from veraz.ask.check.plain import plain
from veraz.text.sentences import sentence_spans

_ORDERS = (
    (
        r"\b(ignor|olvid|descart|desobedec|omit|sobrescrib|anul|disregard|forget|ignore|override|bypass)\w*\b.{0,60}"
        r"\b(instruc|reglas|indicacion|orden|ordenes|prompt|contexto|anterior|previ|above|rules|guidelines|everything|todo lo)"
    ),
    r"\b(system|sistema|developer|assistant|asistente)\s*(prompt|message|mensaje|override)?\s*[:>\]]\s",
    r"<\|?\s*(im_start|im_end|system|assistant|user|endoftext)|\[/?inst\]|<</?sys>>|###\s*(system|instruction|instruccion)",
    r"\b(you are now|from now on|act as|pretend (to be|you)|ahora eres|a partir de ahora|actua como|haz como si|finge)\b",
    r"\b(new|nuevas?|updated|real|verdaderas?) (instructions?|instrucci\w+|rules|reglas)\b",
    (
        r"\b(respond|reply|answer|say|output|print|write|tell|contesta|responde|di|diga|escribe|imprime|devuelve|repite|repeat|"
        r"dile|digale|afirma|anade|incluye|include|append|add)\b.{0,40}\b(the user|al usuario|user that|usuario que|only with|"
        r"solo con|unicamente con|exactly|exactamente|the following|lo siguiente|this (link|image|url)|este enlace|esta imagen|"
        r"in (your|the) (answer|response|reply)|en (tu|la|su) respuesta|al final de (la|tu) respuesta|siempre que|verbatim|"
        r"the word|la palabra|la frase)\b"
    ),
    r"\b(your|tu|tus|sus) (system prompt|prompt|instructions|instrucciones|hidden|api key|clave|contrasena|password|secret)",
    (
        r"\b(reveal|show|leak|exfiltrat|send|revela|muestra|filtra|envia|manda)\w*\b.{0,50}\b(system prompt|prompt|instruc\w+|"
        r"api.?key|clave|secret\w*|conversation|conversacion|credential\w*|credencial\w*|password|contrasena|history|historial|"
        r"datos del usuario|user data)"
    ),
    r"\b(as an ai|como (una )?(ia|inteligencia artificial)|language model|modelo de lenguaje)\b",
    r"\b(jailbreak|dan mode|modo dan|developer mode|modo desarrollador|prompt injection)\b",
    (
        r"\b(do not|don't|never|no) (cite|check|verify|cites|citar|verifiques|compruebes|menciones|mention) (this|esto|sources|"
        r"the source|las fuentes|la fuente|esta instruccion|that you)"
    ),
    r"!\[[^\]]*\]\(\s*https?:",
    (
        r"\b(asistente|assistant|chatbot|ai|ia|llm|modelo|model)\b\s*[,:]\s*.{0,60}\b(ignor|olvid|respond|di|diga|escrib|say|must|debes|"
        r"debe|answer|reply)"
    ),
    r"\[?(fin|end|inicio|begin|start) (de|del|of)?\s*(the )?(contexto|context|chunk|documento|document|instrucciones|instructions)\]?",
)
_ORDER = re.compile("|".join(f"(?:{order})" for order in _ORDERS))
_PARAGRAPH = re.compile(r"\n[ \t]*\n")
_HIDDEN = re.compile("[\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufeff\U000e0000-\U000e007f]")


def speaks_to_machine(text: str) -> bool:
    """Whether a sentence orders a machine about."""
    return bool(_ORDER.search(plain(visible(text))))


def marked_sentences(text: str) -> list[tuple[int, int, bool]]:
    """The sentences of a text as spans, and whether each is an order or follows one in the same paragraph."""
    found: list[tuple[int, int, bool]] = []
    ordered, last = False, 0
    for start, end in sentence_spans(text):
        ordered = (ordered and not _PARAGRAPH.search(text, last, start)) or speaks_to_machine(text[start:end])
        found.append((start, end, ordered))
        last = end
    return found


def visible(text: str) -> str:
    """A text without signs nobody sees."""
    return _HIDDEN.sub("", text)
