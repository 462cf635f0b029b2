"""How much one file may hold; what holds more is refused with a number people understand."""

from veraz import errors
from veraz.ingest.parse.base import Source


def check_size(source: Source, characters: int, blocks: int) -> None:
    """Stop a file whose text is larger than any real document's."""
    if characters > source.limits.characters_max:
        raise too_large(source, source.limits.characters_max, "characters", es="caracteres")
    if blocks > source.limits.blocks_max:
        raise too_large(source, source.limits.blocks_max, "paragraphs or rows", es="párrafos o filas")


def check_columns(source: Source, columns: int) -> None:
    """Stop a table that is wider than any spreadsheet."""
    if columns > source.limits.columns_max:
        raise too_large(source, source.limits.columns_max, "columns", es="columnas")


def too_large(source: Source, limit: int, what: str, *, es: str) -> errors.TooLarge:
    """The refusal of a file that holds more of something than any real document."""
    number = f"{limit:,}"
    phrase = errors.Phrase(f"{number} {what}", es=f"{number.replace(',', '.')} {es}")
    return errors.TooLarge(what=source.filename, limit=phrase)
