"""The comparison with other gateways: the verdicts on replies, and that the page lists all."""

import json

import pytest
import real_sites
import site_table
from benchmarks.django_peers import PAGE, as_markdown, put_between
from benchmarks.django_questions import CONTENDERS, QUESTIONS
from benchmarks.django_site import seed
from benchmarks.django_site.options import Options
from benchmarks.django_sites import Answer
from benchmarks.django_telling import told

from benchmarks import django_peers


def answered(value, is_error=False):
    content = [{"type": "text", "text": json.dumps(value)}]
    result = {"content": content, "isError": is_error}
    return Answer(200, json.dumps({"jsonrpc": "2.0", "id": 1, "result": result}).encode())


def linked():
    blocks = [{"type": "text", "text": '{"total_size":9}'}, {"type": "resource_link", "uri": "a:b"}]
    return Answer(200, json.dumps({"result": {"content": blocks}}).encode())


def refused(error):
    return Answer(200, json.dumps({"jsonrpc": "2.0", "id": 1, "error": error}).encode())


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        pytest.param(Answer(500, b"<h1>Server Error</h1>"), "**HTTP 500**", id="no-json"),
        pytest.param(answered([{"id": 1}]), "113 B, 1 row", id="a-list"),
        pytest.param(
            answered({"results": [], "count": 50_000, "next": "http://site/?page=2"}),
            "0 rows, `count` 50,000, `next` (a URL)",
            id="a-page-by-url",
        ),
        pytest.param(
            answered({"items": [1, 2], "total": 2, "has_more": False, "next": None}),
            "2 rows, `total` 2, `next` null, `has_more` false",
            id="a-last-page",
        ),
        pytest.param(
            answered({"error": "Not yours."}, is_error=True), "refused: “Not yours.”", id="refusal"
        ),
        pytest.param(
            refused({"code": -32602, "message": "Unknown tool: x"}), "no such tool", id="unknown"
        ),
        pytest.param(answered("one text"), "B", id="a-text"),
        pytest.param(linked(), "`total_size` 9, a `resource_link`", id="a-link"),
    ],
)
def test_a_reply_is_told_by_its_size_its_rows_and_its_fields(answer, said):
    assert told(answer).endswith(said)


def test_a_token_is_found_where_there_is_one():
    assert answered({"continuation_token": "pen_x"}).token == "pen_x"  # noqa: S105 (no secret)
    assert answered([]).token == ""
    assert Answer(500, b"").token == ""


def test_a_table_takes_the_place_that_a_page_keeps_for_it():
    begin, end = django_peers.BEGIN, django_peers.END
    page = put_between(f"# Page\n{begin}\nold\n{end}\nrest\n", "| new |")
    assert page == f"# Page\n{begin}\n\n| new |\n\n{end}\nrest\n"
    with pytest.raises(ValueError, match="no place for the table"):
        put_between("# Page without one\n", "| new |")


def test_no_cell_ends_a_row():
    assert as_markdown([["a | b", "c\nd"]]).splitlines()[-1] == r"| a \| b | c d |"


def test_the_page_has_every_question_put_to_every_gateway():
    text = PAGE.read_text("utf-8")
    table = text[text.index(django_peers.BEGIN) : text.index(django_peers.END)]
    rows = [line.split(" | ") for line in table.splitlines() if line.startswith("|")]
    assert rows[0][1:] == [*(each.name for each in CONTENDERS[:-1]), f"{CONTENDERS[-1].name} |"]
    assert [row[0].removeprefix("| ") for row in rows[2:]] == [each.what for each in QUESTIONS]
    assert all(len(row) == len(CONTENDERS) + 1 for row in rows)


def test_the_page_has_every_measurement_of_real_sites():
    table = PAGE.read_text("utf-8").partition(site_table.BEGIN)[2].partition(django_peers.END)[0]
    rows = [line.split(" | ") for line in table.splitlines() if line.startswith("|")]
    assert [row[0].removeprefix("| ") for row in rows[2:]] == [*site_table.ROWS]
    assert all(len(row) == 2 * len(real_sites.ALL) + 1 for row in rows)


def test_the_rows_of_the_site_are_always_the_same():
    statuses = ("active", "failed")
    first, again = (list(seed.device_rows(statuses)) for _ in range(2))
    assert first == again
    assert len({row["serial"] for row in first}) == seed.DEVICES == 50_000
    assert all(len(row["body"]) >= 20_000 for row in seed.report_rows())


def test_options_reach_the_site_through_the_environment(monkeypatch):
    options = Options("site.sqlite3", gateway="frisian", grouped=True)
    for name, value in options.environment().items():
        monkeypatch.setenv(name, value)
    assert Options.from_environment() == options
