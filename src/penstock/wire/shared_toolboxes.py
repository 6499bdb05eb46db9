"""Toolboxes that sessions share. Each session reads upstream's list, and most lists are the same.

A session gets the toolbox of another one only for a list of the same bytes, read under the same
settings. So it learns nothing that upstream has not told it. A toolbox lasts as long as a session
has it.
"""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Sequence
from weakref import WeakValueDictionary

from penstock.settings.policy import Policy
from penstock.wire.pinned_names import PinnedNames
from penstock.wire.servers import Servers
from penstock.wire.toolbox import Toolbox, ToolsPage, expiry, read_list

_Key = tuple[bytes, tuple[object, ...]]


class SharedToolboxes:
    """The toolboxes of one upstream. Threads may share them."""

    def __init__(self) -> None:
        self._policy: Policy | None = None
        self._known: WeakValueDictionary[_Key, Toolbox] = WeakValueDictionary()
        self._lock = threading.Lock()

    def read(
        self,
        pages: Sequence[ToolsPage],
        policy: Policy,
        now: float,
        *,
        is_modern: bool,
        pinned: PinnedNames,
        servers: Servers | None = None,
    ) -> Toolbox:
        """Put the pages of a list together, unless a session has read the same pages, with the same
        pinned names."""
        key = _digest(pages), (is_modern, *pinned.state)
        known = self._get(key, policy)
        if known is None:
            known = read_list(
                pages, policy, now, is_modern=is_modern, pinned=pinned, servers=servers
            )
            self._put(key, known, policy)
        return known.until(expiry(pages, now))

    def _get(self, key: _Key, policy: Policy) -> Toolbox | None:
        with self._lock:
            if policy is not self._policy:
                self._policy = policy
                self._known.clear()
            return self._known.get(key)

    def _put(self, key: _Key, toolbox: Toolbox, policy: Policy) -> None:
        with self._lock:
            if policy is self._policy:
                self._known[key] = toolbox


def _digest(pages: Sequence[ToolsPage]) -> bytes:
    whole = hashlib.sha256()
    for page in pages:
        for name, raw in page.members.items():
            for part in (name.encode("utf-8", "surrogatepass"), memoryview(raw)):
                whole.update(len(part).to_bytes(8, "big"))
                whole.update(part)
        whole.update(b"\xff" * 8)  # the end of a page; no part is so long
    return whole.digest()
