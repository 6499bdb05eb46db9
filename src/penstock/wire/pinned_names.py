"""The names of Penstock's own tools that clients were told of. They stay ours for the session.

An agent gives `read_result` its tokens, and `call_tool` its calls. If upstream lists a tool under such
a name later, it would get them. So such a tool is not listed, and cannot be called.
"""

from __future__ import annotations

from collections.abc import Mapping

from penstock.log import logger
from penstock.wire.inner_reader import HasSchema, is_reader
from penstock.wire.reader import READER


class PinnedNames:
    """A name for each role that clients were told of, such as `read_result`."""

    def __init__(self) -> None:
        self._names: dict[str, str] = {}
        # Whether our reader stands for a reader of upstream's too. None until a list was shown.
        self._shares_reader: bool | None = None
        self._hidden: set[str] = set()

    def pin(self, names: Mapping[str, str], *, shares_reader: bool | None) -> bool:
        """Pin names by role, unless the role has one. Return whether there was a new one."""
        before = len(self._names)
        for role, name in names.items():
            self._names.setdefault(role, name)  # two threads may pin a role: one of them does
        if self._shares_reader is None:
            self._shares_reader = shares_reader
        return len(self._names) > before

    def snapshot(self) -> PinnedNames:
        """Return the names as they are now, for a list that is read while others are pinned."""
        now = PinnedNames()
        now._names, now._shares_reader = dict(self._names), self._shares_reader
        now._hidden = self._hidden
        return now

    @property
    def state(self) -> tuple[object, ...]:
        """All that a list depends on, as a value that can be compared."""
        return (self._shares_reader, *sorted(self._names.items()))

    def name(self, role: str) -> str:
        return self._names.get(role, "")

    def over(self, names: Mapping[str, str]) -> dict[str, str]:
        """Return these names by role, or the pinned ones in their place."""
        return {role: self._names.get(role, name) for role, name in names.items()}

    def hides(self, name: str, tool: HasSchema) -> bool:
        """Return whether a tool of upstream's has one of these names, and log that it is hidden."""
        if name not in self._names.values():
            return False
        may_share = name == self._names.get(READER) and self._shares_reader is not False
        if may_share and is_reader(name, tool):
            return False
        if name not in self._hidden:
            self._hidden.add(name)
            logger().warning(
                "upstream lists a tool %r now, a name that Penstock's own tool has in this session: "
                "upstream's tool is hidden",
                name,
            )
        return True
