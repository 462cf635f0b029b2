"""From the bytes of a file to its visible text: pick the type by content → read it in a jail → `Parsed`.

`parse_file` is the only door: every file is read in a process of its own and ends as a `Parsed`
or as one of the errors a person understands. Only this package knows the parser libraries.
"""

from veraz.ingest.parse.base import FileType, ParseLimits
from veraz.ingest.parse.pick import detect
from veraz.ingest.parse.sandbox import Sandbox, parse_file

__all__ = ["FileType", "ParseLimits", "Sandbox", "detect", "parse_file"]
