"""What a file's name says of its edition."""

import pytest

from veraz.text.editions import is_newer_edition, version_key


@pytest.mark.parametrize(
    ("name", "stem", "order"),
    [
        ("Reglamento_pacientes_v4_2024.pdf", "reglamento pacientes", (2024, 0, 0, 4)),
        ("Reglamento_pacientes_v5_2026.pdf", "reglamento pacientes", (2026, 0, 0, 5)),
        ("PO-RH-04_permisos_rev3_2022.pdf", "po rh 04 permisos", (2022, 0, 0, 3)),
        ("Tarifario 2025.pdf", "tarifario", (2025, 0, 0)),
        ("Tarifario_2026.docx", "tarifario", (2026, 0, 0)),
        ("Tarifario_junio_2025.xlsx", "tarifario", (2025, 6, 0)),
        ("Tarifario de junio de 2025.xlsx", "tarifario", (2025, 6, 0)),
        ("bases_ayudas_rehabilitacion_2024.docx", "bases ayudas rehabilitacion", (2024, 0, 0)),
        ("Reglamento_Credito_Acuerdo_009_2023.pdf", "reglamento credito", (2023, 0, 0)),
        ("Reglamento_Credito_Acuerdo_014_2025.pdf", "reglamento credito", (2025, 0, 0)),
        ("politica_garantias_devoluciones_2025_v3.pdf", "politica garantias devoluciones", (2025, 0, 0, 3)),
        ("Manual de acogida, 3.ª edición.pdf", "manual acogida", (0, 0, 0, 3)),
        ("Manual (versión 2.1).docx", "manual", (0, 0, 0, 2, 1)),
        ("Plano_rev_B.pdf", "plano", (0, 0, 0, 2)),
        ("Política_2026-02-12.md", "politica", (2026, 2, 12)),
        ("Convenio colectivo 2025-2028.pdf", "convenio colectivo", (2028, 0, 0)),
        ("ISO-9001-2015.pdf", "iso 9001", (2015, 0, 0)),
        ("manual_cortadora_kantera_CP-14.pdf", "manual cortadora kantera cp 14", ()),
        ("sucursales.csv", "sucursales", ()),
        ("2025.pdf", "2025", ()),
        ("Horario_enero.pdf", "horario enero", ()),
        ("", "", ()),
    ],
)
def test_a_name_has_a_stem_and_an_order(name: str, stem: str, order: tuple[int, ...]) -> None:
    assert version_key(name) == (stem, order)


@pytest.mark.parametrize(
    ("newer", "older"),
    [
        ("Reglamento_pacientes_v5_2026.pdf", "Reglamento_pacientes_v4_2024.pdf"),
        ("PO-RH-04_permisos_rev4_2025.pdf", "PO-RH-04_permisos_rev3_2022.pdf"),
        ("Tarifario_2026.docx", "Tarifario 2025.pdf"),
        ("Tarifario_2026.docx", "Tarifario_junio_2025.xlsx"),
        ("bases_ayudas_rehabilitacion_2026.docx", "bases_ayudas_rehabilitacion_2024.docx"),
        ("Reglamento_Credito_Acuerdo_014_2025.pdf", "Reglamento_Credito_Acuerdo_009_2023.pdf"),
        ("Acta_2026-01_v2.md", "Acta_2026-01_v1.md"),
        ("Plano v10.pdf", "Plano v9.pdf"),
    ],
)
def test_a_later_edition_is_newer(newer: str, older: str) -> None:
    assert is_newer_edition(newer, older)
    assert not is_newer_edition(older, newer)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Acta_2026-01.md", "Acta_2026-02.md"),
        ("acta_pleno_2026-01-29.md", "acta_pleno_2026-02-26.md"),
        ("Informe mensual enero 2026.pdf", "Informe mensual febrero 2026.pdf"),
        ("factura_2025_014.pdf", "factura_2026_015.pdf"),
        ("Boletín_2025.pdf", "Boletín_2026.pdf"),
        ("PQRS_enero_mayo_2025.csv", "PQRS_junio_diciembre_2025.csv"),
        ("Ley_39_2015.pdf", "Ley_40_2015.pdf"),
        ("Ley_1_2023.pdf", "Ley_1_2025.pdf"),
        ("Circular_07_horarios_agencias.txt", "Circular_08_horarios_agencias.txt"),
        ("PO-RH-04_permisos_2022.pdf", "PO-RH-05_permisos_2025.pdf"),
        ("Anexo 1.pdf", "Anexo 2.pdf"),
        ("Plan Premium.pdf", "Plan Básico.pdf"),
    ],
)
def test_what_only_looks_alike_is_no_edition_of_the_other(one: str, other: str) -> None:
    assert not is_newer_edition(one, other)
    assert not is_newer_edition(other, one)
    assert version_key(one)[0] != version_key(other)[0]


def test_a_year_and_a_version_number_are_not_compared() -> None:
    assert not is_newer_edition("Manual_2026.pdf", "Manual_v2.pdf")


def test_the_same_edition_is_not_newer() -> None:
    assert not is_newer_edition("Tarifario_2026.pdf", "Tarifario 2026.docx")
