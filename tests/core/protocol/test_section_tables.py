"""SQL over a document: the sections are one table, and each table of a section is one more."""

from __future__ import annotations

import json
import re

import pytest
from shown_rows import shown_rows

from penstock.core.results import formats
from penstock.core.results.formats.cut import TextCut, ValueFrame
from penstock.core.results.formats.sections import (
    Section,
    SectionTable,
    contents_of_sections,
    section_row,
    table_name,
)

PLANS = [{"plan": f"plan {number}", "seats": number} for number in range(40)]
PRICES = [{"plan": f"plan {number}", "price": number / 4} for number in range(40)]


class Handbook:
    """A small format of documents: `# heading`, text, and tables of lines with bars."""

    has_free_cells = False
    is_one_value = False
    has_sections = True

    def recognise(self, text):
        if not text.startswith(b"# "):
            return None
        rows = re.split(rb"(?m)^(?=# )", text)[1:]
        decoded = [json.loads(row) for row in self.decode(rows, b"")]
        sections = [
            Section(
                1,
                row["heading"],
                [
                    SectionTable(name, [*rows[0]], len(rows))
                    for name, rows in row.get("tables", {}).items()
                ],
            )
            for row in decoded
        ]
        return TextCut("rows", iter([rows]), contents=contents_of_sections(sections))

    def decode(self, rows, reading):
        return [self._section(row.decode()) for row in rows]

    def frame(self, prefix, suffix, reading):
        return ValueFrame()

    def _section(self, text):
        heading, _, body = text.partition("\n")
        heading = heading.removeprefix("# ")
        lines = [line for line in body.splitlines() if "|" in line]
        prose = "\n".join(line for line in body.splitlines() if "|" not in line)
        if not lines:
            return section_row(1, heading, prose, {}, [])
        names, *records = (line.split("|") for line in lines)
        table = [dict(zip(names, map(self._cell, record), strict=True)) for record in records]
        return section_row(1, heading, prose, {table_name(heading): table}, [])

    def _cell(self, text):
        try:
            return json.loads(text)
        except ValueError:
            return text


def written(heading, prose, rows=()):
    lines = [f"# {heading}", prose]
    if rows:
        lines += ["|".join(rows[0])]
        lines += ["|".join(map(str, row.values())) for row in rows]
    return "\n".join(lines) + "\n"


TEXT = "".join(
    [
        written("Start", "Welcome. " * 300),
        written("Limits", "What each plan may have.", PLANS),
        written("Order", "Names of SQL are names too.", PRICES),
        written("Limits", "Prices.", PRICES),
        written("Result", "The last.", PLANS),
    ]
)


@pytest.fixture(autouse=True)
def _with_handbooks(monkeypatch):
    monkeypatch.setattr(formats, "FORMATS", {"handbook": Handbook(), **formats.FORMATS})


@pytest.fixture
def agent(open_agent):
    return open_agent(call={"is_reader": True, "heavy": True})


def asked(agent, token, query, **fields):
    return shown_rows(agent.look(token, mode="sql", query=query, **fields))


def test_the_sections_and_their_tables(agent):
    probe = agent.offer(TEXT).value
    assert probe["format"] == "handbook"
    token = probe["continuation_token"]
    assert [*probe["tables"]] == ["limits", "order", "limits_2", "table_result"]
    names = "SELECT heading, tables FROM result ORDER BY rowid"
    rows = asked(agent, token, names)
    assert [row["heading"] for row in rows] == ["Start", "Limits", "Order", "Limits", "Result"]
    listed = [json.loads(row["tables"]) if row["tables"] else [] for row in rows]
    assert listed[:2] == [[], ["limits"]]
    assert [name for names in listed for name in names] == [*probe["tables"]]
    found = asked(
        agent,
        token,
        "SELECT plan, seats, price FROM limits JOIN limits_2 USING (plan) WHERE seats = 7",
    )
    assert found == [{"plan": "plan 7", "seats": 7, "price": 1.75}]
    for (name,) in listed[1:]:
        assert asked(agent, token, f'SELECT count(*) AS n FROM "{name}"') == [{"n": 40}]  # noqa: S608
    told = agent.refused(token, mode="sql", query="SELECT * FROM plans")
    assert "The tables are result, limits," in told["error"]


def test_a_document_inside_a_value(agent):
    token = agent.offer({"a": {"handbook": TEXT}, "b": 1}).value["continuation_token"]
    query = "SELECT max(seats) AS n FROM limits"
    assert asked(agent, token, query, path="/a/handbook") == [{"n": 39}]


def test_its_other_views_and_jq_show_the_tables_in_their_sections(agent):
    token = agent.offer(TEXT).value["continuation_token"]
    assert agent.look(token, path="/1/tables/limits/7", mode="full") == PLANS[7]
    pytest.importorskip("jq")
    answer = agent.look(token, mode="query", query=".[1].tables.limits[7].seats")
    assert answer["value"] == 7
    assert asked(agent, token, "SELECT seats FROM limits WHERE seats = 7") == [{"seats": 7}]


def test_a_document_to_join_with_is_one_table(agent):
    token = agent.offer(TEXT).value["continuation_token"]
    rows = agent.offer([{"heading": "Order", "pad": "x" * 3_000}]).value["continuation_token"]
    found = asked(
        agent, rows, "SELECT tables FROM result JOIN book USING (heading)", tables={"book": token}
    )
    assert json.loads(found[0]["tables"])
    query = "SELECT count(*) AS n FROM limits"
    told = agent.refused(rows, mode="sql", query=query, tables={"book": token})
    assert told["error"] == "SQLite: no such table: limits. The tables are result, book."
    part = {"limits": f"{token}#/1/tables/limits"}
    assert asked(agent, rows, query, tables=part) == [{"n": 40}]


def test_a_table_and_a_joined_result_of_one_name(agent):
    token = agent.offer(TEXT).value["continuation_token"]
    told = agent.refused(token, mode="sql", query="SELECT 1", tables={"Limits": token})
    assert told["error"].startswith("Two tables are called Limits")
