"""The logs example as a client sees it: in process by FastMCP's client, over stdio by the SDK's."""

import asyncio
import gzip
import importlib.util
import json
import subprocess
import sys
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

pytest.importorskip("fastmcp", reason="the logs example needs the fastmcp extra")

from fastmcp import Client
from mcp import Client as SdkClient
from mcp import StdioServerParameters
from mcp.client.stdio import stdio_client

from penstock.adapters.fastmcp import Penstock

LOGS = Path(__file__).parents[2] / "examples" / "logs"
sys.path.insert(0, str(LOGS))
PATIENCE = 180  # seconds, for a busy machine


def loaded(name):
    """By a name of its own: other examples have a server.py too."""
    spec = importlib.util.spec_from_file_location(f"logs_{name}", LOGS / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # where type hints are looked for
    spec.loader.exec_module(module)
    return module


server = loaded("server")
sample = loaded("sample")


@pytest.fixture
def logs(tmp_path):
    (tmp_path / "secret").write_text("not for you\n")
    folder = tmp_path / "logs"
    folder.mkdir()
    text = "".join(f"{line}\n" for line in sample.lines(3_000))
    (folder / "shop.log").write_text(text, "utf-8")
    (folder / "shop.log.1.gz").write_bytes(gzip.compress(text.encode()))
    (folder / "odd.log").write_bytes(b"caf\xe9\n" * 3)
    return folder


def run(scenario):
    async def patiently():
        async with asyncio.timeout(PATIENCE):
            return await scenario()

    return asyncio.run(patiently())


@asynccontextmanager
async def connected(folder):
    inside = Penstock(name="logs")
    try:
        async with Client(server.build(folder, inside)) as client:
            yield client
    finally:
        inside.close()


async def told(client, tool, **arguments):
    result = await client.call_tool(tool, arguments)
    assert not result.is_error, result.content
    return json.loads(result.content[0].text)


def answer(folder, tool, **arguments):
    async def scenario():
        async with connected(folder) as client:
            return await told(client, tool, **arguments)

    return run(scenario)


def refusal(folder, tool, **arguments):
    async def scenario():
        async with connected(folder) as client:
            result = await client.call_tool(tool, arguments, raise_on_error=False)
            assert result.is_error
            return result.content[0].text

    return run(scenario)


def test_the_tools(logs):
    async def scenario():
        async with connected(logs) as client:
            return {tool.name: tool for tool in await client.list_tools()}

    tools = run(scenario)
    assert list(tools) == ["list_logs", "read_log", "count_by", "read_result"]
    fields = tools["read_log"].input_schema["properties"]
    assert {"name", "since", "until", "level", "continuation_token", "mode"} <= set(fields)
    assert set(tools["count_by"].input_schema["properties"]) == {"name", "field"}
    assert all(tool.annotations.read_only_hint for tool in tools.values())


def test_what_is_there(logs):
    names = [log["name"] for log in answer(logs, "list_logs")]
    assert names == ["odd.log", "shop.log", "shop.log.1.gz"]


@pytest.mark.parametrize("name", ["shop.log", "shop.log.1.gz"])
def test_a_walk_to_the_end_sees_every_row_once(logs, name):
    async def scenario():
        async with connected(logs) as client:
            probe = await told(client, "read_log", name=name)
            rows, token = [], probe["continuation_token"]
            while token:
                page = await told(
                    client,
                    "read_log",
                    continuation_token=token,
                    **({} if rows else {"page_size": 500}),
                )
                rows += page["items"]
                token = page["next"]
            return probe, rows

    probe, rows = run(scenario)
    assert probe["columns"].keys() == {"line", "time", "level", "logger", "message"}
    assert probe["count"] == len(rows)
    lines = "\n".join((logs / "shop.log").read_text("utf-8").splitlines())
    assert "\n".join(_line(row) for row in rows) == lines


def _line(row):
    """As the sample writes it."""
    time = row["time"].replace("T", " ").replace(".", ",")
    return f"{time} {row['level']} {row['logger']}: {row['message']}"


def test_the_cause_is_found_in_two_calls(logs):
    async def scenario():
        async with connected(logs) as client:
            probe = await told(client, "read_log", name="shop.log", level="error")
            query = "SELECT line, message FROM result WHERE level = 'CRITICAL'"
            found = await told(
                client,
                "read_result",
                continuation_token=probe["continuation_token"],
                mode="sql",
                query=query,
            )
            return probe, found

    probe, found = run(scenario)
    assert probe["count"] < 100
    assert [row["message"] for row in found["items"]] == [sample.CAUSE]


def test_a_token_lasts_a_quarter_of_an_hour(logs):
    assert answer(logs, "read_log", name="shop.log")["expires_in"] in (899, 900)


def test_few_entries_are_given_as_they_are(logs):
    rows = answer(logs, "read_log", name="odd.log")
    assert [(row["line"], row["message"]) for row in rows] == [
        (1, "caf\\xe9"), (2, "caf\\xe9"), (3, "caf\\xe9")
    ]  # fmt: skip


def test_a_window_in_time(logs):
    first = answer(logs, "read_log", name="shop.log", until="2026-03-02T00:03")
    assert [row["line"] for row in first] == list(range(1, len(first) + 1))
    assert first[-1]["time"][:16] == "2026-03-02T00:03"
    next_line = (logs / "shop.log").read_text("utf-8").splitlines()[len(first)]
    assert next_line > "2026-03-02 00:04"
    assert answer(logs, "read_log", name="shop.log", since="2030-01-01") == []


@pytest.mark.parametrize("field", ["level", "logger", "day", "hour"])
def test_counts(logs, field):
    counted = answer(logs, "count_by", name="shop.log", field=field)
    counts = [each["entries"] for each in counted["counts"]]
    assert sum(counts) == counted["total"]
    assert counted["omitted"] == 0
    values = [each[field] for each in counted["counts"]]
    if field in ("day", "hour"):
        assert values == sorted(values)
    else:
        assert counts == sorted(counts, reverse=True)


def test_counts_of_very_many_values(tmp_path):
    text = "".join(f"INFO:logger{n}:hello\n" for n in range(70))
    (tmp_path / "many.log").write_text(f"no logger\n{text}")
    counted = answer(tmp_path, "count_by", name="many.log", field="logger")
    assert (counted["total"], len(counted["counts"]), counted["omitted"]) == (71, 50, 21)
    assert counted["counts"][0] == {"logger": None, "entries": 1}


@pytest.mark.parametrize(
    ("tool", "arguments", "words"),
    [
        ("read_log", {"name": "../secret"}, "There is no log '../secret' here."),
        ("read_log", {"name": "/etc/passwd"}, "There is no log '/etc/passwd' here."),
        ("count_by", {"name": "../secret", "field": "level"}, "There is no log '../secret' here."),
        ("read_log", {"name": "shop.lo"}, "Near it: shop.log"),
        ("read_log", {"name": "shop.log", "since": "soon"}, "since 'soon' is not a time."),
        ("read_log", {"name": "shop.log", "level": "LOUD"}, "There is no level 'LOUD'."),
        ("read_log", {}, "Missing: 'name'."),
        ("read_log", {"name": "shop.log", "colour": "red"}, "colour"),
        ("count_by", {"name": "shop.log", "field": "colour"}, "'level', 'logger', 'day' or 'hour'"),
    ],
)
def test_what_is_wrong_is_told(logs, tool, arguments, words):
    text = refusal(logs, tool, **arguments)
    assert words in text
    assert "Traceback" not in text
    assert str(logs) not in text


def test_more_than_can_be_kept(logs, monkeypatch):
    monkeypatch.setattr(server, "MOST_ENTRIES", 100)
    assert "More than 100 entries." in refusal(logs, "read_log", name="shop.log")
    fits = answer(logs, "read_log", name="shop.log", level="ERROR")
    assert fits.get("count", 0) < 100 if isinstance(fits, dict) else len(fits) < 100


def test_over_stdio_by_the_sdk(tmp_path):
    """As the README says it: the sample, then the server."""
    subprocess.run([sys.executable, LOGS / "sample.py", tmp_path], check=True, capture_output=True)
    command = [str(LOGS / "server.py"), str(tmp_path)]

    async def scenario():
        pipe = stdio_client(StdioServerParameters(command=sys.executable, args=command))
        async with SdkClient(pipe) as client:
            probe = await told(client, "read_log", name="shop.log")
            token = probe["continuation_token"]
            found = await told(
                client, "read_log", continuation_token=token, mode="search", query="certificate"
            )
            refused = await client.call_tool("read_log", {"name": "../x"})
            return probe, found, refused

    probe, found, refused = run(scenario)
    assert probe["count"] > 49_000
    assert [hit["value"]["message"] for hit in found["items"]] == [sample.CAUSE]
    assert refused.is_error


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (["--help"], 0, "the only folder that is read"),
        (["/no/such/folder"], 2, "No such file or directory"),
        ([__file__], 2, "is not a folder"),
        ([], 2, "folder"),
    ],
)
def test_the_command_line(arguments, code, words, capsys):
    with pytest.raises(SystemExit) as ended:
        server.main(arguments)
    assert ended.value.code == code
    told = capsys.readouterr()
    assert words in told.out + told.err
