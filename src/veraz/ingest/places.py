"""Where a stretch of a document's text stands on its page; answers ask the same, so it lives in `veraz.text.rectangles`."""

from veraz.text.rectangles import Rectangle as Rectangle
from veraz.text.rectangles import rectangles as rectangles
