"""From the lines of a PDF page to paragraphs, list items and headings."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence, Set
from dataclasses import dataclass
from itertools import groupby, pairwise
from typing import NamedTuple

from veraz.ingest.model import BlockKind, TextLine
from veraz.ingest.parse.pdf_bold import bold_headings
from veraz.ingest.parse.pdf_layout import Layout, Line
from veraz.ingest.parse.pdf_style import HeadingStyle, Page

_HEADING_WORDS = re.compile(r"[^\W\d_]{2}")
_HEADING_CHARACTERS = 160
_OUTDENT = 2.0
"""Points a line must stand left of a list item to be no more of it."""
