"""Results of tools with a widget: the model reads the content, and only the widget what is structured.

So the content is held to the budget, and what is structured to what the host takes. Where that is more,
rows are left out, counted, and in the store with all the rest: a host that cuts a result itself leaves
the widget with something that is no JSON. Images and audio have a cap of their own, as everywhere.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property
from typing import Any, Final

import msgspec

from penstock.core.budget.budget import Budget
from penstock.core.budget.fitting import largest
from penstock.core.budget.measure import Meter
from penstock.core.json import rawjson
from penstock.core.json.encoding import encode
from penstock.core.model.reply import Reply, without_data
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

LEFT_OUT_META: Final = "dev.penstock/left_out"
_STRUCTURED: Final = "structuredContent"
_CONTENT: Final = "content"
_META: Final = "_meta"
Members = Mapping[str, bytes | msgspec.Raw]


def held(
    request: Request, wire: WireResult, around: dict[str, Any] | None = None
) -> Steps[bytes | None]:
    """What reaches model and widget of a result; None where that is all of it. `around`: what it stands
    in, where it comes within something else."""
    policy, meter = policy_of(request), request.meter
    is_short = policy.inline_budget.admits(_for_model(wire.members), meter)
    whole = _measured(wire.members)
    if is_short and not policy.heavy and policy.ceiling.admits(whole, meter):
        return None
    reply = yield from offer(request, wire, around, is_text=True)
    if reply.is_whole and not request.notice:
        return None
    if around is not None:
        reply = replace(reply, frame=Frame())  # which goes around the outer one
    words = request.policy.for_tool(request.tool).budget
    fitting = _Fitting(policy.ceiling, words, meter, reply, wire, request.upstream_tool, around)
    try:
        return fitting.wire()
    except Exception:  # noqa: BLE001 (the tool has run, and what it gave is stored: that is told)
        logger().exception("the structure of a result could not be fitted")
        return fitting.with_envelope()


def _for_model(members: Members) -> bytes:
    """What a model reads of a result, as it is measured."""
    apart = (_STRUCTURED, _META)
    return _measured({name: raw for name, raw in members.items() if name not in apart})


def _measured(members: Members) -> bytes:
    """A result without the data of images and audio."""
    content = bytes(members.get(_CONTENT, b"[]"))
    if b'"data"' not in content:
        return messages.object_from(members)
    blocks = rawjson.decode(content)
    if not isinstance(blocks, list) or not all(isinstance(block, dict) for block in blocks):
        return messages.object_from(members)
    return messages.object_from({**members, _CONTENT: encode([*map(without_data, blocks)])})


class _Fitting(msgspec.Struct, frozen=True, dict=True):
    """A result that is to fit. `reply` is what the core has made of it; `words` bounds what is said
    to a model."""

    ceiling: Budget
    words: Budget
    meter: Meter
    reply: Reply
    result: WireResult
    tool: UpstreamTool | None
    around: dict[str, Any] | None = None

    def wire(self) -> bytes:
        """With all that is structured, with as many rows of it as fit, or with what stands in its
        place."""
        structured = self.result.members[_STRUCTURED]
        whole = self._together(bytes(structured))
        if self._fits(whole):
            return messages.object_from(whole)
        rows = find_rows(rawjson.compact(structured))
        fitting = None if rows is None else self._with_rows(rows)
        return self.with_envelope() if fitting is None else messages.object_from(fitting)

    def with_envelope(self) -> bytes:
        """The widget is told what the model is told."""
        return messages.object_from({**self._members, _STRUCTURED: self.reply.payload})

    @cached_property
    def _members(self) -> dict[str, msgspec.Raw]:
        return messages.members_of(self.reply.wire())

    @cached_property
    def _content(self) -> bytes:
        """A short word of the tool's own for the model stays, with what stood beside it; then ours."""
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
        """As many as fit; None where what is then left is not what the tool has promised."""

        def build(count: int, *, is_said: bool = True) -> Members:
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
        from penstock.disclosure.checking import is_promised

        schema = rawjson.text(bytes(self.tool.output))
        return is_promised(schema, rawjson.decode(structured), self.tool.name)


def _table(raw: msgspec.Raw | None) -> dict[str, msgspec.Raw]:
    return messages.members_of(msgspec.UNSET if raw is None else raw)
