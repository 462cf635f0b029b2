"""Cuts the icon font down to the icons that pages use: `make icons`, after a page uses a new one.

The font that comes with the page framework has 2,234 icons and 126 KB, more than a quarter of a first visit. The cut one has those
whose names stand between quotes in our pages or in the framework's components, and is drawn by `ui/theme.py` instead.
"""

import re
from collections.abc import Iterator
from pathlib import Path

import nicegui
from fontTools import subset
from fontTools.ttLib import TTFont

HERE = Path(__file__).parent.parent / "src" / "veraz"
STATIC = Path(nicegui.__file__).parent / "static"
LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789_ "


def main() -> None:
    """Writes the font and the list of its icons."""
    font = TTFont(_whole_font())
    glyphs = dict(_icons(font))
    used = sorted(_words() & glyphs.keys())
    options = subset.Options(flavor="woff2", layout_features=["*"], layout_closure=False, hinting=False)
    cut = subset.Subsetter(options)
    cut.populate(glyphs=[glyphs[name] for name in used], unicodes=[ord(one) for one in LETTERS])
    cut.subset(font)
    subset.save_font(font, str(HERE / "ui" / "icons" / "icons.woff2"), options)
    (HERE / "ui" / "icons" / "names.txt").write_text("\n".join(used) + "\n", encoding="utf-8")
    print(f"{len(used)} icons of {len(glyphs)}")


def _whole_font() -> Path:
    sheet = (STATIC / "fonts.css").read_text(encoding="utf-8")
    found = re.search(r'font-family: "Material Icons";[^}]*?url\(([^)]+)\)', sheet)
    assert found, "the page framework has no icon font any more"
    return STATIC / found.group(1)


def _icons(font: TTFont) -> Iterator[tuple[str, str]]:
    """Each icon's name and glyph: an icon is a ligature of the letters of its name."""
    letter = {glyph: chr(code) for code, glyph in font.getBestCmap().items()}
    for lookup in font["GSUB"].table.LookupList.Lookup:
        for table in lookup.SubTable:
            for first, ligatures in table.ligatures.items():
                for one in ligatures:
                    if all(glyph in letter for glyph in one.Component):
                        yield "".join(letter[glyph] for glyph in (first, *one.Component)), one.LigGlyph


def _words() -> set[str]:
    """Every word between quotes that might be the name of an icon."""
    ours = (file for file in HERE.rglob("*") if file.suffix in (".py", ".js", ".css", ".html"))
    files = (*ours, STATIC / "quasar.umd.prod.js")
    return {
        word
        for file in files
        for word in re.findall(r"""["'\s=]([a-z0-9_]+)["'\s]""", file.read_text(encoding="utf-8"))
    }


if __name__ == "__main__":
    main()
