"""The one list of several servers, as agents read it."""

import json

import pytest
from front import Front, server
from relay_rig import LEGACY_GREETING
from relay_upstream import text

READS = {"readOnlyHint": True}


def wordy(*names, era="legacy"):
    """Return a server whose tools say so much that an index is worth it."""
    made = server(era, **dict.fromkeys(names, text("x")))
    for tool in made.lists["tools"]:
        tool["description"] = f"Does what {tool['name']} does. " + "It does it well. " * 40
    return made


@pytest.fixture(params=["legacy", "modern"])
def front(request):
    era = request.param
    tickets = wordy("tool0", "tool1", "tool2", era=era)
    tickets.lists["tools"][0]["annotations"] = READS
    servers = {"github": wordy("search", era=era), "tickets": tickets}
    front = Front(era=era, servers=servers, list_form="index")
    yield front
    front.close()


def tools(front):
    return {tool["name"]: tool for tool in front.listed()["tools"]}


def described(front, name):
    return tools(front)[name]["description"]


def test_an_index_groups_names_by_server(front):
    told = described(front, "describe_tools")
    assert "4 tools of Penstock: github, tickets" in told
    assert told.endswith("github: search; tickets read-only: tool0; tickets: tool1 tool2")


def test_too_many_names_are_counted_by_server():
    many = wordy(*(f"{'x' * 40}{number}" for number in range(400)))
    front = Front(servers={"github": wordy("search"), "many": many})
    assert described(front, "describe_tools").endswith(": github (1); many (400)")
    front.close()


def test_a_search_finds_a_server_by_its_name_and_names_it(front):
    front.listed()
    told = json.loads(front.call("find_tools", query="github")["content"][0]["text"])
    (found,) = told["tools"]
    assert (found["name"], found["server"]) == ("search", "github")


def test_one_server_alone_is_not_named():
    front = Front(servers={"github": wordy("search", "list", "get")}, list_form="index")
    assert described(front, "describe_tools").endswith("3 tools of scripted: search list get")
    told = json.loads(front.call("find_tools", query="search")["content"][0]["text"])
    assert "server" not in told["tools"][0]
    front.close()


def test_the_list_budget_holds_over_all_servers_together():
    servers = {f"s{n}": wordy(*(f"tool_{n}_{m}" for m in range(30))) for n in range(8)}
    front = Front(servers=servers)
    listed = tools(front)
    assert len(json.dumps(list(listed.values()))) < 4 * 2_000
    assert "read_result" in listed
    front.close()


ABLE = {"extensions": {"io.modelcontextprotocol/ui": {"mimeTypes": ["text/html;profile=mcp-app"]}}}


class AppFront(Front):
    """A front whose client shows apps."""

    def greet(self):
        answer = self.ask("initialize", {**LEGACY_GREETING, "capabilities": ABLE})
        self.from_client({"jsonrpc": "2.0", "method": "notifications/initialized"})
        return answer


@pytest.mark.parametrize(
    ("form", "programs"),
    [("index", "auto"), ("index", "on"), ("full", "on"), ("full", "write"), ("full", "only")],
)
def test_no_widget_calls_tools_of_another_server_through_those_of_penstock(form, programs):
    shop = wordy("buy", "show")
    shop.lists["tools"][1]["_meta"] = {"ui": {"resourceUri": "ui://page"}}
    db = wordy("read_query")
    db.lists["tools"][0]["annotations"] = READS
    front = AppFront(servers={"shop": shop, "db": db}, list_form=form, programs=programs)
    listed = tools(front)
    assert ("show" in listed) == (programs != "only")
    open_to_apps = {
        name
        for name, tool in listed.items()
        if tool.get("_meta", {}).get("ui", {}).get("visibility") != ["model"]
    }
    assert open_to_apps - {"buy", "show"} <= {"read_result", "show_result", "browse_result"}
    front.close()
