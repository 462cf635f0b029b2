"""Asking over HTTP without a model: over all rows of a table, for an empty cell, for two things at once, and on and on."""

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.api.test_quotes_in_every_door import agent_with
    from tests.ingest.parse import made_files as made
    from tests.support.door import Door
else:
    from api.test_quotes_in_every_door import agent_with
    from ingest.parse import made_files as made
    from support.door import Door

ROWS = (
    ("Plan", "Precio mensual", "Sesiones", "WiFi", "Sauna"),
    ("Básico", "24 €", "1", "No", "No"),
    ("Medio", "39 €", "4", "Sí", "No"),
    ("Premium", "58 €", "12", "Sí", "Sí"),
    ("Estudiante", "19 €", "", "Sí", "No"),
)
SECTIONS = """# Seguros Faro

## Plan Oro

El plan Oro cuesta 640 € al año. Cubre robo e incendio. Incluye vehículo de sustitución.

## Plan Plata

El plan Plata cuesta 410 € al año. Cubre robo. Incluye estacionamiento en el aeropuerto.
"""


def page() -> str:
    rows = "".join("<tr>" + "".join(f"<td>{cell}</td>" for cell in row) + "</tr>" for row in ROWS)
    return f"<h1>Planes del gimnasio</h1><table>{rows}</table>"


FILES = {
    "planes.md": "\n".join(["| " + " | ".join(ROWS[0]) + " |", "|---|---|---|---|---|"]
                           + ["| " + " | ".join(row) + " |" for row in ROWS[1:]]).encode(),
    "planes.csv": "\n".join(map(";".join, ROWS)).encode(),
    "planes.xlsx": made.xlsx(Planes=[list(row) for row in ROWS]),
    "planes.html": page().encode(),
    "planes.docx": made.docx(made.p("Planes del gimnasio") + made.table(*ROWS)),
}  # fmt: skip


async def asked(door: Door, agent: str, question: str) -> str:
    """The text of the answer."""
    return str(
        (await door.acme.call("POST", f"/agents/{agent}/ask", 200, json={"question": question}))["answer"]
    )


@pytest.mark.parametrize("name", FILES)
async def test_questions_over_the_rows_of_a_table_are_answered_in_every_format(
    at_work: Door, name: str
) -> None:
    agent, _ = await agent_with(at_work.acme, name, FILES[name])
    cheapest = await asked(at_work, agent, "¿Cuál es el plan más barato?")
    assert "Plan: Estudiante; Precio mensual: 19 €" in cheapest and cheapest.count("Plan: ") == 1
    with_wifi = await asked(at_work, agent, "¿Qué planes incluyen WiFi?")
    assert "Básico" not in with_wifi and with_wifi.count("WiFi: Sí") == 3
    every = await asked(at_work, agent, "¿Qué planes tienen?")
    assert all(f"Plan: {row[0]}" in every for row in ROWS[1:]) and "puede tener más" not in every
    empty = await asked(at_work, agent, "¿Cuántas sesiones tiene el plan Estudiante?")
    assert empty.endswith("Sin datos en «Sesiones»: en el documento está vacío.")
    assert "12" not in empty


async def test_a_follow_up_asks_the_same_of_what_it_names(at_work: Door) -> None:
    agent, _ = await agent_with(at_work.acme, "planes.csv", FILES["planes.csv"])
    path = f"/agents/{agent}/ask"
    first = await at_work.acme.call("POST", path, 200, json={"question": "¿Cuánto cuesta el plan Básico?"})
    talk = {"conversation_id": first["conversation_id"]}
    second = await at_work.acme.call("POST", path, 200, json={"question": "¿y el Premium?", **talk})
    assert "58 €" in second["answer"] and "Básico" not in second["answer"]
    third = await at_work.acme.call("POST", path, 200, json={"question": "¿y el Medio?", **talk})
    assert "39 €" in third["answer"] and "Premium" not in third["answer"]


async def test_the_part_of_a_question_that_is_not_answered_is_named(at_work: Door) -> None:
    agent, _ = await agent_with(at_work.acme, "seguros.md", SECTIONS.encode())
    text = await asked(at_work, agent, "¿Cuánto cuesta el plan Oro y tienen piscina olímpica?")
    assert "640 €" in text and "410 €" not in text
    assert text.endswith("Sobre «tienen piscina olímpica» no encontré una respuesta en los documentos.")


async def test_what_only_another_section_speaks_of_is_refused(at_work: Door) -> None:
    agent, _ = await agent_with(at_work.acme, "seguros.md", SECTIONS.encode())
    body = {"question": "¿El plan Oro incluye estacionamiento?"}
    answer = await at_work.acme.call("POST", f"/agents/{agent}/ask", 200, json=body)
    assert answer["refused"] and "aeropuerto" not in answer["answer"]
    assert "aeropuerto" in await asked(at_work, agent, "¿El plan Plata incluye estacionamiento?")
