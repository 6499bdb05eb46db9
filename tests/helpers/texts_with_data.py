"""Texts in every format, made by other programs than Penstock's: Python's csv, json and repr, and PyYAML."""

from __future__ import annotations

import csv
import io
import json
from xml.etree import ElementTree as ET

import yaml

ROWS = [
    {
        "id": n,
        "name": f"Müller, no. {n}",
        "price": n / 4,
        "zip": f"{n:05}",
        "said": 'a "quote"\nand more',
    }
    for n in range(120)
]


def as_csv(rows=ROWS, *, header=True, before="", **options):
    made = io.StringIO(newline="")
    writer = csv.writer(made, **options)
    if header:
        writer.writerow(rows[0])
    writer.writerows(row.values() for row in rows)
    return before + made.getvalue()


def as_xml(rows=ROWS, *, indent=None, deep=False):
    root = ET.Element("table", {"made": "today"})
    holder = ET.SubElement(root, "body") if deep else root
    for row in rows:
        made = ET.SubElement(holder, "row")
        for name, value in row.items():
            ET.SubElement(made, name).text = str(value)
    if indent:
        ET.indent(root, indent)
    return ET.tostring(root, "unicode", xml_declaration=True)


PLAIN = [{**row, "name": f"n {row['id']}", "said": "nothing"} for row in ROWS]
LINES = "\n".join(map(json.dumps, ROWS))
LOG = "".join(f"2026-11-16 10:{n // 60:02}:{n % 60:02},123 INFO a quote\n" for n in range(120))
LOG_ROWS = [
    {"time": f"2026-11-16T10:{n // 60:02}:{n % 60:02}.123", "level": "INFO", "message": "a quote"}
    for n in range(120)
]
TRACE = 'Traceback (most recent call last):\n  File "a.py", line 7, in f\nValueError: no'
# The text, the name of its format, and its rows.
TEXTS = {
    "csv": (as_csv(), "csv", ROWS),
    "csv, unix": (as_csv(lineterminator="\n"), "csv", ROWS),
    "csv, all quoted": (as_csv(quoting=csv.QUOTE_ALL), "csv", None),
    "csv, no quotes": (as_csv(PLAIN), "csv", PLAIN),
    "csv, bom": ("\ufeff" + as_csv(PLAIN), "csv", PLAIN),
    "csv, preamble": (as_csv(PLAIN, before="Prices of today\nmade by us\n\n"), "csv", PLAIN),
    "tsv": (as_csv(delimiter="\t"), "csv", ROWS),
    "semicolons": (as_csv(delimiter=";"), "csv", ROWS),
    "bars": (as_csv(PLAIN, delimiter="|"), "csv", PLAIN),
    "csv, spaced": (as_csv(PLAIN).replace(",", ", "), "csv", PLAIN),
    "indented json": (json.dumps(ROWS, indent=2), "json", ROWS),
    "json with a list": (json.dumps({"n": 120, "rows": ROWS, "more": {}}, indent=1), "json", ROWS),
    "compact json": (json.dumps(ROWS, separators=(",", ":")), "json", ROWS),
    "compact json with a list": (json.dumps({"n": 1, "rows": ROWS}, separators=(",", ":")), "json", ROWS),
    "json with spaces": (json.dumps(ROWS), "json", ROWS),
    "ndjson": (LINES + "\n", "ndjson", ROWS),
    "ndjson, gaps": (LINES.replace("\n", "\r\n\r\n"), "ndjson", ROWS),
    "fence": (f"Here they are:\n\n```json\n{json.dumps(ROWS, indent=2)}\n```\nDone.", "json in text", ROWS),
    "sentence": ("The result is: " + json.dumps(ROWS), "json in text", ROWS),
    "tags": (f"<untrusted-data-7f>\n{json.dumps(ROWS)}\n</untrusted-data-7f>", "json in text", ROWS),
    "several": ("First:\n" + LINES.replace("\n", "\n---\nand then:\n"), "json in text", ROWS),
    "several fences": ("\n".join(f"```json\n{json.dumps(row, indent=1)}\n```" for row in ROWS), "json in text", ROWS),
    "json, bom": ("\ufeff" + json.dumps(ROWS), "json", ROWS),
    "json with a list, bom": ("\ufeff" + json.dumps({"n": 1, "rows": ROWS}), "json", ROWS),
    "ndjson, bom": ("\ufeff" + LINES, "ndjson", ROWS),
    "fence, bom": (f"\ufeff```json\n{json.dumps(ROWS)}\n```", "json in text", ROWS),
    "python, bom": ("\ufeff" + repr(ROWS), "python", ROWS),
    "ndjson, then lines": (LINES + "\nTraceback (most recent call last):\n  boom\n", "json in text", ROWS),
    "log": (LOG, "log", LOG_ROWS),
    "log, traces": (LOG.replace("quote\n", f"quote\n{TRACE}\n\n"), "log", [{**row, "message": f"a quote\n{TRACE}"} for row in LOG_ROWS]),
    "log, bom": ("\ufeff" + LOG, "log", LOG_ROWS),
    "python": (repr(ROWS), "python", ROWS),
    "python, lines": (repr(ROWS).replace("}, {", "},\n {"), "python", ROWS),
    "python after a sentence": (f"Results: {ROWS!r}", "python in text", ROWS),
    "python in a fence": (f"Here:\n```python\n{ROWS!r}\n```\n", "python in text", ROWS),
    "python, several": ("\n".join(map(repr, ROWS)), "python in text", ROWS),
    "xml": (as_xml(), "xml", ROWS),
    "xml, indented": (as_xml(indent="  "), "xml", ROWS),
    "xml, deep, bom": ("\ufeff" + as_xml(deep=True), "xml", ROWS),
    "python, a tuple of tuples": (repr(tuple(tuple(row.values()) for row in ROWS)), "python", [[*row.values()] for row in ROWS]),
    "python, tuples": (repr([tuple(row.values()) for row in ROWS]), "python", [[*row.values()] for row in ROWS]),
    "yaml": (yaml.safe_dump(ROWS, sort_keys=False), "yaml", ROWS),
    "yaml with a list": (yaml.safe_dump({"n": 120, "rows": ROWS, "more": {}}, allow_unicode=True), "yaml", ROWS),
    "yaml documents": (yaml.safe_dump_all(ROWS, sort_keys=False, explicit_start=True), "yaml", ROWS),
}  # fmt: skip
