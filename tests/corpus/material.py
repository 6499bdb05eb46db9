"""Invented data that the recorded servers read: tables, logs, documents, source code.

Everything comes from one seed, so two runs make equal files. No text is copied from anywhere.
"""

from __future__ import annotations

import csv
import io
import json
import random
import sqlite3
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape

from corpus.office import document, picture, workbook

Row = dict[str, Any]

FIRST_DAY = date(2026, 1, 5)
CITIES = ("Lyon", "Gdańsk", "Porto", "Turku", "Graz", "Leeds", "Ghent", "Brno")
PRODUCTS = ("pump", "valve", "filter", "gauge", "hose, 5 m", 'pipe 2"', "sluice", "turbine")
STATES = ("open", "paid", "shipped", "returned")
SERVICES = ("intake", "billing", "router", "archive")
LEVELS = ("debug", "info", "info", "info", "warn", "error")


def orders(count: int = 500) -> list[Row]:
    """Return orders of a shop. Some cells have commas, quotes, newlines, or nothing in them."""
    chance = random.Random(1801)
    return [_order(chance, number) for number in range(1, count + 1)]


def _order(chance: random.Random, number: int) -> Row:
    notes = ("", "", "", "call first", 'ring "twice", then wait', "ramp at the back\nask for Ann")
    return {
        "order_id": 10_000 + number,
        "placed": str(FIRST_DAY + timedelta(days=number // 4)),
        "customer": f"Customer {chance.randint(1, 60):03}",
        "city": chance.choice(CITIES),
        "product": chance.choice(PRODUCTS),
        "quantity": chance.randint(1, 12),
        "amount": round(chance.uniform(5, 900), 2),
        "status": chance.choice(STATES),
        "note": chance.choice(notes),
    }


def customers() -> list[Row]:
    """Return the customers of the orders, some without a telephone number."""
    chance = random.Random(1802)
    return [
        {
            "customer": f"Customer {number:03}",
            "city": chance.choice(CITIES),
            "discount": round(chance.choice((0, 0.05, 0.125)), 3),
            "telephone": chance.choice((None, f"+00 555 {number:04}")),
        }
        for number in range(1, 61)
    ]


def readings(count: int = 900) -> list[Row]:
    """Return measurements of six stations, every ten minutes."""
    chance = random.Random(1803)
    start = datetime(2026, 2, 1, tzinfo=UTC)
    return [
        {
            "time": (start + timedelta(minutes=10 * (number // 6))).isoformat(),
            "station": f"S{number % 6 + 1}",
            "temperature": round(chance.gauss(11, 6), 1),
            "humidity": chance.randint(30, 99),
            "battery": round(chance.uniform(3.1, 4.2), 2),
        }
        for number in range(count)
    ]


def invoices(count: int = 800) -> list[Row]:
    """Return invoices as a German spreadsheet exports them, with decimal commas."""
    chance = random.Random(1804)
    return [
        {
            "Rechnung": f"R-{number:05}",
            "Kunde": f"Kunde {chance.randint(1, 40)}",
            "Ort": chance.choice(("Köln", "Fürth", "Gießen", "Ulm")),
            "Netto": f"{chance.uniform(10, 4_000):.2f}".replace(".", ","),
            "Positionen": chance.randint(1, 9),
            "Bezahlt": chance.choice(("ja", "nein")),
        }
        for number in range(1, count + 1)
    ]


def events(count: int = 350) -> list[Row]:
    """Return the events of a web service, with a nested part."""
    chance = random.Random(1805)
    start = datetime(2026, 3, 1, 8, tzinfo=UTC)
    return [
        {
            "ts": (start + timedelta(seconds=7 * number)).isoformat(),
            "level": chance.choice(LEVELS),
            "service": chance.choice(SERVICES),
            "message": f"request {number} {chance.choice(('served', 'retried', 'refused'))}",
            "http": {
                "status": chance.choice((200, 200, 200, 404, 503)),
                "ms": chance.randint(2, 900),
            },
        }
        for number in range(count)
    ]


def devices(count: int = 200) -> list[Row]:
    """Return devices with nested objects and a list each."""
    chance = random.Random(1806)
    return [
        {
            "id": number,
            "name": f"sluice-{number:03}",
            "site": chance.choice(CITIES),
            "online": chance.random() < 0.8,
            "firmware": {
                "version": f"2.{chance.randint(0, 4)}.{chance.randint(0, 9)}",
                "signed": True,
            },
            "tags": chance.sample(("outdoor", "legacy", "leased", "spare"), chance.randint(0, 2)),
        }
        for number in range(count)
    ]


def movements(count: int = 300) -> list[Row]:
    """Return what went onto shelves and off them."""
    chance = random.Random(1807)
    return [
        {"shelf": f"A{chance.randint(1, 40)}", "item": chance.choice(PRODUCTS), "change": change}
        for change in (chance.choice((-5, -2, -1, 1, 4, 10)) for _ in range(count))
    ]


def shelves() -> list[Row]:
    return [{"shelf": f"A{number}", "metres": number % 5 + 1} for number in range(1, 41)]


def hosts(count: int = 400) -> list[Row]:
    """Return machines of an inventory."""
    chance = random.Random(1808)
    return [
        {
            "host": f"node-{number:03}",
            "rack": f"r{chance.randint(1, 12)}",
            "cores": chance.choice((4, 8, 16, 32)),
            "memory_gb": chance.choice((16, 32, 64, 128)),
            "role": chance.choice(("web", "queue", "store", "build")),
        }
        for number in range(count)
    ]


def books(count: int = 280) -> list[Row]:
    """Return books of a library that does not exist."""
    chance = random.Random(1809)
    return [
        {
            "title": f"{chance.choice(('A Short', 'The Last', 'Another'))} "
            f"{chance.choice(('River', 'Mill & Weir', 'Canal', 'Lock'))}, volume {number}",
            "author": f"{chance.choice('ABCDEFG')}. {chance.choice(('Holm', 'Lund', 'Berg'))}",
            "year": chance.randint(1950, 2025),
            "price": round(chance.uniform(4, 60), 2),
            "shelf": chance.choice(("north", "south", "cellar")),
        }
        for number in range(1, count + 1)
    ]


def requests(count: int = 500) -> list[Row]:
    """Return requests as a router logs them, in pairs of key and value."""
    chance = random.Random(1810)
    start = datetime(2026, 4, 1, tzinfo=UTC)
    return [
        {
            "ts": (start + timedelta(seconds=3 * number)).isoformat(),
            "level": chance.choice(LEVELS),
            "msg": chance.choice(("request done", "cache miss", "upstream slow")),
            "path": chance.choice(("/", "/orders", "/orders/7", "/health")),
            "status": chance.choice((200, 200, 304, 500)),
            "ms": chance.randint(1, 2_000),
        }
        for number in range(count)
    ]


def pods(count: int = 450) -> list[Row]:
    """Return the pods of a cluster, in the columns that `kubectl get pods` shows."""
    chance = random.Random(1811)
    return [_pod(chance, number) for number in range(count)]


def _pod(chance: random.Random, number: int) -> Row:
    running = chance.random() < 0.85
    return {
        "namespace": chance.choice(("default", "shop", "ingest", "jobs")),
        "name": f"{chance.choice(SERVICES)}-{number:04x}-{chance.getrandbits(20):05x}",
        "ready": "1/1" if running else "0/1",
        "status": "Running" if running else chance.choice(("Pending", "CrashLoopBackOff")),
        "restarts": chance.choice((0, 0, 0, 1, 3, 17)),
        "age": f"{chance.randint(1, 90)}d",
    }


def handbook(chapters: int = 24) -> list[tuple[str, list[str]]]:
    """Return chapters of prose: a title, and paragraphs of one line each."""
    chance = random.Random(1812)
    return [
        (f"Chapter {number}: {_title(chance)}", [_paragraph(chance) for _ in range(6)])
        for number in range(1, chapters + 1)
    ]


def _title(chance: random.Random) -> str:
    return f"{chance.choice(('Opening', 'Closing', 'Cleaning', 'Reading'))} the {_thing(chance)}"


def _paragraph(chance: random.Random) -> str:
    return " ".join(_sentence(chance) for _ in range(4))


def _sentence(chance: random.Random) -> str:
    who = chance.choice(("The keeper", "A second worker", "The control room", "The engineer"))
    does = chance.choice(("checks", "opens", "records", "repairs", "lowers"))
    when = chance.choice(("before sunrise", "after heavy rain", "once a week", "at high water"))
    return f"{who} {does} the {_thing(chance)} {when}, and then the {_thing(chance)}."


def _thing(chance: random.Random) -> str:
    return chance.choice(
        ("weir", "upper gate", "grating", "spillway", "gauge house", "fish ladder")
    )


MODULES = 12
FUNCTIONS = 14


def source(number: int) -> str:
    """Return a Python module of a program that does not exist."""
    chance = random.Random(1820 + number)
    parts = [f'"""Rules for basin {number}."""\n\nimport math\n']
    for index in range(FUNCTIONS):
        factor = chance.randint(2, 99)
        parts.append(
            f"\n\ndef flow_{number}_{index}(level: float) -> float:\n"
            f'    """Return the flow at a level, by rule {index}."""\n'
            f"    if level < {chance.randint(1, 9)}:\n"
            f"        return 0.0\n"
            f"    return math.sqrt(level) * {factor}\n"
        )
    return "".join(parts)


def as_csv(rows: Sequence[Row], delimiter: str = ",", end: str = "\n") -> str:
    text = io.StringIO()
    writer = csv.DictWriter(text, list(rows[0]), delimiter=delimiter, lineterminator=end)
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()


def as_lines(rows: Iterable[Row], line: Callable[[Row], str]) -> str:
    return "".join(line(row) + "\n" for row in rows)


def as_ndjson(rows: Iterable[Row]) -> str:
    return as_lines(rows, lambda row: json.dumps(row, ensure_ascii=False))


def as_yaml(rows: Iterable[Row]) -> str:
    """Return a list of flat mappings. Their values need no quotes."""
    return "hosts:\n" + as_lines(rows, _yaml_entry)


def _yaml_entry(row: Row) -> str:
    return "  - " + "\n    ".join(f"{key}: {value}" for key, value in row.items())


def as_xml(rows: Iterable[Row]) -> str:
    body = as_lines(rows, lambda row: f"  <book>\n{_xml_fields(row)}  </book>")
    return f'<?xml version="1.0" encoding="UTF-8"?>\n<library>\n{body}</library>\n'


def _xml_fields(row: Row) -> str:
    return "".join(f"    <{key}>{escape(str(value))}</{key}>\n" for key, value in row.items())


def as_logfmt(rows: Iterable[Row]) -> str:
    return as_lines(rows, lambda row: " ".join(map(_pair, row.items())))


def _pair(item: tuple[str, Any]) -> str:
    key, value = item
    return f'{key}="{value}"' if " " in str(value) else f"{key}={value}"


def as_markdown_table(rows: Sequence[Row]) -> str:
    heads = list(rows[0])
    lines = [heads, ["---"] * len(heads), *([str(row[head]) for head in heads] for row in rows)]
    return "".join(f"| {' | '.join(cells)} |\n" for cells in lines)


def as_html(rows: Sequence[Row]) -> str:
    """Return a page: a heading, two paragraphs, and a table of the rows."""
    heads = "".join(f"<th>{key}</th>" for key in rows[0])
    body = as_lines(rows, lambda row: f"<tr>{_cells(row)}</tr>")
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><title>Books</title></head>\n'
        "<body><main><article><h1>Books of the weir library</h1>\n"
        "<p>The library lends its books to every keeper. The list below is made once a year.</p>\n"
        f"<table>\n<thead><tr>{heads}</tr></thead>\n<tbody>\n{body}</tbody></table>\n"
        "<p>Ask the librarian for the cellar key.</p></article></main></body></html>\n"
    )


def _cells(row: Row) -> str:
    return "".join(f"<td>{escape(str(value))}</td>" for value in row.values())


def as_columns(rows: Sequence[Row]) -> str:
    """Return the rows as `kubectl` prints them: capitals, and three spaces between columns."""
    lines = [[key.upper() for key in rows[0]], *([str(v) for v in row.values()] for row in rows)]
    widths = [max(map(len, column)) + 3 for column in zip(*lines, strict=True)]
    return "".join(
        "".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip() + "\n"
        for line in lines
    )


def as_prose(chapters: Iterable[tuple[str, list[str]]]) -> str:
    return "\n".join(
        f"{title}\n\n" + "\n\n".join(paragraphs) + "\n" for title, paragraphs in chapters
    )


def as_markdown() -> str:
    """Return a document with headings, prose, and two tables."""
    (first, intro), (second, outro), *_ = handbook()
    return (
        f"# Inventory\n\n## {first}\n\n{intro[0]}\n\n{as_markdown_table(hosts())}\n"
        f"## {second}\n\n{outro[0]}\n\n{as_markdown_table(shelves())}\n"
    )


def texts() -> Mapping[str, str]:
    """Return the text files by their names."""
    return {
        "orders.csv": as_csv(orders()),
        "readings.tsv": as_csv(readings(), "\t"),
        "invoices.csv": "\ufeff" + as_csv(invoices(), ";", "\r\n"),
        "events.ndjson": as_ndjson(events()),
        "devices.json": json.dumps(devices(), indent=2, ensure_ascii=False) + "\n",
        "warehouse.json": json.dumps(warehouse(), indent=2),
        "hosts.yaml": as_yaml(hosts()),
        "books.xml": as_xml(books()),
        "books.html": as_html(books()),
        "router.log": as_logfmt(requests()),
        "pods.txt": as_columns(pods()),
        "handbook.txt": as_prose(handbook()),
        "inventory.md": as_markdown(),
        **{f"basin/rules_{number:02}.py": source(number) for number in range(MODULES)},
    }


def warehouse() -> Row:
    return {"warehouse": "North", "shelves": shelves(), "movements": movements()}


@dataclass(frozen=True)
class Material:
    """The folder with everything in it."""

    folder: Path

    def make(self) -> None:
        for name, text in texts().items():
            path = self.folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(text.encode())
        (self.folder / "noise.png").write_bytes(picture(160, 120, seed=1813))
        (self.folder / "orders.xlsx").write_bytes(workbook("Orders", orders()))
        (self.folder / "handbook.docx").write_bytes(document(handbook(), shelves()))
        self._fill_sqlite()

    def _fill_sqlite(self) -> None:
        tables = {"orders": orders(), "customers": customers()}
        with sqlite3.connect(self.folder / "shop.sqlite") as database:
            for name, rows in tables.items():
                names = ", ".join(rows[0])
                marks = ", ".join(f":{key}" for key in rows[0])
                database.execute(f"CREATE TABLE {name} ({names})")
                database.executemany(f"INSERT INTO {name} VALUES ({marks})", rows)  # noqa: S608 (own names)
        database.close()
