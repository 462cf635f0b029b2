"""Numbers, sizes, shares, dates and durations as the visitor's country writes them."""

from datetime import date, datetime
from typing import TYPE_CHECKING, Final, Literal

from babel import Locale
from babel.core import negotiate_locale
from babel.dates import format_date, format_datetime
from babel.numbers import format_decimal, format_percent

if TYPE_CHECKING:
    from veraz.ui.visit import Visit

Language = Literal["es", "en"]

_COUNTRIES: Final = {
    "es": ("es_MX", "es_ES", "es_AR", "es_BO", "es_CL", "es_CO", "es_CR", "es_CU", "es_DO", "es_EC", "es_GT", "es_HN",
           "es_NI", "es_PA", "es_PE", "es_PR", "es_PY", "es_SV", "es_US", "es_UY", "es_VE"),
    "en": ("en_US", "en_GB", "en_AU", "en_CA", "en_IE", "en_IN", "en_NZ", "en_ZA"),
}  # fmt: skip
_UNITS: Final = ("B", "KB", "MB", "GB", "TB")


def locale_of(language: Language, accepted: str) -> Locale:
    """The country a browser's `Accept-Language` names for the page's language; Mexico and the United States else."""
    wanted = [one.split(";")[0].strip().replace("-", "_") for one in accepted[:400].split(",")]
    known = _COUNTRIES[language]
    return Locale.parse(negotiate_locale([one for one in wanted if "_" in one], known) or known[0])


def number(visit: "Visit", value: float, digits: int = 0) -> str:
    """1,458.5 in Mexico, 1.458,5 in Spain."""
    shape = "#,##0" + (f".{'0' * digits}" if digits else "")
    return format_decimal(value, format=shape, locale=visit.locale)


def percent(visit: "Visit", share: float, digits: int = 0) -> str:
    """A share from 0 to 1: 31 %, 31%."""
    shape = visit.locale.percent_formats[None].pattern.replace(
        "#,##0", "#,##0" + (f".{'0' * digits}" if digits else "")
    )
    return format_percent(share, format=shape, locale=visit.locale)


def size(visit: "Visit", count: int) -> str:
    """12.4 MB."""
    value, unit = float(count), 0
    while value >= 1024 and unit < len(_UNITS) - 1:
        value, unit = value / 1024, unit + 1
    return f"{number(visit, value, 0 if unit == 0 or value >= 100 else 1)} {_UNITS[unit]}"


def seconds(visit: "Visit", value: float) -> str:
    """How long something took or will take: 0.4 s, 12 s, 3 min, 2 h."""
    if value < 10:
        return f"{number(visit, value, 1)} s"
    if value < 90:
        return f"{number(visit, value)} s"
    return f"{number(visit, value / 60)} min" if value < 5400 else f"{number(visit, value / 3600)} h"


def when(visit: "Visit", moment: datetime | None) -> str:
    """A date and time on the visitor's clock."""
    if moment is None:
        return "–"
    local = moment.astimezone(visit.zone)
    return f"{day(visit, local)}, {format_datetime(local, 'H:mm', locale=visit.locale)}"


def day(visit: "Visit", moment: date) -> str:
    """18 nov 2026."""
    return format_date(moment, "d MMM y", locale=visit.locale)


def short_day(visit: "Visit", moment: date) -> str:
    """18 nov, for the axis of a chart."""
    return format_date(moment, "d MMM", locale=visit.locale)
