"""The costs of several servers' lists, asked for two at a time."""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable, Mapping
from types import FrameType
from typing import Final

from penstock.cli.auditing.balance import balance
from penstock.cli.auditing.list_costs import Measured, NotMeasured
from penstock.cli.progress import Progress
from penstock.cli.wrapping.host_values import NotStarted
from penstock.cli.wrapping.starting import Start
from penstock.core.budget.measure import default_meter
from penstock.errors import PenstockError
from penstock.relay.secret_words import without_secrets
from penstock.relay.tool_lists import Inbox, Listed, NotListed, Report, listed_tools, signals_to

AT_A_TIME: Final = 2
# A server may take this long for one answer, and twice this long in all.
SECONDS: Final = 30.0
_ENDING_SECONDS: Final = 5.0


# The name of a server, and a function that returns how it starts, or raises.
Asked = tuple[str, Callable[[], Start]]


# Gets the list of the server with this number, in any thread.
Keep = Callable[[int, Listed], None]


def measured(
    starts: Mapping[int, Asked], *, seconds: float = SECONDS, keep: Keep | None = None
) -> dict[int, Measured]:
    """Start each server, list its tools and end it. Return the cost of each list, or the reason why
    there is none, under the server's number."""
    with Progress() as progress:
        return _Measuring(starts, seconds, progress, keep).run() if starts else {}


class _Measuring:
    def __init__(
        self, starts: Mapping[int, Asked], seconds: float, report: Report, keep: Keep | None
    ) -> None:
        self._seconds = seconds
        self._keep = keep
        self._report = report
        self._starts = starts
        self._meter = default_meter()
        self._waiting: queue.SimpleQueue[int] = queue.SimpleQueue()
        self._inboxes: list[Inbox] = []
        self._signal = 0
        self._done: queue.SimpleQueue[tuple[int, Measured]] = queue.SimpleQueue()
        self._asked = 0
        self._reporting = threading.Lock()
        for number in starts:
            self._waiting.put(number)

    def run(self) -> dict[int, Measured]:
        threads = [threading.Thread(target=self._work, daemon=True) for _ in range(AT_A_TIME)]
        with signals_to(self._on_signal):
            for thread in threads:
                thread.start()
            found = dict(self._done.get() for _ in self._starts if not self._signal)
            if self._signal:
                for thread in threads:
                    thread.join(_ENDING_SECONDS)
                raise SystemExit(128 + self._signal)
        return {number: found[number] for number in self._starts}

    def _on_signal(self, number: int, frame: FrameType | None) -> None:
        """End the servers: each conversation ends its own, in its thread."""
        self._signal = number
        for inbox in self._inboxes:
            inbox.on_signal(number, frame)
        self._done.put((-1, NotMeasured("", "")))

    def _work(self) -> None:
        while not self._signal:
            try:
                number = self._waiting.get_nowait()
            except queue.Empty:
                return
            name, how = self._starts[number]
            with self._reporting:
                self._asked += 1
                words = f"asking {name} for its tools ({self._asked} of {len(self._starts)})"
                self._report(words)
            try:
                self._done.put((number, self._measure(number, how)))
            except SystemExit:
                return

    def _measure(self, number: int, how: Callable[[], Start]) -> Measured:
        hide: Callable[[str], str] = without_secrets
        try:
            start = how()
            hide = start.without_secrets
            return balance(self._listed(number, start), start.policy, self._meter)
        except PenstockError as error:
            is_left = isinstance(error, NotStarted)
            return NotMeasured(hide(error.message), hide(error.next_step), is_left)
        except Exception as error:  # noqa: BLE001 (one server's failure must not stop the others)
            return NotMeasured(f"Penstock failed: {type(error).__name__}.", PenstockError.next_step)

    def _listed(self, number: int, start: Start) -> Listed:
        inbox = Inbox()
        self._inboxes.append(inbox)
        if self._signal:
            raise SystemExit
        end = time.monotonic() + 2 * self._seconds

        def page_listed(_words: str) -> None:
            if time.monotonic() > end:
                told = f"Its list has pages without end after {2 * self._seconds:g} s."
                raise NotListed(told)

        around = start.around._replace(secrets=start.secrets)
        listed = listed_tools(
            start.target, page_listed, seconds=self._seconds, around=around, inbox=inbox
        )
        if self._keep is not None:
            self._keep(number, listed)
        return listed
