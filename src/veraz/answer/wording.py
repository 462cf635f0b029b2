"""What the product itself says in an answer, in the reader's language (`phrases/<language>.toml`)."""

import tomllib
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import Any

from veraz.answer.language import LANGUAGES
from veraz.answer.model import Persona, Refusal
from veraz.answer.turns import Topic

_SHOWN = 3
_LONGEST = 80


def phrases(language: str) -> Mapping[str, Any]:
    """All of them, in Spanish where a language is not spoken."""
    return _table(language[:2] if language[:2] in LANGUAGES else "es")


@cache
def _table(code: str) -> Mapping[str, Any]:
    return tomllib.loads(files("veraz.answer.phrases").joinpath(f"{code}.toml").read_text(encoding="utf-8"))


def headings(language: str) -> tuple[str, ...]:
    """The five headings of the evidence style."""
    return tuple(phrases(language)["headings"])


def refusal_text(
    persona: Persona, reason: Refusal, *, question: str = "", near: Sequence[str] = (), handoff: bool = False
) -> str:
    """The agent's own words for «I do not know», or ours with what was found near; a hand-over is announced."""
    said = phrases(persona.language)
    text = said["refusals"][reason]
    if persona.fallback_message and reason != "human":
        text = persona.fallback_message
    elif near and reason in ("not_answered", "unsupported"):
        places = listed([f"«{place}»" for place in near[:2]], persona.language)
        text = f"{text} {said['refusals']['near'].format(question=_short(question), places=places)}"
    return f"{text} {said['handoff']['called']}" if handoff else text


def conversation_text(
    persona: Persona,
    topic: Topic,
    titles: Sequence[str],
    count: int,
    *,
    description: str = "",
    again: bool = False,
) -> str:
    """A reply to a greeting, to thanks, to «who are you»: in the agent's voice, from what it is and may read."""
    said = phrases(persona.language)["conversation"]
    company = said["of_company"].format(company=persona.company) if persona.company else ""
    values = {
        "agent": persona.agent,
        "of_company": company,
        "comma_name": f", {persona.user_name}" if persona.user_name else "",
        "reads": _reads(said, titles, count, persona.language),
        "about": f" {description.strip()}" if description.strip() else "",
    }
    return str(said["greeted" if topic == "greeting" and again else topic]).format(**values)


def listed(items: Sequence[str], language: str) -> str:
    """«a, b y c»."""
    if len(items) < 2:
        return "".join(items)
    return f"{', '.join(items[:-1])} {phrases(language)['conversation']['and']} {items[-1]}"


def _reads(said: Mapping[str, str], titles: Sequence[str], count: int, language: str) -> str:
    if not titles:
        return said["reads_nothing"]
    shown = listed([f"«{_short(title)}»" for title in titles[:_SHOWN]], language)
    return said["reads" if count <= _SHOWN else "reads_more"].format(titles=shown, count=count)


def _short(text: str) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= _LONGEST else f"{flat[: _LONGEST - 1].rstrip()}…"
