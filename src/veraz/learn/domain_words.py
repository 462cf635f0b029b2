"""What a knowledge base is about, counted: its headings and commonest words, what it measures, where it says that people disagree."""

import json
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from veraz.text.content_words import content_words
from veraz.text.numbers import figures
from veraz.text.plain import plain
from veraz.text.sentences import sentences

_MOST = 8
_DEBATE = re.compile(
    r"\b(?:sin embargo|controversi\w+|debate\w*|discut\w+|polemic\w+|no hay consenso|por otro lado|however|controvers\w+|disputed|no consensus)\b"
)
_WORD = re.compile(r"[^\W\d_]{4,}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Sampled:
    """A chunk with what its document is."""

    content: str
    headers: list[str]
    document: str
    file_type: str
    tier: str | None


def found_in(sample: Sequence[Sampled], language: str, user_input: str) -> dict[str, Any]:
    """The columns of a domain, without any model."""
    terms = _terms(sample, language)
    subdomains = _subdomains(sample, terms)
    english = language.startswith("en")
    about = ", ".join(subdomains[:3]) or ("nothing yet" if english else "nada todavía")
    intent = user_input.strip() or (f"Documents about {about}" if english else f"Documentos sobre {about}")
    ask = "What do the documents say about {}?" if english else "¿Qué dicen los documentos sobre {}?"
    return {
        "interpreted_intent": intent,
        "subdomains": json.dumps(subdomains),
        "source_categories": json.dumps(_categories(sample)),
        "critical_variables": json.dumps(_variables(sample)),
        "validation_queries": json.dumps([ask.format(name) for name in subdomains]),
        "known_debates": json.dumps(_debates(sample)),
        "recommended_config": json.dumps(_config(sample)),
    }


def _terms(sample: Sequence[Sampled], language: str) -> list[str]:
    """Words many passages hold, though not all, as they are written most often."""
    held: Counter[str] = Counter()
    written: dict[str, Counter[str]] = {}
    for one in sample:
        held.update(content_words(one.content, language))
        for word in _WORD.findall(one.content):
            for stem in content_words(word, language):
                written.setdefault(stem, Counter())[word] += 1
    common = [
        stem for stem, count in held.most_common() if count <= 0.6 * len(sample) + 1 and stem in written
    ]
    return [written[stem].most_common(1)[0][0] for stem in common[:_MOST]]


def _subdomains(sample: Sequence[Sampled], terms: Sequence[str]) -> list[str]:
    """The first headings, where there are any; else the words that come up most."""
    headings = Counter(one.headers[0].strip() for one in sample if one.headers and one.headers[0].strip())
    named = [heading for heading, _ in headings.most_common(_MOST)]
    return (named + [term for term in terms if plain(term) not in map(plain, named)])[:_MOST]


def _categories(sample: Sequence[Sampled]) -> list[dict[str, Any]]:
    kinds = Counter((one.file_type, one.tier) for one in {one.document: one for one in sample}.values())
    return [
        {"file_type": kind, "tier": tier, "documents": count} for (kind, tier), count in kinds.most_common()
    ]


def _variables(sample: Sequence[Sampled]) -> list[str]:
    """What is counted or measured: the words that follow figures."""
    counted: Counter[str] = Counter()
    for one in sample:
        for figure in figures(one.content):
            following = _WORD.match(one.content[figure.end : figure.end + 30].lstrip(" \u00a0"))
            if following and figure.explicit:
                counted[following[0].lower()] += 1
    return [word for word, count in counted.most_common(_MOST) if count > 1]


def _debates(sample: Sequence[Sampled]) -> list[str]:
    found = (s for one in sample for s in sentences(one.content) if _DEBATE.search(plain(s)))
    return list(dict.fromkeys(" ".join(sentence.split())[:300] for sentence in found))[:_MOST]


def _config(sample: Sequence[Sampled]) -> dict[str, Any]:
    """Graded sources deserve the style that shows evidence; tables are looked up with more passages."""
    graded = any(one.tier for one in sample)
    tables = sum(one.file_type in ("csv", "xlsx", "xls") for one in sample) > len(sample) / 2
    return {
        "answer_style": "evidence" if graded else "strict",
        "retrieval": {"top_k": 12} if tables else {},
    }
