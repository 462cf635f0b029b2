"""Forms with files: read only once the caller is known, piece by piece onto disk, closed whatever happens."""

import json
from collections.abc import AsyncIterator, Collection, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any, BinaryIO, Final

from fastapi import Request
from pydantic import TypeAdapter, ValidationError
from starlette.datastructures import FormData, UploadFile
from starlette.formparsers import MultiPartException, MultiPartParser

from veraz import errors
from veraz.api.bodies import QUESTION, check_json
from veraz.api.schemas import JsonObject
from veraz.api.validation import reason
from veraz.ingest.receive import Labels
from veraz.tenancy.machines import LONGEST_MACHINE
from veraz.tenancy.model import Actor

MAX_FILES: Final = 1000
_MAX_FIELDS: Final = 20
_MAX_FIELD_BYTES: Final = 256 * 1024
_METADATA: Final[TypeAdapter[dict[str, Any]]] = TypeAdapter(JsonObject)

_FORM_FIELDS: Final[dict[str, Any]] = {
    "machine_id": {
        "type": "string",
        "maxLength": LONGEST_MACHINE,
        "description": "The licence it is bound to, or «global». Without it: the machine the caller acts for, or «global».",
    },
    "metadata": {"type": "string", "description": "A JSON object, as text."},
}


class _SpoolingParser(MultiPartParser):
    """Many small files stay in memory together; larger ones wait on disk."""

    spool_max_size = 64 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class Upload:
    """A form that has arrived."""

    files: list[tuple[str, BinaryIO]]
    fields: dict[str, str]

    def labels(self, actor: Actor) -> Labels:
        """What the form says about its files."""
        machine = self.fields.get("machine_id", actor.binds_to)
        return Labels(machine_id=machine, metadata=_object(self.fields.get("metadata", "")))


@asynccontextmanager
async def uploaded(request: Request, *, fields: Collection[str] = _FORM_FIELDS) -> AsyncIterator[Upload]:
    """The form of this request; its files are gone from disk when the block ends.

    Fields other than those are refused, as in JSON: a `machineId` that nobody reads would make a file everybody's.
    """
    if not request.headers.get("content-type", "").lower().startswith("multipart/form-data"):
        needed = errors.Phrase("send multipart/form-data", es="envíe multipart/form-data")
        raise errors.Invalid(field="Content-Type", reason=needed)
    parser = _SpoolingParser(
        request.headers,
        request.stream(),
        max_files=MAX_FILES,
        max_fields=_MAX_FIELDS,
        max_part_size=_MAX_FIELD_BYTES,
    )
    try:
        form = await parser.parse()
    except MultiPartException as error:
        said = errors.Phrase(error.message, es=f"el formulario no se entiende ({error.message})")
        raise errors.Invalid(field="body", reason=said) from error
    try:
        yield _sorted(form, fields)
    finally:
        await form.close()


def form_schema(field: str, *, many: bool) -> dict[str, Any]:
    """The form for the documentation, which cannot see it in the signature."""
    file = {"type": "string", "format": "binary"}
    files: dict[str, Any] = {"type": "array", "items": file} if many else file
    schema = {"type": "object", "required": [field], "properties": {field: files, **_FORM_FIELDS}}
    return {"requestBody": {"required": True, "content": {"multipart/form-data": {"schema": schema}}}}


def _sorted(form: FormData, known: Collection[str]) -> Upload:
    items = form.multi_items()
    _refuse_unclear(items, known)
    return Upload(
        files=[
            (_name(value.filename or ""), value.file) for _, value in items if isinstance(value, UploadFile)
        ],
        fields={name: value for name, value in items if isinstance(value, str)},
    )


def _refuse_unclear(items: Sequence[tuple[str, UploadFile | str]], known: Collection[str]) -> None:
    said = [name for name, value in items if isinstance(value, str)]
    for name in said:
        if name not in known:
            raise errors.Invalid(
                field=name[:100], reason=errors.Phrase("unknown field", es="campo desconocido")
            )
        if said.count(name) > 1:
            raise errors.Invalid(field=name, reason=errors.Phrase("send it once", es="envíelo una vez"))
    for name, value in items:
        if isinstance(value, UploadFile) and name in _FORM_FIELDS:
            text = errors.Phrase("send it as text, not as a file", es="envíelo como texto, no como archivo")
            raise errors.Invalid(field=name, reason=text)


def _name(sent: str) -> str:
    """The name of a file; in a form, browsers send its quotation marks as %22, and nothing else like that."""
    return sent.replace("%22", '"')


def _object(text: str) -> dict[str, Any] | None:
    if not text.strip():
        return None
    try:
        check_json(text.encode("utf-8", "replace"), QUESTION, "metadata")
        return _METADATA.validate_python(json.loads(text))
    except ValidationError as error:
        found = error.errors()[0]
        said = errors.Phrase(reason(found, "en"), es=reason(found, "es"))
        raise errors.Invalid(field="metadata", reason=said) from error
    except (ValueError, RecursionError) as error:
        needed = errors.Phrase("a JSON object is needed", es="hace falta un objeto JSON")
        raise errors.Invalid(field="metadata", reason=needed) from error
