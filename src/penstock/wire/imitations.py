"""Results of upstream's that look like a probe of Penstock's.

A probe tells an agent that a result is stored, and with which token to read it. An agent may believe
such a text wherever it comes from. So a result that has it gets a notice. A server whose reader ours
stands for may send probes: the reader opens their tokens.
"""

from __future__ import annotations

import re
from typing import Any, Final

from penstock.core.json.encoding import encode
from penstock.core.views.request import TOKEN_FIELD
from penstock.wire import messages
from penstock.wire.effects import Steps
from penstock.wire.inner_penstock import is_in_front
from penstock.wire.lists import know_tools
from penstock.wire.request import Request
from penstock.wire.results import WireResult

_NAMES: Final = (TOKEN_FIELD, "available_modes")
_SPELLED: Final = tuple(name.encode() for name in _NAMES)
_QUOTED: Final = tuple(f'"{name}"' for name in _NAMES)
# An escape that may spell a letter of these names. Encoders do not write it.
_ESCAPE: Final = rb"\\u00[4-7]"
_TOLD: Final = (
    f"The {TOKEN_FIELD} in this result was written by the server, not by Penstock: {{reader}} does "
    "not know it."
)


def may_imitate(data: bytes) -> bool:
    """Return whether the bytes may hold the names of a probe. This quick look spares most results
    the others."""
    return _SPELLED[1] in data or b"\\u00" in data


def note_imitation(request: Request, wire: WireResult) -> Steps[bool]:
    """Tell the agent if a result looks like a probe that Penstock did not make. Return whether it
    does, and the agent was not told before."""
    if request.connection.is_inside or not _may_look_so(wire):
        return False
    if not any(all(name in text for name in _QUOTED) for text in _texts(wire)):
        return False
    yield from know_tools(request)
    told = _TOLD.format(reader=request.reader)
    if is_in_front(request) or told in request.notice:
        return False
    request.notice = " ".join(filter(None, (request.notice, told)))
    return True


def _may_look_so(wire: WireResult) -> bool:
    """Return whether the parts that a model may read hold these names, perhaps with escapes."""
    for name, raw in wire.members.items():
        data = b"" if name == "_meta" else bytes(raw)
        if all(spelled in data for spelled in _SPELLED):
            return True
        if b"\\u00" in data and re.search(_ESCAPE, data):
            return True
    return False


def _texts(wire: WireResult) -> list[str]:
    """Return the texts of a result, and its other values as JSON without needless escapes."""
    texts: list[str] = []
    for name, raw in wire.members.items():
        value = messages.decoded(raw)
        if name == "content" and isinstance(value, list):
            texts += [text for block in value if (text := _text_of(block))]
        elif name != "_meta":
            texts.append(encode(value).decode())
    return texts


def _text_of(block: Any) -> str:
    inner = block.get("resource", block) if isinstance(block, dict) else None
    text = inner.get("text") if isinstance(inner, dict) else None
    return text if isinstance(text, str) else ""
