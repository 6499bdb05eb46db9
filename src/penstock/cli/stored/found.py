"""The user's results in a store, and the one that an id names."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from itertools import count
from typing import Final

import msgspec

from penstock.cli.store_choice import StoreChoice
from penstock.core.browsing.order import is_order
from penstock.core.model.continuation import parse
from penstock.core.model.store import Store, StoredEntry
from penstock.core.model.stored import Alias, Head
from penstock.core.model.values import Principal
from penstock.core.protocol.entries import owner_of, read_head
from penstock.errors import PenstockError
from penstock.gate.identity import os_user
from penstock.stores.urls import is_shared

_SHORTEST_ID: Final = 6
_MOST_NAMED: Final = 10
_DIGEST: Final = re.compile("[0-9a-f]{32}")  # `Target.server`
_OTHERS_MAY_READ: Final = 0o077
_BEFORE_ALL: Final = float("-inf")


class UnknownResult(PenstockError):
    """No stored result has this id."""

    next_step = "See penstock results."


class StoredResult(msgspec.Struct, frozen=True):
    """A result in a store: its entry and its decoded head."""

    entry: StoredEntry
    head: Head

    @property
    def key(self) -> str:
        return self.entry.key

    @property
    def server(self) -> str:
        """The server's own name for itself, or else its name in the settings, which `penstock run`
        keeps as a digest."""
        server = self.head.server
        return self.head.server_name or (server[:8] if _DIGEST.fullmatch(server) else server)


def results_in(store: Store, choice: StoreChoice, now: float) -> list[StoredResult]:
    """Return the user's results that have not expired, the newest first."""
    user = None if _is_private(choice) else os_user(choice.url)
    found = [
        StoredResult(entry, head)
        for entry in store.entries(None, now=now)
        if isinstance(head := read_head(entry.head), Head)
        and head.owner == entry.owner  # grants and other records are no results
        and not (isinstance(head.source, Alias) or is_order(head))
        and (user is None or _is_of(user, head, is_marked=is_shared(choice.url)))
    ]
    return sorted(found, key=lambda result: result.head.created, reverse=True)


def _is_private(choice: StoreChoice) -> bool:
    """Return whether only this user can read the file, so that all results in it are the user's."""
    if choice.file is None or not hasattr(os, "getuid"):
        return False
    status = choice.file.stat()
    return status.st_uid == os.getuid() and not status.st_mode & _OTHERS_MAY_READ


def _is_of(user: Principal, head: Head, *, is_marked: bool) -> bool:
    """Return whether a result is of this user and, if machines share the store, of this machine."""
    is_here = not is_marked or (bool(user.mark) and head.mark == user.mark)
    return is_here and head.owner == owner_of(user, head.server)


def id_length(results: Sequence[StoredResult]) -> int:
    """Return how many characters of the keys tell these results apart."""
    keys = {result.key for result in results}
    return next(n for n in count(_SHORTEST_ID) if len({key[:n] for key in keys}) == len(keys))


def result_named(given: str, store: Store, choice: StoreChoice, now: float) -> StoredResult:
    """Return the one result whose key starts with an id. A token names its result too."""
    token = parse(given)
    start = token.key if token is not None else given.strip().lower()
    results = results_in(store, choice, now)
    length = id_length(results)
    if not start:
        raise UnknownResult("No result is named.", next_step=_told(results, length))
    named = [result for result in results if result.key.startswith(start)]
    if len(named) == 1:
        return named[0]
    if named:
        told = _told(named, length)
        raise UnknownResult(f"{given!r} is the start of {len(named)} ids.", next_step=told)
    with_expired = results_in(store, choice, _BEFORE_ALL)
    if any(result.key.startswith(start) for result in with_expired):
        step = "Call the tool again. --ttl of penstock run keeps results for longer."
        raise UnknownResult(f"The result {given!r} has expired.", next_step=step)
    shown = given if token is None else "of this token"
    raise UnknownResult(f"There is no stored result {shown}.", next_step=_told(results, length))


def _told(results: Sequence[StoredResult], length: int) -> str:
    """Return a next step that names the results."""
    if not results:
        return "Nothing is stored. See penstock results."
    named = [f"{one.key[:length]} ({one.head.tool})" for one in results[:_MOST_NAMED]]
    rest = f" and {len(results) - len(named)} more" if len(results) > len(named) else ""
    return f"Use one of: {', '.join(named)}{rest}."
