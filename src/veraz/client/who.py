"""Who calls, and for whom: the headers of every request."""

import re
from dataclasses import dataclass, field
from typing import Final

import httpx

from veraz.client.signing import EndUserKey

_CARRIED: Final = re.compile(r"[ -~\xa0-\xff]*")


@dataclass(frozen=True, slots=True, kw_only=True)
class Who:
    """A key, and the end user and machine a service key acts for."""

    key: str = field(repr=False)
    user: str | None = None
    machine: str | None = None
    sign_with: EndUserKey | None = None
    """Signs user and machine anew for every request, instead of saying them."""
    language: str = "es"

    @property
    def headers(self) -> httpx.Headers:
        """As the API reads them; a user's name may carry accents."""
        named = {"X-Veraz-User": self.user, "X-Veraz-Machine": self.machine}
        if self.sign_with is not None and any(value is not None for value in named.values()):
            named = {"X-Veraz-Acting": self.sign_with.sign(user=self.user, machine=self.machine)}
        known = {"Authorization": f"Bearer {self.key}", "Accept-Language": self.language}
        given = known | {name: value for name, value in named.items() if value is not None}
        for name, value in given.items():
            if not _CARRIED.fullmatch(value):
                raise ValueError(f"{name} holds characters that no header can carry")
        return httpx.Headers(given, encoding="latin-1")
