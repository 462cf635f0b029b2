"""`veraz serve` with one more page, `/stage`: buttons that open the source panel, and nothing else of a conversation."""

from nicegui import ui

from veraz.cli.main import run
from veraz.ui.pages import PAGES
from veraz.ui.shell import shell
from veraz.ui.source import Proof, SourcePanel
from veraz.ui.visit import Visiting


async def stage(visit: Visiting, links: str = "", pages: str = "") -> None:
    """Opens the proofs that the address names."""
    numbers = [int(page) for page in pages.split(",") if page]
    proofs = [
        Proof(url=f"/s/{link}", document_name="…", page_number=numbers[at] if numbers else None)
        for at, link in enumerate(links.split(","))
    ]
    panel = SourcePanel(visit)
    with shell(visit, "Stage", active="/ask", wide=True):
        for index in range(len(proofs)):
            ui.button(f"Open {index}", on_click=visit.act(lambda at=index: panel.open(proofs, at)))
        with ui.element("div").style("height: 640px; width: min(560px, 100%)"):
            panel.draw()
    panel.prefetch(proofs)


PAGES["/stage"] = stage

if __name__ == "__main__":
    run()
