"""The Test Anything Protocol: each test is a row, as other reporters of the same run tell it."""

from __future__ import annotations

import random
import shutil
import subprocess
from html import unescape  # Node escapes quotes twice
from xml.etree import ElementTree as ET

import pytest
from node_runtime import node
from read_texts import read
from shown_rows import shown_rows

SUITE = r"""
import test, {describe, it} from 'node:test';
import assert from 'node:assert';
test('adds', () => assert.equal(1 + 1, 2));
test('odd # name \\ with "quotes" - and more', () => {});
test('fails', () => { console.log('hello\nok 99 - no test'); assert.equal(1, 2); });
test('is skipped', {skip: 'no network'}, () => {});
test('is to do', {todo: 'later'}, () => { throw new Error('not yet'); });
describe('suite', () => {
  it('inner', () => {});
  it('inner fails', () => { throw new Error('boom\n  ---\n  ...\nok 77 - no test'); });
  describe('deep', () => { it('deepest', () => {}); });
});
test('parent', async (t) => { await t.test('child', () => {}); t.diagnostic('told by the test'); });
for (let n = 0; n < 40; n++) test(`number ${n}`, () => {});
"""


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """Return the TAP of a run of Node, and its JUnit report."""
    folder = tmp_path_factory.mktemp("suite")
    (folder / "a.test.mjs").write_text(SUITE)
    reporters = [f"--test-reporter={one}" for one in ("tap", "junit")]
    places = [f"--test-reporter-destination={folder / one}" for one in ("tap", "junit")]
    command = [node(), "--test", *reporters, *places, "a.test.mjs"]
    subprocess.run(command, cwd=folder, check=False, capture_output=True)
    report = ET.parse(folder / "junit")  # noqa: S314 (made by the run above)
    return (folder / "tap").read_text(), report


def cases(report):
    """Return the outcome of each test by its name. Tests that hold others are suites there."""
    found = {}
    for case in report.iter("testcase"):
        skipped = case.find("skipped")
        kind = None if skipped is None else skipped.get("type")
        outcome = {"skipped": "skipped", "todo": "todo"}.get(kind, "passed")
        found[unescape(case.get("name"))] = (
            "failed" if outcome == "passed" and case.find("failure") is not None else outcome
        )
    return found


def test_the_outcomes_are_those_of_another_reporter(run):
    text, report = run
    found = read(text)
    assert found.format == "tap"
    holders = {suite.get("name") for suite in report.iter("testsuite")}
    rows = {row["name"]: row["outcome"] for row in found.rows if row["name"] not in holders}
    assert rows == cases(report)
    assert len(found.rows) == len(rows) + len(holders)


def test_fields_of_tests(run):
    found = read(run[0])
    rows = {row["name"]: row for row in found.rows}
    assert rows["fails"]["number"] == 3
    assert "error: '1 == 2'\n" in rows["fails"]["diagnostics"]
    assert rows["is skipped"]["directive"] == "SKIP no network"
    assert (rows["suite"]["depth"], rows["inner"]["depth"], rows["deepest"]["depth"]) == (0, 1, 2)
    assert (
        "error: |-\n  boom\n    ---\n    ...\n  ok 77 - no test\n"
        in rows["inner fails"]["diagnostics"]
    )
    assert rows["parent"]["diagnostics"].endswith("# told by the test")
    assert found.before.startswith("TAP version 13\n")
    assert found.after.startswith("1..47\n# tests ")
    assert found.contents["failed"] == {"/2": "fails", "/6": "inner fails", "/9": "suite"}
    assert found.contents["outcomes"] == {"passed": 47, "failed": 3, "skipped": 1, "todo": 1}
    (notice,) = found.notices
    assert "Subtests are rows" in notice


def test_windows_line_ends(run):
    assert read(run[0].replace("\n", "\r\n")).rows == read(run[0]).rows


PERL = """
use Test::More; ok(1, 'first'); ok(0, 'second'); is(1, 2, 'third # x');
SKIP: { skip 'why', 1; ok 1; } TODO: { local $TODO = 'later'; ok(0, 't'); }
subtest 'sub' => sub { plan tests => 1; ok 1, 'in' }; note "note"; done_testing;
"""


def test_perl(tmp_path):
    if shutil.which("perl") is None:
        pytest.skip("needs Perl")
    done = subprocess.run(["perl", "-e", PERL], capture_output=True, text=True, check=False)
    if "ok 1" not in done.stdout:
        pytest.skip("needs Perl with Test::More")
    rows = read(done.stdout).rows
    assert [(row["number"], row["name"], row["outcome"]) for row in rows] == [
        (1, "first", "passed"),
        (2, "second", "failed"),
        (3, "third # x", "failed"),
        (4, "", "skipped"),
        (5, "t", "todo"),
        (1, "in", "passed"),
        (6, "sub", "passed"),
    ]


# -- plans and other lines -------------------------------------------------------------------------


TESTS = "".join(f"ok {n} - works {n}\n" for n in range(1, 6))


def test_a_wrong_plan_is_told():
    assert read("1..5\n" + TESTS).notices == ()
    assert read("1..7\n" + TESTS).notices == ("The plan is 7 tests, and 5 are there.",)
    assert read("TAP version 14\n" + TESTS).notices == (
        "There is no plan, so tests may be missing.",
    )
    (notice,) = read("1..5\n" + TESTS.replace("ok 4", "ok 3")).notices
    assert "not in order, first in line 5" in notice


def test_a_run_that_was_ended_early():
    found = read("1..9\n" + TESTS + "Bail out! The database is gone\n")
    assert found.notices[1] == "The run was ended early: Bail out! The database is gone"
    assert found.after.startswith("Bail out!")


def test_other_lines_belong_to_the_test_before_them():
    text = "1..5\n" + TESTS.replace("ok 3", "connecting …\ndone\nok 3")
    assert read(text).rows[1]["output"] == "connecting …\ndone"
    found = read(text.replace("1..5", "1..6"))
    assert found.format == ""
    assert found.notices == ()
    (notice,) = read("TAP version 13\n" + text.replace("1..5", "1..6")).notices
    assert "line 5 is not TAP, and the tests are not those of a plan" in notice


def test_tests_without_a_number():
    rows = read("1..3\nok - a\nnot ok - b # TODO c\nok # skip\n").rows
    assert [(row["number"], row["name"], row["outcome"]) for row in rows] == [
        (None, "a", "passed"),
        (None, "b", "todo"),
        (None, "", "skipped"),
    ]


def test_diagnostics_that_are_cut_off(run):
    text = run[0][: run[0].index("operator:")]
    (notice,) = read(text).notices
    line = text[: text.rindex("  ---")].count("\n") + 1
    assert f"the diagnostics in line {line} are cut off" in notice


OTHER = {
    "go": "ok  \texample.com/a\t0.012s\nok  \texample.com/b\t0.100s\n" * 20,
    "prose": "ok 1 thing first: we came.\nok - let us see.\nThen we went.\n" * 20,
    "a list": "1..3 of them\nok\nnot ok\nok then\n" * 10,
    "a document": "Look at this run:\n\n1..2\nok 1 - a\nnot ok 2 - b\n\nand repair it.\n1..9\n",
}


@pytest.mark.parametrize("name", OTHER)
def test_other_texts_are_no_tests(name):
    assert (read(OTHER[name]).format, read(OTHER[name]).notices) == ("", ())


def test_tests_without_a_plan_are_told():
    (notice,) = read(TESTS).notices
    assert "it has no plan, such as 1..3" in notice


@pytest.mark.parametrize("seed", range(60))
def test_a_damaged_run_is_exact_or_lines(run, seed):
    chance = random.Random(seed)
    text = run[0]
    for _ in range(1 + seed % 3):
        at = chance.randrange(len(text))
        put_in = chance.choice(
            ["", "\n", " ", "ok 1", "\r", "\0", "\ud800", "  ---\n", "  ...\n", "#", "1..2\n"]
        )
        text = text[:at] + put_in + text[at + chance.randrange(4) :]
    read(text)


UNITS = (
    "ok 1\n",
    "ok 1\n  ---\n",
    "  ---\n",
    "  ...\n",
    "not ok - a\n",
    "# Subtest: a\n",
    "1..1\n",
    " ",
    "ok 1 # ",
    "\n",
    "x\n",
)


@pytest.mark.parametrize("unit", UNITS)
def test_a_text_that_begins_again_and_again_ends(unit):
    """In time that is not linear, this would take hours."""
    for text in (unit * 60_000, (unit * 60_000).replace("\n", " ")):
        read("1..1\nok 1\n" + text)
        read("1..1\nok 1\n  ---\n" + text + "  ...\n")


# -- questions -------------------------------------------------------------------------------------


def test_an_agent_asks_about_a_run(run, open_agent):
    agent = open_agent(budget="2kB")
    probe = agent.offer({"status": 1, "stdout": run[0]}).value
    token = probe["continuation_token"]

    def asked(query):
        return [
            tuple(row.values())
            for row in shown_rows(agent.look(token, path="/stdout", mode="sql", query=query))
        ]

    expected = cases(run[1])
    assert asked("SELECT count(*) FROM result WHERE outcome = 'skipped'") == [(1,)]
    assert asked("SELECT name FROM result WHERE outcome = 'failed' AND depth = 1") == [
        ("inner fails",)
    ]
    assert asked("SELECT count(*) FROM result WHERE name LIKE 'number %'") == [(40,)]
    failed = {name for (name,) in asked("SELECT name FROM result WHERE outcome = 'failed'")}
    assert failed - {"suite"} == {name for name, outcome in expected.items() if outcome == "failed"}
    (row,) = asked("SELECT diagnostics FROM result WHERE name = 'fails'")
    assert "ERR_ASSERTION" in row[0]
    probe = agent.offer(run[0]).value
    assert probe["outcomes"]["failed"] == 3
    assert probe["failed"]["/6"] == "inner fails"
