"""The tokens of a message that a model reads: the same parts that count against the budgets."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Final

import msgspec

from penstock.core.budget.measure import Meter
from penstock.core.json import rawjson
from penstock.core.json.encoding import encode
from penstock.core.model.reply import Showing, counted, is_for_user
from penstock.core.results.blocks import repeated_places
from penstock.disclosure.lists.host_parts import counted_tool
from penstock.figures.notes import Note
from penstock.wire import messages
from penstock.wire.results import WireResult
from penstock.wire.toolbox import read_page

_CONTENT: Final = "content"
_STRUCTURED: Final = "structuredContent"
_META: Final = "_meta"
Members = Mapping[str, msgspec.Raw]


class Weight(msgspec.Struct, frozen=True):
    tokens: int = 0
    is_error: bool = False


def weigh(message: bytes, note: Note, meter: Meter) -> Weight:
    """Return the tokens that a model reads of an answer, and whether the answer is an error."""
    if not message:
        return Weight()
    opened = messages.read_message(_compact(message))
    if not isinstance(opened.error, msgspec.UnsetType):
        return Weight(_count(bytes(opened.error), meter), is_error=True)
    members = {} if isinstance(opened.result, msgspec.UnsetType) else opened.result
    if note.kind == "list":
        return Weight(_count(_counted_list(members, has_apps=note.has_apps), meter))
    if note.kind == "greeting":
        return Weight(meter.count(messages.text_of(members, "instructions") or ""))
    return _weigh_result(_of_task(members), note, meter)


def _weigh_result(members: Members, note: Note, meter: Meter) -> Weight:
    wire = WireResult(members)
    if not wire.is_complete:
        return Weight()  # a task, or a question to the user
    is_error = messages.decoded(members.get("isError")) is True
    apart = (_META, _STRUCTURED) if note.has_widget else (_META,)
    read = {name: raw for name, raw in members.items() if name not in apart}
    return Weight(max(_count(form, meter) for form in _forms(read, note.showing)), is_error)


def _of_task(members: Members) -> Members:
    """Return the result that a finished task carries since 2026-07-28, or the members themselves."""
    is_task = _CONTENT not in members and "taskId" in members
    return messages.members_of(members["result"]) if is_task and "result" in members else members


def _forms(members: Members, showing: Showing) -> Iterator[bytes]:
    """Yield the forms in which a host may show a result to a model, as `Reply.shown` does."""
    result = WireResult(members).decoded()
    blocks = {
        place: encode(counted(block))
        for place, block in enumerate(result.content)
        if not (showing.hides_user_blocks and is_for_user(block))
    }
    if not result.content:
        yield messages.object_from(members)
        return
    repeated = () if showing.both else repeated_places(result)
    text = {name: raw for name, raw in members.items() if not repeated or name != _STRUCTURED}
    yield messages.object_from({**text, _CONTENT: _array(blocks.values())})
    if repeated:
        others = [raw for place, raw in blocks.items() if place not in repeated]
        yield messages.object_from({**members, _CONTENT: _array(others)})


def _counted_list(members: Members, *, has_apps: bool) -> bytes:
    page = read_page(members)
    if page is None:
        return b""
    tools = [bytes(tool) for tool in page.tools if not (has_apps and _is_for_apps_alone(tool))]
    read = {name: raw for name, raw in members.items() if name != _META}
    return messages.object_from({**read, "tools": _array(map(counted_tool, tools))})


def _array(parts: Iterable[bytes]) -> bytes:
    return b"[" + b",".join(parts) + b"]"


def _is_for_apps_alone(tool: msgspec.Raw) -> bool:
    meta = messages.decoded(messages.members_of(tool).get(_META))
    ui = meta.get("ui") if isinstance(meta, dict) else None
    return isinstance(ui, dict) and ui.get("visibility") == ["app"]


def _compact(message: bytes) -> bytes:
    try:
        return rawjson.compact(message)
    except rawjson.TooDeep:
        return rawjson.squeezed(message)


def _count(wire: bytes, meter: Meter) -> int:
    return meter.count(wire.decode(errors="replace"))
