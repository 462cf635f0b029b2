"""What is said in Spanish on pages about the website widget."""

from typing import Final

WORDS: Final[dict[str, str]] = {
    "Put this agent on your website": "Ponga este agente en su sitio web",
    "Visitors of your website ask this agent without signing in, see where each answer comes from, and can be passed to a "
    "person of your team. You only paste one line of code.": "Quienes visiten su sitio le preguntan a este agente sin iniciar sesión, ven "
    "de dónde sale cada respuesta y pueden pasar a una persona de su equipo. Usted solo pega una línea de código.",
    "Prepare the widget": "Preparar el widget",
    "Where it is shown": "Dónde se muestra",
    "Show it to visitors": "Mostrarlo a los visitantes",
    "Addresses of your websites, one per line": "Direcciones de sus sitios web, una por línea",
    "Only these pages can show it. https://*.example.com allows every sub-domain.": "Solo estas páginas pueden mostrarlo. "
    "https://*.ejemplo.mx permite todos los subdominios.",
    "Understood as: {origins}": "Se entiende como: {origins}",
    "{n} of {all} questions today": "{n} de {all} preguntas hoy",
    "Nobody can see it yet: add the address of your website.": "Todavía nadie puede verlo: agregue la dirección de su sitio web.",
    "It is switched off: visitors do not see it.": "Está apagado: los visitantes no lo ven.",
    "On your website. {used}": "En su sitio web. {used}",
    "How it looks": "Cómo se ve",
    "Name visitors see": "Nombre que ven los visitantes",
    "Greeting": "Saludo",
    "Hello, how can I help you?": "Hola, ¿en qué le puedo ayudar?",
    "Colour": "Color",
    "Choose a colour": "Elegir un color",
    "Corner of the page": "Esquina de la página",
    "Bottom right": "Abajo a la derecha",
    "Bottom left": "Abajo a la izquierda",
    "Language of its buttons": "Idioma de los botones",
    "As the page": "El de la página",
    "Always Spanish": "Siempre español",
    "Always English": "Siempre inglés",
    "This colour is hard to see on a white page.": "Este color se ve poco sobre una página blanca.",
    "What visitors can do": "Qué pueden hacer los visitantes",
    "Offer questions to begin with": "Ofrecer preguntas para empezar",
    "Open the sources of an answer": "Abrir las fuentes de una respuesta",
    "Visitors read the passages that are quoted to them, never whole documents.": "Los visitantes leen los pasajes que se les citan, "
    "nunca los documentos completos.",
    "Limits of the widget": "Límites del widget",
    "Questions a minute of one visitor": "Preguntas por minuto de un visitante",
    "Questions a minute of all visitors": "Preguntas por minuto de todos los visitantes",
    "Questions a day of all visitors": "Preguntas al día de todos los visitantes",
    "Remove the widget": "Quitar el widget",
    "Remove the widget?": "¿Quitar el widget?",
    "Pages that have its code show nothing any more. Conversations stay.": "Las páginas que tienen su código ya no mostrarán nada. "
    "Las conversaciones se quedan.",
    "How visitors see it": "Así lo ven los visitantes",
    "What are your opening hours?": "¿Cuál es su horario?",
    "Put it on your website": "Póngalo en su sitio web",
    "Paste this line into your pages, just before </body>.": "Pegue esta línea en sus páginas, justo antes de </body>.",
    "Code for your website": "Código para su sitio web",
    "Copy the code": "Copiar el código",
    "The code was copied": "Código copiado",
    "Try it on a page": "Probar en una página",
    "a website widget": "un widget de sitio web",
}
