"""JUnit XML: reports of real test runs, and the forms that other programs write."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from xml.etree import ElementTree as ET

import pytest

from penstock.core.results import formats
from penstock.core.results.formats import TextCut

TESTS = """
import pytest


class TestGate:
    @pytest.mark.parametrize("n", range(40))
    def test_opens(self, n):
        pass

    def test_closes(self):
        assert 1 == 2, "x < y & z"


@pytest.mark.skip(reason="dry")
def test_flood():
    pass


@pytest.fixture
def pump():
    raise RuntimeError("boom")


def test_pump(pump):
    pass


@pytest.mark.xfail(reason="old")
def test_old():
    assert False


def test_told(record_property, capsys):
    record_property("level", 3)
"""


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    """Return the report that pytest itself writes."""
    folder = tmp_path_factory.mktemp("run")
    (folder / "test_weir.py").write_text(TESTS)
    (folder / "pytest.ini").write_text("[pytest]\n")
    command = [sys.executable, "-m", "pytest", "-q", "--junitxml=report.xml", "test_weir.py"]
    plain = {**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PYTEST_ADDOPTS": ""}
    run = subprocess.run(
        command, cwd=folder, env=plain, capture_output=True, check=False, timeout=120
    )
    assert run.returncode == 1, run.stdout
    return (folder / "report.xml").read_text()


def read(text):
    """Return the cut of a report, and its value."""
    data = text.encode()
    found = formats.recognise(data)
    assert found is not None
    assert found.name == "junit"
    assert isinstance(found.cut, TextCut)
    cut = found.cut
    rows = [row for block in cut.blocks for row in block]
    assert cut.prefix + cut.joint.join(rows) + cut.suffix == data
    frame = formats.frame_of("junit", cut.prefix, cut.suffix, cut.reading)
    decoded = formats.decoded("junit", rows, cut.reading)
    return cut, json.loads(frame.prefix + b",".join(decoded) + frame.suffix)


def test_a_real_report_is_its_test_cases(report):
    cut, value = read(report)
    cases = [*ET.fromstring(report).iter("testcase")]  # noqa: S314 (pytest wrote it)
    assert cut.list_path == "/tests"
    assert [(row["class"], row["name"], row["time"]) for row in value["tests"]] == [
        (case.get("classname"), case.get("name"), float(case.get("time"))) for case in cases
    ]
    by_name = {row["name"]: row for row in value["tests"]}
    closes = by_name["test_closes"]
    assert (closes["outcome"], closes["class"]) == ("failed", "test_weir.TestGate")
    assert closes["message"].startswith("AssertionError: x < y & z")
    assert closes["details"] == next(case for case in cases if case.get("name") == "test_closes").find("failure").text.strip()  # fmt: skip
    flood = by_name["test_flood"]
    assert (flood["outcome"], flood["message"]) == ("skipped", "dry")
    assert (by_name["test_pump"]["outcome"], by_name["test_old"]["outcome"]) == ("error", "skipped")
    assert by_name["test_told"]["properties"] == {"property": {"@name": "level", "@value": "3"}}
    (suite,) = value["suites"]
    assert (suite["tests"], suite["failures"], suite["errors"]) == (45, 1, 1)


def test_the_contents_are_the_outcomes_and_the_tests_that_failed(report):
    cut, _ = read(report)
    told = json.loads(cut.contents[0])
    assert told["outcomes"] == {"passed": 41, "failed": 1, "skipped": 2, "error": 1}
    assert list(told["failed"]) == ["/tests/40", "/tests/42"]
    assert told["failed"]["/tests/40"].startswith("test_weir.TestGate::test_closes: AssertionError")


def test_suites_in_one_another_with_output_between_their_cases():
    text = """<?xml version="1.0"?>
<testsuites>
  <testsuite name="a" time="1.5">
    <properties><property name="os" value="linux"/></properties>
    <testcase name="one" classname="A" time="0.5" file="a.js"><system-out>said </testcase> here</system-out></testcase>
    <system-out><![CDATA[</testcase><testcase>]]></system-out>
    <testsuite name="b"><testcase name="two" time="NA"><failure>boom
at line 7</failure><failure message="again"/></testcase></testsuite>
  </testsuite>
  <testsuite name="c"/>
  <testsuite name="d"><testcase name="three" status="notrun"/><testcase name="four" time="1"/></testsuite>
</testsuites>
""".replace("said </testcase>", "said &lt;/testcase>")
    cut, value = read(text)
    rest = {"class": None, "message": None}
    assert value == {
        "tests": [
            {**rest, "class": "A", "name": "one", "time": 0.5, "outcome": "passed", "@file": "a.js", "system-out": "said </testcase> here"},
            {**rest, "name": "two", "time": None, "outcome": "failed", "message": "boom", "details": "boom\nat line 7\n\nagain"},
            {**rest, "name": "three", "time": None, "outcome": "skipped", "@status": "notrun"},
            {**rest, "name": "four", "time": 1, "outcome": "passed"},
        ],
        "suites": [{"name": "a", "time": 1.5}, {"name": "b"}, {"name": "c"}, {"name": "d"}],
    }  # fmt: skip
    assert cut.notices == ("The properties and the output of whole suites are not among the rows.",)


def test_many_properties_before_the_first_test_are_no_obstacle():
    """As Maven writes them."""
    properties = "".join(f"<property name='java.{n}' value='{'v' * 60}'/>" for n in range(200))
    cases = "<testcase name='t'/>" * 3
    _, value = read(f"<testsuite><properties>{properties}</properties>{cases}</testsuite>")
    assert len(value["tests"]) == 3
    found = formats.recognise(f"<testsuite>{' ' * 60_000}{cases}</testsuite>".encode())
    assert found.name == "xml"


def test_of_many_failed_tests_all_are_counted():
    cases = "".join(f"<testcase name='t{n}'><failure>f{n}</failure></testcase>" for n in range(900))
    cut, _ = read(f"<testsuite>{cases}</testsuite>")
    for form in map(json.loads, cut.contents):
        assert form["outcomes"] == {"failed": 900}
        assert len(form["failed"]) + form["failed_omitted"] == 900
        assert form["failed"]["/tests/3"] == "t3: f3"


def test_an_error_counts_more_than_a_failure():
    inside = "<failure message='a'/><error message='b' type='E'/><skipped message='c'/>"
    cut, value = read(f"<testsuite><testcase name='t'>{inside}</testcase></testsuite>")
    assert (value["tests"][0]["outcome"], value["tests"][0]["message"]) == ("error", "b")
    assert value["tests"][0]["failure"] == {"@message": "a"}
    assert value["tests"][0]["@type"] == "E"
    assert json.loads(cut.contents[0])["outcomes"] == {"error": 1}


def test_of_many_suites_the_first_are_told():
    suites = "".join(
        f"<testsuite name='suite {n}'><testcase name='t'/></testsuite>" for n in range(500)
    )
    cut, value = read(f"<testsuites>{suites}</testsuites>")
    assert len(value["suites"]) + value["suites_omitted"] == len(value["tests"]) == 500
    assert len(cut.reading) < 4_000


@pytest.mark.parametrize(
    "text",
    [
        "<testsuite><group><testcase name='a'/><testcase name='b'/></group></testsuite>",
        "<testsuite><testcase name='a'><message>m</message></testcase><testcase/></testsuite>",
        "<testsuite><testcase name='a'>" + "<x>" * 30 + "</x>" * 30 + "</testcase></testsuite>",
        "<testsuite><note/><note/></testsuite>",
        "<testsuite><testcase><failure><b/></failure></testcase><testcase/></testsuite>",
        "<testsuite><testcase " + " ".join(f"a{n}=''" for n in range(101)) + "/><b/></testsuite>",
    ],
)
def test_a_report_of_another_form_is_any_xml(text):
    found = formats.recognise(text.encode())
    assert found.name == "xml"
    assert isinstance(found.cut, TextCut)


def test_a_report_that_is_cut_off_or_declares_entities_is_told_as_xml(report):
    for text in (report[:-40], "<testsuite" + ">" + "<testcase/>" * 5):
        found = formats.recognise(text.encode())
        assert found.name == "xml"
        assert found.cut.reason.startswith("it is cut off")
    bomb = "<!DOCTYPE testsuite [<!ENTITY a 'b'>]><testsuite><testcase name='&a;'/></testsuite>"
    assert formats.recognise(bomb.encode()).cut.reason.startswith("line 1 declares an entity")
