"""Files of Excel and Word, and a picture, written with the standard library alone.

Each is the least that readers accept, and has equal bytes in every run.
"""

from __future__ import annotations

import io
import random
import string
import struct
import zipfile
import zlib
from collections.abc import Iterable, Mapping, Sequence
from typing import Any
from xml.sax.saxutils import escape

_XML = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
_PACKAGE = "http://schemas.openxmlformats.org/package/2006"
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_SHEETS = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_WORDS = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
_TYPE = "application/vnd.openxmlformats-officedocument"
_LETTERS = string.ascii_uppercase
_EPOCH = (2026, 1, 1, 0, 0, 0)


def workbook(sheet: str, rows: Sequence[Mapping[str, Any]]) -> bytes:
    """Return an .xlsx file with one sheet: the keys, then a line for each row."""
    lines = [list(rows[0]), *(list(row.values()) for row in rows)]
    data = "".join(_line(number, line) for number, line in enumerate(lines, start=1))
    corner = f"{_LETTERS[len(lines[0]) - 1]}{len(lines)}"
    return _zip(
        {
            "[Content_Types].xml": _content_types(
                {
                    "/xl/workbook.xml": f"{_TYPE}.spreadsheetml.sheet.main+xml",
                    "/xl/worksheets/sheet1.xml": f"{_TYPE}.spreadsheetml.worksheet+xml",
                }
            ),
            "_rels/.rels": _relation("officeDocument", "xl/workbook.xml"),
            "xl/workbook.xml": (
                f'{_XML}<workbook xmlns="{_SHEETS}" xmlns:r="{_OFFICE}"><sheets>'
                f'<sheet name="{sheet}" sheetId="1" r:id="rId1"/></sheets></workbook>'
            ),
            "xl/_rels/workbook.xml.rels": _relation("worksheet", "worksheets/sheet1.xml"),
            "xl/worksheets/sheet1.xml": (
                f'{_XML}<worksheet xmlns="{_SHEETS}"><dimension ref="A1:{corner}"/>'
                f"<sheetData>{data}</sheetData></worksheet>"
            ),
        }
    )


def _line(number: int, values: Sequence[object]) -> str:
    cells = zip(_LETTERS, values, strict=False)
    return (
        f'<row r="{number}">{"".join(_cell(f"{letter}{number}", v) for letter, v in cells)}</row>'
    )


def _cell(name: str, value: object) -> str:
    if isinstance(value, (int, float)):
        return f'<c r="{name}"><v>{value}</v></c>'
    return (
        f'<c r="{name}" t="inlineStr"><is><t xml:space="preserve">{escape(str(value))}</t></is></c>'
    )


def document(
    chapters: Iterable[tuple[str, Sequence[str]]], rows: Sequence[Mapping[str, Any]]
) -> bytes:
    """Return a .docx file: the chapters, then a table of the rows."""
    prose = "".join(
        _paragraph(title, "Heading1") + "".join(map(_paragraph, paragraphs))
        for title, paragraphs in chapters
    )
    lines = [list(rows[0]), *(list(row.values()) for row in rows)]
    table = "".join(f"<w:tr>{''.join(map(_table_cell, line))}</w:tr>" for line in lines)
    grid = "<w:gridCol/>" * len(lines[0])
    return _zip(
        {
            "[Content_Types].xml": _content_types(
                {
                    "/word/document.xml": f"{_TYPE}.wordprocessingml.document.main+xml",
                    "/word/styles.xml": f"{_TYPE}.wordprocessingml.styles+xml",
                }
            ),
            "_rels/.rels": _relation("officeDocument", "word/document.xml"),
            "word/_rels/document.xml.rels": _relation("styles", "styles.xml"),
            "word/styles.xml": (
                f'{_XML}<w:styles xmlns:w="{_WORDS}"><w:style w:type="paragraph" w:styleId="Heading1">'
                '<w:name w:val="heading 1"/></w:style></w:styles>'
            ),
            "word/document.xml": (
                f'{_XML}<w:document xmlns:w="{_WORDS}"><w:body>{prose}'
                f"<w:tbl><w:tblPr/><w:tblGrid>{grid}</w:tblGrid>{table}</w:tbl>"
                f"{_paragraph('')}</w:body></w:document>"
            ),
        }
    )


def _paragraph(text: str, style: str = "") -> str:
    look = f'<w:pPr><w:pStyle w:val="{style}"/></w:pPr>' if style else ""
    return f"<w:p>{look}<w:r><w:t>{escape(text)}</w:t></w:r></w:p>"


def _table_cell(value: object) -> str:
    return f"<w:tc>{_paragraph(str(value))}</w:tc>"


def _content_types(parts: Mapping[str, str]) -> str:
    overrides = "".join(
        f'<Override PartName="{name}" ContentType="{kind}"/>' for name, kind in parts.items()
    )
    return (
        f'{_XML}<Types xmlns="{_PACKAGE}/content-types">'
        '<Default Extension="rels" '
        'ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
        f'<Default Extension="xml" ContentType="application/xml"/>{overrides}</Types>'
    )


def _relation(kind: str, target: str) -> str:
    return (
        f'{_XML}<Relationships xmlns="{_PACKAGE}/relationships">'
        f'<Relationship Id="rId1" Type="{_OFFICE}/{kind}" Target="{target}"/></Relationships>'
    )


def _zip(parts: Mapping[str, str]) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in parts.items():
            archive.writestr(zipfile.ZipInfo(name, _EPOCH), text)
    return file.getvalue()


def picture(width: int, height: int, seed: int) -> bytes:
    """Return a PNG of noise, which does not compress."""
    chance = random.Random(seed)
    lines = b"".join(b"\0" + chance.randbytes(3 * width) for _ in range(height))
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    chunks = ((b"IHDR", header), (b"IDAT", zlib.compress(lines)), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(kind, data) for kind, data in chunks)


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
