"""Values that go from one server to another without passing through the model."""

import json

import pytest
from front import Front, server
from relay_rig import table, value_of
from relay_upstream import text

from penstock.wire.servers import HubMember

ROWS = text(table())
PYTHON = "run_python_with_writes"
CAUGHT = """
try:
    await fail()
except Exception as told:
    words = str(told)
await upload(rows=words)
"""


def member(name, **more):
    return HubMember(name, f"id of {name}", **more)


CLOSED = {"is_remote": True, "takes_results": False}
MEMBERS = [
    member("db"),
    member("sheets"),
    member("cloud", **CLOSED),
    member("listed", is_remote=True),
]


class World:
    """Two local servers and two remote ones. One of the remote ones may get results."""

    def __init__(self, era):
        self.db = server(era, orders=ROWS, fail={**text("a secret"), "isError": True})
        self.sheets = server(era, write_sheet=text("written"))
        self.cloud = server(era, upload=text("uploaded"), download=ROWS)
        self.listed = server(era, publish=text("published"))
        servers = {"db": self.db, "sheets": self.sheets, "cloud": self.cloud, "listed": self.listed}
        settings = {"programs": "write", "program_seconds": "30s"}
        self.front = Front(era=era, members=MEMBERS, servers=servers, **settings)
        self.front.listed()

    def token(self, tool):
        return self.front.probe(tool)["continuation_token"]

    def run(self, code):
        """Run a program, and return its reply and whether it failed."""
        result = self.front.call(PYTHON, code=code)
        return result["content"][0]["text"], result.get("isError", False)


def got(upstream, tool):
    """Return the arguments of all calls of a tool."""
    calls = [message["params"] for message in upstream.got("tools/call")]
    return [params.get("arguments") for params in calls if params["name"] == tool]


@pytest.fixture(params=["legacy", "modern"])
def world(request):
    world = World(request.param)
    yield world
    world.front.close()


@pytest.mark.parametrize(
    ("source", "target", "of"),
    [
        ("orders", "write_sheet", "sheets"),
        ("download", "write_sheet", "sheets"),
        ("orders", "publish", "listed"),
        ("download", "publish", "listed"),
        ("download", "upload", "cloud"),
    ],
)
def test_a_result_goes_where_it_may(world, source, target, of):
    token = world.token(source)
    result = world.front.call(target, rows=f"@result:{token}")
    assert not result.get("isError"), result
    assert got(getattr(world, of), target) == [{"rows": table()}]


def test_a_remote_server_gets_no_result_of_another_unless_the_user_allows_it(world):
    token = world.token("orders")
    result = world.front.call("upload", rows=f"@result:{token}")
    told = value_of(result)
    assert result["isError"] is True
    for named in ("'db'", "'cloud'", "results_to"):
        assert named in told["error"] + told["next_step"]
    assert got(world.cloud, "upload") == []


def test_what_was_made_from_a_result_is_bound_by_the_same_rule(world):
    db, own = world.token("orders"), world.token("download")
    ask = {"mode": "sql", "page_size": 0}
    answer = world.front.read(db, query="SELECT id FROM result", **ask)
    joined = world.front.read(
        own, tables={"t": db}, query="SELECT t.id FROM result r JOIN t ON t.id = r.id", **ask
    )
    page = world.front.read(db, page_size=5)["next"]
    for token in (answer["continuation_token"], joined["continuation_token"], page):
        result = world.front.call("upload", rows=f"@result:{token}")
        assert result["isError"] is True
        assert "results_to" in json.dumps(result)
    assert got(world.cloud, "upload") == []


def test_an_unknown_token_is_refused_as_such(world):
    """The rule tells nothing about tokens that the caller may not read."""
    result = world.front.call("upload", rows="@result:pen_" + "2" * 39)
    assert "expired or not found" in json.dumps(result)
    assert "results_to" not in json.dumps(result)


# -- programs ----------------------------------------------------------------------------------


def test_a_program_hands_results_to_local_servers(world):
    told, failed = world.run("rows = await orders()\nawait write_sheet(rows=rows)")
    assert not failed, told
    assert got(world.sheets, "write_sheet") == [{"rows": table()}]


@pytest.mark.parametrize(
    "code",
    [
        "rows = await orders()\nawait upload(rows=rows)",
        "rows = await orders()\nawait upload(rows=[len(rows)])",
        "rows = value('TOKEN')\nawait upload(rows=rows)",
        "rows = sql('SELECT id FROM t', t='TOKEN')\nawait upload(rows=rows)",
        "await upload(rows='@result:TOKEN')",
        CAUGHT,
    ],
)
def test_a_program_that_has_read_a_server_calls_no_remote_one(world, code):
    told, failed = world.run(code.replace("TOKEN", world.token("orders")))
    assert failed, told
    for named in ("'db'", "'cloud'", "results_to"):
        assert named in told
    assert got(world.cloud, "upload") == []


def test_a_program_that_has_read_nothing_else_calls_a_remote_server(world):
    told, failed = world.run("rows = await download()\nawait upload(rows=rows)")
    assert not failed, told
    assert got(world.cloud, "upload") == [{"rows": table()}]


def test_variables_are_bound_by_the_rule_in_the_next_program(world):
    _, failed = world.run("kept = await orders()\n1")
    assert not failed
    told, failed = world.run("await upload(rows=kept)")
    assert failed
    assert "results_to" in told
    assert got(world.cloud, "upload") == []


def test_the_answer_of_a_program_is_bound_by_the_rule(world):
    told, failed = world.run("await orders()")
    assert not failed
    token = json.loads(told)["continuation_token"]
    result = world.front.call("upload", rows=f"@result:{token}")
    assert "results_to" in json.dumps(result)
    assert got(world.cloud, "upload") == []


def test_the_result_of_a_task_is_bound_by_the_same_rule():
    """Only the server knows of the task: another client of it, or an earlier run, began it."""
    world = World("legacy")
    world.db.able = {"tasks": {"list": {}}}
    world.db.answers["tasks/list"] = lambda _: {"result": {"tasks": [{"taskId": "old"}]}}
    world.db.answers["tasks/result"] = lambda _: {"result": ROWS}
    world.front.bench.hub.state.members["db"].greeted["tasks"] = {"list": {}}
    world.front.ask("tasks/list", {})
    probe = value_of(world.front.ask("tasks/result", {"taskId": "old"})["result"])
    told = world.front.call("upload", rows=f"@result:{probe['continuation_token']}")
    assert told["isError"] is True
    assert got(world.cloud, "upload") == []
    assert not world.front.call("write_sheet", rows=f"@result:{probe['continuation_token']}").get(
        "isError"
    )
    world.front.close()
