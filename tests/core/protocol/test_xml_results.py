"""Results in XML: what the probe tells of them, and how they are read."""

from __future__ import annotations

import json
from xml.etree import ElementTree as ET

import pytest
from shown_rows import shown_rows


@pytest.fixture
def reader(open_agent):
    return open_agent(budget="2kB", ceiling="200kB")


def feed(count=80):
    """Return an RSS feed, written by the standard library."""
    root = ET.Element("rss", {"version": "2.0", "lang": "en"})
    channel = ET.SubElement(root, "channel")
    ET.SubElement(channel, "title").text = "Weirs & locks"
    for number in range(count):
        item = ET.SubElement(channel, "item", {"id": str(number)})
        ET.SubElement(item, "title", {"lang": "de"}).text = f"Gate <{number}>"
        ET.SubElement(item, "level").text = str(number / 4)
    return ET.tostring(root, "unicode")


def test_the_probe_names_the_element_its_columns_and_the_values_beside_it(reader):
    probe = reader.offer(feed()).value
    assert (probe["format"], probe["count"], probe["rows_at"]) == ("xml", 80, "/item")
    assert probe["element"] == "/rss/channel/item"
    assert probe["beside"]["/title"] == "Weirs & locks"
    assert list(probe["columns"]) == ["@id", "title", "level"]
    assert probe["columns"]["level"].startswith("float")


def test_every_part_is_reached_by_path(reader):
    text = feed()
    token = reader.offer(text).value["continuation_token"]
    assert reader.look(token, path="/item/7/title/#text", mode="full") == "Gate <7>"
    assert reader.look(token, path="/item/7/level", mode="full") == 1.75
    assert reader.look(token, path="/title", mode="full") == "Weirs & locks"
    assert reader.look(token, path="/#parent/@version", mode="full") == 2.0
    assert reader.reply(token, mode="full").text == text
    page = reader.look(token, page_size=1)
    assert page["items"] == [
        {"@id": 0, "title": {"@lang": "de", "#text": "Gate <0>"}, "level": 0.0}
    ]
    assert page["envelope"]["title"] == "Weirs & locks"


def test_sql_has_attributes_and_texts_also_without_their_marks(reader):
    token = reader.offer(feed()).value["continuation_token"]
    queries = (
        'SELECT "@id" AS id, "title.#text" AS t FROM result WHERE level >= 19.5 ORDER BY 1',
        "SELECT id, title_text AS t FROM result WHERE level >= 19.5 ORDER BY id",
    )
    for query in queries:
        rows = shown_rows(reader.look(token, mode="sql", query=query))
        assert [list(row.values()) for row in rows] == [[78, "Gate <78>"], [79, "Gate <79>"]]


def test_an_attribute_does_not_hide_an_element_of_its_name(reader):
    rows = "".join(f"<r id='{n}'><id>{n + 1}</id></r>" for n in range(300))
    token = reader.offer(f"<z>{rows}</z>").value["continuation_token"]
    query = 'SELECT sum(id) AS elements, sum("@id") AS attributes FROM result'
    (row,) = shown_rows(reader.look(token, mode="sql", query=query))
    assert row == {"elements": sum(range(301)), "attributes": sum(range(300))}


def test_xml_inside_a_value_is_data_where_path_points_at_it(reader):
    token = reader.offer({"stdout": feed(), "code": 0}).value["continuation_token"]
    query = "SELECT count(*) AS n, max(level) AS top FROM result"
    answer = reader.look(token, path="/stdout", mode="sql", query=query)
    assert shown_rows(answer) == [{"n": 80, "top": 19.75}]
    assert reader.look(token, path="/stdout/title", mode="full") == "Weirs & locks"


def test_texts_alone_are_rows(reader):
    text = "<names>" + "".join(f"<name>n {n}</name>" for n in range(400)) + "</names>"
    probe = reader.offer(text).value
    token = probe["continuation_token"]
    assert (probe["count"], probe["rows_at"]) == (400, "/name")
    assert reader.look(token, page_size=2)["items"] == ["n 0", "n 1"]


def test_members_have_an_outline_and_tables(reader):
    hosts = "".join(f"<host><name>h{n}</name><load>{n}</load></host>" for n in range(400))
    gates = "<gate open='1'/>" * 700
    text = f"<state at='now'>{hosts}<gates>{gates}</gates></state>"
    probe = reader.offer(text).value
    token = probe["continuation_token"]
    assert probe["format"] == "xml"
    assert "host" in json.dumps(probe["outline"])
    assert reader.look(token, path="/gates/gate/3", mode="full") == {"@open": 1}
    query = "SELECT sum(load) AS s FROM host"
    assert shown_rows(reader.look(token, mode="sql", query=query)) == [{"s": sum(range(400))}]
    assert reader.reply(token, mode="full").text == text


def test_what_breaks_xml_is_told(reader):
    probe = reader.offer(feed()[:-20]).value
    assert "lines" in probe
    assert "looks like xml, but it is cut off: <" in probe["notices"][0]


def test_the_probe_of_a_test_report_names_the_tests_that_failed(reader):
    cases = "".join(f"<testcase classname='w' name='t{n}' time='0.1'/>" for n in range(90))
    bad = "<testcase classname='w' name='gate' time='1'><failure message='stuck'>…</failure></testcase>"
    text = f"<testsuites><testsuite name='s' tests='91'>{cases}{bad}</testsuite></testsuites>"
    probe = reader.offer(text).value
    token = probe["continuation_token"]
    assert (probe["format"], probe["rows_at"]) == ("junit", "/tests")
    assert probe["outcomes"] == {"passed": 90, "failed": 1}
    assert probe["failed"] == {"/tests/90": "w::gate: stuck"}
    assert reader.look(token, path="/tests/90/message", mode="full") == "stuck"
    query = (
        "SELECT outcome, count(*) AS n, round(sum(time), 1) AS s FROM result GROUP BY 1 ORDER BY 1"
    )
    rows = shown_rows(reader.look(token, mode="sql", query=query))
    assert rows == [{"outcome": "failed", "n": 1, "s": 1.0}, {"outcome": "passed", "n": 90, "s": 9.0}]  # fmt: skip
    assert reader.look(token, path="/suites/0/tests", mode="full") == 91
