"""The values that a program gets for its calls: whole, and decoded as Penstock understands them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import msgspec

from penstock.core.json import rawjson
from penstock.core.json.encoding import encode
from penstock.core.model.reply import MEDIA_TYPES
from penstock.core.model.values import ABSENT, Call, LiveRows, Refusal, Result
from penstock.core.results.blocks import document_as_text, document_of
from penstock.core.results.decoding import decoded
from penstock.core.results.document import Document, read_text_with_data
from penstock.core.views.request import TOKEN_FIELD
from penstock.gate.gate import Gate
from penstock.wire import messages
from penstock.wire.effects import InnerAnswer
from penstock.wire.results import WireResult

LARGEST_VALUE: Final = 64_000_000
_PLAIN_TEXT: Final = {"type", "text"}
_MOST_TOLD: Final = 1_000
_TOO_LARGE: Final = "its result has {:,} bytes, and a program takes at most {:,}"
_IS_TASK: Final = "it runs as a task, which a program cannot follow: call it outside"


class NoValue(Exception):
    """A call of a program that has no value: the tool failed, or its result cannot be used."""


class Returned(msgspec.Struct, frozen=True):
    """The value of a call, and what the record of the program's calls keeps of it."""

    value: Any
    kept: Mapping[str, Any]
    text: str = ""  # as a model would have read it


def returned(answer: InnerAnswer, gate: Gate, hooks: Mapping[str, Any]) -> Returned:
    """Return what a call has returned. Raise `NoValue` if it has no value."""
    if answer.live is not None:
        return _live(*answer.live, gate, hooks, is_text=answer.is_text)
    result = answer.inside or _result(answer.response)
    if len(answer.response) > LARGEST_VALUE:
        raise NoValue(_TOO_LARGE.format(len(answer.response), LARGEST_VALUE))
    if result.is_error:
        raise NoValue(_text(result)[:_MOST_TOLD] or "the tool failed")
    text = _text(result)
    value = text if answer.is_text else value_of(result)
    return Returned(value, {"result": _kept(result, text)}, text)


def _kept(result: Result, text: str) -> Any:
    """Return what the record of a program's calls keeps of a result."""
    structured = result.structured
    if not isinstance(structured, msgspec.Raw):
        return text if structured is ABSENT else structured
    try:
        return msgspec.Raw(rawjson.compact(structured))  # a store keeps compact JSON
    except rawjson.TooDeep:
        return text


def _result(response: bytes) -> Result:
    message = messages.read_message(response)
    if not isinstance(message.error, msgspec.UnsetType):
        told = messages.text_of(messages.members_of(message.error), "message")
        raise NoValue((told or "the server answered with an error")[:_MOST_TOLD])
    members = {} if isinstance(message.result, msgspec.UnsetType) else message.result
    wire = WireResult(members)
    if not wire.is_complete:
        raise NoValue(_IS_TASK)
    return wire.decoded()


def value_of(result: Result) -> Any:
    """Return the value of a result: that of its structured content, of the data in its text, or the
    text itself."""
    document = _document(result)
    try:
        return _value_in(document)
    except rawjson.TooDeep:  # seen only when its rows are read
        return _text(result)


def _value_in(document: Document) -> Any:
    if document.shape == "lines":
        return rawjson.text(b"\n".join(row for block in document.blocks for row in block))
    frame = document.frame
    rows = (row for block in document.blocks for row in decoded(document, block))
    return rawjson.decode(frame.prefix + b",".join(rows) + frame.suffix)


def _document(result: Result) -> Document:
    content = result.content
    if result.structured is ABSENT and len(content) == 1 and content[0].keys() == _PLAIN_TEXT:
        return read_text_with_data(str(content[0]["text"]))  # most results: the short way
    texts = [block for block in content if block.get("type") not in MEDIA_TYPES]
    plain = msgspec.structs.replace(result, content=texts or content)
    try:
        return document_of(plain, media_cap=LARGEST_VALUE)
    except rawjson.TooDeep:
        return document_as_text(plain, media_cap=LARGEST_VALUE)


def _text(result: Result) -> str:
    """Return the exact text of a result; of one without texts, its JSON."""
    texts = [str(block["text"]) for block in result.content if block.get("type") == "text"]
    if texts:
        return "\n".join(texts)
    if result.structured is not ABSENT:
        return rawjson.text(encode(result.structured))
    return rawjson.text(encode(list(result.content))) if result.content else ""


def _live(
    call: Call, rows: LiveRows, gate: Gate, hooks: Mapping[str, Any], *, is_text: bool
) -> Returned:
    """Return all rows of a live list. They are read through its stored entry, as views read them."""
    probe = gate.offer(call, rows, **hooks).value
    token = str(probe.get(TOKEN_FIELD, "")) if isinstance(probe, dict) else ""
    found = gate.fetch(call, token, **hooks)
    if isinstance(found, Refusal):
        raise NoValue(found.error)
    text = rawjson.text(found.value)
    return Returned(text if is_text else rawjson.decode(found.value), {"token": token}, text)
