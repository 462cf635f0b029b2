"""Whether a short text, such as a question, is in another language than what it is asked about."""

import re
import unicodedata
from functools import lru_cache

from veraz.text.stop_words import STOP_WORDS

_WORD = re.compile(r"[^\W\d_]+")
_CLEAR_LEAD = 2


@lru_cache(maxsize=256)
def in_another_language(text: str, language: str) -> bool:
    """Whether its function words clearly belong to another language; short or mixed texts do not say so."""
    own = STOP_WORDS.get(language[:2].lower())
    if own is None:
        return False
    words = [_plain(word) for word in _WORD.findall(text)]
    others = (sum(word in known for word in words) for known in STOP_WORDS.values() if known is not own)
    return max(others) >= sum(word in own for word in words) + _CLEAR_LEAD


def _plain(word: str) -> str:
    decomposed = unicodedata.normalize("NFKD", word.lower())
    return "".join(sign for sign in decomposed if not unicodedata.combining(sign))
