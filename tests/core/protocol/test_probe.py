"""The first reply: the result itself if that is cheaper, else a probe, or a page of live rows."""

from __future__ import annotations

import json

import msgspec
import pytest

from penstock import Frame, LiveRows, Principal, Result

ROWS = [{"id": n, "name": f"name {n}", "tags": ["x"]} for n in range(2_000)]
ENDPOINT = {"rate_limit": 1, "auth": "x", "timeout_ms": 2}
CONFIG = {
    "name": "gateway",
    "limits": {"cpu": 1},
    "endpoints": {f"/v1/{n}": ENDPOINT for n in range(899)},
}
LOG = "\n".join(f"line {n}" for n in range(5_000))


@pytest.mark.parametrize(
    ("value", "fields"),
    [
        (ROWS, {"count": 2_000, "columns": {"id": "int", "name": "str", "tags": "list"}}),
        ({"page": 1, "rows": ROWS}, {"count": 2_000, "rows_at": "/rows"}),
        (CONFIG, {"count": 3}),
        (LOG, {"lines": 5_000}),
        (list(range(20_000)), {"count": 20_000}),
        ([[1, 2]] * 9_000, {"count": 9_000}),
        ({"a": "x" * 90_000, "b": "y"}, {"count": 2}),
        ("x" * 90_000, {"lines": 1}),
    ],
    ids=["rows", "one list", "dict", "log", "scalars", "lists", "fat value", "one line"],
)
def test_a_result_over_inline_is_probed(agent, value, fields):
    reply = agent.offer(value)
    probe = reply.value
    assert {"preview", "total_size", "available_modes", "continuation_token"} <= set(probe)
    assert {name: probe.get(name) for name in fields} == fields
    assert probe["expires_in"] == 300
    assert len(reply.wire()) <= 2_000
    text = value if isinstance(value, str) else json.dumps(value, separators=(",", ":"))
    assert probe["preview"] == text[:200]


@pytest.mark.parametrize(
    "value", [ROWS, CONFIG, LOG, {"a": '"é\\\n' * 20_000}], ids=["rows", "dict", "log", "escapes"]
)
@pytest.mark.parametrize("structured", [False, True])
def test_total_size_is_what_full_puts_on_the_wire(open_agent, value, structured):
    agent = open_agent(ceiling="10MB", call={"frame": Frame(structured=structured)})
    probe = agent.offer(value).value
    reply = agent.reply(probe["continuation_token"], mode="full")
    assert probe["total_size"] == len(reply.wire())


def test_the_outline_of_a_nested_value(agent):
    assert agent.offer(CONFIG).value["outline"] == {
        "name": "str",
        "limits": {"cpu": "int"},
        "endpoints": "{899 × {rate_limit, auth, timeout_ms}}",
    }


def test_the_outline_of_a_dict_with_one_list(agent):
    probe = agent.offer({"page": 1, "meta": {"a/b": 1}, "rows": ROWS}).value
    assert probe["outline"] == {
        "page": "int",
        "meta": {"a/b": "int"},
        "rows": "[2000 × {id, name, tags}]",
    }


@pytest.mark.parametrize(
    "value", ["{not json\n" * 5_000, '"a":1}\n' * 5_000, "{\n" * 20_000, "[\n" * 20_000]
)
def test_text_that_looks_like_json_is_text(agent, value):
    probe = agent.offer(value).value
    assert probe["lines"] == value.count("\n") + 1
    assert "".join(agent.walk(probe["continuation_token"])[0]["items"][:1]) == value.split("\n")[0]


def test_a_preview_ends_where_the_value_does_and_not_before(agent):
    assert agent.offer([1] * 20_000).value["preview"][-2:] == ",1"


@pytest.mark.parametrize(
    ("value", "modes"),
    [
        (ROWS, "sql query search summary filtered paginated full"),
        (list(range(20_000)), "sql query search summary paginated full"),
        (CONFIG, "query search summary filtered paginated full"),
        (CONFIG["endpoints"], "sql query search summary filtered paginated full"),
        (LOG, "sql search summary paginated full"),
        (msgspec.Raw(b"7" * 30_000), "summary paginated full"),
    ],
    ids=["rows", "scalars", "dict", "map", "log", "number"],
)
def test_only_modes_that_apply_are_offered_and_each_of_them_works(agent, value, modes):
    probe = agent.offer(value).value
    assert probe["available_modes"] == modes.split()
    asked = {
        "sql": "SELECT count(*) FROM result",
        "query": "length",
        "search": "1",
    }
    for mode in modes.split():
        fields = {"query": asked[mode]} if mode in asked else {}
        fields |= {"filter_keys": ["name"]} if mode == "filtered" else {}
        assert not agent.reply(probe["continuation_token"], mode=mode, **fields).is_error


def test_modes_that_the_policy_leaves_out_are_not_offered(open_agent):
    agent = open_agent(modes="summary, paginated")
    probe = agent.offer(ROWS).value
    assert probe["available_modes"] == ["summary", "paginated"]
    refusal = agent.refused(probe["continuation_token"], mode="full")
    assert "summary, paginated" in refusal["next_step"]


@pytest.mark.parametrize(
    "value", ["漢" * 40_000, "😀" * 20_000, "é\n" * 30_000, "a" + "漢" * 40_000]
)
def test_a_preview_is_cut_at_a_character(agent, value):
    preview = agent.offer(value).value["preview"]
    assert value.startswith(preview)
    assert len(preview) >= 199  # the preview of a text is cut from whole lines


@pytest.mark.parametrize("preview", [1, 20, 150, 300])
def test_the_preview_is_as_long_as_the_policy_says(open_agent, preview):
    assert len(open_agent(preview=preview).offer(ROWS).value["preview"]) == preview


# -- heavy tools and principle 3 ---------------------------------------------------------------


def test_a_heavy_tool_probes_though_the_result_would_fit(open_agent):
    rows = ROWS[:100]
    agent = open_agent(call={"heavy": True})
    assert agent.offer(rows).value["count"] == 100
    assert open_agent().offer(rows).value == rows
    assert open_agent(heavy=True).offer(rows).value["count"] == 100
    assert open_agent(tools={"to*": {"heavy": True}}).offer(rows).value["count"] == 100


@pytest.mark.parametrize("value", [[1, 2, 3], {"a": 1}, "hello", [], {}, None, 5])
def test_a_result_smaller_than_its_probe_passes_raw(open_agent, value):
    agent = open_agent(call={"heavy": True})
    assert agent.offer(value).value == value
    assert agent.gate.store.stats().entries == 0


def test_heavy_passes_raw_exactly_while_that_is_cheaper(open_agent):
    agent = open_agent(call={"heavy": True})
    for size in range(100, 1_200, 25):
        reply = agent.offer(["x" * size])
        raw = open_agent().offer(["x" * size])
        assert len(reply.wire()) <= len(raw.wire())


def test_inline_decides_what_passes(open_agent):
    rows = ROWS[:100]
    agent = open_agent(budget="2kB", inline="10kB")
    assert agent.offer(rows).value == rows
    assert agent.offer(ROWS[:400]).value["count"] == 400
    strict = open_agent(inline="1kB")
    assert strict.offer(rows).value["count"] == 100


def test_inline_is_kept_to_the_byte(open_agent):
    agent = open_agent(inline="2kB", budget="2kB")
    sizes = [len(agent.offer("x" * n).wire()) for n in range(1_900, 2_010)]
    assert 2_000 in sizes
    assert max(sizes) == 2_000


# -- what passes is untouched ------------------------------------------------------------------


def test_a_small_result_goes_out_as_it_came(agent):
    block = {"type": "text", "text": '{"a": 1}', "annotations": {"priority": 1}}
    given = Result(content=[block], structured={"a": 1}, is_error=True, meta={"x/y": 1})
    sent = json.loads(agent.offer(given).wire())
    assert sent == {
        "content": [block],
        "structuredContent": {"a": 1},
        "isError": True,
        "_meta": {"x/y": 1},
    }


def test_of_a_replaced_result_only_the_reserved_meta_stays(agent):
    meta = {"fastmcp/wrap_result": True, "io.modelcontextprotocol/related": 1}
    reply = agent.offer(Result(structured=ROWS, meta=meta, is_error=True))
    assert reply.meta == {"io.modelcontextprotocol/related": 1}
    assert reply.is_error


def test_media_travels_with_the_probe(agent):
    image = {"type": "image", "data": "aGk=", "mimeType": "image/png"}
    reply = agent.offer(Result(content=[image, {"type": "text", "text": LOG}]))
    assert reply.content[1] == image
    assert reply.value["lines"] == 5_000


def test_media_over_the_cap_is_stored_and_can_be_read(open_agent):
    agent = open_agent(media_cap="1kB")
    image = {"type": "image", "data": "x" * 100_000, "mimeType": "image/png"}
    reply = agent.offer(Result(content=[image, {"type": "text", "text": "hi"}]))
    assert len(reply.content) == 1
    token = reply.value["continuation_token"]
    assert agent.look(token, path="/0", mode="full")["data"] == "x" * 100_000


# -- notices -----------------------------------------------------------------------------------


def test_notices(agent):
    rows = [{"x": float("nan")} for _ in range(5_000)]
    assert agent.offer(rows).value["notices"] == ["5000 NaN or infinite numbers are shown as null."]


def test_a_notice_of_a_result_that_passes_is_in_its_meta(agent):
    reply = agent.offer([float("nan")])
    assert reply.value == [None]
    assert reply.meta == {"dev.penstock/notices": ["1 NaN or infinite numbers are shown as null."]}


def test_fields_in_vain_on_a_first_call_are_told(agent):
    agent = agent.but(schema={"type": "object"})
    reply = agent.call(lambda _: ROWS, page=2, mode="summary")
    assert reply.value["notices"] == ["Ignored without continuation_token: mode, page."]
    small = agent.call(lambda _: {"a": 1}, page=2, mode="summary")
    assert small.meta["dev.penstock/notices"] == ["Ignored without continuation_token: mode, page."]
    assert agent.runs == [{}, {}]


def test_without_a_schema_the_tool_gets_all_its_arguments(agent):
    agent = agent.but(schema=None)
    agent.call(lambda _: ROWS, page=2, query="shoes", path="/x")
    assert agent.runs == [{"page": 2, "query": "shoes", "path": "/x"}]


def deep(levels):
    value = 1
    for _ in range(levels):
        value = [value]
    return value


@pytest.mark.parametrize(
    "value",
    [
        deep(1_000),
        {"a": deep(1_000)},
        msgspec.Raw(b"[" * 1_000 + b"]" * 1_000),
        "[" * 1_000 + "]" * 1_000,
        "[" * 150_000 + "]" * 150_000,
    ],
    ids=["list", "dict", "raw", "text", "very deep"],
)
def test_what_nests_too_deep_is_text_and_comes_back_whole(open_agent, value):
    agent = open_agent(call={"heavy": True}, ceiling="10MB")
    given = Result(structured=value) if isinstance(value, msgspec.Raw) else value
    probe = agent.offer(given).value
    (notice,) = probe["notices"]
    assert "ested deeper than 128 levels" in notice
    whole = agent.look(probe["continuation_token"], mode="full")
    assert whole.count("[") == whole.count("]") >= 1_000


@pytest.mark.parametrize("budget", ["1kB", "500tok", "1000ch", "1kB+1000tok*2"])
@pytest.mark.parametrize("structured", [False, True])
def test_a_probe_is_within_the_smallest_budget(open_agent, budget, structured):
    agent = open_agent(budget=budget, call={"frame": Frame(structured=structured)})
    wide = [{f"column number {c} {'w' * 80}": n for c in range(80)} for n in range(50)]
    for value in (wide, LOG, CONFIG, '"\\\n' * 20_000, "漢" * 20_000):
        reply = agent.offer(value)
        policy = agent.gate.policy
        for form in reply.shown():
            assert policy.budget.admits(form, agent.gate.meter), (len(form), reply.text)
        assert reply.value["continuation_token"]


# -- the first page of live rows ---------------------------------------------------------------


def live(count, first, estimated=False):
    rows = [b'{"id":%d}' % n for n in range(first)]
    return LiveRows({"model": "user"}, count, rows, 123_456, estimated=estimated)


def test_live_rows_answer_with_their_first_page(agent):
    page = agent.offer(live(5_000, 20)).value
    assert page == {
        "count": 5_000,
        "data_size": 123_456,
        "next": page["next"],
        "previous": None,
        "results": [{"id": n} for n in range(20)],
        "continuation_token": page["continuation_token"],
        "available_modes": ["sql", "query", "search", "summary", "filtered", "paginated", "full"],
        "live": True,
        "next_step": "Call again with next as continuation_token, or with continuation_token and a mode.",
    }
    assert page["next"].startswith(page["continuation_token"])


def test_an_estimate_says_so(agent):
    assert agent.offer(live(5_000, 20, estimated=True)).value["data_size_is"] == "estimated"


def test_a_short_live_list_has_no_next(agent):
    page = agent.offer(live(3, 3)).value
    assert (page["next"], page["count"], len(page["results"])) == (None, 3, 3)
    assert agent.offer(live(0, 0)).value["results"] == []


def test_a_live_page_is_cut_to_the_budget_and_goes_on_at_the_row(open_agent):
    reads = []

    def rows(reference, start, stop):
        reads.append((reference, start, stop))
        return [json.dumps({"id": n, "x": "y" * 150}).encode() for n in range(start, stop)]

    agent = open_agent(budget="2kB", hooks={"live_rows": rows})
    first = LiveRows("ref", 100, rows("ref", 0, 20), 9_999)
    page = agent.offer(first).value
    shown = len(page["results"])
    assert 0 < shown < 20
    second = agent.look(page["next"])
    assert second["items"][0]["id"] == shown
    assert second["live"] is True
    assert reads[-1][0] == "ref"


def test_a_bearer_is_told_the_life_of_a_bearer_token(open_agent):
    agent = open_agent(bearer_ttl=60, ttl=300, call={"principal": Principal()})
    assert agent.offer(ROWS).value["expires_in"] == 60
