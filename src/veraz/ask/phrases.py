"""What Veraz itself says in an answer, in Spanish and English."""

from veraz.ask.outcome import Persona, Refusal

_REFUSALS: dict[Refusal, tuple[str, str]] = {
    "no_evidence": (
        "No tengo evidencia suficiente para esta consulta.",
        "I do not have enough evidence for this question.",
    ),
    "off_topic": (
        "Lo siento, no tengo información sobre eso. ¿Puedo ayudarte con algo más?",
        "I am sorry, I have no information about that. Can I help you with anything else?",
    ),
    "not_answered": (
        "Los documentos hablan de ese tema, pero no tengo evidencia suficiente para responder a esta pregunta.",
        "The documents are about this, but I do not have enough evidence to answer this question.",
    ),
    "unsupported": (
        "No tengo evidencia suficiente para esta consulta.",
        "I do not have enough evidence for this question.",
    ),
    "human": (
        "Una persona del equipo le responderá en breve.",
        "Somebody from the team will answer you shortly.",
    ),
}
HANDOFF = (
    "He avisado a una persona del equipo para que continúe la conversación.",
    "I have asked somebody from the team to take over.",
)
NO_SECTION = ("Sin evidencia en los documentos.", "No evidence in the documents.")
GREETING = ("Hola, {name}.", "Hello, {name}.")
HEADINGS = (
    ("QUÉ DICE LA EVIDENCIA", "QUÉ HACER", "QUÉ NO HACER", "SEÑALES DE ALERTA", "FUENTES"),
    ("WHAT THE EVIDENCE SAYS", "WHAT TO DO", "WHAT NOT TO DO", "WARNING SIGNS", "SOURCES"),
)


def said(pair: tuple[str, str], language: str) -> str:
    """One of a Spanish and an English sentence."""
    return pair[1] if language.startswith("en") else pair[0]


def headings(language: str) -> tuple[str, ...]:
    """The five headings of the evidence style."""
    return HEADINGS[1] if language.startswith("en") else HEADINGS[0]


def refusal_text(persona: Persona, reason: Refusal, *, handoff: bool = False) -> str:
    """The agent's own words for «I do not know», or ours; a hand-off is announced."""
    text = said(_REFUSALS[reason], persona.language)
    if persona.fallback_message and reason != "human":
        text = persona.fallback_message
    return f"{text} {said(HANDOFF, persona.language)}" if handoff else text
