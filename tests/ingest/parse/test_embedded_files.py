"""Text that stands in boxes, diagrams and files inside files is read too."""

import io
import struct
import zipfile

import olefile
import pytest

from ingest.parse.made_files import (  # type: ignore[import-not-found]
    A_NS,
    R_NS,
    doc,
    docx,
    ole,
    p,
    package,
    pdf,
    ppt,
    rels,
    shape,
    slide_xml,
    table,
    word_art,
    xls,
    xlsx,
)
from veraz import errors
from veraz.ingest.model import Parsed
from veraz.ingest.parse.base import ParseLimits, Source
from veraz.ingest.parse.read import read

DIAGRAM = (
    f'<dgm:dataModel xmlns:dgm="http://schemas.openxmlformats.org/drawingml/2006/diagram" xmlns:a="{A_NS}"><dgm:ptLst>'
    "<dgm:pt><dgm:t><a:p><a:r><a:t>Pedir cita</a:t></a:r></a:p></dgm:t></dgm:pt>"
    "<dgm:pt><dgm:t><a:p><a:r><a:t>Pagar la tasa</a:t></a:r></a:p></dgm:t></dgm:pt></dgm:ptLst></dgm:dataModel>"
)
PRICES = xlsx(Tarifas=[["Plan", "Precio", "Alta"], ["Básico", 10, "hoy"]])
ROW = "Plan: Básico; Precio: 10; Alta: hoy"


def parse(data: bytes, filename: str, **limits: int) -> Parsed:
    return read(Source(data=data, filename=filename, limits=ParseLimits(tesseract=None, **limits)))


def with_parts(data: bytes, **parts: str | bytes) -> bytes:
    """The package with more parts."""
    out = io.BytesIO(data)
    with zipfile.ZipFile(out, "a") as archive:
        for name, body in parts.items():
            archive.writestr(name, body)
    return out.getvalue()


def word_with(kind: str, target: str, content: str | bytes, body: str = "") -> bytes:
    return bytes(
        package(
            {
                "_rels/.rels": rels(("r1", "officeDocument", "word/document.xml")),
                "word/_rels/document.xml.rels": rels(("r1", kind, target)),
                "word/document.xml": f'<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
                f' xmlns:r="{R_NS}"><w:body>{body}</w:body></w:document>',
                f"word/{target}": content,
            }
        )
    )


def slides_with(kind: str, target: str, content: str | bytes, inner: str = "") -> bytes:
    return bytes(
        package(
            {
                "_rels/.rels": rels(("r1", "officeDocument", "ppt/presentation.xml")),
                "ppt/presentation.xml": "<p:presentation xmlns:p='http://schemas.openxmlformats.org/presentationml/2006/main'/>",
                "ppt/slides/slide1.xml": slide_xml("sld", inner),
                "ppt/slides/_rels/slide1.xml.rels": rels(("r1", kind, f"../{target}")),
                f"ppt/{target}": content,
            }
        )
    )


def texts(parsed: Parsed) -> list[str]:
    return [parsed.of(block) for block in parsed.blocks]


def test_a_diagram_alone_is_text_in_word_powerpoint_and_excel() -> None:
    in_word = word_with("diagramData", "diagrams/data1.xml", DIAGRAM)
    in_slides = slides_with("diagramData", "diagrams/data1.xml", DIAGRAM)
    in_sheet = with_parts(xlsx(Hoja=[]), **{"xl/diagrams/data1.xml": DIAGRAM})
    for data, name in ((in_word, "a.docx"), (in_slides, "a.pptx"), (in_sheet, "a.xlsx")):
        assert "Pedir cita\nPagar la tasa" in parse(data, name).text


def test_a_text_box_of_an_old_workbook_stands_on_its_sheet_and_comments_do_not() -> None:
    parsed = parse(xls("Horario: de nueve a cinco", comment="No lo digas"), "viejo.xls")
    assert [(block.part, parsed.of(block)) for block in parsed.blocks] == [
        ("Hoja", "Horario: de nueve a cinco")
    ]


def test_words_drawn_as_art_on_an_old_slide() -> None:
    parsed = parse(ppt(("", ""), drawn=word_art("Rebajas de enero")), "viejo.ppt")
    assert [(block.page, parsed.of(block)) for block in parsed.blocks] == [(1, "Rebajas de enero")]


def test_a_workbook_inside_a_word_document_keeps_its_sheet_and_columns() -> None:
    parsed = parse(word_with("package", "embeddings/Libro1.xlsx", PRICES, p("Vea la tabla.")), "a.docx")
    assert texts(parsed)[0] == "Vea la tabla."
    row = parsed.blocks[-1]
    assert (parsed.of(row), row.part, row.columns) == (ROW, "Tarifas", ("Plan", "Precio", "Alta"))
    assert [parsed.text[start:end] for start, end in row.cells] == ["Básico", "10", "hoy"]


def test_tables_inside_and_outside_are_told_apart() -> None:
    body = table(("Zona", "Días", "Coste"), ("Norte", "2", "5 €"))
    parsed = parse(word_with("package", "embeddings/Libro1.xlsx", PRICES, body), "a.docx")
    assert [block.table for block in parsed.blocks] == [1, 1, 2, 2]


def test_a_document_inside_a_slide_stands_on_that_slide() -> None:
    inner = docx(p("Cláusula 1. Objeto. Se alquila un coche.") + p("El coche es azul."))
    parsed = parse(slides_with("package", "embeddings/a.docx", inner, shape("Contrato", "title")), "a.pptx")
    last = parsed.blocks[-1]
    assert (last.page, last.headers) == (1, ("Contrato", "Cláusula 1. Objeto"))
    assert parsed.blocks[-2].headers == ("Contrato", "Cláusula 1. Objeto")


@pytest.mark.parametrize(
    "wrapper",
    [
        {"Package": PRICES},
        {"\x01Ole10Native": b""},
        {"CONTENTS": b""},
        {"Workbook": b""},
    ],
    ids=["package", "attached file", "PDF", "old workbook"],
)
def test_what_an_ole_object_holds_is_read(wrapper: dict[str, bytes]) -> None:
    (name,) = wrapper
    if name == "\x01Ole10Native":
        head = b"\x02\x00nota.txt\x00C:\\nota.txt\x00\x00\x00\x03\x00" + struct.pack("<I", 4) + b"C:\\\x00"
        body = head + struct.pack("<I", 11) + b"Nota suelta"
        data, expected = ole({name: struct.pack("<I", len(body)) + body}), "Nota suelta"
    elif name == "CONTENTS":
        data, expected = ole({name: pdf("Texto del PDF")}), "Texto del PDF"
    elif name == "Workbook":
        data, expected = xls("Cuadro de la hoja"), "Cuadro de la hoja"
    else:
        data, expected = ole(wrapper), ROW
    assert expected in parse(word_with("oleObject", "embeddings/oleObject1.bin", data), "a.docx").text
    assert expected in parse(slides_with("oleObject", "embeddings/oleObject1.bin", data), "a.pptx").text


def test_objects_of_old_files_are_read() -> None:
    word = {"ObjectPool1/Package": PRICES}
    assert ROW in parse(doc(("Vea la tabla.\r", True), inside=word), "a.doc").text
    assert ROW in parse(xls("Caja", inside={"MBD0001/Package": PRICES}), "a.xls").text
    assert ROW in parse(ppt(("Título", "cuerpo"), embedded=ole({"Package": PRICES})), "a.ppt").text


def test_an_old_document_in_a_folder_of_another_is_read_on_its_own() -> None:
    with olefile.OleFileIO(io.BytesIO(doc(("El texto de dentro.\r", True)))) as inner:
        streams = {f"MBD0001/{name}": inner.openstream(name).read() for (name,) in inner.listdir()}
    assert texts(parse(xls("Caja", inside=streams), "a.xls")) == ["Caja", "El texto de dentro."]


def test_a_damaged_or_unknown_object_does_not_cost_the_document() -> None:
    for content in (
        b"",
        b"\x89PNG\r\n\x1a\n",
        PRICES[:200],
        ole({"Workbook": b"basura"}),
        b"\xd0\xcf\x11\xe0",
    ):
        data = word_with("package", "embeddings/x.bin", content, p("Lo de fuera."))
        assert texts(parse(data, "a.docx")) == ["Lo de fuera."]


def test_objects_are_opened_two_files_deep() -> None:
    third = word_with("package", "embeddings/c.xlsx", PRICES, p("tercero"))
    second = word_with("package", "embeddings/b.docx", third, p("segundo"))
    parsed = parse(word_with("package", "embeddings/a.docx", second, p("primero")), "a.docx")
    assert texts(parsed) == ["primero", "segundo", "tercero"]


def test_what_is_inside_counts_for_the_limits_of_the_whole() -> None:
    inner = docx("".join(p(f"Párrafo {number}") for number in range(30)))
    data = word_with("package", "embeddings/a.docx", inner, "".join(p(f"Línea {n}") for n in range(30)))
    with pytest.raises(errors.TooLarge):
        parse(data, "a.docx", blocks_max=50)


def test_the_data_behind_a_chart_is_not_shown() -> None:
    data = with_parts(
        slides_with("chart", "charts/chart1.xml", "<c/>", shape("Ventas", "title")),
        **{
            "ppt/charts/_rels/chart1.xml.rels": rels(("r1", "package", "../embeddings/datos.xlsx")),
            "ppt/embeddings/datos.xlsx": PRICES,
        },
    )
    assert texts(parse(data, "a.pptx")) == ["Ventas"]
