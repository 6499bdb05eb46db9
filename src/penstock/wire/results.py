"""Tool results between the wire and the core."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import msgspec

from penstock.core.json import rawjson
from penstock.core.json.encoding import encode
from penstock.core.model.values import ABSENT, Result
from penstock.wire import messages

_BLOCKS: Final = msgspec.json.Decoder(list[dict[str, Any]])
_KNOWN: Final = frozenset({"content", "structuredContent", "isError", "_meta", "resultType"})
_CONTENT: Final = frozenset({"content", "structuredContent", "_meta"})
_NOT_YET: Final = frozenset({"input_required", "task"})


class WireResult(msgspec.Struct, frozen=True):
    """The `result` of a call as upstream sent it, its members undecoded."""

    members: Mapping[str, msgspec.Raw]

    @property
    def is_complete(self) -> bool:
        """Return whether this is the tool's result, and neither a request for input nor a task. One
        with content is a result, whatever it says: a legacy client shows it to the model."""
        if self._has_content:
            return True
        is_later = messages.text_of(self.members, "resultType") in _NOT_YET
        return not is_later and self.task_id is None

    @property
    def question(self) -> Mapping[str, msgspec.Raw]:
        """The members of a request for input that are not content; {} for any other result."""
        if messages.text_of(self.members, "resultType") not in _NOT_YET:
            return {}
        return {name: raw for name, raw in self.members.items() if name not in _CONTENT}

    @property
    def _has_content(self) -> bool:
        return "content" in self.members or "structuredContent" in self.members

    @property
    def has_structured(self) -> bool:
        return "structuredContent" in self.members

    @property
    def said_of_error(self) -> dict[str, Any]:
        """An explicit `"isError": false`, which has to stay: its bytes count against the budget."""
        is_explicit = messages.decoded(self.members.get("isError")) is False
        return {"isError": False} if is_explicit else {}

    @property
    def task_id(self) -> str | None:
        """The id of the task that upstream made of the call, as either era writes it."""
        task = messages.members_of(self.members.get("task", msgspec.UNSET))
        return messages.text_of(task, "taskId") or messages.text_of(self.members, "taskId")

    def decoded(self) -> Result:
        """Return the result for the core. If it has no content, if its content is no list of
        blocks, or if it nests too deep for Python, the whole object counts as the tool's value."""
        is_error = messages.decoded(self.members.get("isError")) is True
        try:
            content, meta, members = self._content(), self._meta(), self._extensions()
        except (TypeError, RecursionError):
            whole = messages.object_from(self.members)
            return Result(structured=msgspec.Raw(whole), is_error=is_error)
        structured = self.members.get("structuredContent", ABSENT)
        return Result(content, structured, is_error=is_error, meta=meta, members=members)

    def _content(self) -> list[dict[str, Any]]:
        if not self._has_content:
            raise TypeError("no content")
        raw = self.members.get("content")
        blocks = [] if raw is None else _decoded_blocks(raw)
        if not isinstance(blocks, list) or not all(isinstance(block, dict) for block in blocks):
            raise TypeError("content is no list of blocks")
        return blocks

    def _meta(self) -> dict[str, Any]:
        raw = self.members.get("_meta")
        meta = {} if raw is None else rawjson.decode(raw)
        return meta if isinstance(meta, dict) else {}

    def _extensions(self) -> dict[str, Any]:
        """Return the members that no revision defines."""
        return {
            name: rawjson.decode(raw) for name, raw in self.members.items() if name not in _KNOWN
        }


def _decoded_blocks(raw: msgspec.Raw) -> Any:
    try:
        return _BLOCKS.decode(raw)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return rawjson.decode(raw)


def plain_wire(result: Result, fields: Mapping[str, Any]) -> bytes:
    """Return the JSON of a result that passes unchanged, with the `fields` of its frame."""
    content = [dict(block) for block in result.content]
    if not content:
        content = [{"type": "text", "text": rawjson.text(encode(result.structured))}]
    error = {"isError": True} if result.is_error else {}
    meta = {"_meta": {**fields.get("_meta", {}), **result.meta}} if result.meta else {}
    return encode({**result.members, "content": content, **fields, **error, **meta})
