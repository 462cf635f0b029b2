"""What a chat model is told. Document text is data between fences it cannot forge: a new random word per request."""

import re
import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from veraz.ask.check.claims import CITATION
from veraz.ask.check.injection import marked_sentences, visible
from veraz.ask.check.reading import Source
from veraz.ask.model import Hit
from veraz.ask.outcome import Persona
from veraz.ask.phrases import headings

_FENCE_LIKE = re.compile(r"<{2,}|>{2,}|`{3,}|~{3,}")
_LEFT_OUT = "[…]"


@dataclass(frozen=True, slots=True, kw_only=True)
class Prompt:
    """The question with its context, and the word that fences the context off."""

    text: str
    fence: str


def instructions(persona: Persona, fence: str) -> str:
    """The rules of the agent's style, then those every answer keeps."""
    values = {
        "agent": persona.agent,
        "company": persona.company or persona.agent,
        "system_prompt": persona.system_prompt,
        "user_name": persona.user_name,
        "fence": fence,
        "headings": "\n".join(f"## {title}" for title in headings(persona.language)),
    }
    parts = [_template(persona.style, persona.language), _template("rules", persona.language)]
    return "\n\n".join(part.format_map(values) for part in parts).strip()


def question_with_context(
    question: str, sources: Sequence[Source], hits: Sequence[Hit], persona: Persona
) -> Prompt:
    """The passages, each fenced and numbered, then the question."""
    fence = secrets.token_hex(6)
    blocks = [_block(source, hit, fence) for source, hit in zip(sources, hits, strict=True)]
    template = _template("question", persona.language)
    return Prompt(
        text=template.format(context="\n\n".join(blocks), question=question, fence=fence), fence=fence
    )


def corrected(wrong: Sequence[tuple[str, str]], language: str) -> str:
    """What to put right in a second draft."""
    lines = "\n".join(f"- «{text}» ({reason})" for text, reason in wrong)
    return _template("corrective", language).format(wrong=lines)


def standalone(language: str) -> str:
    """How to rewrite a follow-up question."""
    return _template("standalone", language)


def sub_queries(language: str) -> str:
    """How to say a question in other words."""
    return _template("rewrite", language)


def passages_to_score(question: str, texts: Sequence[str], language: str) -> tuple[str, Prompt]:
    """How to score passages, and the passages with the question, fenced and numbered."""
    fence = secrets.token_hex(6)
    blocks = [
        f"<<<{fence} {number}>>>\n{harmless(text)}\n<<<{fence} {number} fin>>>"
        for number, text in enumerate(texts, start=1)
    ]
    text = _template("question", language).format(context="\n\n".join(blocks), question=question, fence=fence)
    return _template("rerank", language).format(fence=fence), Prompt(text=text, fence=fence)


def domain_rules(fence: str, language: str) -> str:
    """How to say what a knowledge base is about."""
    return _template("domain", language).format(fence=fence)


def claim_to_judge(claim: str, sentence: str, language: str) -> tuple[str, str]:
    """How to judge a claim, and the claim with the sentence it cites, both fenced."""
    fence = secrets.token_hex(6)
    marked = f"<<<{fence}>>>\n{harmless(sentence)}\n<<<{fence} fin>>>"
    asked = "Claim" if language.startswith("en") else "Afirmación"
    return _template("judge", language).format(fence=fence), f"{marked}\n\n{asked}: {harmless(claim)}"


def harmless(text: str) -> str:
    """Document text as data: nothing invisible, no fences, no citations, no sentence that orders a machine about."""
    text = visible(text)
    joined = " ".join(_LEFT_OUT if order else text[start:end] for start, end, order in marked_sentences(text))
    return CITATION.sub(lambda match: " " + match[0].strip(" []()【】"), _FENCE_LIKE.sub(" ", joined))


def _block(source: Source, hit: Hit, fence: str) -> str:
    name = harmless(hit.passage.document_name)[:120]
    page = f", p. {hit.passage.page_number}" if hit.passage.page_number else ""
    kind = "CORPUS PERSONAL" if hit.passage.kind == "personal" else "CORPUS GLOBAL"
    return (
        f"<<<{fence} [Chunk {source.number}] [{kind}] {name}{page}>>>\n"
        f"{harmless(source.text)}\n<<<{fence} [Chunk {source.number}] fin>>>"
    )


@cache
def _template(name: str, language: str) -> str:
    code = "en" if language.startswith("en") else "es"
    return files("veraz.ask.prompts").joinpath(f"{name}.{code}.txt").read_text(encoding="utf-8").strip()
