"""Questions for an exam, proposed from what the agent reads: sentences that give a figure or a date, turned into questions.

Nothing is added by itself: a person keeps those that ask what people will ask.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from uuid import UUID

from veraz.db.pool import Database
from veraz.db.sql import queries
from veraz.learn.exam import NewExamQuestion
from veraz.library.agents import need_manageable
from veraz.tenancy.model import Actor
from veraz.text.dates import dates
from veraz.text.injection import speaks_to_machine
from veraz.text.numbers import figures
from veraz.text.sentences import sentences

Q = queries(__file__)

_SAMPLE = 300
_LONGEST = 200
_UNIT = re.compile(r"\s[^\W\d_]{2,}")
_SUBJECT = r"(?P<subject>(?:el|la|los|las|the)\s+(?:[^\s,.;:]+\s+){1,9}?)"
_FORMS: tuple[tuple[str, "re.Pattern[str]", str], ...] = tuple(
    (need, re.compile(rf"^{_SUBJECT}(?P<verb>{verbs})\s+(?P<rest>.+)$", re.IGNORECASE), wording)
    for need, verbs, wording in (
        ("date", r"abri[óo]|naci[óo]|muri[óo]|termin[óo]|comenz[óo]|empez[óo]|se fund[óo]|se inaugur[óo]|fue inaugurad[oa]|fue fundad[oa]", "¿Cuándo {verb} {subject}?"),
        ("figure", r"mide|miden|cuesta|cuestan|pesa|pesan|dura|duran", "¿Cuánto {verb} {subject}?"),
        ("figure", r"es|son", "¿Cuál {verb} {subject}?"),
        ("date", r"opened|began|ended|started|was founded|was opened", "When {verb} {subject}?"),
        ("figure", r"is|are", "What {verb} {subject}?"),
    )
)  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class _Sampled:
    content: str
    document_id: UUID


class ExamProposals:
    """Makes questions out of documents."""

    def __init__(self, db: Database) -> None:
        self.db = db

    async def propose(self, actor: Actor, agent_id: UUID, *, most: int = 20) -> list[NewExamQuestion]:
        """Questions with the text that answers them and the document it stands in; none that the exam has already."""
        async with self.db.transaction(actor.scope()) as tx:
            await need_manageable(tx, actor, agent_id)
            sample = await tx.all(_Sampled, Q.sample, agent_id=agent_id, limit=_SAMPLE)
            known = set(await tx.values(Q.known, agent_id=agent_id))
        return [question for question in _made(sample) if question.question not in known][:most]


def _made(sample: Sequence[_Sampled]) -> Iterator[NewExamQuestion]:
    asked: set[str] = set()
    for one in sample:
        for sentence in sentences(one.content):
            made = question_in(" ".join(sentence.split()))
            if made and made[0] not in asked:
                asked.add(made[0])
                yield NewExamQuestion(
                    question=made[0],
                    expected_text=made[1],
                    expected_document_id=one.document_id,
                    origin="proposed",
                )


def question_in(sentence: str) -> tuple[str, str] | None:
    """A question and the words that answer it; None for a sentence that gives no figure or date."""
    if len(sentence) > _LONGEST or speaks_to_machine(sentence):
        return None
    for need, form, wording in _FORMS:
        if (match := form.match(sentence)) and (fact := _fact(match["rest"], need)):
            subject = match["subject"].strip()
            subject = subject[0].lower() + subject[1:]
            return wording.format(verb=match["verb"], subject=subject), fact
    return None


def _fact(text: str, need: str) -> str | None:
    """The first date or figure, with the word it counts."""
    days = dates(text)
    if need == "date" and days:
        return text[days[0].start : days[0].end]
    outside = (f for f in figures(text) if not any(d.start < f.end and f.start < d.end for d in days))
    figure = next((f for f in outside if f.explicit), None)
    if figure is None:
        return None
    value = text[figure.start : figure.end]
    unit = _UNIT.match(text, figure.end) if value[-1].isdigit() and need == "figure" else None
    return value + (unit[0] if unit else "")
