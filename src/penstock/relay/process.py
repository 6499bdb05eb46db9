"""The process of an upstream server that is a command.

The server has ended when the process of the command has, even if a process that it left behind
still holds its pipes. One case is different: a launcher that ends with 0, and leaves the server in
its process group.

To end the server, we close its input, which tells a well-behaved server to exit. Then we ask it to
end, and then we kill it. On POSIX the server leads its own process group, so that the processes it
started (npx starts node, a shell starts the server) end too. On Windows, `taskkill` ends the tree.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import IO, TYPE_CHECKING, Any, Final, NamedTuple

from penstock.errors import PenstockError
from penstock.relay import guardian
from penstock.relay.lines import UpstreamLines
from penstock.relay.pipes import Sink, Wake, source_of
from penstock.wire.unread import MOST_UPSTREAM, Unread

if TYPE_CHECKING:
    from penstock.relay.last_words import LastWords

LINE_BUFFER: Final = 1 << 20

GRACE_SECONDS: Final = 5.0
LAST_SECONDS: Final = 1.0  # Hosts give a program two seconds from the signal to its end.
_LOOK_SECONDS: Final = 0.02
_CONFIGS: Final = (".json", ".jsonc", ".toml")


class CannotStart(PenstockError):
    """The command of the MCP server could not be started."""


class Surroundings(NamedTuple):
    """The environment and the folder of a process; None means ours."""

    environment: Mapping[str, str] | None = None
    folder: str | None = None
    is_quiet: bool = False  # its log is not shown, except a line that says why it failed
    secrets: tuple[str, ...] = ()  # values that no message may show


OURS: Final = Surroundings()


class Unstarted:
    """The place of a server that could not be started, or that nothing can be stored for. It sends
    nothing, and has ended."""

    def __init__(self, error: PenstockError) -> None:
        self.error = error

    def receive(self, _take: Callable[[bytes | Unread], None]) -> None:
        """Return at once."""

    def send(self, _message: bytes) -> None:
        raise BrokenPipeError

    def end(self, grace: float = 0) -> None:
        """Do nothing: no process runs."""

    def how_it_ended(self) -> str:
        return f"did not start. {self.error.message} {self.error.next_step}"


class Process:
    """A server behind two pipes. It shares our stderr, so that the host shows its log.

    `output` has its lines, of which none is longer than `most` bytes.
    """

    def __init__(
        self, command: Sequence[str], around: Surroundings = OURS, most: int = MOST_UPSTREAM
    ) -> None:
        self.command = list(command)
        try:
            self._wake = Wake()
            self._popen = subprocess.Popen(  # noqa: S603 (the user's own command is the point)
                [_resolved(self.command[0]), *self.command[1:]],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE if around.is_quiet else None,
                env=around.environment,
                cwd=around.folder,
                bufsize=0,
                **_apart(),
            )
        except (OSError, ValueError) as error:
            raise _cannot_start(self.command[0], error) from None
        assert self._popen.stdin is not None  # noqa: S101 (asked for above)
        assert self._popen.stdout is not None  # noqa: S101 (asked for above)
        self._secrets = around.secrets
        self._ended = threading.Event()
        self._writing = threading.Lock()
        self._has_gone = False
        self._grace = 0.0  # the seconds after which a server that ran on was stopped
        guardian.watch_over(self._popen)
        try:
            self._log = None if self._popen.stderr is None else _kept(self._popen.stderr)
            self._input = Sink(self._popen.stdin, self._wake)
            self.output = UpstreamLines(source_of(self._popen.stdout, self._wake), most)
            threading.Thread(target=self._watch, daemon=True).start()
        except BaseException:  # No thread is left, for instance.
            _signal_tree(self._popen, hard=True)
            self._popen.wait()
            guardian.let_go(self._popen)
            raise

    def _watch(self) -> None:
        """Wait for the end of the process, and wake the threads that wait for its pipes."""
        code = self._popen.wait()
        self._ended.set()
        # The server may go on in another process. The end of its output tells when that ends.
        if code != 0 or not _may_have_left_server(self._popen):
            self._wake.ring()

    def receive(self, take: Callable[[bytes | Unread], None]) -> None:
        """Hand over each line until the server has ended."""
        for line in self.output:
            take(line)
            del line  # It may hold megabytes, and the next line may take long to come.

    def offer(self, message: bytes) -> bool:
        """Send one message if that needs no waiting. Return whether it was sent."""
        if not self._writing.acquire(blocking=False):
            return False
        try:
            return self._input.offer(message)
        except ValueError as error:  # as in `send`
            raise BrokenPipeError from error
        finally:
            self._writing.release()

    def send(self, message: bytes) -> None:
        """Send one message. Wait while the server does not read. Raise `OSError` if it ended."""
        try:
            with self._writing:
                self._input.write(message if message.endswith(b"\n") else message + b"\n")
        except ValueError as error:  # `close_input` closed the stream meanwhile.
            raise BrokenPipeError from error

    def close_input(self, seconds: float = 0) -> None:
        """Close the server's input, unless a write that it does not read is stuck for `seconds`."""
        if not self._writing.acquire(timeout=seconds):
            return
        try:
            with suppress(OSError):  # The server has ended already.
                self._input.close()
        finally:
            self._writing.release()

    def wait(self, seconds: float | None = None) -> int | None:
        """Return the exit code, or None if the server is still running after `seconds`."""
        return self._popen.returncode if self._ended.wait(seconds) else None

    def end(self, grace: float = GRACE_SECONDS) -> int | None:
        """End the server and all it started, gently first, and return its exit code. Send no signal
        after the end: by then another process may have the same id."""
        if not self._has_gone:
            self._end(grace)
            self._has_gone = self.wait(0) is not None
            self._wake.ring()
            self.close_input()
            if self._has_gone:
                guardian.let_go(self._popen)
        return self.wait(0)

    def _end(self, grace: float) -> None:
        self.close_input(grace)
        has_ended = self.wait(grace) is not None
        if not has_ended:
            self._grace = grace
        if not has_ended or os.name == "posix":  # POSIX finds processes left behind.
            _signal_tree(self._popen, hard=False)
            if not self._is_gone_within(LAST_SECONDS):
                _signal_tree(self._popen, hard=True)
        self.wait(LAST_SECONDS)

    def _is_gone_within(self, seconds: float) -> bool:
        """Return whether the server and all descendants that can be found end in that time."""
        deadline = time.monotonic() + seconds
        if self.wait(seconds) is None:
            return False
        while _has_tree(self._popen):
            if time.monotonic() > deadline:
                return False
            time.sleep(_LOOK_SECONDS)
        return True

    def how_it_ended(self) -> str:
        if self._grace:
            return (
                f"still ran {self._grace:.0f} seconds after its input was closed, and was stopped"
            )
        code = self.wait(LAST_SECONDS)
        if code is None:
            return "closed its output"
        return f"was ended by signal {-code}" if code < 0 else f"ended with exit code {code}"

    def last_words(self, most: int) -> str:
        """Return the line of a log that is not shown which says most about a failure, or ""."""
        return "" if self._log is None else self._log.line(self._secrets, most)


def _kept(log: IO[bytes]) -> LastWords:
    from penstock.relay.last_words import LastWords  # only here, because a host waits for a start

    return LastWords(log)


def _resolved(command: str) -> str:
    """Return the path of the command. On Windows only a search of PATH finds `npx.cmd` for `npx`."""
    return (shutil.which(command) or command) if sys.platform == "win32" else command


def _apart() -> dict[str, Any]:
    if sys.platform == "win32":
        return {"creationflags": subprocess.CREATE_NEW_PROCESS_GROUP}
    return {"process_group": 0}


def check_command(name: str) -> None:
    """Raise `CannotStart` if no program has this name or path."""
    if shutil.which(name) is not None:
        return
    if name.endswith(_CONFIGS):
        why = "it is no program"
        step = f"If it has servers: penstock run --servers {name}, or doctor to measure them."
    elif os.path.dirname(name) and os.path.isdir(name):  # noqa: PTH112, PTH120 (pathlib is slow to import)
        why, step = "it is a folder", "Name the program in it."
    elif os.path.dirname(name) and os.path.exists(name):  # noqa: PTH110, PTH120 (as above)
        why, step = "it is not executable", "Make it executable, or name the program that runs it."
    else:
        why = "it was not found"
        step = "Check the spelling, or give its absolute path: the host's PATH may differ."
    raise CannotStart(f"Cannot start {name!r}: {why}.", next_step=step)


def _cannot_start(name: str, error: Exception) -> CannotStart:
    try:
        check_command(name)
    except CannotStart as found:
        return found
    why = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    step = "Name the program that runs it, as in: python server.py"
    if isinstance(error, FileNotFoundError):
        why, step = "its first line names a program that was not found", "Correct the #! line."
    return CannotStart(f"Cannot start {name!r}: {why}.", next_step=step)


def _may_have_left_server(process: subprocess.Popen[bytes]) -> bool:
    return sys.platform == "win32" or _has_tree(process)


def _signal_tree(process: subprocess.Popen[bytes], *, hard: bool) -> None:
    if sys.platform == "win32":
        flags = ["/F"] if hard else []
        subprocess.run(  # noqa: S603 (a fixed command)
            ["taskkill", "/T", *flags, "/PID", str(process.pid)],  # noqa: S607 (Windows' own)
            check=False,
            capture_output=True,
        )
        return
    with suppress(ProcessLookupError, PermissionError):  # No process is left.
        os.killpg(process.pid, signal.SIGKILL if hard else signal.SIGTERM)


def _has_tree(process: subprocess.Popen[bytes]) -> bool:
    if sys.platform == "win32":
        return False  # Once the root has ended, Windows cannot tell which processes it started.
    try:
        os.killpg(process.pid, 0)
    except (ProcessLookupError, PermissionError):
        return False
    return True
