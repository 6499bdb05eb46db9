"""Agents that make the known mistakes, and correct each in one turn by the text of the error."""

import json

import pytest
import scripts

MISSING, REQUIRED = "MISSING_TOOL_SELECTION", "TOOL_DESCRIPTION_REQUIRED"
TOOL = "list_readings"


@pytest.fixture(params=["legacy", "modern"])
def era(request):
    return request.param


@pytest.fixture(params=["brief", "index"])
def form(request):
    return request.param


@pytest.fixture(params=["teach", "strict"])
def gate(request):
    return request.param


@pytest.fixture
def attempt(perform, era, form, gate):
    return lambda script: perform(script, "--list", form, "--gate", gate, era=era)


def codes(trace):
    return [step.error_code for step in trace.steps]


def assert_answered(trace):
    assert trace.contains_result(TOOL)
    assert json.loads(trace.answer) == {"station": "Lyon", "celsius": [11.5, 12.0, 12.5]}


def test_the_workflow_makes_no_mistake(attempt):
    trace = attempt(scripts.follows_the_workflow)
    assert_answered(trace)
    assert trace.contains_call("read_resource")
    assert "?tools=" in trace.last_resource_uri
    assert trace.contains_call(TOOL)
    assert not trace.contains_error(MISSING)
    assert not trace.contains_error(REQUIRED)
    assert codes(trace) == [None, None]
    assert trace.tokens_received() < 500


def test_everything_first(attempt):
    trace = attempt(scripts.fetches_everything_first)
    assert_answered(trace)
    assert trace.contains_error(MISSING)
    assert codes(trace) == [MISSING, None, None], "one turn lost"
    assert trace.contains_description(TOOL)


def test_a_call_without_fetching(attempt, gate):
    trace = attempt(scripts.calls_without_fetching)
    assert_answered(trace)
    assert trace.contains_error(REQUIRED)
    assert trace.contains_description(TOOL)
    if gate == "teach":
        assert codes(trace) == [REQUIRED, None], "the error brought the description"
        assert not trace.contains_call("read_resource")
    else:
        assert codes(trace) == [REQUIRED, None, None], "one turn lost: the other two are due anyway"
        assert trace.last_resource_uri.endswith(f"?tools={TOOL}")


# A model may have no access to resources and use the tool instead. The tests above cover both
# eras; here the era makes no difference.


@pytest.mark.parametrize(
    ("script", "expected"),
    [
        (scripts.learns_with_the_tool, [None, None]),
        (scripts.describes_nothing_first, [MISSING, None, None]),
    ],
)
def test_without_resources(perform, form, script, expected):
    trace = perform(script, "--list", form, "--gate", "strict")
    assert_answered(trace)
    assert codes(trace) == expected
    assert not trace.last_resource_uri


def test_a_call_without_fetching_or_resources(perform, form):
    script = scripts.calls_and_then_follows_the_instructions
    trace = perform(script, "--list", form, "--gate", "strict")
    assert_answered(trace)
    assert codes(trace) == [REQUIRED, None, None]


def test_a_good_guess_runs_at_once(perform, form):
    trace = perform(scripts.guesses_well, "--list", form, "--gate", "teach")
    assert_answered(trace)
    assert codes(trace) == [None]


# If an agent is unknown, a handle comes with each description, and the reply says how to use it.


@pytest.mark.parametrize(
    ("script", "expected"),
    [
        (scripts.follows_the_workflow, [None, None]),
        (scripts.calls_without_fetching, [REQUIRED, None, None]),
    ],
)
def test_an_agent_of_whom_nothing_is_known(perform_remotely, form, script, expected):
    trace = perform_remotely(script, "--list", form, "--gate", "strict")
    assert_answered(trace)
    assert codes(trace) == expected
    assert "tool_grant" in json.dumps(trace.steps[-1].arguments)
