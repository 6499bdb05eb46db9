"""`search`: every match of a text, with its path or line, and the number of matches."""

from __future__ import annotations

import msgspec
import pytest

from penstock import Result

ROWS = [
    {"id": n, "name": f"Name {n}", "deep": {"list": ["a", f"needle-{n}" if n == 700 else "b"]}}
    for n in range(1_500)
]


def search(agent, value, query, **fields):
    token = agent.offer(value).value["continuation_token"]
    return agent.look(token, mode="search", query=query, **fields)


@pytest.mark.parametrize("query", ["needle", "NEEDLE-700", "Needle-7"])
def test_a_row_is_found_with_its_path_in_any_case(agent, query):
    found = search(agent, ROWS, query)
    hit = {"path": "/700", "in": ["/deep/list/1"], "value": ROWS[700]}
    assert found.keys() == {"items", "total", "continuation_token"}
    assert (found["items"], found["total"]) == ([hit], 1)


def test_all_hits_are_counted_and_can_be_paged(agent):
    token = agent.offer(ROWS).value["continuation_token"]
    found = agent.look(token, mode="search", query="Name")
    assert found["total"] == 1_500
    assert len(found["items"]) == 20
    rest = agent.walk(found["continuation_token"], page_size=500)
    assert [hit["path"] for page in rest for hit in page["items"]] == [
        f"/{n}" for n in range(1_500)
    ]


def test_nothing_found(agent):
    found = search(agent, ROWS, "absent")
    assert found.keys() == {"items", "total", "note", "continuation_token"}
    assert (found["items"], found["total"]) == ([], 0)


def test_lines_come_with_their_number_and_context(agent):
    lines = [f"line {n}" for n in range(5_000)]
    lines[1_000] = "here is a Problem"
    found = search(agent, "\n".join(lines), "problem")
    assert found["items"] == [
        {
            "line": 1_001,
            "path": "/1000",
            "text": "here is a Problem",
            "before": "line 999",
            "after": "line 1001",
        }
    ]


@pytest.mark.parametrize("at", [998, 999, 1_000, 1_001])
def test_context_crosses_the_spans_that_are_read(agent, at):
    lines = [f"line {n}" for n in range(5_000)]
    lines[at] = "problem"
    (hit,) = search(agent, "\n".join(lines), "problem")["items"]
    assert (hit["before"], hit["after"]) == (f"line {at - 1}", f"line {at + 1}")


def test_keys_and_values_of_a_dict(agent):
    value = {
        "plain": {"inner/key": "x"},
        "target key": 1,
        "list": [{"v": "the target"}],
        "pad": "p" * 50_000,
        "l2": [],
    }
    found = search(agent, value, "TARGET")
    assert [(hit["path"], hit["value"]) for hit in found["items"]] == [
        ("/target key", "1"),
        ("/list/0/v", "the target"),
    ]
    assert search(agent, value, "inner")["items"][0]["path"] == "/plain/inner~1key"


def test_beside_the_one_list(agent):
    found = search(agent, {"note": "beside me", "rows": ROWS}, "beside")
    assert found["items"] == [{"path": "/note", "value": "beside me"}]


@pytest.mark.parametrize(
    ("value", "query"),
    [
        ([{"t": 'a "quoted" word'}], 'a "quoted"'),
        ([{"t": "tab\there"}], "tab\there"),
        ([{"t": "Straße"}], "STRASSE"),
        ([{"t": "Élan"}], "élan"),
        ([{"n": 12_345}], "234"),
        ([{"t": None}], "null"),
    ],
)
def test_texts_are_compared_as_they_are_read(agent, value, query):
    padded = value + [{"pad": "x" * 100}] * 500
    assert search(agent, padded, query)["total"] >= 1


def test_a_long_value_is_shown_around_the_match(agent):
    rows = [{"t": "a" * 3_000 + "needle" + "b" * 3_000}] + [{"t": "x" * 200}] * 200
    (hit,) = search(agent, rows, "needle")["items"]
    assert "needle" in hit["value"]
    assert len(hit["value"]) < 200
    assert hit["value"].startswith("…")
    assert hit["value"].endswith("…")


def test_paths_lead_there(agent):
    value = {"a/b": {"c~d": [{"t": "needle"}]}, "pad": "x" * 50_000}
    token = agent.offer(value).value["continuation_token"]
    (hit,) = agent.look(token, mode="search", query="needle")["items"]
    assert agent.look(token, path=hit["path"], mode="full") == "needle"


def test_hits_are_bounded_and_say_so(open_agent):
    agent = open_agent(query_rows=100)
    found = search(agent, ROWS, "name")
    assert (found["matches"], found["truncated_at"], found["total"]) == (1_500, 100, 100)


def test_search_below_a_path(agent):
    token = agent.offer({"a": ROWS, "b": [{"t": "needle"}]}).value["continuation_token"]
    assert (
        agent.look(token, path="/a", mode="search", query="needle")["items"][0]["path"] == "/a/700"
    )
    assert agent.look(token, path="/b", mode="search", query="needle")["total"] == 1


def test_of_two_entries_with_one_key_each_is_led_to(agent):
    filler = b",".join(b'"p%d":"%b"' % (n, b"x" * 4_000) for n in range(9))
    twins = b'{"a":[{"name":"needle"}],"b":[1],%b,"a":{"other":"needle"}}' % filler
    token = agent.offer(Result(structured=msgspec.Raw(twins))).value["continuation_token"]
    found = agent.look(token, mode="search", query="needle")
    paths = [hit["path"] for hit in found["items"]]
    assert paths == ["/~#0/value/0/name", "/a/other"]
    for path in paths:
        assert agent.look(token, path=path)["items"] == ["needle"]
