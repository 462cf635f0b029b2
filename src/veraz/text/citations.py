"""How answers cite: `[Chunk 2]`, and the forms models use instead."""

import re

CITATION = re.compile(
    r"(?<![ \t])[ \t]*+[\[(【]\s*+(?:chunks?|fragmentos?|fuentes?|sources?|doc(?:umento)?s?|refs?)[\s:#nº.°]*+"
    r"(?P<numbers>\d{1,4}(?:\s*+(?:,|;|y|and|&|/)\s*+(?:(?:chunks?|fragmentos?)\s*+)?\d{1,4})*+)\s*+[\])】]"
    r"|(?<![ \t])[ \t]*+\[\s*+\^?(?P<bare>\d{1,3}(?:\s*+,\s*+\d{1,3})*+)\s*+\](?!\()",
    re.IGNORECASE,
)
