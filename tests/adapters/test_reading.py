"""Replies to an agent behind every door: small results unchanged, large ones in parts."""

import json

import pytest
from adapter_functions import PIXEL, config, log, rows
from shown_rows import shown_rows
from transcripts import REFUSAL, transcript


@pytest.fixture
def steps(door, era):
    return transcript(door, era)


def value(reply):
    return json.loads(reply["content"][0]["text"])


def items(reply):
    assert not reply["isError"], reply
    return shown_rows(value(reply))


# -- what passes -------------------------------------------------------------------------------


def test_small_results_pass(steps):
    assert steps["small"]["content"] == [{"type": "text", "text": "Hello, Ann."}]
    assert steps["small"]["structuredContent"] == {"result": "Hello, Ann."}
    assert steps["few rows"]["structuredContent"] == {"result": rows(3)}
    assert steps["number"]["structuredContent"] == {"result": 7}


def test_an_image_passes(steps):
    (block,) = steps["image"]["content"]
    assert (block["type"], block["data"], block["mimeType"]) == ("image", PIXEL, "image/png")


def test_errors_pass(steps):
    assert steps["small error"]["isError"]
    assert "broken" in steps["small error"]["content"][0]["text"]
    assert steps["unknown tool"]["isError"]
    assert "nowhere" in steps["unknown tool"]["content"][0]["text"]


# -- the probe ---------------------------------------------------------------------------------


def test_the_probe_of_rows(steps):
    probe = value(steps["rows"])
    assert probe["count"] == 500
    assert probe["columns"] == {"id": "int", "city": "str", "level": "float"}
    assert json.dumps(rows(500), ensure_ascii=False, separators=(",", ":")).startswith(
        probe["preview"]
    )
    assert len(probe["preview"]) == 200
    assert set(probe["available_modes"]) >= {"sql", "search", "summary", "paginated", "full"}
    assert probe["expires_in"] == 300
    assert probe["next_step"].startswith("Call read_result with continuation_token")
    assert steps["rows"]["structuredContent"] == probe


def test_the_probe_of_text_and_of_nested_values(steps):
    assert value(steps["log"])["lines"] == 1_000
    assert "80 ×" in json.dumps(value(steps["config"])["outline"], ensure_ascii=False)


# -- the views ---------------------------------------------------------------------------------


def test_every_row_is_seen_once(steps):
    pages = [
        reply for step, reply in steps.items() if step.startswith("page ") and step[5:].isdigit()
    ]
    pages = [page for page in pages if not page["isError"]]
    assert [row for page in pages for row in items(page)] == rows(500)
    assert all(value(page)["total"] == 500 for page in pages)
    assert value(pages[0])["truncated"] > 0
    assert not value(pages[-1])["has_more"]


def test_pages(steps):
    assert items(steps["default mode"]) == rows(500)[:20]
    assert items(steps["second page"]) == rows(500)[5:10]


def test_sql_and_jq(steps):
    assert items(steps["sql"]) == [
        {"city": "Köln", "n": 167}, {"city": "Lyon", "n": 167}, {"city": "東京", "n": 166}
    ]  # fmt: skip
    assert value(steps["query"])["value"] == sum(range(500))


def test_search(steps):
    found = value(steps["search"])
    assert found["total"] == 167
    first, *_ = shown_rows(found)
    assert (first["path"], first["value"]) == ("/1", rows(2)[1])
    (line,) = items(steps["log searched"])
    assert "00500 ERROR pump jammed" in json.dumps(line)


def test_summaries(steps):
    assert value(steps["summary"])["total"] == 500
    assert "00500 ERROR pump jammed" in steps["log summary"]["content"][0]["text"]
    assert "services" in steps["config summary"]["content"][0]["text"]


def test_filtered(steps):
    assert items(steps["filtered"]) == [{"id": row["id"]} for row in rows(20)]
    assert value(steps["filtered"])["missing_keys"] == ["nothing"]


def test_paths(steps):
    assert value(steps["path"]) == rows(8)[7]
    assert value(steps["config path"]) == config(80)["services"]["service/7"]
    assert items(steps["config by sql"]) == [{"m": 8079}]


def test_lines(steps):
    assert items(steps["log lines"]) == log(1_000).splitlines()[40:60]


def test_full(steps):
    assert value(steps["full"]) == rows(100)


def test_full_above_the_ceiling(steps):
    """The reply has a link to the whole result."""
    link = steps["full above the ceiling"]["content"][1]
    assert link["mimeType"] == "application/json"
    (content,) = steps["resource"]["contents"]
    assert content["uri"] == link["uri"]
    assert content["mimeType"] == "application/json"
    assert json.loads(content["text"]) == rows(500)
    assert len(content["text"].encode()) == link["size"]


def test_a_resource_that_is_not_there(steps, era):
    assert steps["no resource"]["code"] == (-32602 if era == "modern" else -32002)


# -- refusals ----------------------------------------------------------------------------------


@pytest.mark.parametrize("step", ["wrong token", "changed token", "no token of ours"])
def test_tokens_that_are_not_good(steps, step):
    """All refusals of a token read the same."""
    assert steps[step]["isError"]
    assert value(steps[step])["error"] == REFUSAL
    assert value(steps[step]) == value(steps["wrong token"])


@pytest.mark.parametrize(
    ("step", "said"),
    [
        ("empty token", "continuation_token"),
        ("unknown mode", "paginated"),
        ("page past the end", "25"),
        ("page 0", "page"),
        ("wrong type", "page_size"),
        ("bad sql", "SELECT"),
        ("no query", "query"),
        ("no such path", "/9999"),
        ("unknown field", "colour"),
    ],
)
def test_mistakes_are_told(steps, step, said):
    reply = steps[step]
    assert reply["isError"]
    told = value(reply)
    assert told.keys() >= {"error", "next_step"}
    assert said in json.dumps(told)
    assert "Traceback" not in json.dumps(told)


def test_an_error_over_the_budget(steps):
    """The reply is still an error, and the whole error can be read."""
    assert steps["large error"]["isError"]
    read = "".join(items(steps["large error read"]))
    assert read.count("broken ") > 100


# -- handing on --------------------------------------------------------------------------------


def test_results_are_handed_on(steps):
    assert steps["handed on"]["structuredContent"] == {"result": sum(range(500))}
    assert steps["derived handed on"]["structuredContent"] == {"result": sum(range(9))}
    text = json.dumps(rows(8)[7], ensure_ascii=False, separators=(",", ":"))
    assert steps["as text"]["structuredContent"] == {"result": len(text)}


def test_a_bad_reference_refuses_the_call(steps):
    assert steps["bad reference"]["isError"]
    assert value(steps["bad reference"])["error"]


# -- tools whose parameters are called as ours -------------------------------------------------


def test_own_parameters_are_the_tools(steps):
    row = steps["own mode"]["structuredContent"]["result"][0]
    assert (row["mode"], row["query"], row["page"]) == ("fast", "x", 7)
    assert items(steps["own mode, read"])[0]["number"] == 20
    assert items(steps["own mode, read"])[0]["mode"] == "fast"


def test_an_own_continuation_token_is_the_tools(steps):
    assert steps["own token"]["structuredContent"]["result"][0]["after"] == "mine"
    given = steps["ours as its own"]["structuredContent"]["result"][0]["after"]
    assert given == value(steps["own token, large"])["continuation_token"]
    assert items(steps["own token, read"])[0]["number"] == 0
