"""What is said in Spanish about one's own account, and about invitations and links for a password."""

from typing import Final

WORDS: Final[dict[str, str]] = {
    # choosing a password
    "Choose your password": "Elija su contraseña",
    "Current password": "Contraseña actual",
    "At least 8 characters; best several words that only you would put together.": "Al menos 8 caracteres; mejor varias palabras que solo usted juntaría.",
    "Somebody else chose the one you have. Only you should know the next.": "Otra persona eligió la que tiene. La siguiente debe conocerla solo usted.",
    "Your password is set. Sign in with it.": "Su contraseña está lista. Entre con ella.",
    "This link was used already, or its time is over. Ask your administrator for a new one.": "Este enlace ya se usó o su plazo terminó. Pida uno nuevo a su administrador.",
    "This password is among the first that others would try. Choose several words that only you would put together.": "Esta contraseña es de las primeras que otros probarían. Elija varias palabras que solo usted juntaría.",
    "The password is too short.": "La contraseña es demasiado corta.",
    "The current password is wrong, or the new one is the same.": "La contraseña actual no es correcta, o la nueva es la misma.",
    "Choose the company and type the password again.": "Tiene cuenta en varias organizaciones: elija una y escriba otra vez la contraseña.",
    "Company": "Organización",
    # my account
    "Your account": "Mi cuenta",
    "Change password": "Cambiar la contraseña",
    "Your password is changed. Your other sessions have ended.": "Su contraseña cambió. Sus otras sesiones terminaron.",
    "Where you are signed in": "Dónde tiene la sesión abierta",
    "Unknown device": "Dispositivo desconocido",
    "Last used {when}": "Último uso: {when}",
    "This session": "Esta sesión",
    "End": "Terminar",
    "End all others": "Terminar todas las demás",
    "End all others?": "¿Terminar todas las demás?",
    "On the other devices you will have to sign in again.": "En los otros dispositivos habrá que entrar de nuevo.",
    # invitations and links
    "Invitation for {who}": "Invitación para {who}",
    "Link for {who}": "Enlace para {who}",
    "Link for a new password": "Enlace para una contraseña nueva",
    "You get a link for them, with which they choose a password.": "Recibirá un enlace para esa persona, con el que elegirá su contraseña.",
    "Hand it to the person yourself. It works once, until {when}.": "Entrégueselo usted a la persona. Funciona una sola vez, hasta: {when}.",
}
