"""Made-up Spanish price lists, rate tables and timetables for `pdf_tables.py`: what their cells say, not how they look."""

import random
from dataclasses import dataclass, field

PRODUCTS = [
    "Taladro percutor",
    "Sierra circular",
    "Lijadora orbital",
    "Martillo de uña",
    "Juego de llaves combinadas",
    "Cinta métrica",
    "Nivel láser autonivelante",
    "Escalera de aluminio",
    "Pintura plástica interior",
    "Esmalte sintético brillante",
    "Cemento gris",
    "Mortero cola flexible",
    "Tubo de PVC",
    "Llave de paso",
    "Grifo monomando para lavabo",
    "Cable unipolar",
    "Interruptor doble",
    "Bombilla LED",
    "Cerradura de sobreponer",
    "Tornillos para madera",
    "Tacos de nailon",
    "Silicona neutra",
    "Guantes de nitrilo",
    "Casco de seguridad",
    "Gafas de protección",
    "Manguera de jardín",
    "Abono universal",
    "Maceta de barro",
    "Carretilla de obra",
]
DETAILS = [
    "con maletín y dos baterías",
    "serie profesional",
    "acabado mate",
    "para exteriores",
    "uso doméstico",
    "caja de cien unidades",
    "rollo de veinticinco metros",
    "garantía de tres años",
    "color blanco",
    "apto para agua potable",
    "modelo nuevo",
    "incluye accesorios y manual de instrucciones en español",
    "homologado según la norma vigente",
]
SERVICES = [
    "Consulta general",
    "Limpieza dental",
    "Radiografía panorámica",
    "Análisis de sangre",
    "Certificado médico",
    "Visita a domicilio",
    "Duplicado de tarjeta",
    "Cambio de titular",
    "Alta del servicio",
    "Transferencia internacional",
    "Mantenimiento anual",
    "Revisión de caldera",
    "Inspección técnica",
    "Licencia de obra menor",
    "Ocupación de terraza",
    "Vado permanente",
    "Copia compulsada",
]
NO_BREAK = "\u00a0"
"""Holds an amount and its currency together at the end of a line."""
ZONES = ("Norte", "Sur", "Centro", "Costa", "Interior", "Islas", "Zona A", "Zona B", "Zona C")
FAMILIES = (
    "Herramientas",
    "Pinturas y barnices",
    "Fontanería",
    "Electricidad",
    "Jardín",
    "Ropa laboral",
    "Trámites",
    "Salud",
)
NOTES = ("Sí", "No", "Bajo pedido", "Agotado", "Stock", "Consultar", "Incluido", "No incluido")
SENTENCES = (
    "Los precios incluyen el impuesto y tienen validez hasta fin de año.",
    "El cliente puede devolver el producto en un plazo de treinta días si conserva el comprobante de compra.",
    "Las tarifas se revisan cada enero según el índice de precios publicado.",
    "Para pedidos superiores a quinientos euros el transporte es gratuito dentro de la península.",
    "Consulte las condiciones particulares de su contrato antes de solicitar el servicio.",
    "El recargo por urgencia se suma al importe de la lista y figura aparte en la factura.",
)


@dataclass(slots=True)
class MadeTable:
    """A table as its author means it."""

    names: list[str]
    rows: list[list[str]]
    aligns: list[str]
    groups: list[tuple[str, int, int]] = field(default_factory=list)
    """Names above several columns: first and last of them."""
    titles: dict[int, str] = field(default_factory=dict)
    """A line over all columns before the row of this number."""
    spans: list[tuple[int, int]] = field(default_factory=list)
    """First and last row of each merged cell of the first column."""

    def columns(self) -> list[str]:
        """The names a reader would give its columns."""
        full = list(self.names)
        for name, first, last in self.groups:
            for at in range(first, last + 1):
                full[at] = f"{name} › {full[at]}"
        return full


def make_table(chance: random.Random, rows: int, *, merged: bool) -> MadeTable:
    """A table of one of several kinds; `merged` allows cells over several rows."""
    kinds = (_price_list, _price_list, _rates, _plans, _timetable, _fees)
    table = chance.choice(kinds)(chance, rows)
    if merged and chance.random() < 0.25 and len(table.rows) > 4:
        table = _with_families(chance, table)
    elif chance.random() < 0.2 and len(table.rows) > 5:
        table.titles = {0: chance.choice(FAMILIES), len(table.rows) // 2: chance.choice(FAMILIES)}
    return table


def money(chance: random.Random, style: int) -> str:
    """A price; `style` is the same within a column."""
    value = chance.choice((chance.uniform(1, 99), chance.uniform(100, 9999), chance.uniform(10000, 99999)))
    spanish = f"{value:,.2f}".replace(",", " ").replace(".", ",").replace(" ", ".")
    whole = f"{value:,.0f}".replace(",", ".")
    return (
        f"{spanish} €",
        f"$ {whole}",
        f"{value:,.2f}",
        f"S/ {value:.2f}",
        f"${value:,.0f}",
        f"USD {whole}",
    )[style % 6].replace(" ", NO_BREAK)


def _product(chance: random.Random) -> str:
    name = chance.choice(PRODUCTS)
    return f"{name} {chance.choice(DETAILS)}" if chance.random() < 0.5 else name


def _price_list(chance: random.Random, rows: int) -> MadeTable:
    style = chance.randrange(6)
    names, aligns = ["Código", "Descripción"], ["left", "left"]
    extra = chance.sample(("Unidad", "Stock", "IVA"), chance.randrange(3))
    groups = list[tuple[str, int, int]]()
    first = 2 + len(extra)
    prices = ["Precio (€)"] if style == 2 else ["Precio"]
    if chance.random() < 0.45:
        prices = list(
            chance.choice(
                (
                    ("Contado", "Crédito"),
                    ("Minorista", "Mayorista"),
                    ("2025", "2026"),
                    ("Unidad", "Caja", "Palé"),
                )
            )
        )
        groups = [(chance.choice(("Precio", "Precio de venta", "Tarifa")), first, first + len(prices) - 1)]
    body = []
    for _ in range(rows):
        code = f"{chance.choice('ABCFHT')}{chance.choice(('-', ''))}{chance.randrange(100, 9999)}"
        values = {
            "Unidad": chance.choice(("ud.", "m", "kg", "caja", "rollo")),
            "Stock": str(chance.randrange(400)),
            "IVA": chance.choice(("21 %", "10 %")),
        }
        row = [code, _product(chance), *(values[name] for name in extra)]
        body.append(row + [money(chance, style) if chance.random() < 0.95 else "—" for _ in prices])
    right = chance.choice(("right", "right", "left", "center"))
    return MadeTable(
        [*names, *extra, *prices], body, aligns + ["center"] * len(extra) + [right] * len(prices), groups
    )


def _rates(chance: random.Random, rows: int) -> MadeTable:
    zones = chance.sample(ZONES, chance.randrange(2, 5))
    style = chance.randrange(6)
    body = [[name, *(money(chance, style) for _ in zones)] for name in _some(chance, SERVICES, rows)]
    groups = [("Importe por zona", 1, len(zones))] if chance.random() < 0.4 else []
    return MadeTable(
        ["Servicio", *zones], body, ["left"] + [chance.choice(("right", "center"))] * len(zones), groups
    )


def _plans(chance: random.Random, rows: int) -> MadeTable:
    plans = chance.sample(("Esencial", "Plus", "Total", "Familiar", "Joven"), chance.randrange(2, 5))
    values = [*NOTES, "30 días", "10 %", "3 meses", "$ 20.000"]
    body = [[name, *(chance.choice(values) for _ in plans)] for name in _some(chance, SERVICES, rows)]
    return MadeTable(["Cobertura", *plans], body, ["left"] + [chance.choice(("left", "center"))] * len(plans))


def _timetable(chance: random.Random, rows: int) -> MadeTable:
    body = [
        [
            name,
            f"{chance.randrange(7, 11):02}:{chance.choice(('00', '30'))}",
            f"{chance.randrange(14, 22)}:00",
            chance.choice(("Lunes a viernes", "Sábados", "Todos los días")),
        ]
        for name in _some(chance, [*SERVICES, *FAMILIES], rows)
    ]
    return MadeTable(["Oficina", "Apertura", "Cierre", "Días"], body, ["left", "center", "center", "left"])


def _fees(chance: random.Random, rows: int) -> MadeTable:
    style = chance.randrange(6)
    body = [[name, money(chance, style)] for name in _some(chance, SERVICES, rows)]
    total = [["Total", money(chance, style)]] if chance.random() < 0.5 else []
    return MadeTable(
        ["Concepto", chance.choice(("Importe", "Tasa anual", "Precio"))], body + total, ["left", "right"]
    )


def _some(chance: random.Random, names: "tuple[str, ...] | list[str]", rows: int) -> list[str]:
    return [
        chance.choice(names) + (f" {chance.choice(DETAILS)}" if chance.random() < 0.2 else "")
        for _ in range(rows)
    ]


def _with_families(chance: random.Random, table: MadeTable) -> MadeTable:
    """A first column whose cells go over several rows."""
    rows, spans, at = list[list[str]](), list[tuple[int, int]](), 0
    while at < len(table.rows):
        end = min(len(table.rows), at + chance.randrange(2, 5))
        family = chance.choice(FAMILIES)
        rows += [[family, *row] for row in table.rows[at:end]]
        spans.append((at, end - 1))
        at = end
    groups = [(name, first + 1, last + 1) for name, first, last in table.groups]
    return MadeTable(["Familia", *table.names], rows, ["left", *table.aligns], groups, {}, spans)
