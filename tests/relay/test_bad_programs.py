"""Programs that fail, through `penstock run` and real servers: the agent reads what went wrong, where,
and what to do next, within every budget. Nothing is lost, nothing runs twice, and Penstock goes on
serving."""

import json
import sys
import threading
from pathlib import Path

import pytest
from http_rig import Raw, serving
from node_runtime import node, package
from relay_calls import compact, value_of
from relay_processes import SERVERS, StdioClient, wait_until
from relay_weights import over

SERVER = [sys.executable, str(SERVERS / "program_server.py")]
BUDGETS = ["25kB", "1kB", "500tok"]
GATHER = "import asyncio\nx = 1\nawait asyncio.gather(*[{} for n in range({})])"

# Programs, part of the error, the line that it names (0 for none), and part of the next step.
BAD = {
    "a syntax error": ("x = 1\nx = = 2", "SyntaxError", 2, "Correct the program"),
    "an unclosed bracket": ("x = 1\n\nf(", "SyntaxError", 3, "Correct the program"),
    "an unknown tool": ("x = 1\nawait get_isue(key='A-1')", "'get_isue'", 2, "get_issue"),
    "an unknown tool by name": (
        "await call('ecko', {})",
        "did you mean echo",
        1,
        "Correct the program",
    ),
    "an unknown tool with an odd name": (
        "await odd_name(text='a')",
        "NameError",
        1,
        'call("odd-name"',
    ),
    "a missing argument": (
        "x = 1\nawait get_issue()",
        "parameter key of function",
        2,
        "Correct the program",
    ),
    "an argument too many": (
        "await get_issue(key='A-1', nope=1)",
        "nope",
        1,
        "Correct the program",
    ),
    "an argument of another type": (
        "await repeat(text='a', times='b')",
        "Expected float",
        1,
        "Correct the program",
    ),
    "an argument against the pattern": (
        "for key in ['A-1', 'bad']:\n    await get_issue(key=key)",
        "get_issue(): key: this does not match",
        2,
        "do not repeat",
    ),
    "an argument against the choices": (
        "await get_issue('A-1', 'm')",
        "size: this is not one of",
        1,
        "Correct the program",
    ),
    "a call that is not awaited": ("x = 1\necho(text='a')", "was not awaited", 2, "await"),
    "a tool that may write": ("await write(path='/tmp/x')", "may only read", 1, "outside"),
    "endless recursion": (
        "def f():\n    return f()\nf()",
        "RecursionError",
        2,
        "Correct the program",
    ),
    "a list of 10 GB": ("x = 1\n[0] * 10**10", "256 MB of memory", 2, "Ask for less"),
    "a text of 10 GB": ("'x' * 10**10", "256 MB of memory", 1, "Ask for less"),
    "a list that grows": ("x = [0]\nwhile True:\n    x = x + x", "of memory", 0, "Ask for less"),
    "a program of 1 MB": ("x = 1\n" * 170_000, "at most 100,000", 0, "value(token)"),
    "no program": (" \n", "must be a Python program", 0, "1 + 1"),
    "10,000 calls at once": (GATHER.format("echo(text=str(n))", 10_000), "100 calls", 0, "less"),
    "a tool that fails": ("x = 1\nawait fails(why='no pump')", "fails: no pump", 2, "not repeat"),
    "a value without a JSON form": (
        "x = 1\n[lambda: 1]",
        "/0 in the value",
        2,
        "Correct the program",
    ),
    "a value that holds itself": (
        "x = []\nx.append(x)\nx",
        "RecursionError",
        3,
        "Correct the program",
    ),
    "a number of 100,000 digits": ("10**100_000", "4300 digits", 1, "Correct the program"),
    "100 MB of printing": (
        "for n in range(100_000):\n    print('x' * 1_000)",
        "printed more than 1,000,000 bytes",
        0,
        "Return a value",
    ),
    "a limit that is caught": (
        "try:\n    [0] * 10**10\nexcept BaseException:\n    pass\n'caught'",
        "of memory",
        2,
        "Ask for less",
    ),
    "too many calls that are caught": (
        "try:\n    while True:\n        await echo(text='a')\nexcept BaseException:\n    pass\n'caught'",
        "100 calls",
        0,
        "not repeat",
    ),
    "a token that nobody gave": (
        "x = 1\nvalue('pen_' + '1' * 39)",
        "expired or not found",
        2,
        "Correct the program",
    ),
    "a token of another kind": ("rows(5)", "a token is a text", 1, "Correct the program"),
    "a statement that is no text": ("sql(5, t=[1])", "is not text", 1, "Correct the program"),
    "an error of control characters": (
        "raise ValueError('\\x01' * 900)",
        "ValueError",
        1,
        "Correct the program",
    ),
    "an error in many bytes": (
        "raise ValueError('\\U0001f4a7' * 900)",
        "ValueError",
        1,
        "Correct the program",
    ),
    "an error beside much printing": (
        "print('\\x02' * 999_999)\nraise ValueError('\\x01' * 900)",
        "ValueError",
        2,
        "Correct the program",
    ),
    "a future of an earlier program": ("await later", "earlier program", 0, "again"),
    "an answer that is forged": (
        "_penstock_answer = lambda v: ('{', 0)\n5",
        "was replaced",
        0,
        "Leave names alone",
    ),
}
# Programs that the limit on time ends: after a second here.
SLOW = {
    "an endless loop": ("while True:\n    pass", "took longer than"),
    "an endless loop that catches": (
        "while True:\n    try:\n        while True:\n            pass\n    except BaseException:\n        pass",
        "took longer than",
    ),
    "an endless loop of stores": ("while True:\n    store(1)", "took longer than"),
    "an endless loop after a call": (
        "await slow(text='a', seconds=0.5)\nwhile True:\n    pass",
        "took longer than",
    ),
    "a tool that never answers": ("await wait()", "longer than 1 seconds"),
    "eight tools that never answer": (GATHER.format("wait()", 20), "longer than 1 seconds"),
    "a pattern that backtracks": (
        r"import re" + "\n" + r"re.match(r'(a|a|b)*\1(a+)+$', 'a' * 200 + 'c')",
        "",
    ),
}


@pytest.fixture(scope="module")
def record(tmp_path_factory):
    """Return the file in which the server notes its calls."""
    return tmp_path_factory.mktemp("calls") / "record"


@pytest.fixture(scope="module")
def opened(record):
    """Return a function that starts a relay once for each set of options."""
    clients = {}

    def client(*options, **environment):
        key = (options, *environment.items())
        if key not in clients:
            command = [*SERVER, "--record", str(record)]
            clients[key] = StdioClient(command, *options, environment=environment)
            clients[key].greet()
        return clients[key]

    yield client
    for one in clients.values():
        one.discard()


@pytest.fixture(params=BUDGETS)
def agent(request, opened):
    return opened("--programs", "on", "--budget", request.param)


@pytest.fixture
def hurried(opened):
    return opened("--programs", "on", "--budget", "1kB", PENSTOCK_PROGRAM_SECONDS="1")


def told(agent, code, tool="run_python"):
    """Return what the agent reads about a program that fails. Check its form and its size."""
    result = agent.call(tool, code=code)
    assert not over(compact(result), agent.budget)
    assert result["isError"] is True
    text = result["content"][0]["text"]
    assert "Traceback" not in text
    assert 'File "' not in text
    return json.loads(text)


def assert_serving(agent):
    """Check that the next program and the next call are answered as ever."""
    assert value_of(agent.call("run_python", code="await echo(text='a')\n1 + 1")) == 2
    assert agent.call("echo", text="a")["content"][0]["text"] == "a"


def made_with(mark, record):
    """Return the calls that reached the server with this mark in an argument."""
    return [line for line in record.read_text("utf-8").splitlines() if mark in line]


@pytest.mark.parametrize("name", BAD)
def test_the_agent_reads_what_is_wrong_and_where(agent, name):
    code, error, line, step = BAD[name]
    if "later" in code:
        told(agent, "later = echo(text='a')")
    found = told(agent, code)
    assert error in found["error"]
    if "line" in found or agent.budget.bytes == 25_000:  # a small budget may have no room for it
        assert found.get("line", 0) == line
        assert found.get("code", "") == (code.splitlines()[line - 1].strip() if line else "")
    assert step in found["next_step"]
    assert_serving(agent)


@pytest.mark.parametrize("name", SLOW)
def test_the_limit_on_time_ends_every_program(hurried, name):
    code, error = SLOW[name]
    result = hurried.call("run_python", code=code)
    assert not over(compact(result), hurried.budget)
    if error:  # the sandbox may also find the answer in time
        found = value_of(result)
        assert error in found["error"]
        assert "Ask for less" in found["next_step"]
    # On a busy machine a second may be too short for any program.
    wait_until(lambda: value_of(hurried.call("run_python", code="1 + 1")) == 2, "the next program")


def test_a_variable_that_has_expired(opened):
    agent = opened("--programs", "on", "--ttl", "1", "--max-ttl", "1")
    agent.call("run_python", code="kept = 5")
    threading.Event().wait(1.3)  # another program would make them live longer
    found = told(agent, "1\nkept")
    assert found["error"] == "NameError: name 'kept' is not defined"
    assert found["line"] == 2
    assert "end after 1 seconds without use" in found["next_step"]


NO_ANSWER = "it had not answered when the program ended, and may have run"
FAILING = """
import asyncio
await asyncio.gather(
    echo(text="{0} a"), fails(why="{0} broken"), echo(text="{0} b"), slow(text="{0} c", seconds=30)
)
"""


def test_a_tool_that_fails_in_the_middle_of_a_gather(agent, record):
    mark = f"gather {agent.budget}"
    found = told(agent, FAILING.format(mark))
    assert found["error"] == f"RuntimeError: fails: {mark} broken"
    if "called" in found:
        assert found["called"] == "echo 2x, fails 1x, slow 1x"
    token = found["continuation_token"]
    kept = {one["arguments"].get("text", "fails"): one for one in agent.rows(token)}
    assert set(kept) == {f"{mark} a", f"{mark} b", f"{mark} c", "fails"}
    for text in (f"{mark} a", f"{mark} b"):  # the program may have failed before they were done
        assert kept[text].get("result") == text or kept[text]["error"] == NO_ANSWER
    assert kept["fails"]["error"] == f"{mark} broken"
    assert kept[f"{mark} c"]["error"] == NO_ANSWER
    again = f"len(value('{token}'))"
    assert value_of(agent.call("run_python", code=again)) == 4
    wait_until(lambda: len(made_with(mark, record)) >= 4, "the last call")
    assert len(made_with(mark, record)) == 4


def test_an_error_that_is_caught_in_a_gather_loses_nothing(agent, record):
    mark = f"caught {agent.budget}"
    code = f"""
import asyncio
async def tried(n):
    try:
        return await (fails(why="{mark}") if n % 3 == 0 else echo(text="{mark} " + str(n)))
    except RuntimeError as error:
        return str(error)
await asyncio.gather(*[tried(n) for n in range(20)])
"""
    result = agent.call("run_python", code=code)
    assert not over(compact(result), agent.budget)
    answer = value_of(result)
    if isinstance(answer, dict):
        answer = agent.rows(answer["continuation_token"])
    assert answer == [f"fails: {mark}" if n % 3 == 0 else f"{mark} {n}" for n in range(20)]
    assert len(made_with(mark, record)) == 20


def test_what_was_printed_is_never_lost(agent):
    for answer in ("5", "list(range(5_000))"):
        for printed in ("'é' * 990", "'\\x01' * 990", "'line\\n' * 5_000"):
            result = agent.call(
                "run_python", code=f"await echo(text='a')\nprint({printed})\n{answer}"
            )
            assert not over(compact(result), agent.budget)
            shown = json.dumps(result["content"], ensure_ascii=False)
            assert "Called echo 1x" in shown
            if eval(printed).strip() in result["content"][-1]["text"]:  # noqa: S307 (a text from above)
                continue
            token = shown.partition("characters, kept as ")[2][:43]
            count = value_of(agent.call("run_python", code=f"len(value('{token}'))"))
            assert count == len(eval(printed)) + 1  # noqa: S307 (a text from above)


@pytest.fixture(scope="module")
def served(tmp_path_factory):
    with serving("--programs", "on", "--", *SERVER) as url:
        yield url


def test_the_token_of_another_user_reads_as_any_bad_token(served):
    with Raw(served) as ann, Raw(served) as bob:
        for user in (ann, bob):
            user.initialize()
        token = ann.call("run_python", {"code": "secret = 5\nstore(['secret'])"})["content"][0][
            "text"
        ]
        assert value_of(ann.call("run_python", {"code": f"rows('{token}')"})) == ["secret"]
        for code in ("value('{}')", "rows('{}')", "sql('SELECT * FROM t', t='{}')"):
            stolen = value_of(bob.call("run_python", {"code": code.format(token)}))
            made_up = value_of(bob.call("run_python", {"code": code.format("pen_" + "1" * 39)}))
            assert stolen["error"] == made_up["error"]
            assert "expired or not found" in stolen["error"]
            assert stolen["next_step"] == made_up["next_step"]
        assert "not defined" in value_of(bob.call("run_python", {"code": "secret"}))["error"]


# -- a server from a registry ------------------------------------------------------------------


@pytest.fixture
def files(start, tmp_path):
    (tmp_path / "a.txt").write_text("alpha")
    script = package("@modelcontextprotocol/server-filesystem/dist/index.js")
    return start([node(), script, str(tmp_path)], "--programs", "write")


def test_wrong_programs_for_a_real_server(files, tmp_path):
    found = told(files, "x = 1\nawait read_textfile(path='a')")
    assert found["line"] == 2
    assert "read_text_file" in found["next_step"]
    found = told(files, f"x = 1\nawait read_text_file(path='{tmp_path}/a.txt', head='two')")
    assert found["line"] == 2
    assert "head" in found["error"] or "Expected" in found["error"]
    found = told(files, f"await write_file(path='{tmp_path}/b.txt', content='x')")
    assert "may only read" in found["error"]
    found = told(files, "await read_text_file(path='/etc/passwd')")
    assert "read_text_file" in found["error"]
    assert not (tmp_path / "b.txt").exists()


def test_writes_beside_a_call_that_fails_are_made_once_and_told(files, tmp_path):
    code = f"""
import asyncio
await asyncio.gather(
    write_file(path="{tmp_path}/b.txt", content="b"),
    read_text_file(path="{tmp_path}/missing.txt"),
    write_file(path="{tmp_path}/c.txt", content="c"),
)
"""
    found = told(files, code, "run_python_with_writes")
    assert found["called"] == "write_file 2x, read_text_file 1x"
    kept = files.rows(found["continuation_token"])
    assert {Path(one["arguments"]["path"]).name for one in kept} == {
        "b.txt",
        "missing.txt",
        "c.txt",
    }
    for name in ("b", "c"):
        wait_until((tmp_path / f"{name}.txt").exists, "the file")
