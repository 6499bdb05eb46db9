"""The pool of sandbox processes. Each program has a process of its own while it runs."""

from __future__ import annotations

import os
import signal
import threading
from contextlib import suppress
from typing import Any, Final, Self

import pydantic_monty as monty
from pydantic_monty._binary import find_monty_binary

from penstock.core.model.program import Broken
from penstock.programs.launcher import SandboxLauncher
from penstock.programs.source import PRELUDE

MOST_AT_ONCE: Final = 128
_CHECKERS: Final = 2
_CHECK_SECONDS: Final = 2.0
_CHECKOUT_SECONDS: Final = 5.0
_MOST_SUSPENSIONS: Final = 1_000_000  # the limits on calls and on time end a program before that
BUSY: Final = Broken(
    "Too many programs are running.", "Try again in a few seconds.", is_stopped=True
)


class Sandbox:
    """The processes in which programs run. Threads may share it."""

    def __init__(self, seconds: float, memory: int) -> None:
        self.memory = memory
        self._seconds = seconds
        self._limits: monty.ResourceLimits = {
            "max_feed_duration_secs": seconds,
            "max_memory": memory,
            "max_suspensions": _MOST_SUSPENSIONS,
        }
        self._launcher = SandboxLauncher(find_monty_binary(), memory)
        self._pool = self._started(MOST_AT_ONCE, _CHECKOUT_SECONDS)
        # The type checker takes several times the memory of a small program, and keeps it.
        self._checkers = self._started(_CHECKERS, _CHECK_SECONDS)

    def _started(self, most: int, patience: float) -> monty.Monty:
        pool = monty.Monty(
            binary_path=self._launcher.path,
            min_processes=1,
            max_processes=most,
            checkout_timeout=patience,
            request_timeout=None if most == MOST_AT_ONCE else 2 * _CHECK_SECONDS,
        )
        return pool.__enter__()

    def open(self) -> Box:
        """Return a free process. Raise `TimeoutError` if there is none."""
        box = self._checkout()
        try:
            box.session.feed_run(PRELUDE)
        except BaseException:
            box.close()
            raise
        return box

    def restore(self, variables: bytes) -> Box | None:
        """Return a process with the variables of an earlier program, or None if they cannot be
        read."""
        box = self._checkout()
        try:
            box.session.load_session(variables)
        except (monty.MontyError, RuntimeError):  # it may be the dump of a program that waits
            box.close()
            return None
        return box

    def _checkout(self) -> Box:
        session = self._pool.checkout(
            limits=self._limits,
            os_policy={"sleep": "call_host"},
            assert_message_annotations=False,
        )
        session.__enter__()
        return Box(session, self._seconds)

    def check(self, code: str, stubs: str) -> str:
        """Return what the type checker says about a program that is not run, as JSON, or "". Some
        programs take the checker very long. They are run unchecked, and so is one that would have
        to wait for them: a wrong call is then refused when it is made."""
        try:
            with self._checkers.checkout(
                limits={**self._limits, "max_feed_duration_secs": _CHECK_SECONDS},
                type_check=True,
                type_check_stubs=stubs,
                type_check_format="json",
            ) as session:
                session.feed_start(code)
        except monty.MontyTypingError as error:
            return error.display()
        except (monty.MontyError, TimeoutError):
            return ""
        return ""

    def close(self) -> None:
        for pool in (self._pool, self._checkers):
            pool.__exit__(None, None, None)
        self._launcher.close()


class Box:
    """One process of the sandbox, in the hands of one program.

    `stop` may come from any thread, at any time. It kills the process if a turn is running, and the
    thread that runs the turn then gives the process back. Otherwise it gives the process back itself.
    """

    def __init__(self, session: monty.MontySession, seconds: float) -> None:
        self.session = session
        self.seconds = seconds  # the longest that a turn may take
        self._pid = session.worker_pid
        self._state = threading.Lock()
        self._is_running = False
        self._is_open = True
        self.is_stopped = False

    def __enter__(self) -> Self:
        """Begin a turn."""
        with self._state:
            if self.is_stopped or not self._is_open:
                raise RuntimeError("The program was stopped.")
            self._is_running = True
        return self

    def __exit__(self, *_: object) -> None:
        with self._state:
            self._is_running = False
            if self.is_stopped:
                self._give_back()

    def stop(self) -> None:
        with self._state:
            self.is_stopped = True
            if not self._is_running:
                self._give_back()
            elif self._pid is not None:
                with suppress(OSError):
                    os.kill(self._pid, getattr(signal, "SIGKILL", signal.SIGTERM))

    def dump(self) -> bytes | None:
        """Return the variables, for a later `open`, or None if they cannot be written."""
        try:
            return self.session.dump()
        except (monty.MontyError, RuntimeError):
            return None

    def close(self) -> None:
        """Give the process back, between two turns."""
        with self._state:
            self._give_back()

    def _give_back(self) -> None:
        if self._is_open:
            self._is_open = False
            with suppress(Exception):  # the process may be dead already
                self.session.__exit__(None, None, None)


def as_function(name: str) -> Any:
    """Return a stand-in for a function of the host, which a sandbox calls by this name."""

    def function(*_: Any, **__: Any) -> None:
        raise NotImplementedError

    function.__name__ = function.__qualname__ = name
    return function
