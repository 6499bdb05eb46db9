"""One child process, as the parent holds it: how it starts, is spoken to, and ends.

A child is used by one thread at a time. After any doubt (a broken pipe, an exception between
frames) it is not `usable` any more: a new one costs some tens of milliseconds.
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

_F = TypeVar("_F", bound=frames.PipeFrame)

# The packages' own __init__ would import the whole of Penstock. Bare packages in their place let
# the child import the few modules it needs. The path is the parent's: whatever way the parent
# found its libraries (a venv, PYTHONPATH, a zipped application), the child finds the same.
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
            start_new_session=True,  # Ctrl-C in a terminal is the parent's business.
        )
        self._stdin = cast("IO[bytes]", self._process.stdin)
        self._stdout = cast("IO[bytes]", self._process.stdout)
        self.keys: set[frames.Key] = set()  # of all that it holds
        self.greeted = False
        self.usable = True

    # Speaking to it. Each of these raises Gone.

    def greet(self, limits: Limits) -> None:
        self._expect(frames.Setup(limits), frames.Ready)
        self.greeted = True

    def load(self, question: Question, material: Material) -> None:
        key = frames.key_of(question)
        self._send(frames.Load(key, material.shape, material.prefix, material.suffix))
        for block in material.blocks:
            self._send(frames.Block(block))
        loaded = self._expect(frames.End(), frames.LoadedFrame)
        self.keys.add(key)
        self.keys.difference_update(loaded.dropped)

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
        except (OSError, ValueError) as error:  # ValueError: closed by `Workers.close`
            raise self._gone() from error

    def _gone(self) -> Gone:
        self.usable = False
        return Gone()

    # What is known of it

    def holds(self, question: Question) -> bool:
        """Return whether it holds the material of the question, in the form for its language."""
        return frames.key_of(question) in self.keys

    # Its end

    def is_alive(self) -> bool:
        return self._process.poll() is None

    def kill(self) -> None:
        self.usable = False
        self._process.kill()

    def end(self) -> int:
        """Ends it if it has not ended by itself, and returns its exit status."""
        self.usable = False
        for stream in (self._stdin, self._stdout):
            _close(stream)
        try:
            return self._process.wait(EXIT_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            return self._process.wait()

    def abandon(self) -> None:
        """Forgets a child of another process without ending it."""
        # Not close(): a thread that the fork left behind may have held the stream's lock.
        null = os.open(os.devnull, os.O_RDWR)
        for stream in (self._stdin, self._stdout):
            if not stream.closed:  # It is, where another thread was ending the child.
                os.dup2(null, stream.fileno(), inheritable=False)
        os.close(null)
        self._process.returncode = 0  # or Popen would wait for it


def _boot_arguments() -> list[str]:
    package = Path(__file__).parent.parent
    # A relative entry means another folder in the child, which has none of its own.
    return [str(package), *(entry for entry in sys.path if Path(entry).is_absolute())]


def _environment() -> dict[str, str]:
    # Windows cannot start a process without it.
    return {name: os.environ[name] for name in ("SYSTEMROOT",) if sys.platform == "win32"}


def _close(stream: IO[bytes]) -> None:
    try:
        stream.close()
    except OSError:
        return  # What was still to be written has no reader.
