"""The parent's handle of one child process: it starts the child, talks to it and ends it.

One thread at a time uses a child. If the state of a child is in doubt (a broken pipe, an exception
between frames), it is no longer `usable`: a new child costs only some tens of milliseconds.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import IO, TypeVar, cast

from penstock.core.model.questions import Limits, Material, Question, WorkerAnswer
from penstock.worker import frames

EXIT_SECONDS = 5.0
PIPE_BYTES = 1_048_576  # the most that Linux allows every user

_F = TypeVar("_F", bound=frames.PipeFrame)

# The real `__init__` modules would import all of Penstock. Empty packages in their place let the
# child import only the few modules it needs. The child gets the parent's `sys.path`, so that it
# finds the same libraries as the parent, be it in a venv, PYTHONPATH or a zipped application.
BOOT = """
import sys, types
package, sys.path[:] = sys.argv[1], sys.argv[2:]
for name, folder in (("penstock", package), ("penstock.worker", package + "/worker")):
    sys.modules[name] = types.ModuleType(name)
    sys.modules[name].__path__ = [folder]
from penstock.worker.sandbox.main import main
main()
"""


class Gone(Exception):
    """The child has died, or does not keep to the protocol."""


class WorkerChild:
    def __init__(self) -> None:
        self._process = subprocess.Popen(  # noqa: S603 - our own interpreter, our own code
            [sys.executable, "-I", "-S", "-c", BOOT, *_boot_arguments()],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=_environment(),
            cwd=Path(sys.executable).anchor,
            start_new_session=True,  # Ctrl-C in a terminal must reach only the parent.
        )
        self._stdin = cast("IO[bytes]", self._process.stdin)
        _enlarge(self._stdin.fileno())
        self._stdout = cast("IO[bytes]", self._process.stdout)
        self.keys: set[frames.Key] = set()  # of all the materials that the child holds
        self.greeted = False
        self.usable = True

    # Dialogue. Each of these methods raises Gone if the dialogue breaks.

    def greet(self, limits: Limits) -> None:
        self._expect(frames.Setup(limits), frames.Ready)
        self.greeted = True

    def load(self, question: Question, material: Material) -> None:
        key = frames.key_of(question)
        around = material.prefix, material.suffix
        self._send(frames.Load(key, material.shape, *around, material.table))
        self._send_blocks(material)
        for further in material.beside:
            self._send(frames.BesideFrame(further.table, further.shape))
            self._send_blocks(further)
        loaded = self._expect(frames.End(), frames.LoadedFrame)
        self.keys.add(key)
        self.keys.difference_update(loaded.dropped)

    def _send_blocks(self, material: Material) -> None:
        for block in material.blocks:
            self._send(frames.Block(block))

    def ask(self, question: Question) -> WorkerAnswer | frames.Response:
        return self._call(frames.AskFrame(question))

    def _expect(self, frame: frames.PipeFrame, kind: type[_F]) -> _F:
        reply = self._call(frame)
        if not isinstance(reply, kind):
            raise self._gone()
        return reply

    def _call(self, frame: frames.PipeFrame) -> WorkerAnswer | frames.Response:
        self._send(frame)
        try:
            reply = frames.receive_response(self._stdout)
            if isinstance(reply, frames.Found):
                return frames.receive_rows(self._stdout, reply)
        except (OSError, EOFError, ValueError) as error:
            raise self._gone() from error
        return reply

    def _send(self, frame: frames.PipeFrame) -> None:
        try:
            frames.send(self._stdin, frame)
        except (OSError, ValueError) as error:  # ValueError: `Workers.close` closed the stream
            raise self._gone() from error

    def _gone(self) -> Gone:
        self.usable = False
        return Gone()

    # State

    def holds(self, question: Question) -> bool:
        """Return whether the child holds the question's material in the form for its language."""
        return frames.key_of(question) in self.keys

    # End

    def is_alive(self) -> bool:
        return self._process.poll() is None

    def kill(self) -> None:
        self.usable = False
        self._process.kill()

    def end(self) -> int:
        """End the child if it is still running, and return its exit status."""
        self.usable = False
        for stream in (self._stdin, self._stdout):
            _close(stream)
        try:
            return self._process.wait(EXIT_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            return self._process.wait()

    def abandon(self) -> None:
        """Let go of a child that belongs to another process, without ending it."""
        # close() could hang: at the fork, another thread may have held the stream's lock.
        null = os.open(os.devnull, os.O_RDWR)
        for stream in (self._stdin, self._stdout):
            if not stream.closed:  # Closed if another thread was ending the child.
                os.dup2(null, stream.fileno(), inheritable=False)
        os.close(null)
        self._process.returncode = 0  # Otherwise Popen would wait for the child.


def _boot_arguments() -> list[str]:
    package = Path(__file__).parent.parent
    # The child has another working directory, where a relative entry would mean another folder.
    return [str(package), *(entry for entry in sys.path if Path(entry).is_absolute())]


def _environment() -> dict[str, str]:
    # Windows cannot start a process without SYSTEMROOT.
    return {name: os.environ[name] for name in ("SYSTEMROOT",) if sys.platform == "win32"}


def _enlarge(pipe: int) -> None:
    """Let a pipe hold more than 64 kB, where that is possible. Otherwise the two processes would wait
    for each other at every part of a large result."""
    try:
        from fcntl import F_SETPIPE_SZ, fcntl

        fcntl(pipe, F_SETPIPE_SZ, PIPE_BYTES)
    except (ImportError, OSError):  # not on Linux, or not allowed
        return


def _close(stream: IO[bytes]) -> None:
    try:
        stream.close()
    except OSError:
        return  # Unwritten data has no reader any more.
