"""`run_python`, driven with plain values: its effects, their order, and its answer.

There is no sandbox, no gate, no store and no thread: a handler does nothing itself.
"""

import json

import pytest
from program_world import TOKEN, UNLISTED, WRITES, World, calls, request_of
from relay_rig import value_of
from relay_upstream import Fault, Upstream, text, tool

from penstock.core.model.program import Broken, Finished, ToolCall, Waiting
from penstock.wire.effects import (
    AskUpstream,
    CallTools,
    Disclose,
    EndedProgram,
    EndProgram,
    Forward,
    Keep,
    Offer,
    ParkProgram,
    ResumeProgram,
    SetAlarm,
    StartProgram,
)

READS = {"annotations": {"readOnlyHint": True}}


def told(answer):
    """Return the error that the agent reads."""
    assert answer["result"]["isError"] is True
    return json.loads(answer["result"]["content"][0]["text"])


def all_at_once(waiting):
    return waiting


def nothing(_waiting):
    return []


# -- the order of the effects ------------------------------------------------------------------


def test_a_program_without_calls():
    world = World()
    world.drive(request_of("1"))
    assert world.kinds == [AskUpstream, Disclose, SetAlarm, StartProgram, EndProgram, Offer]


def test_a_program_with_calls():
    world = World(iter([Waiting(calls([1])), Waiting(calls([2])), Finished(b"5")]))
    world.drive(request_of("await echo()"))
    assert world.kinds[2:] == [
        SetAlarm, StartProgram, CallTools, ResumeProgram, CallTools, ResumeProgram, EndProgram, Keep, Offer,
    ]  # fmt: skip
    assert world.begun == world.given == [1, 2]


def test_the_alarm_is_set_before_the_program_starts():
    world = World()
    world.drive(request_of("1", program_seconds="7s"))
    assert world.only(SetAlarm).seconds == 7


def test_a_program_starts_with_what_it_may_call():
    world = World()
    world.drive(request_of("await echo()"))
    start = world.only(StartProgram)
    assert start.code == "await echo()"
    assert start.scope.tools == {"echo", "get_issue"}
    assert start.scope.forbidden == frozenset()
    assert [stub.partition("(")[0] for stub in start.scope.stubs] == ["async def echo"]


def test_functions_of_earlier_programs_may_call_every_tool():
    world = World()
    world.drive(request_of("await earlier()"))
    assert world.only(StartProgram).scope.tools == {"echo", "get_issue"}
    assert world.only(StartProgram).scope.stubs == ()


def test_a_tool_that_writes_is_forbidden_to_a_program_that_reads():
    world = World()
    world.drive(request_of("await write(path='a')"))
    assert world.only(StartProgram).scope.forbidden == {"write"}


def test_a_program_that_may_write():
    world = World()
    world.drive(request_of("await write(path='a')", WRITES, programs="write"))
    assert world.only(StartProgram).scope.tools == {"echo", "get_issue", "write"}
    assert world.only(StartProgram).scope.forbidden == frozenset()


# -- calls -------------------------------------------------------------------------------------


def test_eight_calls_run_at_once_and_the_others_in_their_order():
    answered = iter([Waiting(calls(range(20))), *[Waiting()] * 19, Finished(b"5")])
    world = World(answered)
    world.drive(request_of("gather"))
    asked = [effect for effect in world.effects if isinstance(effect, CallTools)]
    assert [len(effect.calls) for effect in asked] == [8, *[1] * 12, *[0] * 7]
    assert world.most_open == 8
    assert world.begun == list(range(20))


def test_all_answers_that_are_there_are_given_in_one_turn():
    world = World(iter([Waiting(calls(range(5))), Finished(b"5")]), all_at_once)
    world.drive(request_of("gather"))
    assert [one.number for one in world.only(ResumeProgram).answers] == [0, 1, 2, 3, 4]


@pytest.mark.parametrize(("made", "is_allowed"), [(10, True), (11, False)])
def test_the_limit_on_calls(made, is_allowed):
    world = World(iter([Waiting(calls(range(made))), Finished(b"5")]), all_at_once)
    answer = world.drive(request_of("gather", program_calls=10))
    if is_allowed:
        assert world.begun == list(range(8))  # the program ended when these were done
        assert Offer in world.kinds
    else:
        assert told(answer)["error"] == "The program may make 10 calls, and wants more."
        assert world.begun == []
        assert world.only(EndProgram).keeps_variables is False


REFUSED = {
    "an unknown tool": (ToolCall(1, "nope"), "NameError", "there is no tool 'nope'"),
    "nearly a tool": (ToolCall(1, "get_isue"), "NameError", "did you mean get_issue?"),
    "nearly an odd name": (ToolCall(1, "odd-nam"), "NameError", 'call("odd-name", {...})'),
    "one that writes": (
        ToolCall(1, "write", (), {"path": "a"}),
        "PermissionError",
        "may only read",
    ),
    "a wrong type": (ToolCall(1, "get_issue", (), {"key": 5}), "ValueError", "get_issue(): key"),
    "too many": (ToolCall(1, "get_issue", ("a", "b")), "TypeError", "at most 1 arguments, not 2"),
    "twice": (ToolCall(1, "get_issue", ("a",), {"key": "b"}), "TypeError", "'key' twice"),
    "the program itself": (ToolCall(1, "run_python", (), {"code": "1"}), "NameError", "no tool"),
    "the reader": (ToolCall(1, "read_result"), "NameError", "there is no tool"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_a_wrong_call_is_an_exception_and_never_reaches_upstream(name):
    call, kind, error = REFUSED[name]
    world = World(iter([Waiting((call,)), Finished(b"5")]))
    world.drive(request_of("x"))
    (answer,) = world.only(ResumeProgram).answers
    assert (answer.number, answer.kind) == (1, kind)
    assert error in answer.error
    assert world.only(CallTools) == CallTools([], waits=False)
    assert world.begun == []


def test_a_wrong_call_beside_others_does_not_wait_for_them():
    turns = iter(
        [Waiting((*calls([1, 2]), ToolCall(3, "nope"))), Waiting(), Waiting(), Finished(b"5")]
    )
    world = World(turns)
    world.drive(request_of("gather"))
    assert world.given == [3, 1, 2]
    assert world.begun == [1, 2]


# -- the end -----------------------------------------------------------------------------------


def test_time_that_is_up():
    world = World(iter([Waiting(calls([1, 2])), Waiting()]), lambda w: w[:1] if len(w) == 2 else [])
    answer = world.drive(request_of("gather", program_seconds="3s"))
    assert told(answer)["error"] == "The program took longer than 3 seconds."
    end = world.only(EndProgram)
    assert end.keeps_variables is False
    ((number, error),) = [(one.number, one.error) for one in end.left]
    assert number == 2
    assert "may have run" in error
    assert told(answer)["continuation_token"] == TOKEN


@pytest.mark.parametrize(
    "order", ["1 2 3", "1 3 2", "2 1 3", "2 3 1", "3 1 2", "3 2 1", "123", "1 23", "13 2"]
)
def test_questions_are_asked_whichever_call_is_answered_last(order):
    """The tools of 1 and 3 ask the user, and 2 answers. The program needs all three."""
    groups = iter(order.split())

    def finish(waiting):
        numbers = next(groups, "")
        return [made for made in waiting if str(made.inner_call.number) in numbers]

    world = World(iter([Waiting(calls([1, 2, 3])), Waiting()]), finish, asking={1, 3})
    answer = world.drive(request_of("gather"))
    assert world.kinds[-1] is ParkProgram
    assert world.given == [2]
    assert sorted(answer["result"]["inputRequests"]) == ["1-who", "3-who"]
    assert not world.request.is_late


def test_an_answer_that_comes_with_the_alarm_is_not_lost():
    def late(waiting):
        world.request.is_late = True
        return waiting

    world = World(iter([Waiting(calls([1]))]), late)
    world.drive(request_of("x"))
    (left,) = world.only(EndProgram).left
    assert (left.number, left.error) == (1, "")
    assert left.response


def test_a_program_that_ends_before_its_calls_tells_of_them():
    world = World(iter([Waiting(calls([1, 2, 3])), Broken("it broke")]))
    world.drive(request_of("x"))
    assert [one.number for one in world.only(EndProgram).left] == [2, 3]


@pytest.mark.parametrize("is_stopped", [True, False])
def test_variables_are_kept_unless_a_limit_stopped_the_program(is_stopped):
    world = World(iter([Broken("it broke", "Mend it.", 2, "x = 1", is_stopped=is_stopped)]))
    found = told(world.drive(request_of("x")))
    assert found == {"error": "it broke", "line": 2, "code": "x = 1", "next_step": "Mend it."}
    assert world.only(EndProgram).keeps_variables is not is_stopped


@pytest.mark.parametrize(("session", "holder"), [("a session", "a session"), ("", "ann")])
def test_the_holder_of_variables(session, holder):
    world = World()
    world.drive(request_of("1", legacy_session=session))
    assert world.only(StartProgram).holder == holder


def test_a_name_that_is_not_defined():
    undefined = Broken("NameError: name 'issue' is not defined", "", 1, "len(issue)")
    found = told(World(iter([undefined])).drive(request_of("x", ttl="7s")))
    assert "get_issue" in found["next_step"]
    assert "end after 7 seconds without use" in found["next_step"]
    found = told(World(iter([undefined]), has_variables=True).drive(request_of("x")))
    assert "without use" not in found["next_step"]


@pytest.mark.parametrize("code", [None, 5, "", " \n", ["1"], "x" * 100_001])
def test_what_is_no_program_starts_nothing(code):
    world = World()
    assert told(world.drive(request_of(code)))["next_step"]
    assert StartProgram not in world.kinds


def test_a_notice_of_the_end_comes_beside_the_answer():
    world = World(ended=EndedProgram((), (), 0, ("The variables were not kept.",)))
    world.drive(request_of("1"))
    assert world.only(Offer).notice == "The variables were not kept."


# -- where programs are offered ----------------------------------------------------------------


def failing(_arguments):
    raise Fault(-32602, "no such thing")


def test_a_client_without_programs_gets_upstreams_answer():
    world = World(listing=UNLISTED)
    world.drive(request_of("1"))
    assert world.kinds == [AskUpstream, Disclose, Forward]


OFFERED = {
    ("off", "index"): set(),
    ("auto", "full"): set(),
    ("auto", "index"): {"run_python"},
    ("on", "full"): {"run_python"},
    ("on", "index"): {"run_python"},
    ("write", "full"): {"run_python", WRITES},
}


@pytest.mark.parametrize(("programs", "form"), OFFERED)
def test_where_programs_are_listed_and_answered(open_rig, programs, form):
    many = [tool(f"echo_{number}", **READS) for number in range(60)]
    unknown = dict.fromkeys(("run_python", WRITES), failing)
    rig = open_rig(Upstream(tools=many, results=unknown), programs=programs, list_form=form)
    names = {one["name"] for one in rig.listed()["tools"]}
    offered = OFFERED[programs, form]
    assert names & {"run_python", WRITES} == offered
    for name in offered:
        assert value_of(rig.call(name, code="1 + 1")) == 2
    for name in {"run_python", WRITES} - offered:
        answer = rig.ask("tools/call", {"name": name, "arguments": {"code": "1"}})
        assert "error" in answer or answer["result"]["isError"]


# -- with the engine ---------------------------------------------------------------------------

DEEP = "[" * 300 + "]" * 300
RESULTS = {
    "spaced": {"content": [], "structuredContent": {"result": {"a": 1, "b": [1, 2]}}},
    "deep": text(DEEP),
    "deep_structured": {"content": [], "structuredContent": {"a": json.loads(DEEP)}},
    "half": text('{"a": "\\ud800"}'),
    "empty": {"content": []},
    "text": text("plain"),
    "number": text("12345678901234567890123"),
}


@pytest.mark.parametrize("name", RESULTS)
def test_a_program_goes_on_with_any_result(open_rig, name):
    rig = open_rig(
        Upstream(tools=[tool(name, **READS)], results={name: RESULTS[name]}), programs="on"
    )
    code = f"kept = 5\nx = await call('{name}')\nlen(str(x)) >= 0"
    assert value_of(rig.call("run_python", code=code)) is True
    assert value_of(rig.call("run_python", code="kept")) == 5


def test_an_error_of_the_server_is_an_exception(open_rig):
    rig = open_rig(Upstream(tools=[tool("odd", **READS)], results={"odd": failing}), programs="on")
    code = "try:\n    await odd()\nexcept RuntimeError as error:\n    x = str(error)\nx"
    assert rig.call("run_python", code=code)["content"][0]["text"] == "odd: no such thing"


def test_a_function_calls_tools_in_later_programs_too(open_rig):
    echo = {"echo": lambda arguments: text(arguments["of"])}
    rig = open_rig(Upstream(tools=[tool("echo", {"of": {}}, **READS)], results=echo), programs="on")
    rig.call(
        "run_python",
        code="async def twice(x):\n    return [await echo(of=x), await echo(of=x)]\nf = echo",
    )
    assert value_of(rig.call("run_python", code="await twice('a')")) == ["a", "a"]
    assert value_of(rig.call("run_python", code="[await f(of='b')]")) == ["b"]
    assert len(rig.upstream.got("tools/call")) == 3
