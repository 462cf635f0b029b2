"""What the pages say, in Spanish, one module for each area. The English is written in the code; a test keeps it complete."""

from typing import Final

from veraz.observe import log
from veraz.ui.spanish import (
    account,
    administration,
    agents,
    ask,
    attention,
    common,
    documents,
    ingestion,
    security,
    sign_in,
    source,
    usage,
    widget,
)

AREAS: Final = (
    account,
    administration,
    agents,
    ask,
    attention,
    common,
    documents,
    ingestion,
    security,
    sign_in,
    source,
    usage,
    widget,
)


class Translations(dict[str, str]):
    """English → Spanish; a sentence nobody translated is shown in English and told to the log, not refused."""

    def __missing__(self, english: str) -> str:
        log.warning("not_translated", text=english)
        return english


SPANISH: Final = Translations((english, spanish) for area in AREAS for english, spanish in area.WORDS.items())
