"""Which language a text is in, by a vote of its commonest words."""

import re
from collections import Counter

_WORDS = {
    "es": "de la que el en y a los se del las un por con una su para es al lo como más o pero sus le ya este sí porque esta entre cuando muy sin sobre también hasta hay donde quien desde todo nos durante uno ni contra ese eso ante ellos e según artículo cada será son fue está han",
    "en": "the of and to in a is that for it as was with be by on not he his but at are this have from or had an they which one you were all we when there can their has been would who will more no if out so up into than them only other its about over any these some may such",
    "pt": "de a o que e do da em um para é com não uma os no se na por mais as dos como mas foi ao ele das tem à seu sua ou ser quando muito há nos já está eu também só pelo pela até isso ela entre era depois sem mesmo aos ter seus quem nas me esse eles são você",
    "fr": "de la le et les des en un du une que est pour qui dans a par plus pas au sur ne se ce il sont la avec son aux d'un cette d'une ou être comme l'on nous vous leur mais ont été si tout même elle ces sans deux était fait peut",
    "de": "der die und in den von zu das mit sich des auf für ist im dem nicht ein eine als auch es an werden aus er hat dass sie nach wird bei einer um am sind noch wie einem über einen so zum war haben nur oder aber vor zur bis mehr durch man",
    "it": "di e il la che in a per un è del le si con da una non dei al i della sono come più gli nel alla ma lo ha anche dal ai su questo o se delle nella quella degli essere suo tra ed stato loro sua cui ancora fino questa",
}
_VOTES = {
    language: frozenset(word for word in words.split() if len(word) > 1) for language, words in _WORDS.items()
}
_TOKEN = re.compile(r"[^\W\d_]+")
_SAMPLE = 20_000
_DIFFERENT_MIN = 3


def guess_language(text: str) -> str | None:
    """ISO 639-1 code of the language with most votes, or None when the text is too short to tell."""
    words = Counter(_TOKEN.findall(_sample(text).lower()))
    votes: Counter[str] = Counter()
    for language, known in _VOTES.items():
        heard = [times for word, times in words.items() if word in known]
        if len(heard) >= _DIFFERENT_MIN:
            votes[language] = sum(heard)
    best = votes.most_common(2)
    if not best or best[0][1] * 20 < words.total():
        return None
    tied = len(best) > 1 and best[0][1] == best[1][1]
    return None if tied else best[0][0]


def _sample(text: str) -> str:
    """The beginning and the middle: covers and tables of contents are not typical."""
    if len(text) <= 2 * _SAMPLE:
        return text
    middle = len(text) // 2
    return text[:_SAMPLE] + " " + text[middle : middle + _SAMPLE]
