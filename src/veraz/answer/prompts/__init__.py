"""What the writing model is told. Document text is data between fences it cannot forge."""

from collections.abc import Sequence
from dataclasses import dataclass

from veraz.answer.model import Persona
from veraz.answer.wording import headings, phrases
from veraz.search.model import Hit
from veraz.text.injection import fence_of, harmless
from veraz.text.templates import template
from veraz.verify.model import HeldBack, Source

_TIERS = {
    "tier1_gold": ("oro", "gold"),
    "tier2_silver": ("plata", "silver"),
    "tier3_bronze": ("bronce", "bronze"),
}
_LONGEST_PLACE = 300


@dataclass(frozen=True, slots=True, kw_only=True)
class Prompt:
    """The question with its context, and the word that fences the context off."""

    text: str
    fence: str


def instructions(persona: Persona, fence: str, *, may_search: bool) -> str:
    """The rules of the agent's style, then those every answer keeps."""
    again = template("answer", "search_again", persona.language) + "\n" if may_search else ""
    values = {
        "agent": persona.agent,
        "company": persona.company or persona.agent,
        "system_prompt": persona.system_prompt,
        "user_name": persona.user_name,
        "fence": fence,
        "headings": "\n".join(f"## {title}" for title in headings(persona.language)),
        "language": phrases(persona.language)["language"],
        "search_again": again,
    }
    parts = (template("answer", name, persona.language) for name in (persona.style, "rules"))
    return "\n\n".join(part.format_map(values) for part in parts).strip()


def question_with_context(
    question: str, meant: str, sources: Sequence[Source], hits: Sequence[Hit], persona: Persona
) -> Prompt:
    """The passages, each fenced and numbered, then the question as it was asked and, where it leans, as it is meant."""
    fence = fence_of(question, *(f"{source.heading}\n{source.text}" for source in sources))
    blocks = [_block(source, hit, fence, persona) for source, hit in zip(sources, hits, strict=True)]
    also = "" if meant == question else f"\n({meant})"
    text = template("answer", "question", persona.language).format(
        context="\n\n".join(blocks), question=question, meant=also, fence=fence
    )
    return Prompt(text=text, fence=fence)


def corrected(wrong: Sequence[HeldBack], language: str) -> str:
    """What to put right in a second draft."""
    lines = "\n".join(f"- «{one.text}» ({one.reason})" for one in wrong)
    return template("answer", "corrective", language).format(wrong=lines)


def standalone(language: str) -> str:
    """How to rewrite a follow-up question."""
    return template("answer", "standalone", language)


def _block(source: Source, hit: Hit, fence: str, persona: Persona) -> str:
    kind = "CORPUS PERSONAL" if hit.passage.kind == "personal" else "CORPUS GLOBAL"
    return (
        f"<<<{fence} [Chunk {source.number}] [{kind}] {_place(source, hit, persona)}>>>\n"
        f"{harmless(source.text)}\n<<<{fence} [Chunk {source.number}] fin>>>"
    )


def _place(source: Source, hit: Hit, persona: Persona) -> str:
    """Where the passage stands, and in the evidence style how much its source weighs."""
    place = harmless(" › ".join(source.place))[:_LONGEST_PLACE]
    more = [f"p. {source.page}"] if source.page else []
    if persona.style == "evidence":
        spanish, english = _TIERS.get(hit.passage.source_tier or "", ("", ""))
        more += [english if persona.language == "en" else spanish, harmless(hit.passage.source_url or "")]
    return ", ".join(part for part in (place, *more) if part)
