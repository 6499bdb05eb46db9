"""Texts with data through a gate: the rows can be queried, and the text stays the text."""

from __future__ import annotations

import json

import pytest
from texts_with_data import PLAIN, ROWS, TEXTS, as_csv

from penstock import Budget, Result
from penstock.core.budget.measure import default_meter
from penstock.core.model.values import Frame

COUNT = "SELECT count(*) AS n FROM result"


@pytest.fixture
def reader(open_agent):
    """Return an agent whose budget every text exceeds."""
    return open_agent(budget="2kB")


def probe_of(agent, text):
    probe = agent.offer(text).value
    assert "continuation_token" in probe, probe
    return probe


def windows(agent, token, path):
    """Return all that paging through a text shows, joined."""
    text, line = "", 1
    for page in agent.walk(token, path=path, page_size=1_000):
        for item in page["items"]:
            text += item
            is_cut = "window" in page and page["window"]["to"] < page["window"]["of"]
            text += "" if is_cut else "\n"
        line += len(page["items"])
    return text.removesuffix("\n")


@pytest.mark.parametrize("name", TEXTS)
def test_sql_counts_the_records(reader, name):
    text, kind, rows = TEXTS[name]
    probe = probe_of(reader, text)
    assert probe["format"] == kind
    assert probe["count"] == len(rows or ROWS)
    assert "sql" in probe["available_modes"]
    told = reader.look(probe["continuation_token"], mode="sql", query=COUNT)
    assert told["items"] == [{"n": len(rows or ROWS)}]


@pytest.mark.parametrize("name", TEXTS)
def test_the_text_comes_back_in_windows_and_whole(open_agent, name):
    text = TEXTS[name][0]
    agent = open_agent(budget="2kB", ceiling="100kB")
    token = probe_of(agent, text)["continuation_token"]
    assert windows(agent, token, "/~text") == text
    for path in ("", "/~text"):
        reply = agent.reply(token, mode="full", path=path)
        assert reply.text == text
    assert agent.look(token, path="/~text")["total"] == text.count("\n") + 1


@pytest.mark.parametrize("name", TEXTS)
@pytest.mark.parametrize(
    "fields",
    [
        {}, {"page": 2}, {"mode": "summary"}, {"mode": "filtered", "filter_keys": ["id", "zip"]},
        {"mode": "search", "query": "quote"}, {"mode": "sql", "query": "SELECT * FROM result"},
        {"mode": "full"}, {"path": "/3"}, {"path": "/~text", "mode": "summary"},
        {"path": "/~text", "mode": "search", "query": "1"}, {"mode": "query", "query": "."},
    ],
    ids=str,
)  # fmt: skip
def test_no_reply_is_over_budget(open_agent, name, fields):
    agent = open_agent(budget="2kB", ceiling="2kB")
    probe = agent.offer(TEXTS[name][0])
    replies = [probe, agent.reply(probe.value["continuation_token"], **fields)]
    for reply in replies:
        assert Budget.parse("2kB").admits(reply.shown()[0], default_meter())


def test_rows_are_shown_filtered_searched_and_summarised(reader):
    token = probe_of(reader, as_csv())["continuation_token"]
    assert reader.look(token, page_size=2)["items"] == ROWS[:2]
    assert reader.look(token, path="/5/name", mode="full") == ROWS[5]["name"]
    told = reader.look(token, mode="filtered", filter_keys=["zip"], page_size=2)
    assert told["items"] == [{"zip": "00000"}, {"zip": "00001"}]
    assert reader.look(token, mode="search", query="no. 77")["items"][0]["path"] == "/77"
    summary = reader.look(token, mode="summary")
    assert summary["columns"]["price"]["max"] == 29.75
    query = "SELECT sum(price) AS s FROM result WHERE zip < '00010'"
    assert reader.look(token, mode="sql", query=query)["items"] == [{"s": 11.25}]


def test_a_probe_shows_samples_of_columns(reader):
    prices = [{"id": n, "price": f"{n + 1},000.50", "note": ""} for n in range(300)]
    probe = probe_of(reader, as_csv(prices))
    assert probe["columns"] == {
        "id": "int: 0",
        "price": "str (numbers as text): 1,000.50",
        "note": "null",
    }


def test_many_columns_alike_are_one_entry(reader):
    rows = [{"country": f"c{n}", **{str(year): n for year in range(1962, 2021)}} for n in range(60)]
    probe = probe_of(reader, as_csv(rows))
    assert probe["columns"] == {"country": "str: c0", "1962…2020": "int, 59 columns"}


def test_the_text_around_data_is_told(reader):
    text = f"Found 120 rows:\n```json\n{json.dumps(ROWS)}\n```\nAsk for more."
    page = reader.look(probe_of(reader, text)["continuation_token"], page_size=1)
    assert page["items"] == ROWS[:1]
    assert (page["text_before"], page["text_after"]) == (
        "Found 120 rows:\n```json",
        "```\nAsk for more.",
    )


@pytest.mark.parametrize("budget", ["1kB", "2kB", "1kB+1lines", "25kB"])
def test_long_text_around_data_leaves_room_for_rows(open_agent, budget):
    before, after = "\n".join(["before"] * 300), "\n".join(["after"] * 300)
    text = f"{before}\n```json\n{json.dumps(ROWS * 5)}\n```\n{after}"
    agent = open_agent(budget=budget)
    token = probe_of(agent, text)["continuation_token"]
    for fields in ({}, {"mode": "filtered", "filter_keys": ["id"]}):
        reply = agent.reply(token, **fields)
        assert Budget.parse(budget).admits(reply.shown()[0], default_meter())
        assert len(reply.value["items"]) > 0
    assert agent.look(token, mode="search", query="after")["total"] == 300


# -- a text inside a value -------------------------------------------------------------------------


def test_a_text_in_an_object_is_data_where_path_points_at_it(reader):
    text = as_csv(PLAIN)
    token = probe_of(reader, {"code": 0, "stdout": text, "stderr": "x"})["continuation_token"]
    told = reader.look(token, path="/stdout", mode="sql", query=COUNT)
    assert told["items"] == [{"n": len(PLAIN)}]
    assert reader.look(token, path="/stdout", page_size=1)["items"] == PLAIN[:1]
    assert reader.look(token, path="/stdout/7/id", mode="full") == 7
    assert windows(reader, token, "/stdout/~text") == text
    assert "no text" in reader.refused(token, path="/code/~text")["error"]


def test_a_log_in_an_object_is_entries_where_path_points_at_it(reader):
    text = TEXTS["log, traces"][0] + "2026-11-16 10:02:00,000 ERROR jammed\n"
    token = probe_of(reader, {"code": 1, "stderr": text})["continuation_token"]
    query = "SELECT time, message FROM result WHERE level = 'ERROR'"
    told = reader.look(token, path="/stderr", mode="sql", query=query)
    assert told["items"] == [{"time": "2026-11-16T10:02:00.000", "message": "jammed"}]
    assert windows(reader, token, "/stderr/~text") == text


def test_the_probe_of_a_log_tells_its_time_and_its_levels(reader):
    probe = probe_of(reader, TEXTS["log"][0])
    assert probe["time"] == {"first": "2026-11-16T10:00:00.123", "last": "2026-11-16T10:01:59.123"}
    assert probe["levels"] == {"INFO": 120}
    assert probe["columns"]["level"] == "str: INFO"


@pytest.mark.parametrize("write", [repr, json.dumps, lambda value: json.dumps(value, indent=2)])
def test_a_dict_in_a_text_is_read_in_every_mode(reader, write):
    inner = {f"k{n}": {"a": n, "b": "t" * 20} for n in range(60)}
    token = probe_of(reader, {"x": write(inner), "y": "other"})["continuation_token"]
    query = "SELECT count(*) AS n, sum(a) AS s FROM result"
    answer = reader.look(token, path="/x", mode="sql", query=query)["items"]
    assert answer == [{"n": 60, "s": sum(range(60))}]
    keys = reader.look(token, path="/x", mode="filtered", filter_keys=["k3"])
    assert keys["value"] == {"k3": inner["k3"]}
    assert reader.look(token, path="/x", mode="search", query="k59")["total"] == 1
    assert reader.look(token, path="/x", mode="summary")["total"] == 60
    assert reader.look(token, path="/x", mode="query", query=".k7.a")["value"] == 7
    assert reader.look(token, path="/x/k8/a", mode="full") == 8
    assert windows(reader, token, "/x/~text") == write(inner)


def test_a_path_leads_into_the_text(reader):
    text = as_csv(PLAIN)
    token = probe_of(reader, text)["continuation_token"]
    lines = text.split("\n")
    assert reader.reply(token, path="/~text/78", mode="full").text == lines[78]
    (hit,) = reader.look(token, path="/~text", mode="search", query="n 77,")["items"]
    assert hit["path"] == "/~text/78"
    assert f"{len(lines)} lines" in reader.refused(token, path="/~text/999")["next_step"]


def test_a_list_in_a_text_is_no_text(reader):
    token = probe_of(reader, json.dumps({"n": 1, "rows": ROWS}, indent=1))["continuation_token"]
    assert json.loads(reader.reply(token, path="/rows/3", mode="full").text) == ROWS[3]
    assert "no text" in reader.refused(token, path="/rows/~text")["error"]
    assert "text_before" not in reader.look(token, path="/rows", page_size=1)


def test_a_wrong_escape_is_told_what_is_right(reader):
    token = probe_of(reader, as_csv(PLAIN))["continuation_token"]
    refusal = reader.refused(token, path="/~tex")
    assert "/~text" in refusal["next_step"]
    assert "/~#0" in refusal["next_step"]


DEEP = "[" * 200 + "1" + "]" * 200


def test_a_text_that_nests_too_deep_is_lines_where_path_points_at_it(reader):
    token = probe_of(reader, {"x": DEEP, "y": "z" * 3_000})["continuation_token"]
    for path in ("/x", "/x/~text"):
        assert reader.reply(token, path=path, mode="full").text == DEEP
        assert reader.look(token, path=path)["items"] == [DEEP]
    lines = probe_of(reader, "hello\n" * 600 + DEEP + "\n")["continuation_token"]
    assert reader.reply(lines, path="/600", mode="full").text == DEEP
    blocks = probe_of(reader, blocks_of([DEEP, "more\n" * 600]))["continuation_token"]
    assert reader.reply(blocks, path="/0/~text", mode="full").text == DEEP


def test_what_a_text_inside_lacks_is_told_where_path_points_at_it(reader):
    broken = as_csv(PLAIN) + "1,2\n" + as_csv(PLAIN, header=False)
    value = {"table": broken, "gaps": repr([{"v": float("nan")}] * 90)}
    token = probe_of(reader, value)["continuation_token"]
    for mode in ("paginated", "summary"):
        assert "has 2 fields, not 5" in reader.look(token, path="/table", mode=mode)["notices"][0]
        assert "NaN" in reader.look(token, path="/gaps", mode=mode)["notices"][0]
    assert "notices" not in reader.look(token, path="/table", page=2)


def test_a_key_that_comes_again_leads_to_the_last(reader):
    rows = json.dumps([{"id": n} for n in range(200)])
    token = probe_of(reader, f'{{"x": 1, "rows": {rows}, "rows": 5}}')["continuation_token"]
    page = reader.look(token, page_size=1)
    assert (page["items"], page["envelope"]) == ([{"id": 0}], {"x": 1, "rows": 5})
    assert reader.look(token, path="/rows", mode="full") == 5
    assert reader.look(token, path="/~#1/value/7/id", mode="full") == 7


@pytest.mark.parametrize("name", ["json", "fence"])
def test_json_of_python_with_nan_is_told(reader, name):
    text = json.dumps([{"a": float("nan"), "b": n} for n in range(300)])
    probe = probe_of(reader, text if name == "json" else f"```json\n{text}\n```")
    assert "lines" in probe
    assert name == "fence" or "NaN and Infinity are not JSON" in probe["notices"][0]


def test_text_after_data_is_in_the_probe_and_the_summary(reader):
    text = f"```json\n{json.dumps(ROWS)}\n```\nWARNING: 900 more rows exist."
    probe = probe_of(reader, text)
    token = probe["continuation_token"]
    assert probe["text_after"].endswith("WARNING: 900 more rows exist.")
    assert "900 more rows" in reader.look(token, mode="summary")["text_after"]
    assert "text_after" not in reader.look(token, page=2)


def test_no_column_with_a_long_name_is_forgotten(reader):
    names = ["common prefix " * 5 + f"{n}x" for n in range(5)]
    probe = probe_of(reader, ",".join(names) + "\n" + "1,a,b,c,4\n" * 500)
    assert len(probe["columns"]) + probe["columns_omitted"] == 5


# -- several texts ---------------------------------------------------------------------------------


def blocks_of(texts):
    return Result(content=[{"type": "text", "text": text} for text in texts])


def test_blocks_of_tables_and_lists(reader):
    texts = [as_csv(PLAIN), json.dumps(ROWS)]
    token = probe_of(reader, blocks_of(texts))["continuation_token"]
    for path, text in zip(("/0", "/1"), texts, strict=True):
        told = reader.look(token, path=path, mode="sql", query=COUNT)
        assert told["items"] == [{"n": len(PLAIN)}]
        assert windows(reader, token, path + "/~text") == text


WRITTEN = {
    "json": json.dumps,
    "indented": lambda row: json.dumps(row, indent=2),
    "repr": repr,
    "fence": lambda row: f"```json\n{json.dumps(row)}\n```",
    "tag": lambda row: f"<row>{json.dumps(row)}</row>",
}


@pytest.mark.parametrize("name", WRITTEN)
def test_blocks_with_one_value_each_are_rows_and_stay_texts(open_agent, name):
    texts = [*map(WRITTEN[name], ROWS)]
    agent = open_agent(budget="2kB", ceiling="200kB")
    probe = probe_of(agent, blocks_of(texts))
    token = probe["continuation_token"]
    assert probe["count"] == len(ROWS)
    assert probe["columns"]["price"] == "float"
    assert agent.look(token, page_size=2)["items"] == ROWS[:2]
    query = "SELECT sum(id) AS s FROM result"
    assert agent.look(token, mode="sql", query=query)["items"] == [{"s": sum(range(120))}]
    assert agent.reply(token, path="/7/~text", mode="full").text == texts[7]
    assert agent.look(token, path="/7/id", mode="full") == 7
    whole = agent.reply(token, mode="full")
    assert json.loads(whole.text) == ROWS
    assert probe["total_size"] == len(whole.wire())


def test_a_block_that_says_more_than_its_value_is_text(reader):
    texts = [f"Row {row['id']} is good:\n{json.dumps(row)}" for row in ROWS]
    token = probe_of(reader, blocks_of(texts))["continuation_token"]
    assert reader.look(token, page_size=1)["items"] == texts[:1]
    assert reader.look(token, path="/3", page_size=1)["text_before"] == "Row 3 is good:"


def test_a_block_with_long_annotations_can_be_read(open_agent):
    """Annotations count against the budget of `full`, so they must not be in the way of the text."""
    notes = {"note": "n" * 50_000}
    block = {"type": "text", "text": as_csv(PLAIN), "annotations": notes}
    agent = open_agent(budget="2kB", ceiling="20kB")
    token = probe_of(agent, Result(content=[block]))["continuation_token"]
    assert agent.reply(token, path="/text", mode="full").text == as_csv(PLAIN)
    hits = agent.look(token, mode="search", query="nnnn", page_size=1)
    assert hits["items"][0]["path"] == "/annotations/note"


# -- a text beside structuredContent ---------------------------------------------------------------


@pytest.mark.parametrize("wrap", [False, True])
def test_an_indented_text_beside_the_same_value_is_kept(open_agent, wrap):
    value = ROWS if wrap else {"rows": ROWS}
    text = json.dumps(value, indent=2, ensure_ascii=False)
    structured = {"result": value} if wrap else value
    agent = open_agent(budget="2kB", ceiling="200kB").but(frame=Frame(structured=True))
    result = Result(content=[{"type": "text", "text": text}], structured=structured)
    token = agent.offer(result).value["continuation_token"]
    reply = agent.reply(token, mode="full")
    assert reply.text == text
    assert json.loads(reply.structured) == structured
    path = "" if wrap else "/rows"
    assert agent.look(token, path=path, mode="sql", query=COUNT)["items"] == [{"n": len(ROWS)}]


def test_another_value_in_the_text_is_no_repetition(reader):
    flags = [n % 2 for n in range(600)]
    text = json.dumps({"flags": [*map(bool, flags)]})
    result = Result(content=[{"type": "text", "text": text}], structured={"flags": flags})
    token = probe_of(reader, result)["continuation_token"]
    path = "/structuredContent/flags"
    assert reader.look(token, path=path, page_size=3)["items"] == flags[:3]
    assert reader.look(token, path="/content/0/text/~text", mode="full") == text


@pytest.mark.parametrize(
    "options", [{}, {"indent": 1}, {"ensure_ascii": False}, {"sort_keys": True}]
)
def test_the_size_is_that_of_the_whole_reply(open_agent, options):
    value = {"rows": [{"x": 1.0, "n": "Müller" * 5} for _ in range(80)]}
    agent = open_agent(budget="1kB", ceiling="500kB", call={"frame": Frame(structured=True)})
    text = json.dumps(value, **options)
    probe = agent.offer(Result(content=[{"type": "text", "text": text}], structured=value)).value
    whole = agent.reply(probe["continuation_token"], mode="full")
    assert whole.text == text
    assert probe["total_size"] == len(whole.wire())


def test_words_beside_a_value_that_nests_too_deep_are_kept(reader):
    block = {"type": "text", "text": "important " * 300, "annotations": {"priority": 1}}
    result = Result(content=[block], structured={"d": json.loads(DEEP)})
    token = probe_of(reader, result)["continuation_token"]
    assert reader.look(token, mode="search", query="important")["total"] > 0


# -- passing on ------------------------------------------------------------------------------------


ARRAY, STRING, BOTH = {"type": "array"}, {"type": "string"}, {"type": ["array", "string"]}
PASSED_ON = {
    "csv into a text": ("csv", STRING, "text"),
    "csv into a list": ("csv", ARRAY, "rows"),
    "csv into either": ("csv", BOTH, "text"),
    "csv into anything": ("csv", {}, "text"),
    "json into a text": ("indented json", STRING, "text"),
    "json into a list": ("indented json", ARRAY, "rows"),
    "json into either": ("indented json", BOTH, "rows"),
    "json into anything": ("indented json", {}, "rows"),
    "python into a text": ("python", STRING, "text"),
    "python into a list": ("python", ARRAY, "rows"),
    "a fence into a text": ("fence", STRING, "text"),
    "a fence into a list": ("fence", ARRAY, "rows"),
}


@pytest.mark.parametrize("name", PASSED_ON)
def test_a_text_is_passed_on_as_the_parameter_takes_it(reader, name):
    source, schema, form = PASSED_ON[name]
    text, _, rows = TEXTS[source]
    token = probe_of(reader, text)["continuation_token"]
    caller = reader.but(tool="consumer", schema={"type": "object", "properties": {"x": schema}})
    reply = caller.call(lambda _: "done", x=f"@result:{token}")
    assert not reply.is_error, reply.text
    (given,) = caller.runs
    assert given["x"] == (text if form == "text" else rows)


def test_the_reply_says_what_was_handed_on(reader):
    """So nobody reads it back to check."""
    text = as_csv(PLAIN)
    token = probe_of(reader, text)["continuation_token"]
    caller = reader.but(tool="consumer", schema={"type": "object", "properties": {"x": STRING}})
    written = Result(content=[{"type": "text", "text": "written"}])
    reply = caller.call(lambda _: written, x=f"@result:{token}")
    told = f"Handed on: {len(text.encode()):,} bytes, {len(PLAIN)} rows."
    assert [block["text"] for block in reply.content] == ["written", told]


# -- tables as the probe describes them --------------------------------------------------------------


def test_numbers_that_are_texts_are_told(reader):
    """SQL compares texts with texts, so `amount > 1000` would be true for all of them."""
    lines = "".join(f"{n};{n}.234,50;{n},5;0{n};n{n}\n" for n in range(200))
    columns = probe_of(reader, "id;amount;share;zip;name\n" + lines)["columns"]
    assert columns == {
        "id": "int: 0",
        "amount": "str (numbers as text): 0.234,50",
        "share": "str (numbers as text): 0,5",
        "zip": "str: 00",
        "name": "str: n0",
    }


def test_a_late_cell_decides_what_the_probe_says_and_sql_compares(reader):
    lines = [f"{n},{n}" for n in range(4_000)]
    lines[3_333] = "3333,unknown"
    probe = probe_of(reader, "id,v\n" + "\n".join(lines))
    assert probe["columns"]["v"].startswith("str (numbers as text)")
    query = "SELECT count(*) AS n FROM result WHERE CAST(v AS REAL) > 3990"
    [answer] = reader.look(probe["continuation_token"], mode="sql", query=query)["items"]
    assert answer == {"n": 9}


def test_every_column_is_counted_and_the_limit_of_sql_is_told(reader):
    names = [f"{'abcdefgh'[n % 8]}{n}" for n in range(2_500)]
    probe = probe_of(reader, ",".join(names) + "\n" + (",".join(["7"] * 2_500) + "\n") * 9)
    assert len(probe["columns"]) + probe["columns_omitted"] == 2_500
    assert probe["notices"] == ["SQL has the first 1,900 columns; the other 600 are JSON in _rest."]
    query = "SELECT _rest ->> 'd2499' AS late FROM result LIMIT 1"
    assert reader.look(probe["continuation_token"], mode="sql", query=query)["items"] == [
        {"late": 7}
    ]


def test_many_columns_that_are_left_out_are_all_counted(reader):
    names = [f"{letter * 20}_{n}" for letter in "abcdefghijklmnopqrstuvwxyz" for n in range(12)]
    names = [*(f"the name of column {n} is {'xyz'[n % 3] * 30}" for n in range(150)), *names]
    probe = probe_of(reader, ",".join(names) + "\n" + (",".join(["7"] * len(names)) + "\n") * 9)
    assert len(probe.get("columns", {})) + probe["columns_omitted"] == len(names)


def test_names_that_differ_in_case_are_the_same_in_rows_and_in_sql(reader):
    probe = probe_of(reader, "ID,id,note\n" + "1,2,x\n" * 400)
    token = probe["continuation_token"]
    assert [*probe["columns"]] == ["ID", "id_2", "note"]
    [row] = reader.look(token, mode="sql", query="SELECT * FROM result LIMIT 1")["items"]
    assert row == reader.look(token, mode="paginated", page_size=1)["items"][0]


def test_an_empty_cell_is_null_in_sql(reader):
    token = probe_of(reader, "id,note\n" + "1,\n2,x\n" * 400)["continuation_token"]
    query = "SELECT count(*) AS n FROM result WHERE note IS NULL"
    assert reader.look(token, mode="sql", query=query)["items"] == [{"n": 400}]


def test_a_ragged_table_is_lines_and_the_probe_says_why(reader):
    probe = probe_of(reader, as_csv(PLAIN) + "120,x\n" + as_csv(PLAIN, header=False))
    assert probe["lines"] > len(PLAIN)
    told = "record 121, in line 122, has 2 fields, not 5"
    assert probe["notices"] == [f"The text looks like csv, but {told}. So its rows are lines."]


def test_the_text_after_a_table_is_told(reader):
    text = as_csv(PLAIN, before="Prices of today\n") + "\nSource: the shop\n"
    token = probe_of(reader, text)["continuation_token"]
    page = reader.look(token, mode="paginated", page_size=2)
    assert (page["text_before"].strip(), page["text_after"].strip()) == (
        "Prices of today",
        "Source: the shop",
    )
