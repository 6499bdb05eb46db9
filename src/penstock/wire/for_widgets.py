"""Results of tools with a widget: the model reads the content, and only the widget what is structured.

So the content is held to the budget, and what is structured to what the host takes. Where that is more,
rows are left out, counted, and in the store with all the rest: a host that cuts a result itself leaves
the widget with something that is no JSON.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Final

import msgspec

from penstock import rawjson
from penstock.budget import Budget
from penstock.cancellation import Cancelled
from penstock.encoding import encode
from penstock.fitting import largest
from penstock.measure import Meter
from penstock.model import Reply
from penstock.wire import messages
from penstock.wire.holding import offer
from penstock.wire.results import WireResult
from penstock.wire.state import Outputs, Pending
from penstock.wire.telling import policy_of, tool_of
from penstock.wire.toolbox import Tool
from penstock.wire.widget_rows import Rows, find_rows

if TYPE_CHECKING:
    from penstock.wire.session import Session

LEFT_OUT_META: Final = "dev.penstock/left_out"
_STRUCTURED: Final = "structuredContent"


def hold(session: Session, pending: Pending, wire: WireResult, line: bytes) -> Outputs:
    """What reaches model and widget of a result."""
    policy, meter = policy_of(session, pending), session.gate.meter
    apart = (_STRUCTURED, "_meta")
    for_model = {name: raw for name, raw in wire.members.items() if name not in apart}
    is_short = policy.inline_budget.admits(messages.object_from(for_model), meter)
    whole = messages.object_from(wire.members)
    if is_short and not policy.heavy and policy.ceiling.admits(whole, meter):
        return session.deliver(pending, line)
    try:
        reply = offer(session, pending, wire, is_text=True)
    except Cancelled:
        return []
    if reply.is_whole and not pending.notice:
        return session.deliver(pending, line)
    words = session.policy.for_tool(pending.tool).budget
    fitting = _Fitting(policy.ceiling, words, meter, reply, wire, tool_of(session, pending))
    return session.replace(pending, messages.response(pending.key, fitting.wire()))


class _Fitting(msgspec.Struct, frozen=True, dict=True):
    """A result that is to fit. `reply` is what the core has made of it; `words` bounds what is said
    to a model."""

    ceiling: Budget
    words: Budget
    meter: Meter
    reply: Reply
    result: WireResult
    tool: Tool | None

    def wire(self) -> bytes:
        """With all that is structured, with as many rows of it as fit, or with what stands in its
        place."""
        structured = self.result.members[_STRUCTURED]
        whole = self._together(bytes(structured))
        if self._fits(whole):
            return whole
        rows = find_rows(rawjson.compact(structured))
        fitting = None if rows is None else self._with_rows(rows)
        return fitting or messages.object_from({**self._members, _STRUCTURED: self.reply.payload})

    @cached_property
    def _members(self) -> dict[str, msgspec.Raw]:
        return messages.members_of(self.reply.wire())

    @cached_property
    def _content(self) -> bytes:
        """A short word of the tool's own for the model stays, before ours."""
        ours = bytes(self._members["content"])
        both = _joined(bytes(self.result.members.get("content", b"[]")), ours)
        return both if self.words.admits(b'{"content":' + both + b"}", self.meter) else ours

    def _fits(self, wire: bytes) -> bool:
        return self.ceiling.admits(wire, self.meter)

    def _together(self, structured: bytes, left_out: dict[str, int] | None = None) -> bytes:
        members: dict[str, bytes | msgspec.Raw] = dict(self._members)
        members |= {"content": self._content, _STRUCTURED: structured}
        meta: dict[str, bytes | msgspec.Raw] = {
            **_table(self.result.members.get("_meta")),
            **_table(self._members.get("_meta")),
        }
        if left_out:
            meta[LEFT_OUT_META] = encode(left_out)
        return messages.object_from(
            {**members, **({"_meta": messages.object_from(meta)} if meta else {})}
        )

    def _with_rows(self, rows: Rows) -> bytes | None:
        """As many as fit; None where what is then left is not what the tool has promised."""

        def build(count: int, *, is_said: bool = True) -> bytes:
            return self._together(rows.structure(count, is_said=is_said), rows.left_out(count))

        count = largest(len(rows.rows), lambda count: self._fits(build(count)))
        # Said in the structure itself too, unless its schema forbids.
        for is_said in (True, False):
            fitting = build(count, is_said=is_said)
            if self._fits(fitting) and self._is_promised(rows.structure(count, is_said=is_said)):
                return fitting
        return None

    def _is_promised(self, structured: bytes) -> bool:
        if self.tool is None or self.tool.output is None:
            return True
        from penstock.disclosure.checking import is_promised  # noqa: PLC0415 (few are over the cap)

        schema = rawjson.text(bytes(self.tool.output))
        return is_promised(schema, rawjson.decode(structured), self.tool.name)


def _table(raw: msgspec.Raw | None) -> dict[str, msgspec.Raw]:
    return messages.members_of(msgspec.UNSET if raw is None else raw)


def _joined(one: bytes, other: bytes) -> bytes:
    """Two lists as one."""
    parts = (one.strip()[1:-1].strip(), other.strip()[1:-1].strip())
    return b"[" + b",".join(part for part in parts if part) + b"]"
