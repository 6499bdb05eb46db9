"""`penstock audit` as a real process, with real servers behind pipes and behind HTTP."""

import json
import os
import pty
import re
import signal
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path
from uuid import uuid4

import psutil
import pytest
from environments import clean_environment
from relay_processes import PATIENCE, SCRIPTED, SERVERS, is_gone, wait_until

PLAIN = [sys.executable, str(SERVERS / "plain_server.py")]
SDK = [sys.executable, str(SERVERS / "sdk_server.py")]
LISTER = [sys.executable, str(SERVERS / "lister_server.py")]
PENSTOCK = [sys.executable, "-m", "penstock"]


def penstock(*arguments, data=None, **variables):
    return subprocess.run(
        [*PENSTOCK, *map(str, arguments)],
        capture_output=True,
        input=data or "",
        encoding="utf-8",
        env=clean_environment(COLUMNS="100", **variables),
        timeout=PATIENCE,
        check=False,
    )


def audited(*arguments, **options):
    done = penstock("audit", "--json", *arguments, **options)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def names(report):
    return sorted(tool["name"] for tool in report["tools"])


def refused(*arguments, **options):
    done = penstock("audit", *arguments, **options)
    assert done.returncode == 2, done
    assert "Traceback" not in done.stderr
    assert done.stdout == ""
    return done.stderr


@pytest.fixture
def tools(tmp_path):
    """Return a file of twelve tools, for the server that only lists."""
    listed = [
        {
            "name": f"tool_{n}",
            "description": "Does a thing. " * 40,
            "inputSchema": {"type": "object"},
        }
        for n in range(12)
    ]
    file = tmp_path / "tools.json"
    file.write_text(json.dumps(listed))
    return str(file)


@contextmanager
def on_http(*command):
    """Start a server, and yield the URL that it prints."""
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        yield process.stdout.readline().strip()
    finally:
        process.kill()
        process.wait()
        process.stdout.close()


# -- servers -----------------------------------------------------------------------------------


def test_a_server_of_the_sdk():
    report = audited("--", *SDK)
    assert report["server"]["name"] == "sdk"
    assert {"add", "rows", "greet"} <= set(names(report))
    assert report["raw"]["tools"] == len(report["tools"]) == 14
    assert report["counting"] == {"meter": "o200k", "exact": True}


@pytest.mark.parametrize("options", [[], ["--legacy"]])
def test_a_server_without_an_sdk(options):
    report = audited("--", *PLAIN, *options)
    assert names(report) == ["die", "echo", "regional", "rows", "seen", "wait"]
    assert report["server"] == {"name": "plain", "version": "1"}


@pytest.mark.parametrize(
    "options", [[], ["--page", "5"], ["--modern"], ["--modern", "--page", "1"], ["--asks"]]
)
def test_both_eras_and_all_pages(tools, options):
    report = audited("--", *LISTER, tools, *options)
    assert report["raw"]["tools"] == 12
    assert report["server"] == {"name": "lister", "version": "2.0"}


@pytest.mark.parametrize(
    "options",
    [
        [],
        ["--page", "5"],
        ["--modern"],
        ["--modern", "--page", "1"],
        ["--asks"],
        ["--modern", "--asks"],
    ],
)
def test_the_same_over_http(tools, options):
    with on_http(*LISTER, tools, "--http", *options) as url:
        report = audited("--url", url)
    assert report["raw"]["tools"] == 12
    assert report["server"] == {"name": "lister", "version": "2.0"}


@pytest.mark.parametrize("options", [[], ["--events"], ["--stateless"], ["--legacy"]])
def test_a_plain_server_over_http(options):
    with on_http(*PLAIN, "--http", *options) as url:
        assert names(audited("--url", url))[0] == "die"


def test_a_server_that_prints_junk_first():
    assert "read" in names(audited("--", *SCRIPTED, "--garbage"))


def test_an_error_shows_no_secret():
    for words in (["--pass", "hunter2hunter2"], ["--", "ghp_hunter2hunter2"]):
        told = refused("--", "sh", "-c", "echo $2; exit 3", "sh", *words)
        assert "non-MCP output: '…'" in told
        assert "hunter2" not in told


def test_credentials(tools):
    with on_http(*LISTER, tools, "--http", "--secret") as url:
        assert "The server refused access (HTTP 401)" in refused("--url", url)
        assert audited("--url", url, PENSTOCK_BEARER="x")["raw"]["tools"] == 12


# -- servers that fail -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (["--no-tools"], "offers no tools"),
        (["--no-tools", "--modern"], "offers no tools"),
        (["--no-list"], "holds no list of tools"),
        (["--endless"], "repeats the cursor 'again' after page 2."),
        (["--boundless"], "does not end: after 1,000 pages and 12,000 tools"),
        (["--page", "4", "--fails-at", "8"], "refused page 3 of tools/list: 'database gone'"),
        (["--refuses"], "refused the connection: 'no API key for initialize'"),
        (["--hang-at", "initialize"], "did not answer initialize within 5 s"),
        (["--hang-at", "tools/list"], "did not answer tools/list within 5 s"),
    ],
)
@pytest.mark.parametrize("transport", ["stdio", "http"])
def test_a_server_that_cannot_list(tools, options, told, transport):
    patience = ["--timeout", "5"] if "--hang-at" in options else []
    if transport == "stdio":
        assert told in refused(*patience, "--", *LISTER, tools, *options)
        return
    with on_http(*LISTER, tools, "--http", *options) as url:
        assert told in refused(*patience, "--url", url)


# Its errors have no request id, like those of a server that cannot read a message.
REFUSING = """
for line in open(0):
    print('{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"no \\\\u001b[31m"}}', flush=True)
"""


@pytest.mark.parametrize(
    ("command", "told"),
    [
        ([*SCRIPTED, "--exit", "3"], "ended with exit code 3 before it answered initialize"),
        ([*SCRIPTED, "--garbage", "--deaf"], "It printed non-MCP output: 'Welcome to the server!'"),
        (["/no/such/server"], "Cannot start '/no/such/server'"),
        ([sys.executable, "-c", REFUSING], "refused the connection: 'no \\x1b[31m'"),
    ],
)  # fmt: skip
def test_a_server_that_is_none(command, told):
    patience = ["--timeout", "5"] if "--deaf" in command else []
    said = refused(*patience, "--", *command)
    assert told in said
    assert "\x1b" not in said


@pytest.mark.parametrize(
    ("url", "told"),
    [
        ("http://127.0.0.1:9/mcp", "Cannot connect to http://127.0.0.1:9/mcp"),
        ("ftp://x", "must start with http"),
        ("http://[x", "'http://[x': names no server"),
    ],
)
def test_a_url_that_leads_nowhere(url, told):
    assert told in refused("--url", url)


@pytest.mark.parametrize(
    "options", [["--stubborn"], ["--child"], ["--deaf", "--child", "--stubborn"]]
)
def test_the_server_ends_with_the_command(options):
    mark = uuid4().hex
    penstock("audit", "--timeout", "5", "--", *SCRIPTED, *options, "--ready", f"/tmp/{mark}")  # noqa: S108 (a name to find it by)
    os.unlink(f"/tmp/{mark}")  # noqa: PTH108, S108 (as above)
    assert not [number for number in marked(mark) if not is_gone(number)]


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGQUIT])
def test_a_signal_ends_both(number):
    mark = uuid4().hex
    silent = [sys.executable, "-c", "import signal; signal.pause()", mark]
    process = subprocess.Popen(
        [*PENSTOCK, "audit", "--", *silent], stderr=subprocess.PIPE, text=True
    )
    wait_until(lambda: len(marked(mark)) == 2)
    process.send_signal(number)
    _, told = process.communicate(timeout=PATIENCE)
    assert process.returncode == 128 + number
    assert "Traceback" not in told
    assert all(map(is_gone, marked(mark)))


def marked(mark):
    found = psutil.process_iter(["cmdline"])
    return [
        process.pid
        for process in found
        if any(mark in word for word in process.info["cmdline"] or [])
    ]


# -- files -------------------------------------------------------------------------------------


def test_a_saved_list(tools):
    assert names(audited("--tools", tools))[0] == "tool_0"
    listed = Path(tools).read_text()
    assert audited("--tools", "-", data=f'{{"tools":{listed}}}')["raw"]["tools"] == 12


def test_a_page_of_a_list_says_so():
    done = penstock("audit", "--tools", "-", data='{"tools":[],"nextCursor":"x"}')
    assert done.returncode == 0
    assert "stdin is one page of a longer list" in done.stderr
    assert done.stdout == "The file lists no tools, so there is nothing to save.\n"


def test_no_tools_are_valid_json():
    report = audited("--tools", "-", data="[]")
    assert (report["tools"], report["raw"]["tools"], report["auto"]) == ([], 0, "full")


@pytest.mark.parametrize(
    ("arguments", "data", "told"),
    [
        (["--tools", "-"], "tools", "stdin is not JSON"),
        (["--tools", "-"], "{}", "stdin holds no list of tools"),
        (["--tools", "/no/such/file"], "", "Cannot read /no/such/file: No such file"),
        (["--tools", "/"], "", "Cannot read /: Is a directory"),
        (["--tools", "-", "--url", "http://x"], "[]", "Both a file and a server"),
        (["--tools", "-", "--", "true"], "[]", "Both a file and a server"),
        (["--url", "http://x", "--", "true"], "", "Both a command and a URL"),
        ([], "", "Name one: penstock audit -- COMMAND"),
        (["/no/such/server", "--all"], "", "Cannot start '/no/such/server'"),
        (["--timeout", "0", "--", "true"], "", "'0' is not a number of seconds"),
        (["--timeout", "nan", "--", "true"], "", "'nan' is not a number of seconds"),
        (["--list-budget", "1tok", "--", "true"], "", "must be at least"),
        (["--list-budget", "much", "--tools", "-"], "[]", "much"),
        (["--tools", "-", "--html", "/no/such/folder/x.html"], "[]", "Cannot write /no/such"),
    ],
)
def test_what_is_refused(arguments, data, told):
    assert told in refused(*arguments, data=data)


def test_odd_tools():
    odd = [{"name": "bare"}, {"name": "null", "description": None, "inputSchema": 7}, {"x": 1}, 5]
    huge = {"name": "huge", "description": "x y " * 50_000, "inputSchema": {}}
    report = audited("--tools", "-", data=json.dumps([*odd, huge]))
    assert [tool["name"] for tool in report["tools"]] == ["huge", "null", "bare"]
    assert report["left_out"] == 2
    assert report["tools"][0]["description"] > 90_000


def test_settings_choose(tools):
    large = audited("--tools", tools, "--list-budget", "9000tok")
    assert large["auto"] == large["forms"]["auto"]["given"] == "short"
    small = audited("--tools", tools, "--list-budget", "800tok", "--always", "tool_[12]*")
    assert small["auto"] == small["forms"]["auto"]["given"] != "full"
    assert not small["forms"]["auto"]["within_budget"], "for the tools that stay listed"
    assert (small["list_budget"], small["always"]) == ("800tok", ["tool_[12]*"])
    named = audited("--tools", tools, PENSTOCK_LIST_BUDGET="1000tok")
    assert named["list_budget"] == "1000tok"
    assert named["forms"]["auto"]["within_budget"]
    assert named["forms"]["auto"]["tokens"] <= 1_000


# -- what it says ------------------------------------------------------------------------------


def test_the_table_and_the_page(tools, tmp_path):
    page = tmp_path / "cost.html"
    done = penstock("audit", "--html", page, "--", *LISTER, tools)
    assert done.returncode == 0
    assert done.stdout.startswith("lister 2.0 lists 12 tools: ")
    assert page.read_text("utf-8").startswith("<!DOCTYPE html>")
    assert done.stderr.splitlines() == [
        "penstock: starting the server",
        "penstock: 12 tools listed",
        f"penstock: {page} written",
    ]


def test_without_the_extra_it_says_that_it_estimates(tools):
    hidden = (
        "import sys; sys.modules['rs_bpe'] = None; import importlib.util as u; f = u.find_spec\n"
    )
    hidden += "u.find_spec = lambda name, *a: None if name == 'rs_bpe' else f(name, *a)\n"
    hidden += f"from penstock.cli import main; sys.exit(main(['audit', '--tools', {tools!r}]))"
    done = subprocess.run(
        [sys.executable, "-c", hidden], capture_output=True, text=True, check=True
    )
    assert "Tokens are estimated, on the high side." in done.stdout


def test_a_terminal_that_knows_only_ascii(tools):
    done = penstock("audit", "--tools", tools, PYTHONIOENCODING="ascii")
    assert done.returncode == 0
    assert "#####" in done.stdout


def test_a_reader_that_has_read_enough():
    listed = json.dumps([{"name": f"t{n}"} for n in range(3_000)])
    reading = f"{sys.executable} -m penstock audit --all --tools - | head -1"
    done = subprocess.run(
        ["bash", "-c", f"set -o pipefail; {reading}"],
        input=listed,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0
    assert done.stderr == ""


def test_where_somebody_watches_there_is_a_spinner(tools):
    """The spinner is erased at the end."""
    ours, theirs = pty.openpty()
    slow = f"import time, runpy, sys; time.sleep(1); sys.argv = ['x', {tools!r}]; runpy.run_path({LISTER[1]!r}, run_name='__main__')"
    command = [*PENSTOCK, "audit", "--json", "--", sys.executable, "-c", slow]
    process = subprocess.Popen(command, stderr=theirs, stdout=subprocess.DEVNULL)
    assert process.wait(PATIENCE) == 0
    os.close(theirs)
    shown = os.read(ours, 100_000).decode()
    os.close(ours)
    assert re.search(r"[|/\\-] starting the server \(\d+ s\)", shown)
    assert shown.endswith("\r\x1b[K")
    assert "\n" not in shown


def test_a_url_in_the_environment(tools):
    with on_http(*LISTER, tools, "--http") as url:
        assert audited(PENSTOCK_URL=url)["raw"]["tools"] == 12


def test_a_secret_in_a_url_is_not_printed():
    told = refused(PENSTOCK_URL="http://ann:pw@127.0.0.1:9/s/9f86d081884c7d65/mcp?token=t")
    assert "http://…@127.0.0.1:9/s/…/mcp?…" in told
    assert "9f86d" not in told
    assert "pw@" not in told


def test_help():
    done = penstock("audit", "--help")
    assert done.returncode == 0
    for option in (
        "--tools",
        "--timeout",
        "--list-budget",
        "--always",
        "--json",
        "--html",
        "--all",
        "--url",
    ):
        assert f"  {option}" in done.stdout
