"""An agent that has only the tools, from the probe to the last row, over every connection.

Every reply is weighed (`Caller.weighed`). The replies put together are the original result.
"""

import json
import random

import pytest
from relay_calls import Caller, value_of
from relay_processes import SCRIPTED
from shown_rows import shown_rows

BUDGET = "10kB"


def orders(count=2_000):
    """Return a table of values that are easily lost: long numbers, nested values, scripts."""
    draw = random.Random(7)
    return [
        {
            "id": number,
            "customer": {"name": f"Čeněk 日本 {number % 97}", "vip": number % 10 == 0},
            "total": round(draw.random() * 1_000, 2),
            "exact": 10**29 + number,
            **({"note": "ö" * draw.randrange(80)} if number % 3 else {}),
        }
        for number in range(count)
    ]


def log_lines(count=12_000):
    lines = [
        f"2026-11-15T00:{n // 60 % 60:02}:{n % 60:02} INFO request {n} took {n % 83} ms"
        for n in range(count)
    ]
    lines[7_777] = "2026-11-15T02:09:37 ERROR disk /dev/sda1 is full"
    lines[9_000] = "  Traceback (most recent call last): " + "very long " * 5_000
    return lines


def document():
    """Return Markdown with headings, paragraphs, a table, and a data URL on one line."""
    sections = [
        f"## Section {number}\n\n"
        + "Water flows where the gate lets it. " * 20
        + f"\n\n| a | b |\n|---|---|\n| {number} | é |\n"
        for number in range(150)
    ]
    return (
        "# Penstocks\n\n"
        + "\n".join(sections)
        + "\n![picture](data:image/png;base64,"
        + "iVBOR" * 8_000
        + ")\n"
    )


@pytest.fixture
def agent(connect) -> Caller:
    return connect(SCRIPTED, budget=BUDGET)


def saved(folder, name, content):
    path = folder / name
    path.write_text(content, "utf-8")
    return str(path)


# -- a table -----------------------------------------------------------------------------------


@pytest.mark.parametrize("tool", ["read", "load"])
def test_a_table(agent, tmp_path, tool):
    """A table as JSON in a text, and as structured content with an output schema."""
    rows = orders()
    path = saved(tmp_path, "orders.json", json.dumps(rows))
    assert agent.listed()["tools"][-1]["name"] == "read_result"

    probe = agent.probe(tool, path=path)
    token = probe["continuation_token"]
    assert probe["count"] == len(rows)
    assert {"id", "customer", "total", "exact"} <= set(probe["columns"])
    assert {"sql", "search", "summary", "filtered", "paginated", "full"} <= set(
        probe["available_modes"]
    )

    summary = agent.read(token, mode="summary")
    assert summary["total"] == len(rows)
    assert summary["total"] == summary["omitted"] + len(summary["items"])

    for size in (20, 1_000):
        assert agent.rows(token, page_size=size) == rows

    sums = agent.read(
        token,
        mode="sql",
        query='SELECT "customer.vip" AS vip, count(*) AS n FROM result GROUP BY 1',
    )
    assert shown_rows(sums) == [{"vip": 0, "n": 1_800}, {"vip": 1, "n": 200}]

    if "query" in probe["available_modes"]:
        found = agent.read(token, mode="query", query="map(select(.total > 990)) | map(.id)")
        answer = agent.rows(found["continuation_token"])
        assert answer == [row["id"] for row in rows if row["total"] > 990]

    found = agent.read(token, mode="search", query="日本 42")
    assert found["total"] == sum("日本 42" in row["customer"]["name"] for row in rows)
    where = shown_rows(found)[0]["path"]
    assert agent.read(token, mode="full", path=where) == rows[int(where.split("/")[1])]

    names = agent.rows(token, mode="filtered", filter_keys=["customer.name"], page_size=1_000)
    assert names == [{"customer": {"name": row["customer"]["name"]}} for row in rows]

    assert whole_of(agent, token) == rows


def whole_of(agent, token):
    """Return the value that `full` gives, at once or by a link."""
    result = agent.read_result(token, mode="full")
    links = [block for block in result["content"] if block["type"] == "resource_link"]
    if not links:
        return value_of(result)
    assert agent.read(token, mode="paginated")["items"]
    (content,) = agent.ask("resources/read", {"uri": links[0]["uri"]})["result"]["contents"]
    return (
        json.loads(content["text"])
        if content["mimeType"] == "application/json"
        else content["text"]
    )


# -- texts -------------------------------------------------------------------------------------


def text_of(pages):
    """Put the lines together again. A line over the budget comes in windows."""
    lines = []
    for page in pages:
        window = page.get("window")
        if window is None or window["from"] == 0:
            lines += page["items"]
        else:
            assert window["from"] == len(lines[-1])
            lines[-1] += page["items"][0]
    return "\n".join(lines)


def test_a_log(agent, tmp_path):
    lines = log_lines()
    log = "\n".join(lines)
    probe = agent.probe("read", path=saved(tmp_path, "server.log", log))
    token = probe["continuation_token"]
    assert (probe["format"], probe["count"]) == ("log", len(lines) - 1)  # one continues an entry
    assert probe["levels"] == {"INFO": len(lines) - 2, "ERROR": 1}

    summary = agent.read(token, mode="summary")
    assert lines[7_777] in [line["text"] for line in summary["notable"]]

    assert text_of(agent.pages(token, page_size=1_000, path="/~text")) == log

    found = agent.read(token, mode="search", query="disk", path="/~text")
    assert [(hit["line"], hit["text"]) for hit in shown_rows(found)] == [(7_778, lines[7_777])]
    assert shown_rows(found)[0]["before"] == lines[7_776]

    slow = agent.read(
        token, mode="sql", query="SELECT count(*) AS n FROM result WHERE message LIKE '%took 82 ms'"
    )
    assert slow["items"] == [{"n": sum(line.endswith("took 82 ms") for line in lines)}]
    errors = agent.read(
        token, mode="sql", query="SELECT time, message FROM result WHERE level = 'ERROR'"
    )
    assert errors["items"] == [{"time": "2026-11-15T02:09:37", "message": "disk /dev/sda1 is full"}]

    line = agent.read_result(token, mode="full", path="/~text/7777")
    assert line["content"][0]["text"] == lines[7_777]
    assert whole_of(agent, token) == log


def test_a_document(agent, tmp_path):
    markdown = document()
    probe = agent.probe("read", path=saved(tmp_path, "penstocks.md", markdown))
    token = probe["continuation_token"]
    assert probe["preview"].startswith("# Penstocks\n\n## Section 0")

    assert probe["contents"]["/0"] == "# Penstocks"
    summary = agent.read(token, mode="summary")
    assert summary["total"] == 151

    assert text_of(agent.pages(token, path="/~text")) == markdown

    found = agent.read(token, mode="search", query="section 149")
    (hit,) = shown_rows(found)
    section = agent.read_result(token, mode="full", path=hit["path"].removesuffix("/heading"))
    assert "Water flows where th" in section["content"][0]["text"]
    around = agent.read(
        token, mode="sql", query="SELECT heading, text FROM result WHERE heading = 'Section 148'"
    )
    (row,) = shown_rows(around)
    assert row["text"].lstrip().startswith("Water flows where th")
    joined = agent.read(token, mode="sql", query="SELECT a, b FROM section_149")
    assert shown_rows(joined) == [{"a": 149, "b": "é"}]

    assert whole_of(agent, token) == markdown


# -- handing on --------------------------------------------------------------------------------


def test_ten_megabytes_handed_on_unread(agent, tmp_path):
    """The result goes from one tool to another. The agent sees only a probe and a number."""
    rows = [{"id": number, "blob": f"{number:08}" * 12} for number in range(90_000)]
    content = json.dumps(rows)
    assert len(content) > 10_000_000
    token = agent.probe("read", path=saved(tmp_path, "large.json", content))["continuation_token"]
    measured = agent.weighed("measure", of=f"@result:{token}", note="all of it")
    assert value_of(measured) == {"type": "list", "size": len(rows), "note": 9}
    part = agent.weighed("measure", of=f"@result:{token}#/89999/blob")
    assert value_of(part) == {"type": "str", "size": 96, "note": 0}
    answer = agent.read(token, mode="sql", query="SELECT * FROM result WHERE id % 2 = 0")
    half = agent.weighed("measure", of=f"@result:{answer['continuation_token']}")
    assert value_of(half)["size"] == len(rows) // 2
    assert sum(agent.received) < 20_000
