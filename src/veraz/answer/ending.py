"""How a turn ended, as the log of questions says it: outcome, cost, and what was quoted."""

from functools import reduce

from veraz.answer.credits import credits_for
from veraz.answer.stored_trace import Told
from veraz.providers.chat.base import Usage
from veraz.search.log import Ending, Outcome


def ending(told: Told, channel: str) -> Ending:
    """What the log line says beside the search, with what the search's helpers took."""
    answer, result = told.answer, told.trace.result
    helped = result.helped if result else ()
    quotes = (quote for claim in answer.claims for quote in claim.quotes)
    return Ending(
        outcome=_outcome(told),
        refused=answer.refused and told.failure is None,
        channel=channel,
        turn=told.turn,
        latency_ms=answer.latency_ms,
        model=answer.model,
        usage=reduce(Usage.plus, (help_.usage for help_ in helped), answer.usage),
        credits=told.credits + sum(credits_for(help_.usage.tokens) for help_ in helped),
        quoted=tuple(dict.fromkeys(quote.document_id for quote in quotes)),
        personal=told.trace.personal,
    )


def _outcome(told: Told) -> Outcome:
    if told.failure is not None:
        return "failed"
    if told.answer.handoff:
        return "handed_over"
    return "refused" if told.answer.refused else "answered"
