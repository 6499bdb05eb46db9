"""The output of pytest: reports, tests and the summary are rows, as the JUnit report of the run tells."""

from __future__ import annotations

import os
import random
import re
import subprocess
import sys
from xml.etree import ElementTree as ET

import pytest
from read_texts import read
from shown_rows import shown_rows

SUITE = r"""
import warnings
import pytest

def test_works(): print("out of a test that works")

def test_fails():
    print("hello from stdout")
    x = 1
    assert x == 2

@pytest.fixture
def broken(): raise RuntimeError("no database")

@pytest.fixture
def bad_end():
    yield
    raise ValueError("at the end")

def test_error(broken): pass
def test_teardown(bad_end): pass

@pytest.mark.parametrize("v", ["a b", "x - y", "[z]", "ü\n", "a::b", "=== FAILURES ===", "PASSED [ 5%]"])
def test_odd(v): assert v not in ("x - y", "[z]"), "bad - value [1]"

@pytest.mark.skip(reason="not now")
def test_skipped(): pass

@pytest.mark.xfail(reason="known")
def test_expected(): assert 0

@pytest.mark.xfail
def test_unexpected(): pass

def test_warns(): warnings.warn("careful")

class TestClass:
    def test_deep(self):
        def inner(): raise KeyError("deep")
        inner()

    def test_prints_bars(self):
        print("=" * 30 + " FAILURES " + "=" * 30)
        print("_____ test_invented _____")
        assert False

@pytest.mark.parametrize("n", range(30))
def test_many(n): pass
"""  # fmt: skip
# A test that prints the output of another run, as tests of plugins do.
PRINTS = r"""
import subprocess, sys

def test_prints_a_run(tmp_path):
    (tmp_path / "pytest.ini").write_text("[pytest]")
    (tmp_path / "test_in.py").write_text("def test_inner(): assert 0")
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", str(tmp_path)]
    print(subprocess.run(command, capture_output=True, text=True).stdout)
    assert False, "printed a run"

def test_after_it(): assert 0
"""
# Tests that write beside and between their lines.
WRITES = r"""
import logging
import pytest

def test_quiet(): pass

def test_prints(): print("one\ntwo")

def test_prints_no_newline(): print("no newline", end="")

def test_prints_an_outcome(): print("FAILED")

def test_logs(): logging.getLogger("app").error("the door is stuck")

@pytest.fixture
def talks():
    print("at the start")
    yield
    print("at the end")

def test_with_a_fixture(talks): print("in between")

@pytest.mark.parametrize("v", ["a b", "x::y PASSED", "[z] w"])
def test_values(v): print("value", v)

@pytest.mark.xfail(reason="known")
def test_expected():
    print("soon")
    assert 0

def test_fails():
    print("before it fails")
    assert 0
"""
NAMES_ANOTHER = r"""
def test_names_another(): print("so\ntest_it.py::test_invented PASSED\nFAILED\n")
"""
BROKEN = "import nothing_of_that_name\n"


class Run:
    """A folder with a suite, and runs in it."""

    def __init__(self, folder):
        self.folder = folder
        (folder / "pytest.ini").write_text("[pytest]\n")
        (folder / "test_suite.py").write_text(SUITE, encoding="utf-8")

    def output(self, *options, only="test_suite.py"):
        names = ("PATH", "HOME", "TMPDIR", "TEMP", "SYSTEMROOT")
        kept = {name: os.environ[name] for name in names if name in os.environ}
        environment = {**kept, "COLUMNS": "80", "PYTHONIOENCODING": "utf-8"}
        command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *options, only]
        done = subprocess.run(
            command, cwd=self.folder, env=environment, capture_output=True, check=False
        )
        return done.stdout.decode()

    @staticmethod
    def report(options):
        return f"junit{'_'.join(options)}.xml".replace("/", "").replace(":", "")

    def cases(self, options):
        """Return the outcome of each test, from the JUnit report of a run with these options."""
        found = {}
        for case in ET.parse(self.folder / self.report(options)).iter("testcase"):  # noqa: S314 (made by the run)
            place = case.get("classname", "").split(".")
            test = "::".join([f"{place[0]}.py", *place[1:], case.get("name")])
            kinds = [child.tag for child in case]
            outcome = next(
                (kind for kind in ("error", "failure", "skipped") if kind in kinds), "passed"
            )
            found.setdefault(test, set()).add(outcome)
        return found


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    return Run(tmp_path_factory.mktemp("suite"))


@pytest.fixture(scope="module")
def outputs(run):
    """Return the output of a run with some options, each run once."""
    made = {}

    def of(*options):
        if options not in made:
            made[options] = run.output(*options, f"--junitxml={run.report(options)}")
        return made[options]

    return of


def parts(found, part):
    return [row for row in found.rows if row["part"] == part]


OPTIONS = {
    "plain": (),
    "verbose": ("-v",),
    "quiet": ("-q",),
    "verbose, all": ("-v", "-rA", "--durations=3"),
    "short": ("--tb=short",),
    "native": ("--tb=native",),
    "workers": ("-v", "-n", "2"),
}


@pytest.mark.parametrize("name", OPTIONS)
def test_reports_and_counts_are_those_of_junit(run, outputs, name):
    if "-n" in OPTIONS[name]:
        pytest.importorskip("xdist")
    found = read(outputs(*OPTIONS[name]))
    cases = run.cases(OPTIONS[name])
    assert found.format == "pytest"
    failed = sorted(test for test, kinds in cases.items() if "failure" in kinds)
    errors = sorted(test for test, kinds in cases.items() if "error" in kinds)
    assert found.contents["outcomes"]["failed"] == len(failed)
    assert found.contents["outcomes"]["errors"] == len(errors)
    reports = parts(found, "report")
    as_node = [
        f"test_suite.py::{row['test'].replace('TestClass.', 'TestClass::')}" for row in reports
    ]
    by_outcome = {
        one: sorted(
            name for name, row in zip(as_node, reports, strict=True) if row["outcome"] == one
        )
        for one in ("failed", "error")
    }
    assert by_outcome == {"failed": failed, "error": errors}
    summary = parts(found, "summary")
    assert sorted(row["test"] for row in summary if row["outcome"] == "failed") == failed
    assert sorted(row["test"] for row in summary if row["outcome"] == "error") == errors
    for path, told in found.contents["failed"].items():
        assert re.sub(r".*::| - .*", "", told) in found.rows[int(path[1:])]["test"] or " - " in told


@pytest.mark.parametrize("options", [("-v",), ("-v", "-s"), ("-v", "--log-cli-level=INFO")])
def test_tests_of_a_verbose_run(run, outputs, options):
    found = read(outputs(*options))
    tests = {}
    for row in parts(found, "test"):
        tests.setdefault(row["test"], set()).add(row["outcome"])
    names = {"failed": "failure", "xfailed": "skipped", "xpassed": "passed"}
    told = {test: {names.get(one, one) for one in kinds} for test, kinds in tests.items()}
    cases = run.cases(options)
    cases["test_suite.py::test_teardown"].add("passed")  # before its error
    assert told == cases
    (skipped,) = [row for row in found.rows if row.get("test") == "test_suite.py::test_skipped"]
    assert (skipped["outcome"], skipped["message"]) == ("skipped", "not now")


def test_the_fields_of_a_report(outputs):
    rows = {row["test"]: row for row in parts(read(outputs()), "report")}
    lines = SUITE.split("\n")
    failed = rows["test_fails"]
    assert (failed["file"], failed["line"]) == (
        "test_suite.py",
        lines.index("    assert x == 2") + 1,
    )
    assert failed["message"] == "assert 1 == 2"
    assert "hello from stdout" in failed["report"]
    assert (rows["test_error"]["phase"], rows["test_teardown"]["phase"]) == ("setup", "teardown")
    deep = rows["TestClass.test_deep"]
    assert (deep["message"], lines[deep["line"] - 1].strip()) == (
        "KeyError: 'deep'",
        'def inner(): raise KeyError("deep")',
    )


def test_bars_that_a_test_prints_stay_in_its_report(outputs):
    rows = {row["test"]: row for row in parts(read(outputs()), "report")}
    assert "_____ test_invented _____" in rows["TestClass.test_prints_bars"]["report"]


@pytest.mark.parametrize("options", [(), ("-q",)])
def test_a_run_that_a_test_prints_stays_in_its_report(run, options):
    (run.folder / "test_prints.py").write_text(PRINTS)
    found = read(run.output(*options, only="test_prints.py"))
    reports = parts(found, "report")
    assert [row["test"] for row in reports] == ["test_prints_a_run", "test_after_it"]
    assert "test_inner" in reports[0]["report"]
    assert reports[0]["message"].endswith("printed a run")
    assert found.contents["outcomes"] == {"failed": 2}


def test_other_parts(outputs):
    found = read(outputs("-v", "-rA", "--durations=3"))
    sections = {row["title"]: row["text"] for row in parts(found, "section")}
    assert "UserWarning: careful" in sections["warnings summary"]
    assert "out of a test that works" in sections["PASSES"]
    assert "slowest 3 durations" in sections
    (skipped,) = [row for row in parts(found, "summary") if row["outcome"] == "skipped"]
    assert (skipped["count"], skipped["message"]) == (1, "not now")
    assert "several rows" in found.notices[0]


def test_windows_line_ends(outputs):
    text = outputs("-v")
    assert read(text.replace("\n", "\r\n")).rows == read(text).rows


def test_runs_without_reports(outputs):
    found = read(outputs("--tb=no"))
    assert not parts(found, "report")
    path = next(iter(found.contents["failed"]))
    assert found.rows[int(path[1:])]["part"] == "summary"
    assert "FAILURES" in {row["title"] for row in parts(read(outputs("--tb=line")), "section")}


BETWEEN = {
    "prints": ("-s",),
    "live log": ("--log-cli-level=INFO",),
    "both": ("-s", "--log-cli-level=INFO"),
}


@pytest.mark.parametrize("options", BETWEEN.values(), ids=BETWEEN)
@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_tests_with_output_between_their_lines(run, options, newline):
    (run.folder / "test_writes.py").write_text(WRITES)
    options = ("-v", *options)
    text = run.output(*options, f"--junitxml={run.report(options)}", only="test_writes.py")
    found = read(text.replace("\n", newline))
    cases = {test: kind for test, kinds in run.cases(options).items() for kind in kinds}
    names = {"failed": "failure", "xfailed": "skipped"}
    tests = {row["test"]: row for row in parts(found, "test")}
    told = {test: names.get(row["outcome"], row["outcome"]) for test, row in tests.items()}
    assert told == cases
    assert not any("Lines of tests" in notice for notice in found.notices)
    output = {test.partition("::")[2]: row.get("output", "") for test, row in tests.items()}
    prints, logs = "-s" in options, "--log-cli-level=INFO" in options
    assert output["test_prints"] == ("one\ntwo" if prints else "")
    assert output["test_prints_no_newline"] == ("no newline" if prints else "")
    assert output["test_values[x::y PASSED]"] == ("value x::y PASSED" if prints else "")
    assert ("at the end" in output["test_with_a_fixture"]) == prints
    assert ("the door is stuck" in output["test_logs"]) == logs


def test_tests_that_cannot_be_told_from_their_output(run):
    (run.folder / "test_names.py").write_text(NAMES_ANOTHER)
    (notice,) = read(run.output("-v", "-s", only="test_names.py")).notices
    assert "output between the lines of tests leaves their outcomes uncertain" in notice
    (run.folder / "test_names.py").write_text(NAMES_ANOTHER + "def test_fails(): assert 0\n")
    found = read(run.output("-v", "-s", only="test_names.py"))
    assert not parts(found, "test")
    assert len(parts(found, "report")) == 1
    assert found.notices[0].startswith("Lines of tests are not among the rows: output between")


def test_tests_that_are_not_among_the_rows_are_counted(outputs):
    text = outputs("-v")
    less = text.replace("test_suite.py::test_many[7] PASSED", "test_suite.py::test_many[7] GONE")
    less = less.replace("test_suite.py::test_many[8] PASSED", "GONE")
    notices = read(text.replace("test_suite.py::test_many[8] PASSED", "GONE")).notices
    assert "counts 38 tests that passed, and 37 rows are lines of such tests" in notices[0]
    assert read(less).notices[0].startswith("Lines of tests are not among the rows")


def test_a_module_that_cannot_be_imported(run):
    (run.folder / "test_broken.py").write_text(BROKEN)
    found = read(run.output(only="test_broken.py"))
    (report,) = parts(found, "report")
    assert (report["test"], report["phase"], report["line"]) == ("test_broken.py", "collection", 1)
    assert found.contents["outcomes"] == {"errors": 1}
    assert found.after.startswith("!!!")


# -- runs that did not end, and other texts --------------------------------------------------------


def test_a_run_that_stopped_early(run):
    found = read(run.output("-x"))
    assert "stopping after 1 failures" in found.after
    assert found.contents["outcomes"]["failed"] == 1


def test_a_run_that_was_interrupted(run):
    (run.folder / "test_stop.py").write_text(
        "def test_a(): assert 0\ndef test_b(): raise KeyboardInterrupt\n"
    )
    found = read(run.output(only="test_stop.py"))
    assert found.contents["outcomes"] == {"failed": 1}
    assert found.after.startswith("!!!")
    assert "KeyboardInterrupt" in found.after


def test_an_output_that_is_cut_off(outputs):
    text = outputs("-v")
    found = read(text[: re.search(r"^=+ FAILURES =+$", text, re.MULTILINE).end() + 300])
    assert found.format == "pytest"
    assert found.notices[0].startswith("The last line, with the counts, is missing")
    assert len(parts(found, "test")) == len(parts(read(text), "test"))
    quiet = outputs("-q")
    (notice,) = read(quiet[:-60]).notices
    assert "its last line, with the counts of tests, is missing" in notice


def test_two_runs_are_told(outputs):
    text = outputs()
    (notice,) = read(text + text).notices
    line = text.count("\n") + 1
    assert f"line {line} starts another run" in notice
    (notice,) = read(text + "more\n" * 30).notices
    assert f"line {line} is after the last line of the run" in notice
    assert read("$ pytest\n" + text + "make: *** [test] Error 1\n").after.endswith("Error 1\n")


def test_reports_that_do_not_fit_the_counts_are_told(outputs):
    text = outputs()
    wrong = re.sub(r"= (\d+) failed", "= 9 failed", text)
    assert "counts 9 tests that failed, and 5 reports are there" in read(wrong).notices[0]


def test_other_texts_are_no_run(outputs):
    text = outputs()
    for other in (
        f"# A run\n\nWords.\n\n```\n{text}```\n\n" + "And many more words. " * 200,
        "words and words\n" * 20 + text,
        "==== FAILURES ====\nOf our plans, none.\n==== ERRORS ====\nMany.\n" * 9,
        "== test session starts ==\n",
    ):
        found = read(other)
        assert found.format == ""
        assert not [notice for notice in found.notices if "missing" not in notice]


@pytest.mark.parametrize("seed", range(60))
def test_a_damaged_output_is_exact_or_lines(outputs, seed):
    chance = random.Random(seed)
    text = outputs(*[("-v", "-s"), *OPTIONS.values()][seed % 5])
    for _ in range(1 + seed % 4):
        at = chance.randrange(len(text))
        put_in = chance.choice(
            ["", "\n", " ", "=", "_", "\r", "\0", "\ud800", "FAILED ", "\n\n", "::", "["]
        )
        text = text[:at] + put_in + text[at + chance.randrange(9) :]
    read(text)


def test_a_summary_that_starts_with_another_line_is_a_section(outputs):
    text = re.sub(r"(short test summary info =+\n)", r"\1other words\n", outputs("-v", "-s"))
    (found,) = [row for row in parts(read(text), "section") if "summary info" in row["title"]]
    assert found["text"].startswith("other words")


START = "= test session starts =\n"
UNITS = (
    "= FAILURES =\n", "_ test_x _\n", "a::b PASSED (", "a::b PASSED\n", "FAILED a[", "FAILED a - ", "_ _ ", "=", "= x =\n",
    "E   x\n", "a.py:1: ", "PASSED\n", "= 1 failed in 0.1s =\n", START, "! x !\n", "- Captured x -\n", "::", "[ 5%]\n",
)  # fmt: skip


@pytest.mark.parametrize("unit", UNITS)
def test_a_text_that_begins_again_and_again_ends(unit):
    """In time that is not linear, this would take hours."""
    for text in (unit * 40_000, (unit * 40_000).replace("\n", " ")):
        for before in (
            START,
            START + "= FAILURES =\n_ test_x _\n",
            START + "= short test summary info =\nFAILED ",
        ):
            read(before + text + "\n= 1 failed in 0.1s =\n")


# -- ten questions ---------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def expected(run, outputs):
    outputs(*OPTIONS["verbose, all"])
    return run.cases(OPTIONS["verbose, all"])


def having(cases, kind):
    return sorted(test for test, kinds in cases.items() if kind in kinds)


QUESTIONS = {
    "which failed": (
        "SELECT test FROM result WHERE part = 'summary' AND outcome = 'failed' ORDER BY test",
        lambda cases: having(cases, "failure"),
    ),
    "how many failed": (
        "SELECT count(*) FROM result WHERE part = 'report' AND outcome = 'failed'",
        lambda cases: [len(having(cases, "failure"))],
    ),
    "which had errors": (
        "SELECT test FROM result WHERE part = 'summary' AND outcome = 'error' ORDER BY test",
        lambda cases: having(cases, "error"),
    ),
    "how many tests": (
        "SELECT count(DISTINCT test) FROM result WHERE part = 'test'",
        lambda cases: [len(cases)],
    ),
    "which were skipped or expected to fail": (
        "SELECT test FROM result WHERE part = 'test' AND outcome IN ('skipped', 'xfailed') ORDER BY test",
        lambda cases: having(cases, "skipped"),
    ),
    "which of a class failed": (
        "SELECT test FROM result WHERE part = 'test' AND outcome = 'failed' AND test LIKE '%::TestClass::%' ORDER BY test",
        lambda cases: [test for test in having(cases, "failure") if "TestClass" in test],
    ),
    "how many of many passed": (
        "SELECT count(*) FROM result WHERE part = 'test' AND outcome = 'passed' AND test LIKE '%::test_many[%'",
        lambda cases: [sum("test_many" in test for test in having(cases, "passed"))],
    ),
    "why was one skipped": (
        "SELECT message FROM result WHERE part = 'test' AND outcome = 'skipped'",
        lambda _: ["not now"],
    ),
    "which failed in setup": (
        "SELECT test FROM result WHERE phase = 'setup'",
        lambda cases: [test.rpartition("::")[2] for test in having(cases, "error") if "teardown" not in test],
    ),
    "which has odd characters": (
        "SELECT outcome FROM result WHERE part = 'test' AND test = 'test_suite.py::test_odd[PASSED [ 5%]]'",
        lambda cases: [*cases["test_suite.py::test_odd[PASSED [ 5%]]"]],
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", QUESTIONS)
def test_a_question_gets_the_answer_of_junit(outputs, expected, open_agent, name):
    query, answer = QUESTIONS[name]
    agent = open_agent(budget="4kB")
    text = outputs("-v", "-rA", "--durations=3")
    token = agent.offer({"code": 1, "stdout": text}).value["continuation_token"]
    page = agent.look(token, path="/stdout", mode="sql", query=query)
    assert [value for row in shown_rows(page) for value in row.values()] == answer(expected)


def test_the_probe_tells_which_failed(outputs, open_agent):
    agent = open_agent(budget="2kB")
    probe = agent.offer(outputs()).value
    assert (probe["format"], probe["outcomes"]["failed"]) == ("pytest", 5)
    path = next(path for path, told in probe["failed"].items() if "test_fails" in told)
    report = agent.look(probe["continuation_token"], path=f"{path}/report", mode="full")
    assert "assert x == 2" in report
