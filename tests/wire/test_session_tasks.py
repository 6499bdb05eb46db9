"""Tasks: their results are held to the budget in both eras."""

import json

import pytest
from relay_rig import table, value_of
from relay_upstream import Upstream, text, tool

from penstock.core.model.values import Refusal

LARGE = text(table())


class Tasks(Upstream):
    """An upstream with tasks. `acknowledged` answers a call, and `told` answers other methods about
    the task."""

    def __init__(self, era, **told):
        super().__init__(era, tools=[tool("slow"), tool("other")])
        self.told = told
        if era == "legacy":
            self.results["slow"] = {"task": {"taskId": "t-1", "status": "working"}}
        else:
            self.results["slow"] = {"resultType": "task", "taskId": "t-1", "status": "working"}

    def _result(self, method, params):
        if method in self.told:
            return {**self.told[method], **self.stamped}
        return super()._result(method, params)


def test_an_acknowledgement_passes_untouched(open_rig, era):
    rig = open_rig(Tasks(era), heavy=True)
    assert rig.call("slow") == rig.upstream.results["slow"]
    rig.upstream.results["slow"]["note"] = "x" * 50_000
    assert rig.call("slow") == rig.upstream.results["slow"]
    assert rig.store.stats().entries == 0


def test_the_result_of_a_task(open_rig):
    """`tasks/result` gives the same as the call would have."""
    rig = open_rig(Tasks("legacy", **{"tasks/result": LARGE}))
    rig.call("slow")
    result = rig.ask("tasks/result", {"taskId": "t-1"})["result"]
    assert rig.rows(value_of(result)["continuation_token"]) == table()


def test_the_result_of_a_task_is_its_tools(open_rig):
    """The settings of the tool apply, and its token is redeemed through the tool."""
    upstream = Tasks("legacy", **{"tasks/result": text(table(100))})
    rig = open_rig(upstream, tools={"slow": {"heavy": True}})
    rig.call("slow")
    token = value_of(rig.ask("tasks/result", {"taskId": "t-1"})["result"])["continuation_token"]
    assert value_of(rig.call("slow", continuation_token=token))["total"] == 100
    unknown = rig.ask("tasks/result", {"taskId": "t-2"})["result"]
    assert value_of(unknown) == table(100)


def test_a_task_of_a_tool_that_is_left_alone(open_rig, era):
    told = {
        "tasks/result": LARGE,
        "tasks/get": {"taskId": "t-1", "status": "completed", "result": LARGE},
    }
    rig = open_rig(Tasks(era, **told), except_="slow")
    rig.call("slow")
    assert rig.ask("tasks/result", {"taskId": "t-1"})["result"]["content"] == LARGE["content"]
    assert rig.ask("tasks/get", {"taskId": "t-1"})["result"]["result"] == LARGE
    note = {
        "jsonrpc": "2.0",
        "method": "notifications/tasks",
        "params": {"taskId": "t-1", "result": LARGE},
    }
    line = json.dumps(note).encode()
    assert rig.from_upstream(line) == [line]


def status(**members):
    return {"taskId": "t-1", "status": "completed", "createdAt": "2026-11-15T00:00:00Z", **members}


@pytest.mark.parametrize("budget", ["1kB", "25kB", "800tok"])
def test_the_status_of_a_task_that_is_done(open_rig, budget):
    """Since 2026-07-28 the status carries the result. The whole status is within the budget."""
    rig = open_rig(Tasks("modern", **{"tasks/get": status(result=LARGE, ttlMs=9)}), budget=budget)
    rig.call("slow")
    told = rig.ask("tasks/get", {"taskId": "t-1"})["result"]
    assert {**told, "result": None} == {**status(result=None, ttlMs=9), "resultType": "complete"}
    assert rig.rows(value_of(told["result"])["continuation_token"]) == table()


@pytest.mark.parametrize(
    "told",
    [
        {"taskId": "t-1", "status": "working"},
        {"taskId": "t-1", "status": "completed", "result": text("small")},
        {"taskId": "t-1", "status": "input_required", "inputRequests": {"a": {"m": "x" * 50_000}}},
        {
            "taskId": "t-1",
            "status": "completed",
            "result": {"resultType": "input_required", "x": "y"},
        },
    ],
    ids=["working", "small", "input", "inner input"],
)
def test_a_status_that_passes_as_it_is(open_rig, told):
    rig = open_rig(Tasks("modern", **{"tasks/get": told}))
    rig.call("slow")
    before = len(rig.down)
    rig.ask("tasks/get", {"taskId": "t-1"})
    assert rig.down[before:] == [rig.upstream.answer(rig.up[-1])[0]]


def test_a_status_told_unasked(open_rig):
    """`notifications/tasks`."""
    rig = open_rig(Tasks("modern"))
    rig.call("slow")
    params = status(result=LARGE, _meta={"io.modelcontextprotocol/subscriptionId": "s-1"})
    note = {"jsonrpc": "2.0", "method": "notifications/tasks", "params": params}
    (told,) = map(json.loads, rig.from_upstream(note))
    assert told["method"] == "notifications/tasks"
    assert {**told["params"], "result": None} == {**params, "result": None}
    assert rig.rows(value_of(told["params"]["result"])["continuation_token"]) == table()


@pytest.mark.parametrize("result", [None, text("small")])
def test_a_small_status_told_unasked_is_forwarded(open_rig, result):
    rig = open_rig(Tasks("modern"))
    rig.call("slow")
    params = status() if result is None else status(result=result)
    line = json.dumps({"method": "notifications/tasks", "params": params}, indent=2).encode()
    assert rig.from_upstream(line) == [line]


def test_errors_of_tasks(open_rig, era):
    """A failed task gives its error in the status or as the answer."""
    error = {"code": -32603, "message": "boom", "data": "x" * 50_000}
    rig = open_rig(Tasks(era, **{"tasks/get": status(error=error)}))
    rig.call("slow")
    told = rig.ask("tasks/get", {"taskId": "t-1"})["result"]
    assert (told["error"]["code"], told["error"]["message"]) == (-32603, "boom")
    assert rig.read(told["error"]["data"]["continuation_token"], mode="full") == error
    rig.upstream = None
    for number, method in enumerate(("tasks/get", "tasks/result"), 80):
        rig.from_client(
            {"jsonrpc": "2.0", "id": number, "method": method, "params": {"taskId": "t-1"}}
        )
        (answer,) = rig.from_upstream({"jsonrpc": "2.0", "id": number, "error": error})
        assert "continuation_token" in json.loads(answer)["error"]["data"]


def test_a_cancelled_task_keeps_nothing(open_rig, era):
    rig = open_rig(Tasks(era))
    rig.call("slow")
    rig.upstream = None
    rig.holds_work = True
    results = {"tasks/result": LARGE, "tasks/get": status(result=LARGE)}
    for number, (method, result) in enumerate(results.items(), 80):
        rig.from_client(
            {"jsonrpc": "2.0", "id": number, "method": method, "params": {"taskId": "t-1"}}
        )
        rig.from_upstream({"jsonrpc": "2.0", "id": number, "result": result})
        params = {"requestId": number}
        rig.from_client({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params})
        assert rig.work() == []
    assert rig.store.stats().entries == 0


def test_work_for_a_notification_is_not_refused_and_has_no_answer(open_rig):
    """Its result would be lost, and no request of the client has the id null."""
    rig = open_rig(Upstream("modern"))
    rig.holds_work = True
    task = {"taskId": "t", "status": "completed", "result": text("x" * 100_000)}
    rig.from_upstream({"jsonrpc": "2.0", "method": "notifications/tasks", "params": task})
    (waiting,) = rig.held
    assert waiting.request.is_answered  # a carrier refuses no work of such a request
    assert rig.session.turn_away(waiting.request, Refusal("Busy.", "Try again.")) == []
    assert rig.session.give_up(waiting.request) == []
