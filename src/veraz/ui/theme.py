"""How the pages look: one accent colour, quiet greys, room to breathe; the same in the dark."""

from hashlib import sha256
from pathlib import Path
from typing import Final

from nicegui import app, ui

from veraz.api.source_html import STYLE

ACCENT: Final = "#0f766e"
_ICONS: Final = Path(__file__).with_name("icons") / "icons.woff2"
FAVICON: Final = (
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="8" '
    f'fill="{ACCENT}"/><path d="M8 10l8 13 8-13" fill="none" stroke="#fff" stroke-width="4" '
    'stroke-linecap="round" stroke-linejoin="round"/></svg>'
)


def apply() -> None:
    """Colours and defaults for every page; once per process."""
    app.colors(
        primary=ACCENT,
        secondary="#475569",
        accent=ACCENT,
        positive="#15803d",
        negative="#b91c1c",
        warning="#b45309",
        info="#1d4ed8",
        dark="#1e293b",
        dark_page="#0f172a",
    )
    # Quasar's bar for requests has no name a screen reader could say, and pages show what is busy themselves.
    app.config.quasar_config["loadingBar"] = {"skipHijack": True}
    ui.button.default_props("no-caps unelevated")
    ui.input.default_props("outlined dense")
    ui.textarea.default_props("outlined")
    ui.number.default_props("outlined dense")
    ui.select.default_props("outlined dense options-dense")
    ui.card.default_classes("card")
    ui.card.default_props("flat bordered")
    ui.table.default_props("flat bordered")
    ui.menu_item.default_props("role=menuitem")
    sheets = sorted((Path(__file__).parent / "styles").glob("*.css"))
    styles = (STYLE, _icon_font(), *(sheet.read_text(encoding="utf-8") for sheet in sheets))
    # as markup: the framework would add them by scripts, which no policy lets run
    ui.add_head_html("".join(f"<style>{style}</style>" for style in styles), shared=True)


def _icon_font() -> str:
    """The icons pages use; the framework's font with all of them is only asked for one that is missing here."""
    version = sha256(_ICONS.read_bytes()).hexdigest()[:12]
    address = f"/_nicegui/icons/{version}.woff2"
    app.add_static_file(local_file=_ICONS, url_path=address, max_cache_age=31_536_000)
    return f'@font-face {{ font-family: "Material Icons"; src: url({address}) format("woff2"); font-display: block; }}'
