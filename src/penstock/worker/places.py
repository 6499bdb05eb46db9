"""The places of threads that use the worker's children: one for each child.

Parties take turns, so that one party's questions never keep another party waiting for long. A
thread waits for a bounded time, and stops waiting when its question is cancelled.
"""

from __future__ import annotations

import threading
from typing import Final

from penstock.core.model.cancellation import Cancellation
from penstock.core.model.questions import Failure, Language, Limits
from penstock.core.model.turns import Party, Places, Turns
from penstock.worker import failures

# A thread waits while others take three times the longest question, and some time for loading.
_QUESTIONS: Final = 3
_LOADING_SECONDS: Final = 5.0


class _Ticket:
    """One thread that waits. Another thread wakes it."""

    def __init__(self) -> None:
        self.woken = threading.Event()
        self.has_place = False


class WorkerPlaces:
    """The places of one pool. A thread that has waited successfully must `leave`."""

    def __init__(self, count: int, limits: Limits) -> None:
        self.patience = _QUESTIONS * limits.seconds + _LOADING_SECONDS
        self._limits = limits
        self._turns: Turns[_Ticket] = Turns(Places.for_anyone(count))
        self._lock = threading.Lock()
        self._closed = False

    def wait(self, party: Party, cancellation: Cancellation, language: Language) -> Failure | None:
        """Wait for a place. Return None with a place, or the reason why there is none."""
        ticket = _Ticket()
        with self._lock:
            self._turns.add(party, ticket)
            self._give_places()
            if self._closed:
                ticket.woken.set()
        with cancellation.bound_to(ticket.woken.set):
            ticket.woken.wait(self.patience)
        with self._lock:
            reason = self._reason(ticket, cancellation, language)
            if reason is not None:
                self._give_up(party, ticket)
            return reason

    def leave(self, party: Party) -> None:
        """Give the place of a thread to the one whose turn it is."""
        with self._lock:
            self._turns.release(party)
            self._give_places()

    def close(self) -> None:
        """Wake all threads that wait. They get no place, and neither do later ones."""
        with self._lock:
            self._closed = True
            for ticket in self._turns:
                ticket.woken.set()

    def _reason(
        self, ticket: _Ticket, cancellation: Cancellation, language: Language
    ) -> Failure | None:
        if self._closed:
            return failures.CLOSED
        if cancellation.requested:
            return failures.CANCELLED
        return None if ticket.has_place else failures.busy(self._limits, language)

    def _give_up(self, party: Party, ticket: _Ticket) -> None:
        if not self._turns.remove(party, ticket):  # it has been given a place meanwhile
            self._turns.release(party)
            self._give_places()

    def _give_places(self) -> None:
        while (ticket := self._turns.take()) is not None:
            ticket.has_place = True
            ticket.woken.set()

    @property
    def waiting(self) -> int:
        """The number of threads that wait."""
        with self._lock:
            return len(list(self._turns))
