"""The only error tree. Errors are named by meaning; no HTTP, SQL or vendor words live here.

Each class has a stable `code` (its name in snake case) for programs, an English sentence (its
docstring) and a Spanish sentence (`es`) for people. `{fields}` are filled from the keyword
arguments given when it is raised, and stay readable as `.context`. A field that is itself a
phrase people read is given as `Phrase("in English", es="en español")`, or is one of the phrases
at the end of this file, which a law keeps complete.

    VerazError
    ├── ForeignFile               a row or a job names a file of another tenant; a bug or an attack
    ├── NotFound                  ├── LinkUsed  ├── PageForgotten  └── NotSaid; somebody else's row is not found, never forbidden
    ├── Unauthenticated           ├── WrongCredentials  ├── SessionExpired  ├── KeyRevoked
    │                             ├── SecondFactorRequired (SecondFactorEnrolment)  └── SignInRefused
    ├── Forbidden                 ├── PasswordChangeNeeded  ├── SecondFactorRuled  ├── SecondFactorMissing  ├── ScopeMissing  ├── FeatureDisabled  ├── LicenceRevoked  ├── LicenceUnknown  ├── EndUserUnproven  ├── WrongSignature
    │                             ├── OriginNotAllowed  └── HostNotAllowed
    ├── Invalid                   ├── WrongCode  ├── PersonalCorpusNotAllowed  ├── ProjectMismatch
    │                             ├── WeakPassword (CommonPassword)  └── AmbiguousName
    ├── Conflict                  ├── LicenceClosed  ├── NameTaken  ├── DuplicateDocument  ├── DocumentSuperseded
    │                             ├── CorrectionOutdated  ├── LastAdmin  ├── SecondFactorThere  ├── TenantNeeded
    │                             ├── RebuildRunning  ├── EmbeddingChanged  ├── ChunkChanged  ├── ChunkTwin  ├── JobWaiting  ├── JobEnded
    │                             ├── Cancelled  ├── LeaseLost  ├── AnswerRunning  ├── NothingToAnswer  ├── SeveralPeople  └── ForgottenMeanwhile
    ├── PaymentRequired           ├── QuotaExceeded  └── CreditsExhausted
    ├── TooLarge
    ├── Unsupported               └── TypeMismatch
    ├── RateLimited
    ├── Unreadable                a document that cannot become text; permanent, never retried
    │                             ├── EmptyDocument  ├── NoText (└── ScanUnread)  ├── Protected  ├── Corrupt  ├── Bomb
    │                             ├── ParseTimeout  ├── JobTooLong  └── ParseMemory
    ├── FetchRefused              a web address we will not or may not read; permanent
    ├── OutsideFault              a provider or host outside failed
    │                             ├── OutsideBusy (retry)  ├── OutsideDown (retry; UnreliableJudge)  ├── OutsideRejected
    │                             └── IssuerFailed
    └── Unavailable               ├── DatabaseUnavailable (DatabaseNotStarted, DatabaseOfAnotherVersion)
                                  ├── FolderUnreachable  ├── DiskFull  ├── AddressTaken  ├── MigrationFailed
                                  └── WorkerLost
"""

import re
from collections.abc import Iterator, Mapping
from string import Formatter
from typing import Any, ClassVar
from uuid import UUID


class Phrase(str):
    """A piece of a sentence in both languages; programs and logs see the English one."""

    es: str

    def __new__(cls, en: str, *, es: str) -> "Phrase":
        phrase = super().__new__(cls, en)
        phrase.es = es
        return phrase


Sentence = dict[str, str]
"""A sentence as it is kept for later, by language: whoever reads it then may speak another one than now."""


def said(sentence: Sentence | None, language: str) -> str:
    """What was kept, in the reader's language; nothing where there is none."""
    return sentence["es" if language.startswith("es") else "en"] if sentence else ""


class VerazError(Exception):
    """Something went wrong inside Veraz."""

    es: ClassVar[str] = "Algo salió mal dentro de Veraz."
    code: ClassVar[str] = "veraz_error"

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        cls.code = re.sub(r"(?<!^)(?=[A-Z])", "_", cls.__name__).lower()

    def __init__(self, **context: object) -> None:
        self.context = context
        super().__init__(self.message("en"))

    def message(self, language: str = "es") -> str:
        """The sentence a person reads, in Spanish or English."""
        if not language.startswith("es"):
            return (type(self).__doc__ or self.code).format_map(_Fields(self.context)).strip()
        fields = _Fields({name: _spanish(name, v) for name, v in self.context.items()})
        return self.es.format_map(fields).strip()

    def sentence(self) -> Sentence:
        """What a person reads, to be kept."""
        return {"en": self.message("en"), "es": self.message("es")}


def _spanish(field: str, value: object) -> object:
    if isinstance(value, Phrase):
        return value.es
    return _SPANISH.get(value, value) if field in _PHRASES and isinstance(value, str) else value


class _Fields(dict[str, object]):
    """Leaves an unknown field visible instead of failing while reporting a failure."""

    def __missing__(self, key: str) -> str:
        return "…"


class ForeignFile(VerazError):
    """This names a file that is not this account's. It was not touched, and the administrators can read of it."""

    es = "Esto nombra un archivo que no es de esta cuenta. No se tocó, y los administradores pueden leerlo en Seguridad."


class NotFound(VerazError):
    """No {thing} «{id}» was found. Check the link or the id, and the account you signed in with."""

    es = "No se encontró {thing} «{id}». Revise el enlace o el identificador, y la cuenta con la que entró."


class PageForgotten(NotFound):
    """Something on page {page} was forgotten, so its picture is not shown. Read it as text."""

    es = "Algo de la página {page} se olvidó, así que no se muestra su imagen. Léala como texto."


class NotSaid(NotFound):
    """No passage here says «{words}». See how the document was read, or add one that says it."""

    es = "Ningún pasaje dice «{words}». Revise cómo se leyó el documento o agregue uno que lo diga."


class Unauthenticated(VerazError):
    """This needs a sign-in: send «Authorization: Bearer <token or key>»."""

    es = "Hace falta identificarse: envíe «Authorization: Bearer <token o clave>»."


class WrongCredentials(Unauthenticated):
    """The e-mail or the password is wrong."""

    es = "El correo o la contraseña no son correctos."


class SessionExpired(Unauthenticated):
    """The session has ended. Sign in again."""

    es = "La sesión ha terminado. Vuelva a entrar."


class KeyRevoked(Unauthenticated):
    """This key is unknown, revoked or expired. Ask an administrator for a new one."""

    es = "Esta clave no existe, fue revocada o caducó. Pida una nueva a un administrador."


class SecondFactorRequired(Unauthenticated):
    """One more step: type the code your authenticator app shows, or a recovery code."""

    es = "Falta un paso: escriba el código que muestra su aplicación de autenticación, o un código de recuperación."


class SecondFactorEnrolment(SecondFactorRequired):
    """Your organization asks for a second step when signing in. Set it up with an authenticator app to go on."""

    es = "Su organización pide un segundo paso al entrar. Configúrelo con una aplicación de autenticación para continuar."


class SignInRefused(Unauthenticated):
    """This account does not open anything here. Ask your administrator, or sign in with e-mail and password."""

    es = "Esta cuenta no da acceso aquí. Pregunte a su administrador, o entre con correo y contraseña."


class Forbidden(VerazError):
    """Your role does not allow you to {action}. Ask an administrator."""

    es = "Su rol no permite {action}. Pídalo a un administrador."


class SecondFactorRuled(Forbidden):
    """Your organization asks you for a second step when signing in, so it stays."""

    es = "Su organización le pide un segundo paso al entrar, así que no se puede quitar."


class SecondFactorMissing(Forbidden):
    """Set up your own second step first: the rule will hold for you too."""

    es = "Configure antes su propio segundo paso: la regla valdrá también para usted."


class HostNotAllowed(Forbidden):
    """This installation does not answer under the name «{host}». Use its own address, or add the name to VERAZ_ALLOWED_HOSTS."""

    es = "Esta instalación no responde con el nombre «{host}». Use su propia dirección, o agregue el nombre a VERAZ_ALLOWED_HOSTS."


class PasswordChangeNeeded(Forbidden):
    """Somebody else chose your password. Choose one of your own first."""

    es = "Otra persona eligió su contraseña. Elija primero una propia."


class ScopeMissing(Forbidden):
    """This key lacks the scope «{scope}»."""

    es = "A esta clave le falta el permiso «{scope}»."


class FeatureDisabled(Forbidden):
    """The feature «{feature}» is not enabled for this account."""

    es = "La función «{feature}» no está activada en esta cuenta."


class EndUserUnproven(Forbidden):
    """Whom this key acts for is not believed: {reason}."""

    es = "No se acepta por quién actúa esta clave: {reason}."


class LicenceUnknown(Forbidden):
    """No licence names machine «{machine_id}», and this account lets no unknown machine in."""

    es = "Ninguna licencia nombra la máquina «{machine_id}» y esta cuenta no admite máquinas desconocidas."


class LicenceRevoked(Forbidden):
    """The licence of machine «{machine_id}» has been revoked."""

    es = "La licencia de la máquina «{machine_id}» fue revocada."


class WrongSignature(Forbidden):
    """This call does not carry the signature or the word that was agreed with its sender."""

    es = "Esta llamada no lleva la firma o la palabra acordada con quien la envía."


class OriginNotAllowed(Forbidden):
    """The website «{origin}» may not show this assistant. Whoever manages the agent can add it to its widget."""

    es = "El sitio web «{origin}» no puede mostrar este asistente. Quien administra el agente puede agregarlo en su widget."


class Invalid(VerazError):
    """The value of «{field}» is not valid: {reason}."""

    es = "El valor de «{field}» no es válido: {reason}."

    def beside_field(self, language: str) -> str:
        """What is said at the field itself, which needs no name there."""
        reason = self.context.get("reason")
        said = str(
            (_spanish("reason", reason) if language.startswith("es") else reason) or self.message(language)
        )
        return said[:1].upper() + said[1:]


class WrongCode(Invalid):
    """The code is wrong, too old, or was used already. Type the one your app shows now."""

    es = "El código no es correcto, caducó o ya se usó. Escriba el que muestra ahora su aplicación."


class PersonalCorpusNotAllowed(Invalid):
    """These agents do not allow personal knowledge bases, so nothing was assigned: {agents}."""

    es = "Estos agentes no permiten bases personales, así que no se asignó nada: {agents}."


class ProjectMismatch(Invalid):
    """The agent and the knowledge base belong to different projects."""

    es = "El agente y la base de conocimiento pertenecen a proyectos distintos."


class WeakPassword(Invalid):
    """The password is too short: use at least {minimum} characters."""

    es = "La contraseña es demasiado corta: use al menos {minimum} caracteres."


class CommonPassword(WeakPassword):
    """This password is among the first that others would try. Choose several words that only you would put together."""

    es = "Esta contraseña es de las primeras que otros probarían. Elija varias palabras que solo usted juntaría."


class AmbiguousName(Invalid):
    """Several {thing}s are called «{name}». Use the id instead."""

    es = "Hay más de un {thing} con el nombre «{name}». Use el identificador."


class Conflict(VerazError):
    """This clashes with what is already there: {reason}."""

    es = "Esto choca con lo que ya existe: {reason}."


class LicenceClosed(Conflict):
    """This licence was deleted and stays closed. Register the machine under another name."""

    es = "Esta licencia se eliminó y queda cerrada. Registre la máquina con otro nombre."


class SeveralPeople(Conflict):
    """«{name}» may be more than one person. Name one of these by its id: {candidates}."""

    es = "«{name}» puede ser más de una persona. Indique una de estas por su identificador: {candidates}."


class ForgottenMeanwhile(Conflict):
    """Something was deleted while this was being read, so nothing was kept. Try again."""

    es = "Se borró algo mientras se leía, así que no se guardó nada. Vuelva a intentarlo."


class NameTaken(Conflict):
    """There is already a {thing} with this name, e-mail or machine. Choose another one."""

    es = "Ya existe {thing} con ese nombre, correo o máquina. Elija otro."


class DuplicateDocument(Conflict):
    """«{filename}» is already here as «{twin_name}»; it was not added again."""

    es = "«{filename}» ya está aquí como «{twin_name}»; no se agregó otra vez."


class DocumentSuperseded(Conflict):
    """«{name}» is kept but no longer read: «{by}» took its place. Clear `superseded_by` first."""

    es = "«{name}» se conserva pero ya no se lee: lo sustituye «{by}». Quite antes `superseded_by`."


class CorrectionOutdated(Conflict):
    """What was corrected no longer stands in the document: «{before}». Name the chunk and send its new text."""

    es = "Lo que se corrigió ya no está en el documento: «{before}». Indique el fragmento y envíe su texto nuevo."


class RebuildRunning(Conflict):
    """«{name}» is already being rebuilt. Wait for it, or cancel it first."""

    es = "«{name}» ya se está reconstruyendo. Espere a que termine o cancele antes."


class EmbeddingChanged(Conflict):
    """What is stored was embedded with vectors of another size than the model gives now. Rebuild the knowledge base."""

    es = "Lo guardado tiene vectores de otro tamaño que los que da ahora el modelo. Reconstruya la base de conocimiento."


class ChunkChanged(Conflict):
    """Somebody else changed this chunk meanwhile (it is at revision {revision}). Load it again."""

    es = "Alguien cambió este fragmento mientras tanto (va por la revisión {revision}). Vuelva a cargarlo."


class ChunkTwin(Conflict):
    """Chunk number {number} of this document says exactly this already. Change that one, or say something else here."""

    es = "El fragmento número {number} de este documento ya dice exactamente esto. Cambie ese o escriba otra cosa aquí."


class LastAdmin(Conflict):
    """This is the last administrator; name another one first."""

    es = "Es el último administrador; nombre antes a otro."


class SecondFactorThere(Conflict):
    """There is a second step already. Remove it before you set up another one."""

    es = "Ya hay un segundo paso. Quítelo antes de configurar otro."


class TenantNeeded(Conflict):
    """You work with this password in several companies: say in which one you want to sign in."""

    es = "Trabaja con esta contraseña en varias empresas: diga en cuál quiere entrar."

    def __init__(self, tenants: Mapping[UUID, str]) -> None:
        self.tenants = tenants
        super().__init__()


class JobWaiting(Conflict):
    """This document is already waiting or being processed. Wait until it is done."""

    es = "Este documento ya está en espera o procesándose. Espere a que termine."


class JobEnded(Conflict):
    """This job has already ended, so there is nothing to cancel."""

    es = "Este trabajo ya terminó, así que no hay nada que cancelar."


class Cancelled(Conflict):
    """Somebody cancelled this before it was finished. Retry it when you want it."""

    es = "Alguien lo canceló antes de que terminara. Reinténtelo cuando lo quiera."


class LeaseLost(Conflict):
    """Another worker has taken over this job, or its document was deleted."""

    es = "Otro proceso se encargó ya de este trabajo, o se borró su documento."


class AnswerRunning(Conflict):
    """An answer is still being written in this conversation. Wait for it, or stop it."""

    es = "En esta conversación todavía se está escribiendo una respuesta. Espere a que termine o deténgala."


class NothingToAnswer(Conflict):
    """The last question of this conversation has its answer already. Ask something new."""

    es = "La última pregunta de esta conversación ya tiene respuesta. Haga una pregunta nueva."


class PaymentRequired(VerazError):
    """The plan does not cover this."""

    es = "El plan no cubre esto."


class QuotaExceeded(PaymentRequired):
    """The plan «{plan}» allows {limit} {what}; this would make {wanted}. Delete something or change the plan."""

    es = "El plan «{plan}» permite {limit} ({what}); con esto serían {wanted}. Borre algo o cambie de plan."


class CreditsExhausted(PaymentRequired):
    """There are {credits} AI credits left and this needs {needed}."""

    es = "Quedan {credits} créditos de IA y esto necesita {needed}."


class TooLarge(VerazError):
    """«{what}» is too large: the limit is {limit}."""

    es = "«{what}» es demasiado grande: el límite es {limit}."


class Unsupported(VerazError):
    """«{filename}» is of a kind that cannot be read ({kind}). Use PDF, Word, Excel, PowerPoint, text, Markdown, HTML, CSV or JSON."""

    es = "«{filename}» es de un tipo que no se puede leer ({kind}). Use PDF, Word, Excel, PowerPoint, texto, Markdown, HTML, CSV o JSON."


class LinkUsed(NotFound):
    """This link was used already, or its time is over. Ask your administrator for a new one."""

    es = "Este enlace ya se usó o su plazo terminó. Pida uno nuevo a su administrador."


class TypeMismatch(Unsupported):
    """«{filename}» says it is {declared} but its content is something else ({actual}). Upload the right file or export it again."""

    es = "«{filename}» dice ser {declared}, pero su contenido es otro ({actual}). Suba el archivo correcto o expórtelo de nuevo."


class RateLimited(VerazError):
    """Too many attempts. Wait {seconds} seconds."""

    es = "Demasiados intentos. Espere {seconds} segundos."


class Unreadable(VerazError):
    """The document cannot be read: {reason}."""

    es = "El documento no se puede leer: {reason}."


class EmptyDocument(Unreadable):
    """The file is empty."""

    es = "El archivo está vacío."


class NoText(Unreadable):
    """The file holds no text that can be read. Upload one whose text can be selected, or a sharper scan."""

    es = "El archivo no contiene texto que se pueda leer. Suba uno cuyo texto se pueda seleccionar, o un escaneo más nítido."


class ScanUnread(NoText):
    """The file is a scan, and Tesseract, which reads scans, is not installed (apt-get install tesseract-ocr tesseract-ocr-spa)."""

    es = "El archivo es un escaneo y falta instalar Tesseract, que los lee (apt-get install tesseract-ocr tesseract-ocr-spa)."


class Protected(Unreadable):
    """The file is protected with a password. Save it without one and upload it again."""

    es = "El archivo está protegido con contraseña. Guárdelo sin ella y vuelva a subirlo."


class Corrupt(Unreadable):
    """The file is damaged or cut off. Open it in its own program, save it again and upload the new copy."""

    es = (
        "El archivo está dañado o incompleto. Ábralo en su programa, guárdelo de nuevo y suba la copia nueva."
    )


class Bomb(Unreadable):
    """The file unpacks to far more than a real document does, so it was not opened."""

    es = "El archivo se expande mucho más que un documento real, así que no se abrió."


class ParseTimeout(Unreadable):
    """Reading the file took longer than {seconds} seconds. Split it into smaller files."""

    es = "Leer el archivo tardó más de {seconds} segundos. Divídalo en archivos más pequeños."


class JobTooLong(Unreadable):
    """Processing the document took longer than {minutes} minutes. Split it into smaller documents."""

    es = "Procesar el documento tardó más de {minutes} minutos. Divídalo en documentos más pequeños."


class ParseMemory(Unreadable):
    """Reading the file needs more memory than allowed. Split it into smaller files."""

    es = "Leer el archivo necesita más memoria de la permitida. Divídalo en archivos más pequeños."


class FetchRefused(VerazError):
    """The address {url} was not read: {reason}."""

    es = "No se leyó la dirección {url}: {reason}."


class OutsideFault(VerazError):
    """{host} failed: {reason}."""

    es = "{host} falló: {reason}."
    retry_after: float | None = None


class OutsideBusy(OutsideFault):
    """{host} asks to slow down; it will be tried again."""

    es = "{host} pide ir más despacio; se intentará de nuevo."

    def __init__(self, *, retry_after: float | None = None, **context: object) -> None:
        super().__init__(**context)
        self.retry_after = retry_after


class OutsideDown(OutsideFault):
    """{host} does not answer ({reason}); it will be tried again."""

    es = "{host} no responde ({reason}); se intentará de nuevo."


class UnreliableJudge(OutsideDown):
    """{host} called a control sentence proven that no passage proves, so its verdicts do not count ({reason}). Choose another judge_model."""

    es = "{host} dio por probada una frase de control que ningún pasaje prueba, así que sus veredictos no cuentan ({reason}). Elija otro judge_model."


class OutsideRejected(OutsideFault):
    """{host} rejected the request: {reason}. Check the key and the model's name."""

    es = "{host} rechazó la petición: {reason}. Revise la clave y el nombre del modelo."


class IssuerFailed(OutsideFault):
    """{host} could not confirm the sign-in: {reason}. Try again later, or sign in with e-mail and password."""

    es = "{host} no pudo confirmar el inicio de sesión: {reason}. Inténtelo más tarde, o entre con correo y contraseña."


class Unavailable(VerazError):
    """Veraz is not ready: {reason}."""

    es = "Veraz no está listo: {reason}."


class DatabaseUnavailable(Unavailable):
    """The database does not answer: {reason}."""

    es = "La base de datos no responde: {reason}."


class DatabaseNotStarted(DatabaseUnavailable):
    """The embedded database in {folder} did not start. Its log ends with:\n{log}"""

    es = "La base de datos incluida en {folder} no arrancó. Su registro termina así:\n{log}"


class DatabaseOfAnotherVersion(DatabaseUnavailable):
    """The data in {folder} was written by PostgreSQL {found}; this Veraz brings {expected}. Run «veraz backup» with the Veraz that wrote it, then «veraz restore» here."""

    es = "Los datos de {folder} los escribió PostgreSQL {found}; este Veraz trae {expected}. Ejecute «veraz backup» con el Veraz que los escribió y después «veraz restore» aquí."


class FolderUnreachable(Unavailable):
    """The system user «{user}» may not use {folder}, and the database needs it. Choose another place with VERAZ_HOME, or give that user access."""

    es = "El usuario del sistema «{user}» no puede usar {folder} y la base de datos lo necesita. Elija otro lugar con VERAZ_HOME o dele acceso a ese usuario."


class DiskFull(Unavailable):
    """The disk that holds {folder} is full. Free some space and start again."""

    es = "El disco que contiene {folder} está lleno. Libere espacio y arranque de nuevo."


class AddressTaken(Unavailable):
    """Nothing can listen on {address}: {reason}. Stop the other program, or choose another place with --port or --host."""

    es = "No se puede escuchar en {address}: {reason}. Detenga el otro programa o elija otro lugar con --port o --host."


class MigrationFailed(Unavailable):
    """The database could not be brought up to date: {reason}."""

    es = "No se pudo actualizar la base de datos: {reason}."


class WorkerLost(Unavailable):
    """The program stopped {times} times while working on this, so it was put aside. Try again, or with smaller files."""

    es = "El programa se detuvo {times} veces mientras trabajaba en esto, así que quedó apartado. Inténtelo de nuevo o con archivos más pequeños."


NOTICES: dict[str, Sentence] = {
    "hidden_left_out": {
        "en": "Hidden text was left out: {counts}.",
        "es": "Se dejó fuera texto oculto: {counts}.",
    },
    "ocr_missing": {
        "en": "{pages} scanned page(s) were not read: Tesseract is not installed ({install}).",
        "es": "{pages} página(s) escaneada(s) no se leyeron: falta instalar Tesseract ({install}).",
    },
    "ocr_page_limit": {
        "en": "Only the first {read} of {pages} scanned pages were read. Split the file to read the rest.",
        "es": "Solo se leyeron las primeras {read} de {pages} páginas escaneadas. Divida el archivo para leer el resto.",
    },
}
"""What to know about a document that was read all the same; no fields but numbers and words without a full stop."""


def notice(code: str, **fields: object) -> Sentence:
    """One of the notices, in both languages."""
    spanish = {name: _spanish(name, value) for name, value in fields.items()}
    return {"en": NOTICES[code]["en"].format(**fields), "es": NOTICES[code]["es"].format(**spanish)}


def counted(numbers: Mapping[str, int]) -> Phrase:
    """How many of each there are, as «2 sheets, 1 row»; the keys are the English plurals."""
    found = [(number, name if number > 1 else name[:-1]) for name, number in numbers.items() if number > 0]
    es = ", ".join(f"{number} {_COUNTED[name]}" for number, name in found)
    return Phrase(", ".join(f"{number} {name}" for number, name in found), es=es)


def length(most: int, least: int = 0) -> Phrase:
    """Why a text is refused: how many characters it may have."""
    if least:
        return Phrase(
            f"must be {least:,}–{most:,} characters", es=f"debe tener de {least:,} a {most:,} caracteres"
        )
    return Phrase(f"must be at most {most:,} characters", es=f"debe tener como máximo {most:,} caracteres")


def between(low: float, high: float) -> Phrase:
    """Why a number is refused: what it may be."""
    return Phrase(f"must be between {low:g} and {high:g}", es=f"debe estar entre {low:g} y {high:g}")


def retold(code: str | None, sentence: str | None, language: str) -> str | None:
    """A sentence that was written down in Spanish when something failed, in the caller's language.

    What it was made of is read from the sentence itself; one that does not say stays as it is.
    """
    kind = next((one for one in kinds(VerazError) if one.code == code), None)
    if not sentence or language.startswith("es"):
        return sentence
    if code in NOTICES:
        return _retold_notices(sentence)
    if kind is None:
        return sentence
    pattern = _pattern(kind.es, ".*")
    said = (
        re.fullmatch(pattern, sentence + end, re.DOTALL) for end in ("", " ")
    )  # a last field may be empty
    if (match := next(filter(None, said), None)) is None:
        return sentence
    return kind(**{name: _english(name, said) for name, said in match.groupdict().items()}).message(language)


def _retold_notices(sentence: str) -> str:
    """Some notices one after the other."""
    for kept in NOTICES.values():

        def translated(match: re.Match[str], en: str = kept["en"]) -> str:
            return en.format(**{name: _english(name, said) for name, said in match.groupdict().items()})

        sentence = re.sub(_pattern(kept["es"], "[^.]*?"), translated, sentence)
    return sentence


def _pattern(template: str, field: str) -> str:
    pieces = [(re.escape(text), name) for text, name, *_ in Formatter().parse(template)]
    return "".join(text + (f"(?P<{name}>{field})" if name else "") for text, name in pieces)


def _english(field: str, said: str) -> str:
    if field == "counts":
        words = {es: en for en, es in _COUNTED.items()}
        return re.sub(r"[^\W\d]+", lambda word: words.get(word[0], word[0]), said)
    return next((en for en, es in _SPANISH.items() if es == said), said) if field in _PHRASES else said


def kinds(kind: type[VerazError]) -> Iterator[type[VerazError]]:
    """An error class and all below it."""
    yield kind
    for below in kind.__subclasses__():
        yield from kinds(below)


_PHRASES = frozenset({"thing", "action", "what", "reason"})
"""Fields that hold our own words; names and ids that people chose stay as they are."""

_COUNTED: dict[str, str] = {
    "sheet": "hoja",
    "sheets": "hojas",
    "slide": "diapositiva",
    "slides": "diapositivas",
    "row": "fila",
    "rows": "filas",
    "column": "columna",
    "columns": "columnas",
    "word": "palabra",
    "words": "palabras",
}

_SPANISH: dict[str, str] = {
    "a control claim was called supported": "dio por probada una afirmación de control",
    "verdicts that cannot be read": "veredictos que no se pueden leer",
    # thing
    "agent": "agente",
    "assignment": "asignación",
    "chunk": "fragmento",
    "delivery": "envío",
    "conversation": "conversación",
    "document": "documento",
    "edition": "edición",
    "end user": "usuario final",
    "file": "archivo",
    "identity provider": "proveedor de identidad",
    "job": "trabajo",
    "key": "clave",
    "knowledge base": "base de conocimiento",
    "lead": "contacto",
    "forgetting": "olvido",
    "licence": "licencia",
    "end-user key": "clave de usuarios finales",
    "machine": "máquina",
    "member": "miembro",
    "message": "mensaje",
    "version": "versión",
    "page": "página",
    "passage": "pasaje",
    "plan": "plan",
    "project": "proyecto",
    "question": "pregunta",
    "row": "fila",
    "second factor": "segundo paso",
    "session": "sesión",
    "tenant": "organización",
    "user": "usuario",
    "WhatsApp number": "número de WhatsApp",
    "widget": "widget",
    "webhook": "webhook",
    # what
    "body": "cuerpo de la petición",
    "knowledge bases": "bases de conocimiento",
    "documents per knowledge base": "documentos por base de conocimiento",
    "bytes per knowledge base": "bytes por base de conocimiento",
    # action
    "see sessions": "ver sesiones",
    "end sessions": "terminar sesiones",
    "set passwords": "poner contraseñas",
    "change a password": "cambiar una contraseña",
    "forget": "olvidar",
    "delete a tenant": "eliminar una organización",
    "forget a machine": "olvidar una máquina",
    "forget an end user": "olvidar a un usuario final",
    "see what was forgotten": "ver lo que se olvidó",
    "invite or reset users": "invitar a usuarios o restablecer su contraseña",
    "sign in as this user": "iniciar sesión como este usuario",
    "act for a disabled user": "actuar por un usuario desactivado",
    "act for a machine": "actuar por una máquina",
    "add documents for another machine": "añadir documentos para otra máquina",
    "add members": "añadir miembros",
    "add users": "añadir usuarios",
    "add webhooks for the whole tenant": "añadir webhooks para toda la organización",
    "add webhooks to this project": "añadir webhooks a este proyecto",
    "ask in somebody else's conversation": "preguntar en la conversación de otra persona",
    "assign knowledge bases to this agent": "asignar bases de conocimiento a este agente",
    "change end-user keys": "cambiar las claves de usuarios finales",
    "change a platform administrator": "cambiar a un administrador de la plataforma",
    "change how people sign in": "cambiar cómo entran las personas",
    "change licences": "cambiar licencias",
    "change plans": "cambiar planes",
    "choose models for agents": "elegir modelos para agentes",
    "change the plan": "cambiar el plan",
    "change the project": "cambiar el proyecto",
    "change a second factor": "cambiar un segundo paso",
    "change the rule of the second factor": "cambiar la regla del segundo paso",
    "change the tenant": "cambiar la organización",
    "change this agent": "cambiar este agente",
    "change this knowledge base": "cambiar esta base de conocimiento",
    "change this user": "cambiar este usuario",
    "change users": "cambiar usuarios",
    "create agents": "crear agentes",
    "create agents in this project": "crear agentes en este proyecto",
    "create global knowledge bases": "crear bases de conocimiento globales",
    "create knowledge bases in this project": "crear bases de conocimiento en este proyecto",
    "create projects": "crear proyectos",
    "create tenants": "crear organizaciones",
    "delete projects": "borrar proyectos",
    "delete users": "borrar usuarios",
    "do this": "hacer esto",
    "grant credits": "conceder créditos",
    "list tenants": "ver todas las organizaciones",
    "make a key that may do more than this one": "crear una clave que pueda más que esta",
    "make a personal key without being a user": "crear una clave personal sin ser un usuario",
    "make a platform administrator": "nombrar a un administrador de la plataforma",
    "make service keys": "crear claves de servicio",
    "read the metrics": "leer las métricas",
    "read the audit log": "leer el registro de cambios",
    "read the security events": "leer los eventos de seguridad",
    "read the security events of the installation": "leer los eventos de seguridad de la instalación",
    "read the ledger": "leer el libro de créditos",
    "register licences": "registrar licencias",
    "remove members": "quitar miembros",
    "revoke keys": "revocar claves",
    "see who made a key": "ver quién creó una clave",
    "change roles": "cambiar roles",
    "reset a second factor": "restablecer el segundo paso de alguien",
    "reset your own second factor without a code": "quitar su propio segundo paso sin un código",
    "see who has a second factor": "ver quién tiene un segundo paso",
    "show an identity provider to everybody": "mostrar un proveedor de identidad a todo el mundo",
    "see what needs attention in this project": "ver lo que necesita atención en este proyecto",
    "send messages in this project": "enviar mensajes en este proyecto",
    "use the session cookie from another site": "usar la cookie de sesión desde otro sitio",
    # reason
    "no answer in time": "no respondió a tiempo",
    "a name is needed": "hace falta un nombre",
    "fill it in": "complete este campo",
    "another process has been migrating for over a minute": "otro proceso lleva más de un minuto actualizándola",
    "an empty answer": "una respuesta vacía",
    "send at least one": "envíe al menos uno",
    "it does not accept this process's signature; start it again with the installation's secret": (
        "no acepta la firma de este proceso; inícielo de nuevo con el secreto de la instalación"
    ),
    "its clock and ours have moved apart; try again": (
        "su reloj y el nuestro se han separado; inténtelo de nuevo"
    ),
    "busy with another change; try again": "está ocupada con otro cambio; inténtelo de nuevo",
    "it holds characters that are not valid Unicode": "contiene caracteres que no son Unicode válido",
    "it was not given out by this list": "no lo dio esta lista",
    "kind = personal": "kind = personal",
    "no free connection": "no hay conexiones libres",
    "scores that cannot be read": "puntuaciones que no se pueden leer",
    "the answer was cut off": "la respuesta quedó cortada",
    "the parsing process cannot be started": "no se puede arrancar el proceso que lee los archivos",
    "the service's content filter stopped the answer": "el filtro de contenidos del servicio detuvo la respuesta",
    "the pgvector extension ≥ 0.8 must be installed on the server": "hay que instalar en el servidor la extensión pgvector ≥ 0.8",
    "true, false": "true, false",
    "wordings that cannot be read": "reformulaciones que no se pueden leer",
    "«global» means every machine": "«global» significa todas las máquinas",
}
