"""Clients that show apps: the explorer, tools for apps alone, and tools with a widget."""

import json

import pytest
from relay_rig import LEGACY_GREETING, Rig, compact, table, value_of
from relay_upstream import MODERN_META, Upstream, text, tool
from relay_weights import over

from penstock import Policy
from penstock.explorer import MIME_TYPE, URI
from penstock.wire.reader import input_schema

ABLE = {"extensions": {"io.modelcontextprotocol/ui": {"mimeTypes": [MIME_TYPE]}}}
CAPABILITIES = "io.modelcontextprotocol/clientCapabilities"
WIDGET = {"ui": {"resourceUri": "ui://chart/view.html"}}
ALONE = {"ui": {"visibility": ["app"]}}
REFUSED = "Continuation token expired or not found."


class AppRig(Rig):
    """A client that shows apps. A widget gets the structured content, which may fill the host's
    cap. The model gets the content, within the budget, unless only an app sees both."""

    def greet(self):
        if self.is_modern:
            return self.ask("server/discover")
        answer = self.ask("initialize", {**LEGACY_GREETING, "capabilities": ABLE})
        self.from_client({"jsonrpc": "2.0", "method": "notifications/initialized"})
        return answer

    def request(self, method, params=None, **members):
        params = dict(params or {})
        if self.is_modern:
            params["_meta"] = {**MODERN_META, CAPABILITIES: ABLE, **params.get("_meta", {})}
        return super().request(method, params, **members)

    def _limit(self, answer):
        result = answer.get("result", {})
        result = result.get("result", result) if isinstance(result, dict) else {}
        if "structuredContent" not in result and not self._is_for_app(answer):
            return super()._limit(answer)
        if not self._is_for_app(answer):
            assert not over(compact({"content": result["content"]}), self.budget)
        return self.ceiling

    def _is_for_app(self, answer):
        params = self._asked.get(json.dumps(answer["id"]), {}).get("params") or {}
        return params.get("name") in {"geometry", "tiles", "browse_result"}


@pytest.fixture
def open_app_rig():
    rigs = []

    def opened(upstream, **settings):
        rigs.append(AppRig(upstream, **settings))
        return rigs[-1]

    yield opened
    for rig in rigs:
        rig.close()


def names(listed):
    return [each["name"] for each in listed["tools"]]


def by_name(listed, name):
    return next(each for each in listed["tools"] if each["name"] == name)


def upstream(era, **results):
    tools = [
        tool("rows"),
        tool("chart", _meta=WIDGET),
        tool("geometry", {"level": {"type": "integer"}}, _meta=ALONE),
    ]
    return Upstream(era, tools=tools, results=results)


def shown(rig, token):
    return rig.call("show_result", continuation_token=token)["structuredContent"]


def browsed(rig, token, **arguments):
    return rig.call("browse_result", continuation_token=token, **arguments)["structuredContent"]


# -- the explorer ------------------------------------------------------------------------------


def test_clients_with_apps_get_the_explorer(era, open_app_rig):
    rig = open_app_rig(upstream(era, rows=text(table(3_000))))
    listed = rig.listed()
    assert names(listed) == [
        "rows",
        "chart",
        "geometry",
        "read_result",
        "show_result",
        "browse_result",
    ]
    show, browse = by_name(listed, "show_result"), by_name(listed, "browse_result")
    assert show["_meta"] == {"ui": {"resourceUri": URI}, "ui/resourceUri": URI}
    assert show["annotations"]["readOnlyHint"] is True
    assert browse["_meta"] == {"ui": {"visibility": ["app"]}}
    token = rig.probe("rows")["continuation_token"]
    told = shown(rig, token)
    assert told["result"]["tool"] == "rows"
    assert told["result"]["browse"] == "browse_result"
    assert told["page"]["rows"] == table(3_000)[: len(told["page"]["rows"])]
    page = browsed(rig, token, start=2_990)
    assert page["rows"] == table(3_000)[2_990:]
    assert [call["name"] for call in rig.upstream.got("tools/call")] == ["rows"]


def test_the_model_is_told_that_the_person_sees_it(era, open_app_rig):
    rig = open_app_rig(upstream(era, rows=text(table(3_000))))
    token = rig.probe("rows")["continuation_token"]
    [told] = rig.call("show_result", continuation_token=token)["content"]
    assert "3,000 rows" in told["text"]
    assert "read_result" in told["text"]
    assert rig.call("browse_result", continuation_token=token)["content"] == []


def test_its_page_is_a_resource(era, open_app_rig):
    rig = open_app_rig(upstream(era))
    [listed] = rig.ask("resources/list")["result"]["resources"]
    assert (listed["uri"], listed["mimeType"]) == (URI, MIME_TYPE)
    [content] = rig.ask("resources/read", {"uri": URI})["result"]["contents"]
    assert content["mimeType"] == MIME_TYPE
    assert content["text"].startswith("<!doctype html>")
    assert content["_meta"]["ui"]["csp"] == {"connectDomains": [], "resourceDomains": []}


def test_other_clients_see_no_difference(era, open_rig):
    theirs = {"show_result": text("?"), "browse_result": text("?")}
    rig = open_rig(upstream(era, rows=text(table(3_000)), **theirs))
    assert names(rig.listed()) == ["rows", "chart", "read_result"]
    assert rig.ask("resources/list")["result"]["resources"] == []
    assert "error" in rig.ask("resources/read", {"uri": URI})
    token = rig.probe("rows")["continuation_token"]
    for name in ("show_result", "browse_result"):
        answer = rig.ask("tools/call", {"name": name, "arguments": {"continuation_token": token}})
        assert answer.get("result", {}).get("isError", "error" in answer)
        rig.call(name)
    assert [call["name"] for call in rig.upstream.got("tools/call")][-2:] == [
        "show_result",
        "browse_result",
    ]


def test_it_can_be_switched_off(era, open_app_rig):
    rig = open_app_rig(upstream(era), explorer=False)
    assert names(rig.listed()) == ["rows", "chart", "geometry", "read_result"]
    assert "error" in rig.ask("resources/read", {"uri": URI})


def test_a_server_may_have_tools_of_those_names(era, open_app_rig):
    taken = [tool("show_result"), tool("browse_result"), tool("rows")]
    results = {"rows": text(table(3_000)), "show_result": text("theirs")}
    rig = open_app_rig(Upstream(era, tools=taken, results=results))
    assert rig.call("show_result")["content"] == text("theirs")["content"]
    listed = rig.listed()
    assert "penstock_show_result" in names(listed)
    token = rig.probe("rows")["continuation_token"]
    told = rig.call("penstock_show_result", continuation_token=token)["structuredContent"]
    assert told["result"]["browse"] == "penstock_browse_result"
    page = rig.call("penstock_browse_result", continuation_token=token, count=2)
    assert page["structuredContent"]["rows"] == table(3_000)[:2]


def test_it_can_be_called_before_any_list(era, open_app_rig):
    rig = open_app_rig(upstream(era, rows=text(table(3_000))))
    token = rig.probe("rows")["continuation_token"]
    assert shown(rig, token)["page"]["total"] == 3_000


@pytest.mark.parametrize("form", ["full", "brief", "index"])
def test_it_is_listed_in_every_form_and_never_gated(era, form, open_app_rig):
    server = upstream(era, rows=text(table(3_000)), geometry=text("done"))
    server.tools += [tool(f"more_{number}", description="words " * 300) for number in range(40)]
    rig = open_app_rig(server, list_form=form, gate="strict" if form != "full" else "off")
    listed = rig.listed()
    assert {"show_result", "browse_result", "geometry", "chart"} <= set(names(listed))
    assert by_name(listed, "geometry") == server.tools[2]
    if form == "index":
        assert "geometry" not in json.dumps(by_name(listed, "describe_tools"))
        assert "geometry" not in json.dumps(rig.call("find_tools", query="geometry level"))
    token = stored(rig, form)
    assert shown(rig, token)["page"]["total"] == 3_000
    assert browsed(rig, token, start=5, count=1)["rows"] == [table(3_000)[5]]
    assert rig.call("geometry", level=1)["content"] == text("done")["content"]


def stored(rig, form):
    if form == "full":
        return rig.probe("rows")["continuation_token"]
    rig.call("describe_tools", tools=["rows"])
    if form == "brief":
        return value_of(rig.call("rows"))["continuation_token"]
    return value_of(rig.call("call_tool", name="rows", arguments={}))["continuation_token"]


def test_a_token_that_is_not_good_reads_as_everywhere(era, open_app_rig):
    rig = open_app_rig(upstream(era))
    for name in ("show_result", "browse_result"):
        for token in ("pen_nothing", "", None, 7):
            told = rig.call(name, continuation_token=token)
            assert told["isError"] is True
            assert told["structuredContent"]["gone"] is True
            assert json.loads(told["content"][0]["text"])["error"].startswith(REFUSED)


def test_arguments_that_are_no_object(era, open_app_rig):
    rig = open_app_rig(upstream(era))
    answer = rig.ask("tools/call", {"name": "browse_result", "arguments": [1]})
    assert answer["error"]["code"] == -32602


def test_a_modern_request_without_its_meta_is_refused(open_app_rig):
    rig = open_app_rig(upstream("modern"))
    able = {CAPABILITIES: ABLE}
    request = {"jsonrpc": "2.0", "id": 99, "method": "resources/read"}
    answers = rig.from_client({**request, "params": {"uri": URI, "_meta": able}})
    assert json.loads(answers[-1])["error"]["code"] == -32602


# -- tools for apps alone ----------------------------------------------------------------------


def test_a_result_for_an_app_may_fill_what_the_host_takes(era, open_app_rig, open_rig):
    shape = text("x" * 100_000)
    told = open_app_rig(upstream(era, geometry=shape)).call("geometry", level=1)
    assert told["content"] == shape["content"]
    rig = open_rig(upstream(era, geometry=shape))
    assert "continuation_token" in value_of(rig.call("geometry", level=1))


def test_above_that_it_is_stored_like_any_other(era, open_app_rig):
    rig = open_app_rig(upstream(era, geometry=text("x" * 200_000)))
    token = value_of(rig.call("geometry", level=1))["continuation_token"]
    parts, offset = "", 0
    while len(parts) < 200_000:
        page = browsed(rig, token, offset=offset)
        parts += page["rows"][0]
        offset = page["window"]["to"]
    assert parts == "x" * 200_000


def test_a_structure_does_not_pay_for_its_repetition_as_text(era, open_app_rig):
    arcs = {"arcs": list(range(20_000))}
    rig = open_app_rig(upstream(era, geometry=text(arcs, structuredContent=arcs)))
    result = rig.call("geometry", level=1)
    assert result["structuredContent"] == arcs
    assert "continuation_token" in value_of(result)


def test_settings_can_keep_a_tool_for_apps(era, open_app_rig, open_rig):
    settings = {"app_only": ["ro*"]}
    assert "rows" not in names(open_rig(upstream(era), **settings).listed())
    listed = by_name(open_app_rig(upstream(era), **settings).listed(), "rows")
    assert listed["_meta"] == ALONE
    widget = by_name(open_app_rig(upstream(era), app_only=["chart"]).listed(), "chart")
    assert widget["_meta"]["ui"] == {**WIDGET["ui"], "visibility": ["app"]}


def test_a_pattern_that_names_no_tool_is_told(open_rig, caplog):
    open_rig(upstream("legacy"), app_only=["rosw"]).listed()
    assert "rosw" in caplog.text


def test_the_model_reaches_it_in_no_way(era, open_app_rig):
    server = upstream(era, geometry=text("x" * 5_000))
    server.tools += [tool(f"more_{number}", description="words " * 300) for number in range(40)]
    rig = open_app_rig(server, list_form="index")
    rig.listed()
    told = rig.call("call_tool", name="geometry", arguments={"level": 1})
    assert "There is no tool" in told["content"][0]["text"]
    assert "error" in value_of(rig.call("describe_tools", tools=["geometry"]))["geometry"]
    described = rig.ask("resources/read", {"uri": "resource:///tool_descriptions"})
    assert "geometry" not in json.dumps(described)
    assert not rig.upstream.got("tools/call")


def test_a_heavy_policy_is_for_models(era, open_app_rig):
    rig = open_app_rig(upstream(era, geometry=text("x" * 5_000)), heavy=True)
    assert rig.call("geometry", level=1)["content"] == text("x" * 5_000)["content"]


# -- what other clients see --------------------------------------------------------------------


def test_lists_that_depend_on_apps_are_not_for_all(open_app_rig, open_rig):
    def scope(opened, tools):
        server = Upstream("modern", tools=tools)
        server.listed = {"ttlMs": 60_000, "cacheScope": "public"}
        return opened(server).listed()["cacheScope"]

    plain, alone = [tool("rows")], [tool("rows"), tool("geometry", _meta=ALONE)]
    assert scope(open_rig, plain) == "public"
    assert scope(open_app_rig, plain) == scope(open_rig, alone) == "private"


def test_a_server_without_tools_gets_no_explorer(era, open_app_rig):
    server = Upstream(era, tools=[], capabilities={"resources": {}})
    server._result = lambda method, params, ask=server._result: (
        {"resources": []} if method == "resources/list" else ask(method, params)
    )
    assert open_app_rig(server).ask("resources/list")["result"]["resources"] == []


def behind(era, *tools, **results):
    """Return an upstream with a reader like ours, and an explorer."""
    reader = tool("read_result") | {"inputSchema": input_schema(Policy())}
    explorer = [tool("show_result"), tool("browse_result", _meta=ALONE)]
    return Upstream(era, tools=[reader, *explorer, *tools], results=results)


def test_where_upstream_has_penstock_its_explorer_is_enough(era, open_app_rig):
    page = text("", structuredContent={"rows": list(range(5_000)), "total": 20_000})
    rig = open_app_rig(behind(era, browse_result=page), ceiling="50000ch")
    assert "penstock_show_result" not in names(rig.listed())
    assert rig.call("browse_result")["structuredContent"] == page["structuredContent"]


def test_what_a_tool_says_in_meta_may_be_anything(era, open_rig):
    rig = open_rig(Upstream(era, tools=[tool("odd", _meta=["ui/resourceUri"]), tool("rows")]))
    assert names(rig.listed()) == ["odd", "rows", "read_result"]


# -- tools with a widget -----------------------------------------------------------------------


def rows_of(count):
    return [{"id": number, "label": f"row {number}", "extra": "e" * 30} for number in range(count)]


def test_the_widget_gets_all_and_the_model_a_probe(era, open_app_rig):
    data = {"rows": rows_of(1_500)}
    rig = open_app_rig(upstream(era, chart=text(data, structuredContent=data)))
    result = rig.call("chart")
    assert result["structuredContent"] == data
    envelope = value_of(result)
    assert envelope["count"] == 1_500
    token = envelope["continuation_token"]
    assert browsed(rig, token, start=1_499)["rows"] == [data["rows"][-1]]


def test_a_short_word_for_the_model_stays(era, open_app_rig):
    data = {"rows": rows_of(1_500)}
    result = text("1,500 rows are shown.", structuredContent=data, _meta={"view": "bars"})
    rig = open_app_rig(upstream(era, chart=result))
    told = rig.call("chart")
    assert {**told, **result} == told


def test_over_the_cap_rows_are_left_out_and_counted(era, open_app_rig):
    data = {"title": "All", "rows": rows_of(5_000)}
    result = text("5,000 rows.", structuredContent=data, _meta={"view": "bars"})
    rig = open_app_rig(upstream(era, chart=result))
    told = rig.call("chart")
    fitted = told["structuredContent"]
    kept = len(fitted["rows"])
    assert fitted["rows"] == data["rows"][:kept]
    assert fitted["truncated"] == 5_000 - kept
    assert told["_meta"]["dev.penstock/left_out"] == {"truncated": 5_000 - kept}
    assert told["_meta"]["view"] == "bars"
    one_more = {**fitted, "rows": data["rows"][: kept + 1]}
    larger = compact({**told, "structuredContent": one_more}).decode()
    assert len(larger) > rig.ceiling.chars  # the host's cap, so `_meta` counts too
    assert told["content"][0]["text"] == "5,000 rows."
    token = json.loads(told["content"][1]["text"])["continuation_token"]
    assert browsed(rig, token, start=4_999)["rows"] == data["rows"][-1:]


def test_columns_that_its_chart_does_not_need_go_first(era, open_app_rig):
    spec = {"mark": "bar", "encoding": {"x": {"field": "id"}, "y": {"field": "label"}}}
    data = {"spec": spec, "rows": rows_of(3_000)}
    rig = open_app_rig(upstream(era, chart=text("…", structuredContent=data)))
    fitted = rig.call("chart")["structuredContent"]
    assert [*fitted["rows"][0]] == ["id", "label"]
    assert len(fitted["rows"]) == 3_000
    assert "truncated" not in fitted
    assert fitted["columns_dropped"] == 1


@pytest.mark.parametrize(
    ("closed", "is_said"), [({"additionalProperties": False}, False), ({}, True)]
)
def test_what_is_left_is_what_the_tool_promised(era, closed, is_said, open_app_rig):
    schema = {"type": "object", "properties": {"rows": {"type": "array"}}, **closed}
    server = upstream(era, chart=text("…", structuredContent={"rows": rows_of(5_000)}))
    server.tools[1]["outputSchema"] = schema
    told = open_app_rig(server).call("chart")
    assert ("truncated" in told["structuredContent"]) is is_said
    assert told["_meta"]["dev.penstock/left_out"]["truncated"] > 0


@pytest.mark.parametrize(
    "spec",
    [
        {"$schema": "https://vega.github.io/schema/vega-lite/v5.json"},
        {"mark": None, "encoding": {}},
    ],
)
def test_what_only_looks_like_a_chart_costs_no_data(era, spec, open_app_rig):
    data = {"spec": spec, "rows": rows_of(5_000)}
    fitted = open_app_rig(upstream(era, chart=text("…", structuredContent=data))).call("chart")
    assert fitted["structuredContent"]["rows"][0] == data["rows"][0]


def test_what_the_tool_has_left_out_itself_is_counted_too(era, open_app_rig):
    data = {"rows": rows_of(5_000), "truncated": 100, "columns_dropped": 2}
    fitted = open_app_rig(upstream(era, chart=text("…", structuredContent=data))).call("chart")
    shown = fitted["structuredContent"]
    assert shown["truncated"] == 5_100 - len(shown["rows"])
    assert shown["columns_dropped"] == 2


def test_pictures_have_a_cap_of_their_own(era, open_app_rig):
    picture = {"type": "image", "data": "A" * 400_000, "mimeType": "image/png"}
    data = {"rows": rows_of(700)}
    result = {"content": [{"type": "text", "text": "…"}, picture], "structuredContent": data}
    told = open_app_rig(upstream(era, chart=result)).call("chart")
    assert told["structuredContent"] == data
    assert told["content"] == result["content"]


def test_nothing_is_said_twice_to_the_model(era, open_app_rig):
    result = text("hi", structuredContent={"rows": rows_of(5_000)})
    told = open_app_rig(upstream(era, chart=result)).call("chart")
    assert [block["text"][:2] for block in told["content"]] == ["hi", '{"']


def test_words_and_probe_together_keep_the_budget(era, open_app_rig):
    for length in range(23_900, 24_700, 50):
        result = text("w" * length, structuredContent={"rows": rows_of(5_000)})
        rig = open_app_rig(upstream(era, chart=result))
        told = rig.call("chart")
        apart = ("structuredContent", "_meta")
        seen = {name: value for name, value in told.items() if name not in apart}
        assert not over(compact(seen), rig.budget)


def test_a_structure_that_cannot_be_cut_is_an_envelope(era, open_app_rig):
    for data in ({"text": "x" * 200_000}, {"rows": ["x" * 200_000]}):
        server = upstream(era, chart=text("…", structuredContent=data))
        told = open_app_rig(server).call("chart")
        if "rows" in data:
            assert told["structuredContent"] == {"rows": [], "truncated": 1}
        else:
            assert told["structuredContent"] == value_of(told)


def test_a_schema_that_wants_rows_gets_an_envelope_instead(era, open_app_rig):
    schema = {"type": "object", "properties": {"rows": {"type": "array", "minItems": 4_000}}}
    server = upstream(era, chart=text("…", structuredContent={"rows": rows_of(5_000)}))
    server.tools[1]["outputSchema"] = schema
    told = open_app_rig(server).call("chart")
    assert "continuation_token" in told["structuredContent"]


def test_without_apps_such_a_tool_is_like_any_other(era, open_rig):
    data = {"rows": rows_of(1_500)}
    rig = open_rig(upstream(era, chart=text("1,500 rows.", structuredContent=data)))
    told = rig.call("chart")
    assert "continuation_token" in value_of(told)
    assert len(compact(told)) < 2_500


def test_a_heavy_tool_with_a_widget_tells_the_model_of_the_token(era, open_app_rig):
    data = {"rows": rows_of(500)}
    result = text("500 rows.", structuredContent=data)
    rig = open_app_rig(upstream(era, chart=result), tools={"chart": {"heavy": True}})
    told = rig.call("chart")
    assert told["structuredContent"] == data
    assert "continuation_token" in json.loads(told["content"][1]["text"])


def test_a_task_gives_the_widget_its_rows(open_app_rig):
    data = {"rows": rows_of(700)}
    told = {"taskId": "t-1", "status": "completed"}
    result = text(data, structuredContent=data)
    server = upstream("modern", chart={"resultType": "task", "taskId": "t-1", "status": "working"})
    server._result = lambda method, params, ask=server._result: (
        {**told, "result": result} if method == "tasks/get" else ask(method, params)
    )
    rig = open_app_rig(server)
    rig.call("chart")
    done = rig.ask("tasks/get", {"taskId": "t-1"})["result"]
    assert done["status"] == "completed"
    assert done["result"]["structuredContent"] == data
    assert "continuation_token" in value_of(done["result"])
