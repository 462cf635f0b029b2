"""Small real files made on the spot: PDF, Office old and new, and a few that should never have been made."""

import hashlib
import io
import re
import struct
import zipfile
import zlib

import openpyxl
import pypdfium2  # type: ignore[import-untyped]

W_NS = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
R_NS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
A_NS = "http://schemas.openxmlformats.org/drawingml/2006/main"
P_NS = "http://schemas.openxmlformats.org/presentationml/2006/main"
_REL = "http://schemas.openxmlformats.org/package/2006/relationships"
_PAD = bytes.fromhex("28bf4e5e4e758a4164004e56fffa01082e2e00b6d0683e802f0ca9fe6453697a")


# --- PDF ---------------------------------------------------------------------------------------------


def pdf(
    *pages: str, title: str = "", images: dict[int, tuple[int, int, bytes]] | None = None, password: str = ""
) -> bytes:
    """A PDF with one text per page (a line starting with `# ` is set large), or a grey picture instead."""
    objects: list[bytes] = [
        b"",
        b"",
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
    ]
    kids: list[int] = []
    for number, text in enumerate(pages, 1):
        picture = (images or {}).get(number)
        resources = b"/Font << /F1 3 0 R >>"
        if picture:
            width, height, grey = picture
            objects.append(
                _stream(
                    zlib.compress(grey),
                    f"/Type /XObject /Subtype /Image /Width {width} /Height {height} /ColorSpace /DeviceGray /BitsPerComponent 8 /Filter /FlateDecode",
                )
            )
            resources += f" /XObject << /I {len(objects)} 0 R >>".encode()
        objects.append(_stream(b"q 612 0 0 792 0 0 cm /I Do Q" if picture else _page_content(text)))
        objects.append(
            b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents %d 0 R /Resources << %s >> >>"
            % (len(objects), resources)
        )
        kids.append(len(objects))
    objects[0] = b"<< /Type /Catalog /Pages 2 0 R >>"
    objects[1] = b"<< /Type /Pages /Count %d /Kids [%s] >>" % (
        len(kids),
        b" ".join(b"%d 0 R" % kid for kid in kids),
    )
    objects.append(
        b"<< /Title (%s) /Author (Ana P\xe9rez) /CreationDate (D:20240315120000) >>" % title.encode("latin-1")
    )
    info = len(objects)
    trailer = b"/Info %d 0 R" % info
    if password:
        encrypt = _encryption(password)
        objects.append(encrypt)
        trailer += b" /Encrypt %d 0 R /ID [<%s> <%s>]" % (len(objects), b"00" * 16, b"00" * 16)
    return _assemble(objects, trailer)


def content_pdf(content: str, *, picture: tuple[int, int, bytes] = (1, 1, b"\xff"), box: str = "") -> bytes:
    """A PDF of one page with just this content; `/F1` is its font, `/I` its grey picture, `box` the part that is shown.

    Its layer `/On` is shown, `/Off` is not.
    """
    width, height, grey = picture
    shape = (
        f"/Width {width} /Height {height} /ColorSpace /DeviceGray /BitsPerComponent 8 /Filter /FlateDecode"
    )
    resources = b"/Font << /F1 3 0 R >> /XObject << /I 4 0 R >> /Properties << /On 7 0 R /Off 8 0 R >>"
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R /OCProperties << /OCGs [7 0 R 8 0 R] /D << /OFF [8 0 R] >> >> >>",
        b"<< /Type /Pages /Count 1 /Kids [6 0 R] >>",
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
        _stream(zlib.compress(grey), f"/Type /XObject /Subtype /Image {shape}"),
        _stream(content.encode("cp1252")),
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] %s /Contents 5 0 R /Resources << %s >> >>"
        % (f"/CropBox [{box}]".encode() if box else b"", resources),
        b"<< /Type /OCG /Name (Vista) >>",
        b"<< /Type /OCG /Name (Oculta) >>",
    ]
    return _assemble(objects, b"")


def picture_of(page: str) -> tuple[int, int, bytes]:
    """Width, height and greys of a page of text."""
    return _pictures(page)[0]


def scanned_pdf(*pages: str) -> bytes:
    """The same pages as pictures of themselves, as a scanner makes them."""
    return pdf(*pages, images=dict(enumerate(_pictures(*pages), 1)))


def drawn_pdf(page: str) -> bytes:
    """The page with every letter drawn as little rectangles, as some programs do with their fonts."""
    (width, height, grey), *_ = _pictures(page)
    parts = [b"q %f 0 0 %f 0 0 cm" % (612 / width, 792 / height)]
    for y in range(height):
        row = grey[y * width : (y + 1) * width]
        dark = re.finditer(rb"[\x00-\x7f]+", row)
        parts += [b"%d %d %d 1 re f" % (run.start(), height - y, run.end() - run.start()) for run in dark]
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Count 1 /Kids [4 0 R] >>",
        _stream(b"\n".join([*parts, b"Q"])),
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 3 0 R /Resources << >> >>",
    ]
    return _assemble(objects, b"")


def _pictures(*pages: str) -> list[tuple[int, int, bytes]]:
    document = pypdfium2.PdfDocument(pdf(*pages))
    pictures = []
    for number in range(len(document)):
        bitmap = document[number].render(scale=150 / 72, grayscale=True)
        rows = memoryview(bitmap.buffer).cast("B")
        grey = b"".join(
            bytes(rows[y * bitmap.stride : y * bitmap.stride + bitmap.width]) for y in range(bitmap.height)
        )
        pictures.append((bitmap.width, bitmap.height, grey))
    return pictures


def _page_content(text: str) -> bytes:
    lines = [b"BT 72 720 Td"]
    for line in text.split("\n"):
        large = line.startswith("# ")
        body = (
            line.removeprefix("# ")
            .encode("cp1252")
            .replace(b"\\", b"\\\\")
            .replace(b"(", b"\\(")
            .replace(b")", b"\\)")
        )
        lines.append(b"/F1 %d Tf (%s) Tj 0 -%d Td" % (22 if large else 12, body, 30 if large else 15))
    return b"\n".join([*lines, b"ET"])


def _stream(data: bytes, extra: str = "") -> bytes:
    return b"<< /Length %d %s >>\nstream\n%s\nendstream" % (len(data), extra.encode(), data)


def _assemble(objects: list[bytes], trailer: bytes) -> bytes:
    out = bytearray(b"%PDF-1.4\n%\xe2\xe3\xcf\xd3\n")
    places = []
    for number, body in enumerate(objects, 1):
        places.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    start = len(out)
    out += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    out += b"".join(b"%010d 00000 n \n" % place for place in places)
    out += b"trailer << /Size %d /Root 1 0 R %s >>\nstartxref\n%d\n%%%%EOF" % (
        len(objects) + 1,
        trailer,
        start,
    )
    return bytes(out)


def _encryption(password: str) -> bytes:
    """The 40-bit standard handler; the content need not be encrypted for the door to be locked."""
    padded = (password.encode() + _PAD)[:32]
    owner = _rc4(hashlib.md5(padded).digest()[:5], padded)
    key = hashlib.md5(padded + owner + struct.pack("<i", -44) + b"\x00" * 16).digest()[:5]
    user = _rc4(key, _PAD)
    return b"<< /Filter /Standard /V 1 /R 2 /P -44 /O <%s> /U <%s> >>" % (
        owner.hex().encode(),
        user.hex().encode(),
    )


def _rc4(key: bytes, data: bytes) -> bytes:
    box = list(range(256))
    j = 0
    for i in range(256):
        j = (j + box[i] + key[i % len(key)]) % 256
        box[i], box[j] = box[j], box[i]
    out = bytearray()
    i = j = 0
    for byte in data:
        i = (i + 1) % 256
        j = (j + box[i]) % 256
        box[i], box[j] = box[j], box[i]
        out.append(byte ^ box[(box[i] + box[j]) % 256])
    return bytes(out)


# --- OOXML -------------------------------------------------------------------------------------------


def package(parts: dict[str, str | bytes]) -> bytes:
    """A ZIP of parts."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, body in parts.items():
            archive.writestr(name, body)
    return out.getvalue()


def rels(*links: tuple[str, str, str]) -> str:
    """A relationships part from (id, kind, target)."""
    inner = "".join(
        f'<Relationship Id="{i}" Type="{R_NS}/{kind}" Target="{target}"/>' for i, kind, target in links
    )
    return f'<?xml version="1.0"?><Relationships xmlns="{_REL}">{inner}</Relationships>'


def docx(body: str, **extra: str | bytes) -> bytes:
    """A Word document from the inside of its body; more parts by name with `__` for `/`."""
    links = [
        (f"r{n}", kind, f"{kind}{suffix}.xml")
        for n, (kind, suffix) in enumerate(
            (("styles", ""), ("footnotes", ""), ("header", "1"), ("numbering", ""))
        )
    ]
    parts: dict[str, str | bytes] = {
        "[Content_Types].xml": "<Types/>",
        "_rels/.rels": rels(("r1", "officeDocument", "word/document.xml")),
        "word/_rels/document.xml.rels": rels(*links),
        "word/document.xml": word_xml("document", f"<w:body>{body}</w:body>"),
    }
    parts |= {name.replace("__", "/") + ".xml": content for name, content in extra.items()}
    return package(parts)


def word_xml(root: str, inner: str) -> str:
    spaces = f'xmlns:w="{W_NS}" xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006" xmlns:r="{R_NS}"'
    return f'<?xml version="1.0" encoding="UTF-8"?><w:{root} {spaces}>{inner}</w:{root}>'


def p(text: str, properties: str = "") -> str:
    return f"<w:p><w:pPr>{properties}</w:pPr><w:r><w:t xml:space='preserve'>{text}</w:t></w:r></w:p>"


def table(*rows: tuple[str, ...]) -> str:
    cells = ("".join(f"<w:tc>{p(cell)}</w:tc>" for cell in row) for row in rows)
    return "<w:tbl>" + "".join(f"<w:tr>{row}</w:tr>" for row in cells) + "</w:tbl>"


def pptx(
    *slides: str,
    order: tuple[int, ...] = (),
    notes: dict[int, str] | None = None,
    hidden: tuple[int, ...] = (),
) -> bytes:
    """A presentation from the inside of each slide's shape tree; the `hidden` ones are not shown."""
    order = order or tuple(range(1, len(slides) + 1))
    parts: dict[str, str | bytes] = {
        "_rels/.rels": rels(("r1", "officeDocument", "ppt/presentation.xml")),
        "ppt/_rels/presentation.xml.rels": rels(*((f"s{n}", "slide", f"slides/slide{n}.xml") for n in order)),
        "ppt/presentation.xml": f'<p:presentation xmlns:p="{P_NS}" xmlns:r="{R_NS}"><p:sldIdLst>'
        + "".join(f'<p:sldId id="{255 + n}" r:id="s{n}"/>' for n in order)
        + "</p:sldIdLst></p:presentation>",
    }
    for number, inner in enumerate(slides, 1):
        xml = slide_xml("sld", inner)
        parts[f"ppt/slides/slide{number}.xml"] = (
            xml.replace("<p:sld ", '<p:sld show="0" ', 1) if number in hidden else xml
        )
        if notes and number in notes:
            parts[f"ppt/slides/_rels/slide{number}.xml.rels"] = rels(
                ("n1", "notesSlide", f"../notesSlides/n{number}.xml")
            )
            parts[f"ppt/notesSlides/n{number}.xml"] = slide_xml("notes", shape(notes[number], "body"))
    return package(parts)


def slide_xml(root: str, inner: str) -> str:
    return f'<p:{root} xmlns:p="{P_NS}" xmlns:a="{A_NS}"><p:cSld><p:spTree>{inner}</p:spTree></p:cSld></p:{root}>'


def shape(text: str, placeholder: str = "") -> str:
    mark = f'<p:ph type="{placeholder}"/>' if placeholder else ""
    body = "".join(f"<a:p><a:r><a:t>{line}</a:t></a:r></a:p>" for line in text.split("\n"))
    return f"<p:sp><p:nvSpPr><p:nvPr>{mark}</p:nvPr></p:nvSpPr><p:txBody>{body}</p:txBody></p:sp>"


def xlsx(**sheets: list[list[object]]) -> bytes:
    """A workbook from rows by sheet."""
    book = openpyxl.Workbook()
    book.remove(book.worksheets[0])
    for name, rows in sheets.items():
        sheet = book.create_sheet(name)
        for row in rows:
            sheet.append(row)
    out = io.BytesIO()
    book.save(out)
    return out.getvalue()


# --- OLE ---------------------------------------------------------------------------------------------


def ole(streams: dict[str, bytes]) -> bytes:
    """A compound file with streams under its root, each large enough to live in ordinary sectors."""
    bodies = {name: body.ljust(4096, b"\x00") for name, body in streams.items()}
    sectors: list[bytes] = []
    chains: list[int] = []
    places: dict[str, int] = {}
    for name, body in bodies.items():
        places[name] = len(sectors)
        count = (len(body) + 511) // 512
        chains += [len(sectors) + n + 1 for n in range(count - 1)] + [0xFFFFFFFE]
        sectors += [body[n * 512 : (n + 1) * 512].ljust(512, b"\x00") for n in range(count)]
    directory = _directory(bodies, places)
    directory_at = len(sectors)
    count = len(directory) // 512
    chains += [directory_at + n + 1 for n in range(count - 1)] + [0xFFFFFFFE]
    sectors += [directory[n * 512 : (n + 1) * 512] for n in range(count)]
    fat_count = (len(sectors) + 127) // 128 + 1
    fat_at = len(sectors)
    chains += [0xFFFFFFFD] * fat_count
    chains += [0xFFFFFFFF] * (fat_count * 128 - len(chains))
    fat = struct.pack(f"<{len(chains)}I", *chains)
    header = (
        struct.pack("<8s16s6H", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", b"", 0x3E, 3, 0xFFFE, 9, 6, 0)
        + b"\x00" * 4
    )
    header += struct.pack("<9I", 0, fat_count, directory_at, 0, 4096, 0xFFFFFFFE, 0, 0xFFFFFFFE, 0)
    header += struct.pack("<109I", *[fat_at + n for n in range(fat_count)], *[0xFFFFFFFF] * (109 - fat_count))
    return header + b"".join(sectors) + fat


def _directory(bodies: dict[str, bytes], places: dict[str, int]) -> bytes:
    """The entries of streams; «folder/name» puts one into a folder of its own."""
    entries = [_entry("Root Entry", 5, 0xFFFFFFFE, 0, child=1)]
    flat = [name for name in bodies if "/" not in name]
    folders = list(dict.fromkeys(name.rpartition("/")[0] for name in bodies if "/" in name))
    top = len(flat) + len(folders)
    inside = [[name for name in bodies if name.rpartition("/")[0] == folder] for folder in folders]
    firsts = [1 + top + sum(map(len, inside[:number])) for number in range(len(folders))]
    for number, name in enumerate(flat, 1):
        following = number + 1 if number < top else 0xFFFFFFFF
        entries.append(_entry(name, 2, places[name], len(bodies[name]), right=following))
    for number, (folder, first) in enumerate(zip(folders, firsts, strict=True), len(flat) + 1):
        entries.append(_entry(folder, 1, 0, 0, child=first, right=number + 1 if number < top else 0xFFFFFFFF))
    for first, names in zip(firsts, inside, strict=True):
        for number, name in enumerate(names, first):
            following = number + 1 if number < first + len(names) - 1 else 0xFFFFFFFF
            entries.append(
                _entry(name.rpartition("/")[2], 2, places[name], len(bodies[name]), right=following)
            )
    while len(entries) % 4:
        entries.append(b"\x00" * 68 + b"\xff" * 12 + b"\x00" * 48)
    return b"".join(entries)


def _entry(
    name: str, kind: int, start: int, size: int, *, child: int = 0xFFFFFFFF, right: int = 0xFFFFFFFF
) -> bytes:
    raw = name.encode("utf-16-le") + b"\x00\x00"
    return raw.ljust(64, b"\x00") + struct.pack(
        "<HBB3I16sIQQIQ", len(raw), kind, 1, 0xFFFFFFFF, right, child, b"", 0, 0, 0, start, size
    )


def doc(*pieces: tuple[str, bool], encrypted: bool = False, inside: dict[str, bytes] | None = None) -> bytes:
    """A Word 97 file whose text lies in several pieces (text, compressed), stored in reverse order as a fast save does."""
    stream = bytearray(2048)
    total = sum(len(text) for text, _ in pieces)
    struct.pack_into("<4H", stream, 0, 0xA5EC, 0x00C1, 0, 0x0C0A)
    struct.pack_into("<H", stream, 10, 0x0200 | 0x0004 | (0x0100 if encrypted else 0))
    struct.pack_into("<I", stream, 0x4C, total)
    places: dict[int, int] = {}
    for number in reversed(range(len(pieces))):
        text, compressed = pieces[number]
        while len(stream) % 4:
            stream += b"\x00"
        places[number] = len(stream) * 2 | 0x40000000 if compressed else len(stream)
        stream += text.encode("cp1252" if compressed else "utf-16-le")
    edges, at = [0], 0
    for text, _ in pieces:
        at += len(text)
        edges.append(at)
    plc = struct.pack(f"<{len(edges)}I", *edges)
    plc += b"".join(struct.pack("<HIH", 0, places[number], 0) for number in range(len(pieces)))
    clx = b"\x02" + struct.pack("<I", len(plc)) + plc
    struct.pack_into("<2I", stream, 0x1A2, 0, len(clx))
    return ole({"WordDocument": bytes(stream), "1Table": clx, **(inside or {})})


def word6(text: str) -> bytes:
    """A Word 6 file: everything in one stream, letters in the code page of its language."""
    stream = bytearray(1024)
    raw = text.encode("cp1252")
    struct.pack_into("<4H", stream, 0, 0xA5DC, 0x0065, 0, 0x0C0A)
    struct.pack_into("<2I", stream, 24, 1024, 1024 + len(raw))
    struct.pack_into("<I", stream, 0x34, len(raw))
    return ole({"WordDocument": bytes(stream) + raw})


def ppt(
    *slides: tuple[str, str],
    old: tuple[str, str] | None = None,
    drawn: bytes = b"",
    embedded: bytes = b"",
    hidden: tuple[int, ...] = (),
) -> bytes:
    """A PowerPoint 97 file of (title, body) slides; `old` is an earlier version of the first that must not show.

    `drawn` are records on each slide, `embedded` a file kept as an object; the `hidden` slides are not shown.
    """
    stream = bytearray()
    first_edit = 0
    if old:
        first_edit = _ppt_edit(stream, (old,), previous=0)
    last = _ppt_edit(stream, slides, previous=first_edit, drawn=drawn, embedded=embedded, hidden=hidden)
    user = struct.pack("<2HI", 0, 0x0FF6, 20) + struct.pack("<3I", 20, 0xE391C05F, last) + b"\x00" * 8
    return ole({"PowerPoint Document": bytes(stream), "Current User": user})


def _ppt_edit(
    stream: bytearray,
    slides: tuple[tuple[str, str], ...],
    *,
    previous: int,
    drawn: bytes = b"",
    embedded: bytes = b"",
    hidden: tuple[int, ...] = (),
) -> int:
    listing = b""
    for number, (title, body) in enumerate(slides, 2):
        listing += _atom(0x03F3, struct.pack("<5I", number, 0, 2, 254 + number, 0))
        listing += _atom(0x0F9F, struct.pack("<I", 0)) + _atom(0x0FA0, title.encode("utf-16-le"))
        listing += _atom(0x0F9F, struct.pack("<I", 1)) + _atom(0x0FA8, body.encode("latin-1"))
    places = [len(stream)]
    stream += _atom(0x03E8, _atom(0x0FF0, listing, container=True), container=True)
    for number in range(1, len(slides) + 1):
        places.append(len(stream))
        show = _atom(0x03F9, struct.pack("<2I2BHI", 0, 0, 0, 0, 4 if number in hidden else 1, 0))
        stream += _atom(0x03EE, _atom(0x03EF, b"\x00" * 24) + show + drawn, container=True)
    if embedded:
        places.append(len(stream))
        packed = struct.pack("<I", len(embedded)) + zlib.compress(embedded)
        stream += struct.pack("<2HI", 1 << 4, 0x1011, len(packed)) + packed
    directory = len(stream)
    stream += _atom(0x1772, struct.pack(f"<{len(places) + 1}I", 1 | len(places) << 20, *places))
    edit = len(stream)
    stream += _atom(0x0FF5, struct.pack("<6I2H", 0, 0, previous, directory, 1, len(places) + 1, 1, 0))
    return edit


def _atom(kind: int, body: bytes, *, container: bool = False) -> bytes:
    return struct.pack("<2HI", 0xF if container else 0, kind, len(body)) + body


def word_art(text: str) -> bytes:
    """A shape of an old drawing whose words are a property of it."""
    raw = text.encode("utf-16-le") + b"\x00\x00"
    properties = struct.pack("<HI", 0x0081, 7) + struct.pack("<HI", 0x80C0, len(raw)) + raw
    return _atom(
        0xF004, struct.pack("<2HI", 2 << 4 | 3, 0xF00B, len(properties)) + properties, container=True
    )


def xls(box: str, *, comment: str = "", inside: dict[str, bytes] | None = None) -> bytes:
    """An old workbook of one empty sheet, «Hoja», with a text box over it."""
    globals_ = biff(0x0809, struct.pack("<2H", 0x0600, 0x0005) + b"\x00" * 12)
    sheet = biff(0x0809, struct.pack("<2H", 0x0600, 0x0010) + b"\x00" * 12)
    sheet += biff(0x0200, struct.pack("<2I3H", 0, 0, 0, 0, 0))
    for kind, text in ((0x19, comment), (0x06, box)):
        raw = text.encode("utf-16-le")
        half = len(raw) // 4 * 2
        sheet += biff(0x005D, struct.pack("<5H", 0x15, 0x12, kind, 1, 0x6011) + b"\x00" * 16)
        sheet += biff(0x01B6, struct.pack("<2H6x2HI", 0x0212, 0, len(text), 16, 0))
        sheet += biff(0x003C, b"\x01" + raw[:half]) + biff(0x003C, b"\x01" + raw[half:])
        sheet += biff(0x003C, b"\x00" * 16)
    sheet += biff(0x000A, b"")
    name = b"Hoja"
    at = len(globals_) + 4 + 8 + len(name) + 4
    globals_ += biff(0x0085, struct.pack("<IHBB", at, 0, len(name), 0) + name) + biff(0x000A, b"")
    return ole({"Workbook": globals_ + sheet, **(inside or {})})


def workbook_xls(
    sheets: dict[str, tuple[int, bytes, list[tuple[int, int, str]]]], names: bytes = b""
) -> bytes:
    """An old workbook from the state of each sheet (0 is shown), records of its own, and its cells by row and column.

    `names` are the records of the names it gives to ranges.
    """
    first = biff(0x0809, struct.pack("<2H", 0x0600, 0x0005) + b"\x00" * 12)
    at = len(first) + sum(12 + len(name) for name in sheets) + len(names) + 4
    listed, bodies = b"", b""
    for name, (state, own, cells) in sheets.items():
        listed += biff(
            0x0085, struct.pack("<IHBB", at + len(bodies), state, len(name), 0) + name.encode("latin-1")
        )
        bodies += biff(0x0809, struct.pack("<2H", 0x0600, 0x0010) + b"\x00" * 12)
        bodies += biff(0x0200, struct.pack("<2I3H", 0, 9, 0, 9, 0)) + own
        for row, column, text in cells:
            bodies += biff(0x0204, struct.pack("<4HB", row, column, 0, len(text), 0) + text.encode("latin-1"))
        bodies += biff(0x000A, b"")
    return ole({"Workbook": first + listed + names + biff(0x000A, b"") + bodies})


def biff(kind: int, body: bytes) -> bytes:
    """A record of an old workbook."""
    return struct.pack("<2H", kind, len(body)) + body


def protected_xls() -> bytes:
    """An old workbook whose first records say it needs a password."""
    bof = struct.pack("<2H", 0x0809, 16) + struct.pack("<2H", 0x0600, 0x0005) + b"\x00" * 12
    return ole(
        {
            "Workbook": bof
            + struct.pack("<2H", 0x002F, 6)
            + b"\x00\x00\x59\xb3\x0a\x9a"
            + struct.pack("<2H", 0x000A, 0)
        }
    )
