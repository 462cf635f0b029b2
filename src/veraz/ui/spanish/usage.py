"""What is said in Spanish on pages about the usage pages."""

from typing import Final

WORDS: Final[dict[str, str]] = {
    # insight
    "Insight": "Uso",
    "Time": "Periodo",
    "Last 7 days": "Últimos 7 días",
    "Last 30 days": "Últimos 30 días",
    "Last 90 days": "Últimos 90 días",
    "Last year": "Último año",
    "Agent": "Agente",
    "Every agent": "Todos los agentes",
    "Nothing was asked in this time": "No se preguntó nada en este periodo",
    "Ask an agent or try the test search.": "Pregunte a un agente o pruebe una búsqueda.",
    "Questions": "Preguntas",
    "Without evidence": "Sin evidencia",
    "With evidence": "Con evidencia",
    "People": "Personas",
    "Half are faster than": "La mitad tarda menos de",
    "95 % are faster than": "El 95 % tarda menos de",
    "Questions by day": "Preguntas por día",
    "Time by stage": "Tiempo por etapa",
    "Most used documents": "Documentos más usados",
    "Reading set": "Qué puede leer",
    "Rewriting": "Reformulación",
    "Vectors of the question": "Vectores de la pregunta",
    "Search itself": "Búsqueda",
    "Ranking": "Ordenación",
    "Context": "Contexto",
    "Is there evidence?": "¿Hay evidencia?",
    "Writing": "Redacción",
    "Checking": "Comprobación",
}
