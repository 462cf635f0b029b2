"""Sentences as spans of the text they stand in; used to cut chunks by meaning and to check claims."""

import re

_CANDIDATE = re.compile(
    # it begins with its set of signs, because then most of a text is skipped without trying
    r"""[.!?…\n](?:
        (?<!\n)(?<![.!?…]{2})[.!?…]*+["'»”’)\]]*+(?=\s)        # the end of a sentence, perhaps
      | (?<=\n)[ \t]*\n\s*                                    # a blank line, surely
      | (?<=\n)(?=[ \t]*(?:[-*•·–]|\d{1,3}[.)])[ \t]))        # the next item of a list, surely""",
    re.VERBOSE,
)
_ABBREVIATION_LIST = """
    a.c a.m aa.vv adj admón afmo apdo approx apto art arts atte av avda b.o.e bs c.c c.p cap caps cf cfr cía
    cia co col comp coord corp d.c d.d dept depto dir dr dra dras dres dña dto e.g ed eds ee ej etc exc excma
    excmo fdo fig figs gral i.e ilma ilmo impr inc incl ing izq izda j.c jr lib lic lám ltd ltda mr mrs ms
    mons máx mín n.b n.o n.º nro nros núm núms num nums op p.d p.ej p.m p.s pag pág págs pags párr pbro pdte
    pdta ph.d phd pp prof profa profs pról prov pte pto ptos r.d rdo ref rep rev rte s.a s.l s.m s.n s.s
    s.r.l ss sec secc sgt sigs sr sra sras sres srta srtas st sta sto ste subsp supl t.d tel teléf tfno tít
    trad u.s ud uds univ v.g v.gr vda vid viz vol vols vs vto"""
_ABBREVIATIONS = frozenset(_ABBREVIATION_LIST.split())
_DOTTED = re.compile(r"[^\W\d_](?:\.[^\W\d_])+")
"""«E.A», «R.F.C»: initials nobody can list."""
# At the very end of a sentence these are as common as inside one, so a capital letter decides.
_MAY_END = frozenset(
    {"etc", "a.m", "p.m", "a.c", "d.c", "s.a", "s.l", "s.r.l", "inc", "ltd", "ltda", "corp", "co"}
)
_OPENERS = "¿¡«“\"'([—–-*"


def sentence_spans(text: str, start: int = 0, end: int | None = None) -> list[tuple[int, int]]:
    """The sentences of `text[start:end]` as spans without blank edges, in order, nothing left out."""
    end = len(text) if end is None else end
    spans: list[tuple[int, int]] = []
    begin = start
    for match in _CANDIDATE.finditer(text, start, end):
        if match[0][0] == "\n" or _ends_sentence(text, begin, match, end):
            _add(spans, text, begin, match.end())
            begin = match.end()
    _add(spans, text, begin, end)
    return spans


def sentences(text: str) -> list[str]:
    """The sentences of a text."""
    return [text[a:b] for a, b in sentence_spans(text)]


def _add(spans: list[tuple[int, int]], text: str, begin: int, end: int) -> None:
    piece = text[begin:end]
    stripped = piece.strip()
    if stripped:
        begin += len(piece) - len(piece.lstrip())
        spans.append((begin, begin + len(stripped)))


def _ends_sentence(text: str, begin: int, match: re.Match[str], end: int) -> bool:
    following = text[match.end() : min(match.end() + 12, end)].lstrip()
    if not following:
        return True
    if following[0].islower() or following[0] in ",;:":
        return False
    if match[0][0] != "." or match[0].startswith(".."):
        return True
    return not _is_abbreviation(text[max(begin, match.start() - 24) : match.start()], following)


def _is_abbreviation(before: str, following: str) -> bool:
    words = before.rsplit(None, 1)
    word = words[-1].lstrip(_OPENERS).casefold() if words else ""
    if word.isdigit():  # «1. Introducción»: the number of a heading or an item, not a sentence
        return len(before.strip()) == len(word) <= 3
    if len(word) == 1:  # initials: «J. R. R. Tolkien»
        return word.isalpha() and following[0].isalpha()
    if word not in _ABBREVIATIONS and not _DOTTED.fullmatch(word):
        return False
    may_end = word in _MAY_END or word not in _ABBREVIATIONS
    return not may_end or not following.lstrip(_OPENERS)[:1].isupper()
