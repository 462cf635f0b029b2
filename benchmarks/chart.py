"""Bars as an SVG file, readable on light and dark pages."""

from collections.abc import Mapping
from pathlib import Path
from xml.sax.saxutils import escape

WIDTH, LABEL, ROW, BAR = 760, 150, 52, 15
_HEAD = (
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" font-family="system-ui, sans-serif" '
    'font-size="13" role="img" aria-label="{title}">\n'
    "<style>text {{ fill: #57606a }} .half {{ fill: #0d9488 }} .most {{ fill: #99d5cf }}</style>\n"
    '<text x="0" y="16" font-weight="600">{title}</text>\n'
)


def bars(path: Path, title: str, milliseconds: Mapping[str, tuple[float, float]]) -> None:
    """Draws p50 and p95 of each name, the longest bar as wide as the picture."""
    height = 40 + ROW * len(milliseconds)
    longest = max(most for _, most in milliseconds.values())
    lines = [_HEAD.format(width=WIDTH, height=height, title=escape(title))]
    for number, (name, (half, most)) in enumerate(milliseconds.items()):
        top = 36 + ROW * number
        lines.append(f'<text x="0" y="{top + BAR + 4}">{escape(name)}</text>\n')
        for kind, value, y in (("half", half, top), ("most", most, top + BAR + 2)):
            length = (WIDTH - LABEL - 120) * value / longest
            words = f"{'p50' if kind == 'half' else 'p95'} {value:.0f} ms"
            lines.append(
                f'<rect class="{kind}" x="{LABEL}" y="{y}" width="{length:.1f}" height="{BAR}" rx="2"/>\n'
                f'<text x="{LABEL + length + 8:.1f}" y="{y + 12}">{words}</text>\n'
            )
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(lines) + "</svg>\n", encoding="utf-8")
