"""The scripted agents of the benchmarks: their reading, their arguments, and whole tasks."""

import jsonschema_rs
import pytest
from benchmarks.agents.arguments import fewest_arguments
from benchmarks.agents.directories import names_in, reading_in
from benchmarks.agents.knowledge import from_list, from_reply, is_enough
from benchmarks.agents.signatures import NoSignature, schema_of_signature
from benchmarks.agents.start import MEASURED
from benchmarks.choosing import Choice, Request
from benchmarks.servers import replay

from benchmarks import tasks
from penstock.disclosure.catalogue import Catalogue

_PLACE = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
_FORECAST = {
    "type": "object",
    "properties": {
        "place": {"$ref": "#/$defs/Place"},
        "day": {"type": "string", "format": "date"},
        "key": {"type": "string", "minLength": 24, "pattern": "^[0-9a-f]+$"},
        "hours": {"type": "array", "items": {"type": "integer", "minimum": 6, "maximum": 9}},
        "unit": {"anyOf": [{"type": "null"}, {"enum": ["metric", "imperial"]}]},
        "note": {"type": "string"},
    },
    "required": ["place", "day", "key", "hours", "unit"],
    "$defs": {"Place": _PLACE},
}
TOOLS = [
    {
        "name": "weather_forecast",
        "description": "Tell the weather of a day.",
        "inputSchema": _FORECAST,
        "annotations": {"readOnlyHint": True},
    },
    *(
        {
            "name": f"weather_{name}",
            "description": f"Change the {name} of a station. " + "It lasts a while. " * 20,
            "inputSchema": _PLACE,
        }
        for name in ("altitude", "owner", "sensors", "schedule", "label", "region", "alarm")
    ),
]


def test_arguments_are_the_required_ones_and_match_the_schema():
    arguments = fewest_arguments(_FORECAST)
    assert jsonschema_rs.is_valid(_FORECAST, arguments)
    assert "note" not in arguments


@pytest.mark.parametrize(
    "signature",
    [
        "path*, head: int, mode: fast|slow, edits*: {old* new:str}[]",
        "path* head:int mode:fast|slow edits*:{old* new}[] … 3 more",
        "path*, head?:int, mode?:fast|slow, edits*:{old*, new?}[]",
    ],
)
def test_a_signature_is_read_in_every_spelling(signature):
    schema = schema_of_signature(signature)
    assert schema["required"] == ["path", "edits"]
    assert schema["properties"]["head"] == {"type": "integer"}
    assert schema["properties"]["mode"] == {"enum": ["fast", "slow"]}
    assert fewest_arguments(schema) == {"path": "x", "edits": [{"old": "x"}]}


def test_choices_that_are_no_words_keep_their_values():
    schema = schema_of_signature('size*:1|2 "a b"*:"x y"|z ids*:(int|str)[]')
    assert fewest_arguments(schema) == {"size": 1, "a b": "x y", "ids": [1]}


def test_prose_is_no_signature():
    with pytest.raises(NoSignature):
        schema_of_signature("see below) and then")
    hidden = {"type": "object", "properties": {}, "additionalProperties": True}
    assert from_list({"description": "Do it.", "inputSchema": hidden}) is None
    told = from_list({"description": "(day*) Tell it (again).", "inputSchema": hidden})
    assert told is not None
    assert told["required"] == ["day"]


def test_parameters_of_a_reply_are_enough_if_the_required_ones_are_simple():
    simple, nested = (
        from_reply({"parameters": {f"{name}*": kind, "page": "integer"}})
        for name, kind in (("mode", "fast|slow"), ("body", "object"))
    )
    assert is_enough(simple)
    assert not is_enough(nested)
    assert is_enough(from_reply({"parameters": "body*:{name* size:int}"}))
    assert not is_enough(from_reply({"name": "weather_owner"}))


@pytest.mark.parametrize(
    "text",
    [
        "All 3: jira_add, jira_get, ping.",
        "jira… (2): jira_add, jira_get; other… (1): ping",
        "work: jira_(add get* …) ping.",
        "Read-only: jira_(get) ping[host* port:int]; others: (jira_)add.",
    ],
)
def test_names_are_read_from_every_directory(text):
    assert {"jira_add", "jira_get", "ping"} <= names_in(text).keys()
    assert names_in(text).keys().isdisjoint({"jira", "jira_ping"})


def test_a_directory_tells_which_tools_read_and_what_they_take():
    text = "Read-only: ping[host* port:int] jira_(get find_(user)); others: jira_(add)"
    assert {"ping", "jira_get", "jira_find_user"} <= reading_in(text).keys()
    assert "jira_add" not in reading_in(text)
    assert names_in(text)["ping"] == "host* port:int"


def test_a_compact_schema_is_read_with_its_texts():
    compact = {
        "type": "object",
        "properties": {
            "key": {"type": "string", "minLength": 4, "pattern": "^[0-9]+$"},
            "body": {
                "type": "object",
                "properties": {
                    "id": "str, minLength 3, pattern as for key: The number.",
                    "day": "date: Its day, if any.",
                    "size": "int, minimum 5",
                    "kind": "small|large",
                    "to": "{name* …}[]",
                },
                "required": ["id", "day", "size", "kind", "to"],
            },
            "more": {"type": "object", "properties": "{id* …}", "required": ["id"]},
            "next": {"type": "string", "description": "The next. Pattern as for key."},
        },
        "required": ["key", "body", "more", "next"],
    }
    schema = from_reply({"inputSchema": compact})
    assert schema is not None
    assert fewest_arguments(schema) == {
        "key": "1111",
        "body": {
            "id": "111",
            "day": "2026-01-31",
            "size": 5,
            "kind": "small",
            "to": [{"name": "x"}],
        },
        "more": {"id": "x"},
        "next": "1",
    }


def test_the_replayed_server_checks_arguments_as_a_real_one():
    def answer(**params):
        return replay.answer({"method": "tools/call", "params": params}, TOOLS)["result"]

    assert answer(name="weather_owner", arguments={"city": "Oslo"})["isError"] is False
    refused = answer(name="weather_owner", arguments={})
    assert refused["isError"] is True
    assert '"city" is a required property' in refused["content"][0]["text"]
    assert answer(name="gone", arguments={})["isError"] is True


@pytest.mark.parametrize("searches", [False, True])
@pytest.mark.parametrize("form", MEASURED)
def test_agents_do_tasks_over_every_form(form, searches):
    requests = [
        Request("weather", "", "weather of a day", frozenset({"weather_forecast"})),
        Request("weather", "", "owner of a station", frozenset({"weather_owner"})),
    ]
    choice = Choice(Catalogue.from_tools(TOOLS), requests)
    done = tasks.done_by_agents(choice, form, searches=searches)
    assert [task.problem for task in done] == ["", ""]
    assert all(task.calls >= 1 and task.tokens > 0 and task.start > 100 for task in done)


def test_a_task_whose_tool_does_not_exist_is_reported(capsys):
    gone = Request("weather", "", "fly to the moon", frozenset({"weather_moon"}))
    choice = Choice(Catalogue.from_tools(TOOLS), [gone])
    report = list(tasks.lines("index", tasks.done_by_agents(choice, "index")))
    assert report[1].is_over
    assert "fly to the moon" in report[1].what
    assert "not found" in capsys.readouterr().err
    assert not list(tasks.lines("index", tasks.done_by_agents(choice, "index"), 1))[1].is_over
