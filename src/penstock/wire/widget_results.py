"""Results of tools with a widget. The model reads the content; only the widget reads the structured
content.

So the content is held to the budget, and the structured content to the ceiling. If it is over the
ceiling, Penstock leaves rows out and counts them; the store keeps the whole result. A host that cut
the result itself would give the widget invalid JSON. Images and audio have their own cap.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property
from typing import Any, Final

import msgspec

from penstock.core.budget.budget import Budget
from penstock.core.budget.fitting import largest
from penstock.core.budget.host_members import LEFT_OUT_META
from penstock.core.budget.measure import Meter
from penstock.core.json import rawjson
from penstock.core.json.encoding import encode
from penstock.core.model.reply import Reply, counted
from penstock.core.model.values import Frame
from penstock.log import logger
from penstock.wire import messages
from penstock.wire.call_facts import policy_of
from penstock.wire.effects import Steps
from penstock.wire.offering import offer
from penstock.wire.request import Request
from penstock.wire.results import WireResult
from penstock.wire.toolbox import UpstreamTool
from penstock.wire.widget_rows import Rows, find_rows

_STRUCTURED: Final = "structuredContent"
_CONTENT: Final = "content"
_META: Final = "_meta"
Members = Mapping[str, bytes | msgspec.Raw]


def held(
    request: Request, wire: WireResult, around: dict[str, Any] | None = None
) -> Steps[bytes | None]:
    """Return the result for the model and the widget, or None if it passes unchanged. `around`: the
    members of the task that holds the result, if there is one."""
    policy, meter = policy_of(request), request.meter
    is_short = policy.inline_budget.admits(_for_model(wire.members), meter)
    whole = _measured(wire.members)
    is_asked = policy.heavy or bool(request.notice)
    if is_short and not is_asked and policy.ceiling.admits(whole, meter):
        return None
    reply = yield from offer(request, wire, around, is_text=True)
    if reply.is_whole and not request.notice:
        return None
    if around is not None:
        reply = replace(reply, frame=Frame())  # the task has the members of the frame already
    words = request.policy.for_tool(request.tool).budget
    fitting = _Fitting(policy.ceiling, words, meter, reply, wire, request.upstream_tool, around)
    try:
        return fitting.wire()
    except Exception:  # noqa: BLE001 (the tool has run and its result is stored: give the token)
        logger().exception("the structured content of a result could not be shortened")
        return fitting.with_envelope()


def _for_model(members: Members) -> bytes:
    """Return the part of a result that the model reads, as it is measured."""
    apart = (_STRUCTURED, _META)
    return _measured({name: raw for name, raw in members.items() if name not in apart})


def _measured(members: Members) -> bytes:
    """Return a result without the parts of its blocks that have caps of their own."""
    content = bytes(members.get(_CONTENT, b"[]"))
    if not any(name in content for name in (b'"data"', b'"_meta"', b'"icons"')):
        return messages.object_from(members)
    blocks = rawjson.decode(content)
    if not isinstance(blocks, list) or not all(isinstance(block, dict) for block in blocks):
        return messages.object_from(members)
    return messages.object_from({**members, _CONTENT: encode([*map(counted, blocks)])})


class _Fitting(msgspec.Struct, frozen=True, dict=True):
    """A result that has to fit."""

    ceiling: Budget  # for the whole result
    words: Budget  # for the part that the model reads
    meter: Meter
    reply: Reply  # the core's reply to the result
    result: WireResult
    tool: UpstreamTool | None
    around: dict[str, Any] | None = None

    def wire(self) -> bytes:
        """Return the result with its whole structured content, with as many rows as fit, or with
        the reply in its place."""
        structured = self.result.members[_STRUCTURED]
        whole = self._together(bytes(structured))
        if self._fits(whole):
            return messages.object_from(whole)
        rows = find_rows(rawjson.compact(structured))
        fitting = None if rows is None else self._with_rows(rows)
        return self.with_envelope() if fitting is None else messages.object_from(fitting)

    def with_envelope(self) -> bytes:
        """Return a result that gives the widget the same reply as the model."""
        return messages.object_from({**self._members, _STRUCTURED: self.reply.payload})

    @cached_property
    def _members(self) -> dict[str, msgspec.Raw]:
        return messages.members_of(self.reply.wire())

    @cached_property
    def _content(self) -> bytes:
        """The tool's own content, if it is short, and then the reply; otherwise the reply alone."""
        if self.reply.untouched is not None:
            return encode(self.reply.content)  # the tool's own, and notices
        own = bytes(self.result.members.get(_CONTENT, b"[]")).strip()[1:-1].strip()
        told = encode(self.reply.content[0])
        both = b"[" + b",".join(part for part in (own, told) if part) + b"]"
        is_short = self.words.admits(_for_model({**self._members, _CONTENT: both}), self.meter)
        return both if is_short else bytes(self._members[_CONTENT])

    def _fits(self, members: Members) -> bool:
        wire = _measured(members)
        if self.around is not None:
            wire = encode({**self.around, "result": msgspec.Raw(wire)})
        return self.ceiling.admits(wire, self.meter)

    def _together(self, structured: bytes, left_out: dict[str, int] | None = None) -> Members:
        members: dict[str, bytes | msgspec.Raw] = dict(self._members)
        members |= {_CONTENT: self._content, _STRUCTURED: structured}
        meta: dict[str, bytes | msgspec.Raw] = {
            **_table(self.result.members.get(_META)),
            **_table(self._members.get(_META)),
        }
        if left_out:
            meta[LEFT_OUT_META] = encode(left_out)
        return {**members, **({_META: messages.object_from(meta)} if meta else {})}

    def _with_rows(self, rows: Rows) -> Members | None:
        """Return the result with as many rows as fit, or None if that breaks the output schema."""

        def build(count: int, *, has_counts: bool = True) -> Members:
            return self._together(
                rows.structure(count, has_counts=has_counts), rows.left_out(count)
            )

        count = largest(len(rows.rows), lambda count: self._fits(build(count)))
        # The structured content itself says what was left out, unless its schema forbids that.
        for has_counts in (True, False):
            fitting = build(count, has_counts=has_counts)
            if self._fits(fitting) and self._is_promised(
                rows.structure(count, has_counts=has_counts)
            ):
                return fitting
        return None

    def _is_promised(self, structured: bytes) -> bool:
        if self.tool is None or self.tool.output is None:
            return True
        from penstock.disclosure.checking import is_promised

        schema = rawjson.text(bytes(self.tool.output))
        return is_promised(schema, rawjson.decode(structured), self.tool.name)


def _table(raw: msgspec.Raw | None) -> dict[str, msgspec.Raw]:
    return messages.members_of(msgspec.UNSET if raw is None else raw)
