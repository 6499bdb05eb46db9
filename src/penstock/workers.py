"""Isolated processes that answer questions in SQL and jq about stored results.

A program that an agent writes may loop for ever, take all memory, or (`env` in jq) ask for the
server's secrets. So it runs in a child process (`penstock.worker_main`) that has an empty
environment, cannot open a file, and is killed when it goes over its time. Refusals and accidents
of a program are values (`Failure`); only what `material` raises comes through as an exception.

The memory limit holds where the platform has `resource` and /proc, that is on Linux; elsewhere it
holds for SQL, and jq has the time limit alone.

Rules for whoever edits this:

- A child is used by one thread at a time, between `_take` and `_give`.
- Only a `_Leash` kills a child that is in use, and never after it was let go: the child may by
  then be answering somebody else.
- After any doubt (a broken pipe, an exception between frames) the child is discarded. A new one
  costs some tens of milliseconds.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import weakref
from collections import deque
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING, cast

from penstock import worker_main as wire
from penstock.questions import Answer, Failure, Limits, Material, Question

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

START_SECONDS = 30.0  # An import from a cold disk is slow; a child that hangs here is broken.
EXIT_SECONDS = 5.0
KEYS_REMEMBERED = 16

# The package's own __init__ would import the whole of Penstock. A bare package in its place lets
# the child import the few modules it needs. The path is the parent's: whatever way the parent
# found its libraries (a venv, PYTHONPATH, a zipped application), the child finds the same.
BOOT = """
import sys, types
package, sys.path[:] = sys.argv[1], sys.argv[2:]
for name, folder in (("penstock", package), ("penstock.views", package + "/views")):
    sys.modules[name] = types.ModuleType(name)
    sys.modules[name].__path__ = [folder]
from penstock.worker_main import main
main()
"""


CANCELLED = Failure("The question was cancelled.", "Ask it again.")
CLOSED = Failure("The server is shutting down.", "Ask again when it is back.")
NOT_STARTED = Failure(
    "The process that runs queries could not be started.",
    "Use another mode, such as search or paginated.",
)
TOO_SLOW_TO_START = Failure(
    "The process that runs queries did not start in time.",
    "Ask again, or use another mode, such as search or paginated.",
)


class Cancellation:
    """Lets another thread end a question.

    An async caller runs `ask` in a thread, and ends it when it is itself cancelled:

        cancellation = Cancellation()
        try:
            return await asyncio.to_thread(workers.ask, question, material, cancellation)
        except asyncio.CancelledError:
            cancellation.request()
            raise

    `ask` then returns a Failure. One that still waits for a free child does so at its turn.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._leash: _Leash | None = None
        self.requested = False

    def request(self) -> None:
        with self._lock:
            self.requested = True
            if self._leash:
                self._leash.pull(CANCELLED)

    @contextmanager
    def _bound_to(self, leash: _Leash) -> Iterator[None]:
        self._bind(leash)
        try:
            yield
        finally:
            self._bind(None)

    def _bind(self, leash: _Leash | None) -> None:
        with self._lock:
            self._leash = leash
            if leash and self.requested:
                leash.pull(CANCELLED)


class Workers:
    """A pool of children. Threads may share it; each child starts when it is first needed."""

    def __init__(self, limits: Limits | None = None, size: int = 2) -> None:
        self._limits = limits or Limits()
        self._size = size
        self._closed = False
        self._reset()
        _call_after_fork(weakref.WeakMethod(self._leave_children_of_parent))

    def ask(
        self,
        question: Question,
        material: Callable[[], Material],
        cancellation: Cancellation | None = None,
    ) -> Answer | Failure:
        """Waits for a free child, and for its answer.

        `material` is called only if the child does not hold what it loaded for this key and this
        language. Whatever it raises, this raises.
        """
        refusal = _unusable(question.program, self._limits)
        if refusal:
            return refusal
        child = self._take(question.key)
        if isinstance(child, Failure):
            return child
        try:
            return self._converse(child, question, material, cancellation or Cancellation())
        finally:
            self._give(child)

    def close(self) -> None:
        """Ends all children. A question under way fails."""
        with self._changed:
            self._closed = True
            self._finalizer()
            self._changed.notify_all()

    # The pool

    def _reset(self) -> None:
        self._changed = threading.Condition()
        self._children: set[_Child] = set()
        self._free: list[_Child] = []
        # Also at exit of the interpreter. It may not hold `self`, or it would never run.
        self._finalizer = weakref.finalize(self, _end_all, self._children)

    def _take(self, key: str) -> _Child | Failure:
        with self._changed:
            self._drop_dead()
            self._changed.wait_for(self._has_room)
            if self._closed:
                return CLOSED
            if not self._free:
                return self._start()
            chosen = next((child for child in self._free if key in child.keys), self._free[-1])
            self._free.remove(chosen)
            return chosen

    def _drop_dead(self) -> None:
        """Whoever killed an idle child (the kernel, short of memory), no question need fail of it."""
        for child in [child for child in self._free if not child.is_alive()]:
            self._free.remove(child)
            self._children.discard(child)
            child.end()

    def _has_room(self) -> bool:
        return self._closed or bool(self._free) or len(self._children) < self._size

    def _start(self) -> _Child | Failure:
        try:
            child = _Child()
        except OSError:
            return NOT_STARTED
        self._children.add(child)
        return child

    def _give(self, child: _Child) -> None:
        with self._changed:
            if child.usable and not self._closed:
                self._free.append(child)
            else:
                child.end()
                self._children.discard(child)
            self._changed.notify()

    def _leave_children_of_parent(self) -> None:
        """After a fork the children are the parent's. Two processes on one pipe would mix frames."""
        self._finalizer.detach()
        for child in self._children:
            child.abandon()
        self._reset()

    # One question

    def _converse(
        self,
        child: _Child,
        question: Question,
        material: Callable[[], Material],
        cancellation: Cancellation,
    ) -> Answer | Failure:
        leash = _Leash(child)
        try:
            with cancellation._bound_to(leash):  # noqa: SLF001 - the two are one mechanism
                return self._dialogue(child, leash, question, material)
        except _Gone:
            return leash.reason or self._why_gone(child)
        except BaseException:
            child.usable = False  # somewhere between two frames
            raise
        finally:
            leash.let_go()

    def _dialogue(
        self,
        child: _Child,
        leash: _Leash,
        question: Question,
        material: Callable[[], Material],
    ) -> Answer | Failure:
        if not child.greeted:
            with leash.within(START_SECONDS, TOO_SLOW_TO_START):
                child.greet(self._limits)
        reply = self._put_question(child, leash, question)
        if isinstance(reply, wire.Missing):
            with leash.within(self._limits.seconds * wire.LOADING_FACTOR, self._too_large()):
                child.load(question, material())
            reply = self._put_question(child, leash, question)
        return _outcome(reply)

    def _put_question(self, child: _Child, leash: _Leash, question: Question) -> wire.Response:
        ask = wire.Ask(question.key, question.language, question.program)
        with leash.within(self._limits.seconds, self._too_slow()):
            return child.call(ask)

    # What to say when it fails

    def _too_slow(self) -> Failure:
        return Failure(
            f"The program was ended: it ran longer than {self._limits.seconds:g} s.",
            "Ask for less: narrow with path, or simplify the program and bound its loops.",
        )

    def _too_large(self) -> Failure:
        seconds = self._limits.seconds * wire.LOADING_FACTOR
        return Failure(
            f"The result could not be loaded within {seconds:g} s.",
            "Narrow with path to a part of it, and ask again.",
        )

    def _why_gone(self, child: _Child) -> Failure:
        if self._closed:
            return CLOSED
        status = child.end()
        if status in _MEMORY_STATUSES:
            return self._out_of_memory()
        return Failure(
            f"The program ended the process that ran it (status {status}).",
            "Simplify the program; values nested too deep can do this.",
        )

    def _out_of_memory(self) -> Failure:
        return Failure(
            f"The program was ended: it needed more than {self._limits.memory / 1e6:g} MB of memory.",
            "Ask for less: narrow with path, select fewer rows or fields, or count instead of listing.",
        )


def _unusable(program: str, limits: Limits) -> Failure | None:
    if not program.strip():
        return Failure("The program is empty.", "Give a program in query.")
    if len(program) > limits.program_chars:
        return Failure(
            f"The program has {len(program)} characters; {limits.program_chars} are allowed.",
            "Shorten it. Data belongs into the result, not into the program.",
        )
    if "\0" in program or not _is_unicode(program):
        return Failure(
            "The program holds a character that cannot be part of one (NUL, or half of a pair).",
            "Leave it out.",
        )
    return None


def _is_unicode(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _outcome(reply: wire.Response) -> Answer | Failure:
    match reply:
        case wire.Found(rows, single, truncated):
            return Answer(rows, single, truncated)
        case wire.Refused(error, next_step):
            return Failure(error, next_step)
        case _:
            raise _Gone  # out of step


# A child

# libjq aborts when it gets no memory; SIGKILL that is not ours is the kernel's, short of memory.
_MEMORY_STATUSES = frozenset(
    {wire.OUT_OF_MEMORY}
    | {-getattr(signal, name) for name in ("SIGABRT", "SIGKILL") if hasattr(signal, name)}
)


class _Gone(Exception):
    """The child has died, or does not keep to the protocol."""


class _Child:
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
        self.keys: deque[str] = deque(maxlen=KEYS_REMEMBERED)
        self.greeted = False
        self.usable = True

    def greet(self, limits: Limits) -> None:
        self._expect(wire.Setup(limits.seconds, limits.memory, limits.rows), wire.Ready)
        self.greeted = True

    def load(self, question: Question, material: Material) -> None:
        shape, prefix, suffix = material.shape, material.prefix, material.suffix
        self._send(wire.Load(question.key, question.language, shape, prefix, suffix))
        for block in material.blocks:
            self._send(wire.Block(block))
        self._expect(wire.End(), wire.Loaded)
        self.keys.append(question.key)

    def call(self, frame: wire.Frame) -> wire.Response:
        self._send(frame)
        try:
            return wire.receive(self._stdout, wire.responses)
        except (OSError, EOFError, ValueError) as error:
            raise self._gone() from error

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
            os.dup2(null, stream.fileno(), inheritable=False)
        os.close(null)
        self._process.returncode = 0  # or Popen would wait for it

    def _expect(self, frame: wire.Frame, kind: type[wire.Frame]) -> None:
        if not isinstance(self.call(frame), kind):
            raise self._gone()

    def _send(self, frame: wire.Frame) -> None:
        try:
            wire.send(self._stdin, frame)
        except (OSError, ValueError) as error:  # ValueError: closed by `Workers.close`
            raise self._gone() from error

    def _gone(self) -> _Gone:
        self.usable = False
        return _Gone()


class _Leash:
    """Kills a child in use, from another thread, for one reason, and not after it was let go."""

    def __init__(self, child: _Child) -> None:
        self._child = child
        self._lock = threading.Lock()
        self._held = True
        self.reason: Failure | None = None

    def pull(self, reason: Failure) -> None:
        with self._lock:
            if self._held and self.reason is None:
                self.reason = reason
                self._child.kill()

    def let_go(self) -> None:
        with self._lock:
            self._held = False

    @contextmanager
    def within(self, seconds: float, reason: Failure) -> Iterator[None]:
        timer = threading.Timer(seconds, self.pull, (reason,))
        timer.daemon = True
        timer.start()
        try:
            yield
        finally:
            timer.cancel()


def _boot_arguments() -> list[str]:
    # A relative entry means another folder in the child, which has none of its own.
    return [str(Path(__file__).parent), *(entry for entry in sys.path if Path(entry).is_absolute())]


def _environment() -> dict[str, str]:
    # Windows cannot start a process without it.
    return {name: os.environ[name] for name in ("SYSTEMROOT",) if sys.platform == "win32"}


def _close(stream: IO[bytes]) -> None:
    try:
        stream.close()
    except OSError:
        return  # What was still to be written has no reader.


def _call_after_fork(method: weakref.WeakMethod[Callable[[], None]]) -> None:
    def call() -> None:
        if alive := method():
            alive()

    if hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_child=call)


def _end_all(children: set[_Child]) -> None:
    for child in children:
        child.kill()
    while children:
        children.pop().end()
