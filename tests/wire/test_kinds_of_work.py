"""The kind of each piece of work, and which work may be refused."""

import pytest

from penstock.core.model.values import Call, Result
from penstock.wire.effects import (
    Browse,
    Keep,
    LoadExplorer,
    Offer,
    ParkProgram,
    Prepare,
    Read,
    ReadResource,
    ResumeProgram,
    Show,
    StepAside,
)
from penstock.wire.kinds_of_work import KINDS, kind_of, may_be_refused

TOKEN = {"continuation_token": "pst_x"}


def call(**arguments):
    return Call("rows", arguments)


@pytest.mark.parametrize(
    ("work", "kind"),
    [
        (Read(call(**TOKEN)), "results"),
        (Read(call(**TOKEN, mode="summary")), "results"),
        (Read(call(**TOKEN, mode="search", query="x")), "results"),
        (Read(call(**TOKEN, mode="sql", query="SELECT 1")), "queries"),
        (Read(call(**TOKEN, mode="query", query=".")), "queries"),
        (Read(call(**TOKEN, mode=["sql"])), "results"),  # It will be refused.
        (Prepare(call(**TOKEN, mode="sql", query="SELECT 1")), "queries"),
        (Prepare(call(mode="sql", text="@result:x")), "results"),  # The tool's own mode.
        (Browse(call(**TOKEN, start=100)), "results"),
        (Browse(call(**TOKEN, sort={"column": "id"})), "queries"),
        (Browse(call(**TOKEN, where=[{"column": "id", "op": "is_null"}])), "queries"),
        (Browse(call(**TOKEN, where=[], find="", sort=None)), "results"),
        (Browse(call(**TOKEN, chart={"x": "id"})), "queries"),
        (Offer(call(), Result()), "results"),
        (Show(call(**TOKEN)), "results"),
        (StepAside(), "lists"),
        (LoadExplorer(), "lists"),
        (ParkProgram(None, None), "lists"),
        (ResumeProgram(None, ()), "programs"),
    ],
)
def test_the_kind_says_what_the_work_waits_for(work, kind):
    assert kind_of(work) == kind
    assert kind in KINDS


@pytest.mark.parametrize(
    "work", [Offer(call(), Result()), Keep(call(), Result()), StepAside(), ResumeProgram(None, ())]
)
def test_nothing_that_holds_a_result_is_refused(work):
    assert not may_be_refused(work)


@pytest.mark.parametrize("work", [Read(call(**TOKEN)), Prepare(call()), ReadResource(call(), "u")])
def test_what_runs_no_tool_may_be_refused(work):
    assert may_be_refused(work)
