"""What is said in Spanish on pages about the ingestion page."""

from typing import Final

WORDS: Final[dict[str, str]] = {
    # console
    "Every document on its way from the file to the answers. This page updates by itself.": (
        "Cada documento, paso a paso, desde el archivo hasta las respuestas. Esta página se actualiza sola."
    ),
    "Knowledge base": "Base de conocimiento",
    "Every knowledge base": "Todas las bases de conocimiento",
    "All": "Todos",
    "Name or address": "Nombre o dirección",
    "Work": "Tipo de trabajo",
    "Archived jobs": "Archivados",
    "Documents read again": "Documentos leídos de nuevo",
    "Web sites": "Sitios web",
    "Exams": "Exámenes",
    "Cleaning": "Limpieza",
    "Retry the failed ones": "Reintentar los fallidos",
    "Tried as often as allowed; they wait in the DLQ until somebody retries.": (
        "Se intentó todas las veces permitidas; esperan en la cola de fallidos (DLQ) hasta que alguien los reintente."
    ),
    "Archive the finished ones": "Archivar los terminados",
    "Archive the finished ones?": "¿Archivar los terminados?",
    "The documents stay as they are; their jobs move to «Archived jobs».": (
        "Los documentos quedan como están; sus trabajos pasan a «Archivados»."
    ),
    "Archive": "Archivar",
    "Archived: {n}": "Archivados: {n}",
    "It starts again.": "Empieza de nuevo.",
    "Jobs that start again: {n}": "Empiezan de nuevo: {n}",
    "Cancelled.": "Cancelado.",
    "Stop reading it?": "¿Dejar de leerlo?",
    "What is already searchable stays. You can retry it whenever you want.": (
        "Lo que ya se puede consultar se queda. Puede reintentarlo cuando quiera."
    ),
    "Nothing here. Add documents to a knowledge base and follow them here.": (
        "No hay nada aquí. Agregue documentos a una base de conocimiento y sígalos desde aquí."
    ),
    "Source": "Fuente",
    "Stages": "Etapas",
    # speed
    "Speed": "Ritmo",
    "Last hour": "Última hora",
    "Last day": "Último día",
    "Documents per minute": "Documentos por minuto",
    "Chunks per minute": "Fragmentos por minuto",
    "Nothing is waiting.": "No hay nada en espera.",
    "{n} on their way": "{n} en camino",
    "{n} on their way, about {time}": "{n} en camino; quedan unos {time}",
    # a row
    "Read again: {name}": "Leer de nuevo: {name}",
    "Pages of {name}": "Páginas de {name}",
    "Exam of {name}": "Examen de {name}",
    "Event for {name}": "Aviso para {name}",
    "Answer to {name}": "Respuesta a {name}",
    "Delete files that nobody needs": "Eliminar archivos que ya no hacen falta",
    "Background work": "Trabajo interno",
    "Web site": "Sitio web",
    "Webhook": "Webhook",
    "Uploaded file": "Archivo subido",
    "Written text": "Texto escrito",
    "Written answer": "Respuesta escrita",
    "Received": "Recibido",
    "Read": "Leído",
    "Cut": "Dividido",
    "Vectors": "Vectores",
    "Stored": "Guardado",
    "Retry": "Reintentar",
    "Details": "Detalles",
    "About {time} left": "Quedan unos {time}",
    "Attempt {n} of {most}": "Intento {n} de {most}",
    "next at {time}": "el próximo a las {time}",
    "words: {n}": "palabras: {n}",
    "authority {n}": "autoridad {n}",
    "{first}–{last} of {total}": "{first}–{last} de {total}",
    # details
    "Attempts": "Intentos",
    "Created": "Creado",
    "Started": "Empezado",
    "Finished": "Terminado",
    "Next attempt": "Próximo intento",
    "To the document": "Ir al documento",
    "To the knowledge base": "Ir a la base de conocimiento",
    "Other jobs of this document": "Otros trabajos de este documento",
}
