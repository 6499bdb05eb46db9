"""Programs of agents: what they compute, what they call, and what comes back of them."""

import json

import pytest
from generated_programs import Outcome, Tools, in_cpython, programs
from hypothesis import given, settings
from hypothesis import strategies as st
from program_world import World, request_of
from relay_rig import Rig, value_of
from relay_upstream import Upstream, text, tool
from strategies import texts

from penstock.core.json.surrogates import without_half_pairs
from penstock.core.model.program import Broken, Finished, ToolCall, Waiting
from penstock.wire.effects import EndProgram, Keep, Offer

SOME = settings(max_examples=settings.default.max_examples // 4)
SETTINGS = {"programs": "on", "budget": "1MB", "program_calls": 1_000}
READS = {"annotations": {"readOnlyHint": True}}
LISTED = [
    tool("echo", {"of": {}}, **READS),
    tool("nest", {"n": {"type": "integer"}}, **READS),
    tool("fails", {"why": {"type": "string"}}, **READS),
]


def upstream_of(tools: Tools) -> Upstream:
    """Return a server with these tools."""

    def given(value):
        return text(value, structuredContent=value)

    def failed(arguments):
        try:
            tools.fails(arguments["why"])
        except RuntimeError:
            return text(arguments["why"] or "the tool failed", isError=True)

    results = {
        "echo": lambda arguments: given(tools.echo(arguments["of"])),
        "nest": lambda arguments: given(tools.nest(arguments["n"])),
        "fails": failed,
    }
    return Upstream(tools=LISTED, results=results)


@pytest.fixture(scope="module")
def shared():
    """Return a function that opens rigs which share one engine, and so one sandbox."""
    first = Rig(upstream_of(Tools()), **SETTINGS)

    def opened(tools, session="a session", **who):
        rig = Rig(upstream_of(tools), legacy_session=session, **SETTINGS, **who)
        rig.engine = first.engine
        return rig

    yield opened
    first.close()


def outcome_of(result) -> Outcome:
    """Return the value or the error of a program, as an agent reads it."""
    if result.get("isError"):
        return Outcome(error=value_of(result)["error"])
    beside = "".join(block["text"] for block in result["content"][1:])
    printed = beside.partition("Printed:\n")[2].partition("Called ")[0]
    return Outcome(value_of(result), printed=printed)


_numbers = iter(range(10**9))


@given(programs())
@SOME
def test_a_program_does_what_it_does_in_cpython(shared, code):
    there, here = Tools(), Tools()
    expected = in_cpython(code, there)
    rig = shared(here, f"session {next(_numbers)}")
    found = outcome_of(rig.call("run_python", code=code))
    if expected.error:
        assert found.error.partition(":")[0] == expected.error.partition(":")[0], (code, found)
    else:
        assert not found.error, (code, found)
        assert json.dumps(found.value) == json.dumps(expected.value), code
    if "gather" not in code.partition("a, b, c, d")[2]:
        assert here.made == there.made, code
    elif not expected.error:
        assert sorted(here.made) == sorted(there.made), code
    else:  # calls beside one that failed may have been made, or not
        assert all(here.made.count(call) <= there.made.count(call) for call in here.made), code


# -- budgets -----------------------------------------------------------------------------------

BUDGETS = st.one_of(
    st.integers(1_000, 6_000).map(lambda n: f"{n}B"),
    st.integers(500, 3_000).map(lambda n: f"{n}tok"),
    st.tuples(st.integers(1_000, 6_000), st.integers(20, 60)).map(
        lambda pair: f"{pair[0]}ch+{pair[1]}lines"
    ),
)
ENDINGS = st.one_of(
    texts(4_000).map(repr),
    st.integers(0, 3_000).map(
        lambda n: f"[{{'id': q, 'name': 'é' * (q % 9)}} for q in range({n})]"
    ),
    texts(2_000).map(lambda text: f"raise ValueError({text!r})"),
    texts(2_000).map(lambda text: f"await fails(why={text!r})"),
    st.just("nope"),
    st.just("lambda: 1"),
)


@given(BUDGETS, st.lists(texts(3_000), max_size=3), st.integers(0, 12), ENDINGS)
@SOME
def test_no_reply_is_over_budget_and_nothing_is_lost(budget, printed, calls, ending):
    """The rig weighs every reply."""
    rig = Rig(upstream_of(Tools()), programs="on", budget=budget)
    try:
        lines = [
            *(f"print({words!r})" for words in printed),
            f"for q in range({calls}):\n    await echo(of=[q] * 40)",
            ending,
        ]
        result = rig.call("run_python", code="\n".join(lines))
        shown = json.dumps(result["content"], ensure_ascii=False)
        said = "".join(without_half_pairs(words) + "\n" for words in printed)
        if not result.get("isError"):
            assert not calls or "Called echo" in shown
            is_shown = said.strip() in "".join(block["text"] for block in result["content"])
            assert is_shown or "characters, kept as pen_" in shown, (budget, said)
        elif calls and "too deeply nested" not in shown:  # the sandbox counts signs in texts too
            assert len(rig.rows(value_of(result)["continuation_token"])) >= calls
    finally:
        rig.close()


# -- variables ---------------------------------------------------------------------------------

STEPS = st.tuples(
    st.sampled_from(("ann", "bob")),
    st.sampled_from(("first", "second")),
    st.sampled_from(("x", "y")),
    st.sampled_from(("read", "write", "fail")),
)


@given(st.lists(STEPS, max_size=12))
@SOME
def test_variables_stay_in_their_session(shared, steps):
    kept, run = {}, next(_numbers)
    rigs = {}
    for number, (user, session, name, deed) in enumerate(steps):
        key = (user, session)
        if key not in rigs:
            rigs[key] = shared(Tools(), f"{session} {run}", principal=user)
        rig = rigs[key]
        if deed == "read":
            found = outcome_of(rig.call("run_python", code=name))
            if (*key, name) in kept:
                assert found.value == kept[*key, name]
            else:
                assert found.error == f"NameError: name '{name}' is not defined"
        else:  # a program that fails keeps what it has assigned
            code = f"{name} = {number}" + ("\n1 / 0" if deed == "fail" else "")
            rig.call("run_python", code=code)
            kept[*key, name] = number


# -- the handler alone -------------------------------------------------------------------------


@given(st.data())
@settings(max_examples=settings.default.max_examples)
def test_the_handler_makes_every_call_once_and_answers_once(data):
    numbers = iter(range(10_000))
    fresh = []

    def new_calls():
        functions = data.draw(
            st.lists(st.sampled_from(("echo", "echo", "nope", "write")), max_size=12)
        )
        made = tuple(ToolCall(next(numbers), function, (), {}) for function in functions)
        fresh.extend(call.number for call in made if call.function == "echo")
        refused.update(call.number for call in made if call.function != "echo")
        return made

    def turn(_answers):
        kind = data.draw(st.sampled_from(("wait", "wait", "wait", "finish", "break")))
        waits_for = len(world.begun) + len(refused) > len(world.given)
        if kind == "wait":
            made = new_calls()
            if made or waits_for or len(fresh) > len(world.begun):
                return Waiting(made)
        if kind == "break":
            return Broken("it broke", is_stopped=data.draw(st.booleans()))
        return Finished(b"5")

    def finish(waiting):
        if not waiting or data.draw(st.integers(0, 30)) == 0:
            return []
        return data.draw(st.lists(st.sampled_from(waiting), min_size=1, unique_by=id))

    refused: set[int] = set()
    world = World(iter(lambda: turn, None), finish)
    request = request_of("1", program_calls=data.draw(st.sampled_from((5, 30, 100))))
    told = world.drive(request)
    assert "result" in told
    assert world.most_open <= 8
    assert len(world.begun) == len(set(world.begun))
    assert world.begun == fresh[: len(world.begun)]  # in program order
    assert len(world.given) == len(set(world.given))
    assert len(world.begun) <= request.policy.program_calls
    end = world.only(EndProgram)
    left = [one.number for one in end.left]
    assert sorted([*left, *(set(world.given) - refused)]) == sorted(world.begun)
    assert world.kinds[-1] in (Offer, Keep, EndProgram)
