"""What is said in Spanish when people sign in, and about the security of accounts."""

from typing import Final

WORDS: Final[dict[str, str]] = {
    # the second step
    "One more step": "Un paso más",
    "Type the code your authenticator app shows now, or one of your recovery codes.": "Escriba el código que muestra ahora su aplicación de autenticación, o uno de sus códigos de recuperación.",
    "No telephone and no recovery code? Ask your administrator to reset it.": "¿Sin teléfono y sin códigos de recuperación? Pida a su administrador que lo restablezca.",
    "Code": "Código",
    "Go on": "Continuar",
    "Begin again": "Empezar de nuevo",
    "The code is wrong, too old, or was used already.": "El código no es correcto, caducó o ya se usó.",
    "The sign-in took too long. Begin again.": "El inicio de sesión tardó demasiado. Empiece de nuevo.",
    "Protect your account": "Proteja su cuenta",
    "Your organization asks for a second step. Scan this with an authenticator app.": "Su organización pide un segundo paso. Escanee esto con una aplicación de autenticación.",
    "QR code": "Código QR",
    "Or type this key in the app:": "O escriba esta clave en la aplicación:",
    "Keep your recovery codes": "Guarde sus códigos de recuperación",
    "Each lets you in once without your telephone. Keep them where you keep your passwords; they are not shown again.": "Cada uno le permite entrar una vez sin su teléfono. Guárdelos donde guarda sus contraseñas; no se volverán a mostrar.",
    "a second step": "un segundo paso",
    "This account does not open anything here. Ask your administrator, or use e-mail and password.": "Esta cuenta no da acceso aquí. Pregunte a su administrador, o use correo y contraseña.",
    "The identity provider could not confirm the sign-in. Try again later, or use e-mail and password.": "El proveedor de identidad no pudo confirmar el inicio de sesión. Inténtelo más tarde, o use correo y contraseña.",
    "Sign in with {name}": "Entrar con {name}",
    "Sign out of {name} too": "Salir también de {name}",
    "an identity provider": "un proveedor de identidad",
    "I have kept them": "Ya los guardé",
}
