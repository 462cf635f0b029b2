"""What the pages say, in Spanish, one module for each area. The English is written in the code; a test keeps it complete."""

from typing import Final

from veraz.ui.spanish import (
    administration,
    agents,
    ask,
    attention,
    common,
    documents,
    ingestion,
    source,
    usage,
    widget,
)

AREAS: Final = (administration, agents, ask, attention, common, documents, ingestion, source, usage, widget)

SPANISH: Final[dict[str, str]] = {
    english: spanish for area in AREAS for english, spanish in area.WORDS.items()
}
