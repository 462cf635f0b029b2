"""Why a sentence of an answer was held back, and what made an answer less than it could be, in plain words."""

from typing import Final

REASONS: Final = {
    "contradicted": "the documents say something else",
    "not_said": "the documents do not say it",
    "quote_not_found": "the quoted words are not in the document",
    "judge_down": "not checked: the judge did not answer",
    "judge_unreliable": "not checked: the judge is not reliable",
    "no_judge": "not checked: there is no judge",
    "heading_held_back": "it stood under a heading that could not be proven",
    "too_long": "too long to check",
    "order": "an order to a machine",
    "figure": "a figure that is not in what it quotes",
    "date": "a date that is not in what it quotes",
    "name": "a name that is not in what it quotes",
    "unit": "another unit than in what it quotes",
    "rate": "another rhythm than in what it quotes",
    "day_kind": "another kind of days than in what it quotes",
    "bound": "another limit than in what it quotes",
    "column": "the value of another column",
}
DEGRADED: Final = {
    "model_down": "The model did not answer, so the documents were quoted.",
    "model_rejected": "The model's provider refused the request (key, name or quota), so the documents were quoted.",
    "model_missing": "The model is not set up, so the documents were quoted.",
    "judge_down": "The judge did not answer, so only quotations were shown.",
    "judge_unreliable": "The judge approved a control sentence that is false, so only quotations were shown.",
    "no_judge": "The judge is not set up, so only quotations were shown.",
}
