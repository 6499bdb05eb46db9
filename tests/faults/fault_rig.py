"""Penstock as a process, between clients and a server that breaks on demand."""

import json
import re
import signal
import subprocess
import sys
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import psutil
from carrier_clients import Client, HttpClient, StdioClient
from environments import clean_environment
from faulty_server import rows as rows_of_server
from relay_processes import PATIENCE, RUN, end, wait_until

SERVERS = Path(__file__).parents[1] / "servers"
SERVER, HTTP_SERVER = str(SERVERS / "faulty_server.py"), str(SERVERS / "faulty_http_server.py")
SERVE = [sys.executable, "-m", "penstock", "serve", "--port", "0"]
ADDRESS = re.compile(r"http://\S+(?=\n)")
ROWS = 2_000  # of a large result, about 160 kB
ENDLESS_SQL = (
    "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n"
)


@dataclass(frozen=True)
class Way:
    """A way through Penstock: the program, the kind of upstream, and the era of the client."""

    program: str
    upstream: str = "command"
    era: str = "legacy"

    def __str__(self) -> str:
        return f"{self.program}-{self.upstream}-{self.era}"


RUN_COMMAND, RUN_URL = Way("run"), Way("run", "url")
SERVE_COMMAND, SERVE_URL = Way("serve", era="modern"), Way("serve", "url", "modern")
WAYS = (RUN_COMMAND, RUN_URL, SERVE_COMMAND, SERVE_URL)


class Rig:
    """One Penstock at a time, whose results are in an SQLite file, and its upstream server.

    `options` are the server's. `upstream` is the URL of one that runs already.
    """

    def __init__(self, folder: Path, way: Way, *, options=(), upstream="", **settings: str) -> None:
        self.way = way
        self.folder = folder
        self.store = folder / "results.sqlite3"
        self._calls = folder / "calls"
        self._server = [sys.executable, SERVER, str(self._calls), *options]
        self._settings = settings
        self._open = ExitStack()
        self._logs = 0
        self._upstream = upstream
        self.process: subprocess.Popen[bytes] | None = None

    # -- processes -----------------------------------------------------------------------------

    def start(self, prefix=(), *, waits=True) -> None:
        """Start Penstock, by the command `prefix` if there is one. `serve` is up when it says its
        address."""
        is_url = self.way.upstream == "url"
        target = ["--url", self.upstream()] if is_url else ["--", *self._server]
        program = RUN if self.way.program == "run" else SERVE
        has_pipes = self.way.program == "run"
        pipe = subprocess.PIPE if has_pipes else subprocess.DEVNULL
        self.process, self.log = self._popen([*prefix, *program, *target], pipe)
        self._address = "" if has_pipes or not waits else address_in(self.log)

    def upstream(self) -> str:
        """Return the URL of the upstream server, which starts when it is first needed."""
        if not self._upstream:
            command = [sys.executable, HTTP_SERVER, str(self._calls)]
            _, log = self._popen(command, subprocess.DEVNULL)
            self._upstream = address_in(log)
        return self._upstream

    def _popen(self, command, pipe):
        self._logs += 1
        path = self.folder / f"{self._logs}.log"
        log = self._open.enter_context(path.open("wb"))
        settings = {
            "store": f"sqlite://{self.store}",
            "budget": "100kB",
            **self._settings,
        }
        process = subprocess.Popen(
            command,
            stdin=pipe,
            stdout=pipe if pipe == subprocess.PIPE else log,
            stderr=log,
            env=clean_environment(
                PYTHONFAULTHANDLER="1",
                **{f"PENSTOCK_{name.upper()}": value for name, value in settings.items()},
            ),
        )
        self._open.enter_context(process)
        self._open.callback(end, process.pid)
        return process, path

    def wait(self) -> int:
        """Return the exit code of Penstock. One that hangs shows where, in the failure."""
        try:
            return self.process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            self.process.send_signal(signal.SIGABRT)  # for Python's fault handler
            self.process.wait(PATIENCE)
            raise AssertionError(f"Penstock hangs:\n{self.log.read_text('utf-8')}") from None

    def stop(self) -> None:
        """End Penstock in the ordinary way."""
        if self.way.program == "serve":
            self.process.terminate()
        elif not self.process.stdin.closed:
            self.process.stdin.close()
        self.wait()

    def close(self) -> None:
        """End everything at once."""
        self._open.close()

    def below(self) -> list[psutil.Process]:
        """Return the processes that Penstock started, and theirs."""
        try:
            return psutil.Process(self.process.pid).children(recursive=True)
        except psutil.NoSuchProcess:
            return []

    def workers(self) -> list[psutil.Process]:
        """Return the processes that run queries."""
        return [one for one in self.below() if SERVER not in command_of(one)]

    def servers(self) -> list[psutil.Process]:
        """Return the processes of the command. One that has ended counts until it was waited for."""
        return [one for one in self.below() if SERVER in command_of(one)]

    def wait_for_query(self) -> psutil.Process:
        """Wait until a worker has computed for longer than its start takes."""
        busy: list[psutil.Process] = []

        def is_busy() -> bool:
            busy[:] = [one for one in self.workers() if seconds_of(one) > 0.5]
            return bool(busy)

        wait_until(is_busy, "a worker at its query")
        return busy[0]

    # -- what the server notes -----------------------------------------------------------------

    def count(self, event: str) -> int:
        """Return how often the server noted this: a tool that it ran, `up`, or `answered rows`."""
        try:
            return self._calls.read_text("utf-8").split("\n").count(event)
        except FileNotFoundError:
            return 0

    def wait_for(self, event: str, times=1) -> None:
        wait_until(lambda: self.count(event) >= times, event)

    def end_line(self) -> None:
        """Let the server end the line that does not end."""
        Path(f"{self._calls}.end").touch()
        self.wait_for("the line ended")

    # -- clients -------------------------------------------------------------------------------

    def client(self, *, greet=True) -> Client:
        era = self.way.era
        if self.way.program == "run":
            client: Client = StdioClient(era, self.process)
        else:
            client = HttpClient(era, self._address)
        if greet:
            client.greet()
            client.result(client.ask("tools/list"))  # as every host does
        return client

    @property
    def address(self) -> str:
        return self._address


def address_in(log: Path) -> str:
    """Wait until a process logs the address on which it listens."""
    found: list[str] = []
    wait_until(lambda: found.extend(ADDRESS.findall(log.read_text("utf-8"))) or found, "an address")
    return found[0]


def command_of(process: psutil.Process) -> list[str]:
    try:
        return process.cmdline() or [SERVER]  # a zombie has none
    except psutil.Error:  # it has ended meanwhile
        return []


def seconds_of(process: psutil.Process) -> float:
    try:
        return process.cpu_times().user
    except psutil.Error:  # it has ended meanwhile
        return 0.0


# -- an agent's calls ------------------------------------------------------------------------------


def hold(client: Client, count=ROWS) -> str:
    """Call the tool with a large result, and return the token: from now on it must not be lost."""
    told = json.loads(client.text(client.call("rows", count=count)))
    return told["continuation_token"]


def read(client: Client, token: str, **fields) -> int:
    return client.call("read_result", continuation_token=token, **fields)


def assert_kept(client: Client, token: str, count=ROWS) -> None:
    """Read all pages of a result, and compare them with the rows that the tool gave."""
    rows, following = [], token
    while following:
        page = json.loads(client.text(read(client, following, page_size=1_000)))
        rows, following = rows + page["items"], page["next"]
    assert rows == json.loads(rows_of_server(count))


def told_by(answer: dict) -> str:
    """Return the words of an answer that tell an agent about a fault."""
    if "error" in answer:
        return answer["error"]["message"]
    text = answer["result"]["content"][0]["text"]
    if not answer["result"].get("isError"):
        return text
    error = json.loads(text)
    return f"{error['error']} {error['next_step']}"
