"""A judge reads claims beside passages: does each follow, and from which words?

One request for a batch of claims, as data: `<question>`, `<passage n="…">`, `<claim n="…">` in, `{"verdicts": …}` out. Text is
escaped, so that no document can open or close a tag. Among the claims stands one that no passage can support, made from
what they say and different each time; a judge that calls it supported says yes to everything, or obeys a document, and is
not believed at all.
"""

import hashlib
import html
from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from veraz.errors import OutsideDown, UnreliableJudge
from veraz.providers.chat.base import ChatModel, ChatRequest, Message, complete
from veraz.text.injection import harmless
from veraz.text.json_reply import json_in
from veraz.text.templates import template
from veraz.verify.model import NOT_SAID, Judged, Judgement, Source

_MOST_TOKENS = 4_000
_LONGEST_CLAIM = 2_000
_CONTROLS: Mapping[str, tuple[str, ...]] = {
    "es": (
        "El expediente interno de este asunto lleva la clave {code}.",
        "La persona responsable tiene asignada la extensión secreta {code}.",
        "El archivo original se guarda en la caja fuerte número {code}.",
        "La última auditoría de este apartado recibió el folio {code}.",
    ),
    "en": (
        "The internal file of this matter carries the code {code}.",
        "The person in charge was given the secret extension {code}.",
        "The original is kept in safe number {code}.",
        "The last audit of this section received the reference {code}.",
    ),
}
"""Control claims: plausible, about nothing anybody asks, with a code that stands in no passage."""


class Judge(Protocol):
    """Says which claims follow from which passages."""

    @property
    def name(self) -> str:
        """Who judges."""

    async def judge(
        self, question: str, sources: Sequence[Source], claims: Sequence[str], before: str = ""
    ) -> Judged:
        """One judgement per claim; `before` is what the answer has said already. Raises an `OutsideFault` when it cannot."""


class ChatJudge:
    """A chat model as a judge."""

    def __init__(self, model: ChatModel, language: str) -> None:
        self._model = model
        self._language = "en" if language.startswith("en") else "es"

    @property
    def name(self) -> str:
        """The model's name."""
        return self._model.name

    async def judge(
        self, question: str, sources: Sequence[Source], claims: Sequence[str], before: str = ""
    ) -> Judged:
        """Verdicts with their quotes, as the model gives them; only their form is checked here."""
        control, place = _control(question, sources, claims, self._language)
        asked = [*claims[:place], control, *claims[place:]]
        request = ChatRequest(
            instructions=template("verify", "judge", self._language),
            messages=(Message(role="user", text=_message(question, sources, asked, before)),),
            max_tokens=_MOST_TOKENS,
        )
        done = await complete(self._model, request)
        found = _verdicts(done.text, self.name, len(asked))
        if found.get(place + 1, NOT_SAID).verdict == "supported":
            raise UnreliableJudge(host=self.name, reason="a control claim was called supported")
        own = [number for number in range(1, len(asked) + 1) if number != place + 1]
        return Judged(
            judgements=tuple(found.get(number, NOT_SAID) for number in own),
            usage=done.usage,
            model=done.model,
            complete=len(found) == len(asked),
        )


def _control(
    question: str, sources: Sequence[Source], claims: Sequence[str], language: str
) -> tuple[str, int]:
    """A claim that nothing supports and where it stands among the others: the same for the same request."""
    known = "\n".join((question, *claims, *(f"{s.heading}\n{s.text}" for s in sources)))
    digest = hashlib.sha256(known.encode()).digest()
    code = f"{chr(65 + digest[0] % 26)}{chr(65 + digest[1] % 26)}-{int.from_bytes(digest[2:5], 'big') % 90_000 + 10_000}"
    sentences = _CONTROLS[language]
    return sentences[digest[5] % len(sentences)].format(code=code), digest[6] % (len(claims) + 1)


def _message(question: str, sources: Sequence[Source], claims: Sequence[str], before: str) -> str:
    parts = [f"<question>{html.escape(question, quote=False)}</question>"]
    parts += [_passage(source) for source in sources]
    if before:
        parts.append(f"<already_said>{html.escape(before, quote=False)}</already_said>")
    parts += [
        f'<claim n="{number}">{html.escape(claim[:_LONGEST_CLAIM], quote=False)}</claim>'
        for number, claim in enumerate(claims, 1)
    ]
    return "\n".join(parts)


def _passage(source: Source) -> str:
    title = html.escape(harmless(" › ".join(source.place)))
    page = f' page="{source.page}"' if source.page else ""
    return f'<passage n="{source.number}" title="{title}"{page}>{html.escape(harmless(source.text), quote=False)}</passage>'


def _verdicts(text: str, name: str, claims: int) -> dict[int, Judgement]:
    """By the number of the claim; whoever says two things of one claim did not support it."""
    found: dict[int, Judgement] = {}
    try:
        for one in json_in(text, "{")["verdicts"]:
            number, said = one["claim"], _judgement(one)
            if type(number) is not int or not 1 <= number <= claims:
                raise ValueError("a claim that was not asked about")
            if found.get(number, said).verdict == "supported" or number not in found:
                found[number] = said
        return found
    except (ValueError, KeyError, TypeError, AttributeError, OverflowError) as error:
        raise OutsideDown(host=name, reason="verdicts that cannot be read") from error


def _judgement(said: Mapping[str, Any]) -> Judgement:
    verdict = said.get("verdict")
    if verdict not in ("supported", "contradicted"):
        return NOT_SAID
    quotes = [
        q for q in said.get("quotes") or [] if isinstance(q, dict) and str(q.get("passage", "")).isdigit()
    ]
    return Judgement(
        verdict=verdict, quotes=tuple((int(q["passage"]), str(q.get("text", ""))) for q in quotes)
    )
