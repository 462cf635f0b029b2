"""What is said in Spanish on pages about the ingestion page."""

from typing import Final

WORDS: Final[dict[str, str]] = {
    # console
    "Knowledge base": "Base de conocimiento",
    "Every knowledge base": "Todas las bases de conocimiento",
    "Retry those that need a person": "Reintentar los que necesitan a alguien",
    "Purge finished jobs": "Archivar trabajos hechos",
    "Purge finished jobs?": "¿Archivar los trabajos hechos?",
    "They stay readable in the history.": "Se pueden seguir leyendo en el historial.",
    "Purge": "Archivar",
    "Jobs that start afresh: {n}": "Trabajos que empiezan de nuevo: {n}",
    "Jobs moved to the history: {n}": "Trabajos pasados al historial: {n}",
    "Source": "Fuente",
    "Sources": "Fuentes",
    "Job": "Trabajo",
    "Jobs": "Trabajos",
    "Attempts": "Intentos",
    "Details of the job": "Detalles del trabajo",
    "Lost workers": "Procesos perdidos",
    "Created": "Creado",
    "Started": "Empezado",
    "Finished": "Terminado",
    "Next attempt": "Próximo intento",
    "To the document": "Ir al documento",
    "Read a document": "Leer un documento",
    "Read a site": "Leer un sitio web",
    "Delete files": "Borrar archivos",
    "Background work": "Trabajo interno",
    "Refresh": "Actualizar",
    "Other jobs of this document": "Otros trabajos de este documento",
    "fetching": "descargando",
    "reading": "leyendo",
    "cutting": "dividiendo",
    "making vectors": "creando vectores",
    "storing": "guardando",
}
