"""A misspelt tool name gets the nearest names, whatever the list and however upstream refuses it."""

import pytest
from relay_upstream import Fault, Upstream, text, tool

APP_ONLY = {"_meta": {"ui": {"visibility": ["app"]}}}
TOOLS = [
    tool("read_file", {"path": {}}),
    tool("write_file", {"path": {}}),
    tool("fill_table", {}),
    tool("read_filed", {}, **APP_ONLY),
    # Enough of others that each form is smaller than the one before.
    *(tool(f"zone{number}", {}, description="It works. " * 60) for number in range(30)),
]


class Answers(dict):
    """Results by name. A name without a result gets the refusal of an upstream."""

    def __init__(self, refusal):
        super().__init__({entry["name"]: text("done") for entry in TOOLS})
        self.refusal = refusal

    def __missing__(self, name):
        if isinstance(self.refusal, Fault):
            raise self.refusal
        return self.refusal


UNKNOWN = Fault(-32602, "Unknown tool", {"name": "?"})
AS_RESULT = text("Unknown tool", isError=True, _meta={"vendor": 1})


@pytest.fixture
def opened(open_rig, era):
    def opened(refusal=UNKNOWN, **settings):
        upstream = Upstream(era, tools=list(TOOLS), results=Answers(refusal))
        rig = open_rig(upstream, **settings)
        rig.greet()
        return rig

    return opened


def asked(rig, name, /, **arguments):
    return rig.ask("tools/call", {"name": name, "arguments": arguments})


@pytest.mark.parametrize("form", ["full", "brief", "index"])
def test_an_error_gets_the_nearest_names(opened, form):
    rig = opened(list_form=form)
    rig.listed()
    error = asked(rig, "read-file", path="x")["error"]
    assert error["message"] == "Unknown tool. Did you mean read_file or write_file?"
    assert error["code"] == -32602
    assert error["data"] == {"name": "?"}
    assert rig.upstream.got("tools/call")[-1]["name"] == "read-file"


@pytest.mark.parametrize("form", ["full", "brief", "index"])
def test_a_result_that_is_an_error_gets_another_block(opened, form, era):
    rig = opened(AS_RESULT, list_form=form)
    rig.listed()
    result = asked(rig, "READ_FILE")["result"]
    assert [block["text"] for block in result["content"]] == [
        "Unknown tool",
        "Did you mean read_file or write_file?",
    ]
    assert result["isError"] is True
    assert result["_meta"]["vendor"] == 1
    assert result.get("resultType") == ("complete" if era == "modern" else None)


def test_through_call_tool_too(opened):
    rig = opened(list_form="index")
    rig.listed()
    result = asked(rig, "call_tool", name="reed_file", arguments={})["result"]
    assert "Did you mean read_file" in str(result["content"])
    assert "read_filed" not in str(result)


def test_names_of_penstock_are_suggested_if_they_are_very_near(opened):
    rig = opened(list_form="full")
    rig.listed()
    told = asked(rig, "read_results")["error"]["message"]
    assert told.startswith("Unknown tool. Did you mean read_result")


def test_a_list_that_was_never_asked_for_is_not_asked_for_now(opened):
    rig = opened()
    assert asked(rig, "readfile")["error"]["message"] == "Unknown tool"
    assert rig.upstream.got("tools/list") == []


def test_a_tool_that_has_come_meanwhile_is_not_misspelt(opened):
    rig = opened(AS_RESULT)
    rig.listed()
    rig.upstream.tools.append(tool("read_files", {}))
    assert asked(rig, "read_files")["result"]["content"] == AS_RESULT["content"]


@pytest.mark.parametrize("name", ["read_file", "read_filed", "qqqqqqqq"])
def test_other_errors_stay_as_they_are(opened, name):
    """A tool that upstream lists, a tool that this client is not shown, and a name unlike all."""
    rig = opened()
    rig.listed()
    rig.upstream.results.pop(name, None)
    assert asked(rig, name)["error"]["message"] == "Unknown tool"


def test_a_tool_for_apps_alone_is_never_suggested(opened):
    rig = opened()
    rig.listed()
    assert "read_filed" not in asked(rig, "read_fildd")["error"]["message"]


def test_an_error_that_would_be_over_the_budget_stays_as_it_is(opened):
    rig = opened(Fault(-32602, "x" * 940), budget="1kB")
    rig.listed()
    assert "Did you mean" not in asked(rig, "read-file")["error"]["message"]


def test_a_name_that_upstream_answers_is_left_alone(opened):
    rig = opened(text("hello"), list_form="full")
    rig.listed()
    assert asked(rig, "read-file")["result"]["content"] == text("hello")["content"]
    assert len(rig.upstream.got("tools/list")) == 1
