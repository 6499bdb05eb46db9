"""Popular servers from the registries, which answer the same with the relay and without it."""

import json
import os
import subprocess

import pytest
from node_runtime import node, package
from relay_calls import value_of
from relay_processes import StdioClient
from servers_of_others import server_of_others


@pytest.fixture
def both():
    """Start the same command directly and behind the relay."""
    clients = []

    def started(command, *options, **keywords):
        for behind in (False, True):
            client = StdioClient(
                command,
                *(("--list", "full", *options) if behind else ()),
                behind=behind,
                **keywords,
            )
            clients.append(client)
            client.greeting = client.greet()
        return clients[-2:]

    yield started
    for client in clients:
        client.discard()


def same(direct, relayed, method, **params):
    """Assert that both give the same answer to a request, and return it."""
    found = [client.ask(method, params) for client in (direct, relayed)]
    bodies = [{key: value for key, value in answer.items() if key != "id"} for answer in found]
    assert bodies[0] == bodies[1]
    return bodies[0].get("result")


def same_call(direct, relayed, name, /, **arguments):
    return same(direct, relayed, "tools/call", name=name, arguments=arguments)


def same_tools(direct, relayed):
    """Assert that the tools are the same, except the widened output schemas and the reader."""

    def told(tools):
        return [{key: tool[key] for key in tool if key != "outputSchema"} for tool in tools]

    own, listed = direct.listed()["tools"], relayed.listed()["tools"]
    assert told(listed[:-1]) == told(own)
    assert listed[-1]["name"] == "read_result"
    assert [("outputSchema" in tool) for tool in listed[:-1]] == [
        ("outputSchema" in tool) for tool in own
    ]
    return {tool["name"] for tool in own}


def npm(name, *arguments):
    return [node(), package(f"@modelcontextprotocol/{name}/dist/index.js"), *map(str, arguments)]


# -- everything --------------------------------------------------------------------------------


def test_everything(both):
    direct, relayed = both(npm("server-everything", "stdio"))
    names = same_tools(direct, relayed)
    assert {"echo", "get-structured-content", "simulate-research-query"} <= names
    assert relayed.greeting["capabilities"] == direct.greeting["capabilities"]
    assert relayed.greeting["serverInfo"] == direct.greeting["serverInfo"]
    assert relayed.greeting["instructions"].endswith(direct.greeting["instructions"])
    for name, arguments in (
        ("echo", {"message": "é日本 😀 \u2028"}),
        ("get-sum", {"a": 1.5, "b": -2}),
        ("get-sum", {"a": "no number"}),
        ("get-structured-content", {"location": "New York"}),
        ("get-tiny-image", {}),
        ("get-annotated-message", {"messageType": "error", "includeImage": True}),
        ("get-resource-links", {"count": 3}),
        ("no-such-tool", {}),
    ):
        same_call(direct, relayed, name, **arguments)
    listed = same(direct, relayed, "resources/list")
    same(direct, relayed, "resources/read", uri=listed["resources"][0]["uri"])
    same(direct, relayed, "resources/templates/list")
    same(direct, relayed, "resources/subscribe", uri=listed["resources"][0]["uri"])
    same(direct, relayed, "prompts/list")
    same(direct, relayed, "prompts/get", name="args-prompt", arguments={"city": "Lyon"})
    same(direct, relayed, "logging/setLevel", level="warning")
    reference = {"type": "ref/prompt", "name": "completable-prompt"}
    same(
        direct,
        relayed,
        "completion/complete",
        ref=reference,
        argument={"name": "department", "value": "E"},
    )
    same(direct, relayed, "vendor/unheard-of")
    same(direct, relayed, "ping")


def test_progress_of_everything(start):
    client = start(npm("server-everything", "stdio"))
    params = {"name": "trigger-long-running-operation", "arguments": {"duration": 0.2, "steps": 4}}
    answer = client.ask("tools/call", {**params, "_meta": {"progressToken": "p-1"}})
    assert "completed" in answer["result"]["content"][0]["text"]
    heard = [item["params"] for item in client.others if item["method"] == "notifications/progress"]
    assert [item["progress"] for item in heard] == [1, 2, 3, 4]
    assert {item["progressToken"] for item in heard} == {"p-1"}


def test_a_task_of_everything(start):
    """The result of a task is kept inside the budget, for every caller."""
    client = start(npm("server-everything", "stdio"), "--budget", "1kB")
    params = {"name": "simulate-research-query", "arguments": {"topic": "penstocks " * 20}}
    created = client.ask("tools/call", {**params, "task": {"ttl": 60_000}})["result"]
    task = created["task"]["taskId"]
    assert client.ask("tasks/get", {"taskId": task})["result"]["taskId"] == task
    result = client.ask("tasks/result", {"taskId": task})["result"]
    token = value_of(result)["continuation_token"]
    assert client.read(token, mode="search", query="penstocks")["total"] > 0
    assert client.ask("tasks/get", {"taskId": task})["result"]["status"] == "completed"


# -- files -------------------------------------------------------------------------------------


def test_a_file_within_the_budget_passes_whole(both, tmp_path):
    """This server sends every text twice, as content and as structured content. A copy counts once."""
    file = tmp_path / "notes.txt"
    file.write_text("\n".join(f"{number}: something happened" for number in range(530)))
    assert 12_000 < file.stat().st_size < 13_000
    direct, relayed = both(npm("server-filesystem", tmp_path), "--budget", "25kB")
    result = same_call(direct, relayed, "read_text_file", path=str(file))
    assert result["content"][0]["text"] == result["structuredContent"]["content"]
    assert len(json.dumps(result)) > 25_000
    whole = direct.call("read_text_file", path=str(file))
    assert relayed.call("read_text_file", path=str(file)) == whole


@pytest.mark.parametrize("form", ["full", "index"])
def test_a_misspelt_name_gets_the_nearest(start, tmp_path, form):
    client = start(npm("server-filesystem", tmp_path), "--list", form)
    client.listed()
    told = json.dumps(client.ask("tools/call", {"name": "read_textfile", "arguments": {}}))
    assert "Did you mean read_text_file" in told


def test_a_host_that_shows_both_copies_gets_a_probe(start, tmp_path):
    file = tmp_path / "notes.txt"
    file.write_text("\n".join(f"{number}: something happened" for number in range(530)))
    client = start(npm("server-filesystem", tmp_path), "--budget", "25kB", "--host", "copilot-cli")
    token = value_of(client.call("read_text_file", path=str(file)))["continuation_token"]
    assert client.rows(token, page_size=1_000) == file.read_text().split("\n")


def test_files(both, tmp_path):
    """A server without resources, whose every tool promises structured content."""
    log = "\n".join(f"{number}: something happened, é日本" for number in range(5_000))
    (tmp_path / "large.log").write_text(log)
    (tmp_path / "small.txt").write_text("short")
    (tmp_path / "folder").mkdir()
    direct, relayed = both(npm("server-filesystem", tmp_path))
    assert "write_file" in same_tools(direct, relayed)
    same_call(direct, relayed, "read_text_file", path=str(tmp_path / "small.txt"))
    same_call(direct, relayed, "read_text_file", path=str(tmp_path / "large.log"), head=3)
    same_call(direct, relayed, "read_text_file", path="/etc/passwd")
    same_call(direct, relayed, "list_directory", path=str(tmp_path))
    same_call(direct, relayed, "directory_tree", path=str(tmp_path))
    same_call(direct, relayed, "get_file_info", path=str(tmp_path / "small.txt"))
    assert relayed.ask("resources/list")["result"] == {"resources": []}

    probe = relayed.probe("read_text_file", path=str(tmp_path / "large.log"))
    token = probe["continuation_token"]
    assert "\n".join(relayed.rows(token, page_size=1_000)) == log
    target = tmp_path / "copy.log"
    relayed.call("write_file", path=str(target), content=f"@result:{token}")
    assert target.read_text() == log


# -- memory ------------------------------------------------------------------------------------


def test_memory(both, tmp_path):
    entities = [
        {"name": f"pump {number}", "entityType": "pump", "observations": [f"note {number}" * 9]}
        for number in range(300)
    ]
    variables = {"MEMORY_FILE_PATH": str(tmp_path / "memory.json")}
    direct, relayed = both(npm("server-memory"), environment=variables)
    same_tools(direct, relayed)
    relayed.call("create_entities", entities=entities)
    same_call(direct, relayed, "open_nodes", names=["pump 7"])
    same_call(direct, relayed, "search_nodes", query="nothing of the kind")
    same(direct, relayed, "resources/list")
    same(direct, relayed, "resources/read", uri="memory://knowledge-graph")

    token = relayed.probe("read_graph")["continuation_token"]
    kept = relayed.rows(token, path="/entities", page_size=1_000)
    assert kept == direct.call("read_graph")["structuredContent"]["entities"]
    assert [entity["name"] for entity in kept] == [entity["name"] for entity in entities]


# -- git ---------------------------------------------------------------------------------------


@pytest.fixture(scope="session")
def git_server():
    return server_of_others("mcp-server-git")


@pytest.fixture
def repository(tmp_path):
    names = {
        f"GIT_{who}_{what}": "ada@example.com"
        for who in ("AUTHOR", "COMMITTER")
        for what in ("NAME", "EMAIL")
    }

    def git(*arguments):
        environment = {**os.environ, **names, "GIT_CONFIG_GLOBAL": "/dev/null"}
        subprocess.run(
            ["git", *arguments], cwd=tmp_path, env=environment, check=True, capture_output=True
        )

    git("init", "--initial-branch", "main")
    for number in range(3):
        (tmp_path / "data.txt").write_text("\n".join(f"{number} {line}" for line in range(5_000)))
        git("add", ".")
        git("commit", "--message", f"Change {number}")
    (tmp_path / "data.txt").write_text("changed")
    return tmp_path


def test_git(both, git_server, repository):
    direct, relayed = both([git_server, "--repository", str(repository)])
    assert "git_diff_unstaged" in same_tools(direct, relayed)
    path = str(repository)
    same_call(direct, relayed, "git_status", repo_path=path)
    same_call(direct, relayed, "git_log", repo_path=path, max_count=2)
    same_call(direct, relayed, "git_branch", repo_path=path, branch_type="local")
    same_call(direct, relayed, "git_status", repo_path="/")

    whole = direct.call("git_diff_unstaged", repo_path=path)["content"][0]["text"]
    probe = relayed.probe("git_diff_unstaged", repo_path=path)
    token = probe["continuation_token"]
    assert "\n".join(relayed.rows(token, page_size=1_000, path="/~text")) == whole
    found = relayed.read(token, mode="search", query="-2 4999", path="/~text")
    assert found["items"][0]["text"] == "-2 4999"
    files = relayed.read(token, mode="sql", query="SELECT file, removed FROM result")
    assert files["items"] == [{"file": "data.txt", "removed": 5_000}]


def test_the_values_of_two_servers_are_kept_apart(start, tmp_path):
    """Two commands share a store, but neither can read the other's results."""
    store = ["--store", f"sqlite:///{tmp_path}/results.sqlite"]
    (tmp_path / "a.txt").write_text("secret\n" * 9_000)
    files = start(npm("server-filesystem", tmp_path), *store)
    token = files.probe("read_text_file", path=str(tmp_path / "a.txt"))["continuation_token"]
    other = start(npm("server-everything", "stdio"), *store)
    refused = other.call("read_result", continuation_token=token)
    assert "secret" not in json.dumps(refused)
    assert refused["isError"]
