"""`search`: every match of a text, with its path or line, and the number of matches."""

from __future__ import annotations

import msgspec
import pytest
from shown_rows import shown_rows

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
    assert (shown_rows(found), found["total"]) == ([hit], 1)


def test_all_hits_are_counted_and_can_be_paged(agent):
    token = agent.offer(ROWS).value["continuation_token"]
    found = agent.look(token, mode="search", query="Name")
    assert found["total"] == 1_500
    assert len(shown_rows(found)) == 20
    rest = agent.walk(found["continuation_token"], page_size=500)
    assert [hit["path"] for page in rest for hit in page["items"]] == [
        f"/{n}" for n in range(1_500)
    ]


def test_nothing_found(agent):
    found = search(agent, ROWS, "absent")
    assert found.keys() == {"items", "total", "note", "continuation_token"}
    assert (shown_rows(found), found["total"]) == ([], 0)


def test_lines_come_with_their_number_and_context(agent):
    lines = [f"line {n}" for n in range(5_000)]
    lines[1_000] = "here is a Problem"
    found = search(agent, "\n".join(lines), "problem")
    assert shown_rows(found) == [
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
    (hit,) = shown_rows(search(agent, "\n".join(lines), "problem"))
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
    assert [(hit["path"], hit["value"]) for hit in shown_rows(found)] == [
        ("/target key", "1"),
        ("/list/0/v", "the target"),
    ]
    assert search(agent, value, "inner")["items"][0]["path"] == "/plain/inner~1key"


def test_beside_the_one_list(agent):
    found = search(agent, {"note": "beside me", "rows": ROWS}, "beside")
    assert shown_rows(found) == [{"path": "/note", "value": "beside me"}]


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
    (hit,) = shown_rows(search(agent, rows, "needle"))
    assert "needle" in hit["value"]
    assert len(hit["value"]) < 200
    assert hit["value"].startswith("…")
    assert hit["value"].endswith("…")


def test_paths_lead_there(agent):
    value = {"a/b": {"c~d": [{"t": "needle"}]}, "pad": "x" * 50_000}
    token = agent.offer(value).value["continuation_token"]
    (hit,) = shown_rows(agent.look(token, mode="search", query="needle"))
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
    paths = [hit["path"] for hit in shown_rows(found)]
    assert paths == ["/~#0/value/0/name", "/a/other"]
    for path in paths:
        assert agent.look(token, path=path)["items"] == ["needle"]


# -- inside a long line or string --------------------------------------------------------------


LINE = "".join(chr(97 + n % 26) for n in range(30_000))
PLACES = [0, 500, 506, 1_000, 29_994]


def with_needles(text, word="Needle"):
    for place in PLACES:
        text = text[:place] + word + text[place + len(word) :]
    return text


def test_each_match_in_one_long_line_is_shown_with_its_place(agent):
    line = with_needles(LINE)
    found = search(agent, line, "needle")
    assert found.keys() == {"columns", "rows", "total", "continuation_token"}
    assert found["total"] == 5
    assert [hit["at"] for hit in shown_rows(found)] == PLACES
    for hit in shown_rows(found):
        start, stop = max(0, hit["at"] - 80), hit["at"] + 86
        cut = ("…" * (start > 0), "…" * (stop < len(line)))
        assert hit == {
            "line": 1,
            "path": "/0",
            "at": hit["at"],
            "text": cut[0] + line[start:stop] + cut[1],
        }


def test_the_place_leads_there(agent):
    lines = ["short", with_needles(LINE), "last"]
    token = agent.offer("\n".join(lines)).value["continuation_token"]
    hits = shown_rows(agent.look(token, mode="search", query="NEEDLE"))
    assert {hit["line"] for hit in hits} == {2}
    query = "SELECT substr(text, 506 + 1, 6) AS t FROM result WHERE line = 2"
    assert hits[2]["at"] == 506
    assert agent.look(token, mode="sql", query=query)["items"] == [{"t": "Needle"}]
    for hit in hits:
        page = agent.look(token, path=hit["path"], mode="paginated")
        assert page["items"] == [lines[1][: page["window"]["to"]]]


def test_the_lines_beside_a_long_line_are_shown_once(agent):
    found = search(agent, "\n".join(["above", with_needles(LINE), "below"]), "needle")
    first, *others = shown_rows(found)
    assert (first["before"], first["after"]) == ("above", "below")
    assert len(others) == 4
    assert not any({"before", "after"} & hit.keys() for hit in others)


def test_a_short_line_is_one_match_and_shown_whole(agent):
    line = "needle " * 28  # 196 characters
    (hit,) = shown_rows(search(agent, "\n".join([line] + ["x" * 90] * 500), "needle"))
    assert hit == {"line": 1, "path": "/0", "text": line, "after": "x" * 90}
    text = "\n".join([line + "needle"] + ["x" * 90] * 500)
    longer = search(agent, text, "needle", page_size=100)
    assert (longer["total"], shown_rows(longer)[-1]["at"]) == (29, 196)


def test_a_long_string_in_a_dict(agent):
    text = "\n".join(["first", "x" * 100 + "needle needle", "", "Needle" + "y" * 30_000])
    value = {"stdout": text, "code": 1, "stderr": "needle"}
    token = agent.offer(value).value["continuation_token"]
    hits = shown_rows(agent.look(token, mode="search", query="needle"))
    places = [(hit["path"], hit.get("line"), hit.get("at")) for hit in hits]
    assert places == [
        ("/stdout", 2, 100),
        ("/stdout", 2, 107),
        ("/stdout", 4, 0),
        ("/stderr", None, None),
    ]
    assert hits[0]["value"].startswith("…xxx")
    query = "SELECT substr(text, 108, 6) AS t FROM result WHERE line = 2"
    there = agent.look(token, path="/stdout", mode="sql", query=query)
    assert there["items"] == [{"t": "needle"}]


def test_a_long_string_in_a_row(agent):
    rows = [{"name": "needle", "text": with_needles(LINE)}, {"text": "a needle"}] + [{}] * 20
    found = search(agent, rows, "needle")
    assert found["total"] == 7
    assert [(hit["path"], hit.get("at")) for hit in shown_rows(found)] == [
        ("/0", None),
        *(("/0/text", place) for place in PLACES),
        ("/1", None),
    ]
    assert shown_rows(found)[0]["in"] == ["/name"]


@pytest.mark.parametrize("folded", ["Straße", "ﬃ", "İ"])
def test_places_count_characters_as_they_are_written(agent, folded):
    """Folding the case makes two or three characters of one."""
    line = folded * 9_000 + "NEEDLE" + folded * 9_000 + "needle"
    found = search(agent, line, "Needle")
    assert [line[hit["at"] : hit["at"] + 6] for hit in shown_rows(found)] == ["NEEDLE", "needle"]
    assert search(agent, line, folded)["total"] == 18_000


def test_matches_in_a_long_line_are_bounded_and_counted(open_agent):
    agent = open_agent(query_rows=100)
    found = search(agent, "ab" * 200_000, "A")
    assert (found["matches"], found["truncated_at"], found["total"]) == (200_000, 100, 100)
    assert shown_rows(found)[0]["at"] == 0


# -- line ends of Windows ----------------------------------------------------------------------


def test_the_carriage_return_of_a_line_end_is_no_part_of_a_line(agent):
    lines = [f"line {n}" for n in range(3_000)]
    lines[1_000] = "an ERROR"
    text = "\r\n".join(lines) + "\r\n"
    token = agent.offer(text).value["continuation_token"]
    (hit,) = shown_rows(agent.look(token, mode="search", query="error"))
    assert (hit["text"], hit["before"], hit["after"]) == ("an ERROR", "line 999", "line 1001")
    query = "SELECT line FROM result WHERE text = 'an ERROR'"
    assert agent.look(token, mode="sql", query=query)["items"] == [{"line": 1_001}]
    summary = agent.look(token, mode="summary")
    assert summary["head"][0] == "line 0"
    assert {"line": 1_001, "text": "an ERROR"} in summary["notable"]
    assert agent.look(token, mode="full") == text
