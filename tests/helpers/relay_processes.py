"""`penstock run` as a real process, and a client on its pipes."""

import json
import queue
import subprocess
import sys
import tempfile
import threading
from contextlib import suppress
from pathlib import Path
from typing import Any

import psutil
from environments import clean_environment
from relay_calls import Caller
from relay_rig import LEGACY_GREETING

from penstock.core.budget.budget import Budget

SERVERS = Path(__file__).parent.parent / "servers"
SCRIPTED = [sys.executable, str(SERVERS / "scripted_server.py")]
RUN = [sys.executable, "-m", "penstock", "run"]
PATIENCE = 180  # seconds, for a busy machine


class StdioClient(Caller):
    """A client that writes and reads lines.

    With `is_reading=False`, the output stays in the pipe. With `behind=False`, the command runs
    without the relay, for comparison.
    """

    def __init__(self, command, *options, environment=None, cwd=None, is_reading=True, behind=True):
        super().__init__()
        self.log = tempfile.TemporaryFile()  # noqa: SIM115 (closed with the client)
        self.process = subprocess.Popen(
            [*RUN, *options, "--", *command] if behind else command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self.log,
            env=clean_environment(**(environment or {})),
            cwd=cwd,
        )
        if "--budget" in options:
            self.budget = Budget.parse(options[options.index("--budget") + 1])
        self.others: list[dict[str, Any]] = []
        self._lines: queue.SimpleQueue[bytes] = queue.SimpleQueue()
        self._reader: threading.Thread | None = None
        if is_reading:
            self.start_reading()

    def start_reading(self):
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self):
        with suppress(OSError, ValueError):  # a test has closed the pipe
            for line in self.process.stdout:
                self._lines.put(line)
        self._lines.put(b"")

    # -- messages ------------------------------------------------------------------------------

    def send(self, message: Any) -> None:
        line = message if isinstance(message, bytes) else json.dumps(message).encode()
        self.process.stdin.write(line + b"\n")
        self.process.stdin.flush()

    def receive(self) -> bytes:
        """Return the next line, or an empty one at the end."""
        return self._lines.get(timeout=PATIENCE)

    def receive_rest(self) -> list[bytes]:
        """Return all lines up to the end."""
        return list(iter(self.receive, b""))

    def send_request(self, request):
        self.send(request)
        return self.answer_to(request["id"])

    def answer_to(self, key: Any) -> dict[str, Any]:
        """Return the answer with this id. Keep other messages in `others`."""
        for line in iter(self.receive, b""):
            message = json.loads(line)
            if message.get("id") == key and "method" not in message:
                return message
            self.others.append(message)
        with suppress(subprocess.TimeoutExpired):  # It has closed its output, and goes on.
            self.process.wait(1)
        raise EOFError(f"exit code {self.process.returncode}, log: {self.errors!r}")

    def greet(self):
        answer = self.ask("initialize", LEGACY_GREETING)
        self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
        return answer["result"]

    # -- the process ---------------------------------------------------------------------------

    @property
    def errors(self) -> str:
        """The log so far."""
        self.log.seek(0)
        return self.log.read().decode()

    def hang_up(self) -> None:
        self.process.stdin.close()

    def wait(self) -> int:
        return self.process.wait(PATIENCE)

    def close(self) -> int:
        """Close the input, and wait for the process to end."""
        self.hang_up()
        return self.wait()

    def discard(self) -> None:
        """Kill the process first, so that a blocked writer stops. Then release all resources."""
        end(self.process.pid)
        self.process.wait()
        if self._reader is not None:
            self._reader.join(PATIENCE)
        self.process.stdout.close()
        with suppress(OSError):
            self.process.stdin.close()
        self.log.close()


def end(number: int) -> None:
    """Kill a process and all its descendants."""
    try:
        process = psutil.Process(number)
        family = [process, *process.children(recursive=True)]
    except psutil.NoSuchProcess:
        return
    for member in family:
        try:
            member.kill()
        except psutil.NoSuchProcess:
            continue


def is_gone(number: int) -> bool:
    """Return whether a process has ended. A zombie has ended too."""
    try:
        return psutil.Process(number).status() == psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return True


def is_guardian(process: psutil.Process) -> bool:
    """Return whether this is the process that ends servers after Penstock was killed."""
    try:
        return "groups=' '" in " ".join(process.cmdline())
    except psutil.Error:  # it has ended meanwhile
        return False


def wait_until(condition, what="it"):
    """Wait for something that has no event: the end of a process that is not our child, a file."""
    pause = threading.Event()
    for _ in range(PATIENCE * 50):
        if condition():
            return
        pause.wait(0.02)
    raise AssertionError(f"{what} never came to be")


def wait_for_clerks(folder: Path) -> None:
    """Wait until the figures in a state folder are complete."""

    def are_done() -> bool:
        lines = [process.info["cmdline"] or [] for process in psutil.process_iter(["cmdline"])]
        return not any(word.startswith(str(folder)) for line in lines for word in line[4:])

    wait_until(are_done, "the last figure")


def wait_until_gone(*numbers: int) -> None:
    wait_until(lambda: all(map(is_gone, numbers)), f"the end of {numbers}")
