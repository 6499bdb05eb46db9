"""The headers of streamable HTTP: made from a message, and checked against one.

Penstock never copies a header from one side to the other. It computes the headers for upstream from
the final body and the tool's real schema. A client's headers must agree with the body. Otherwise a
router, which reads headers, and a server, which reads the body, would see two different requests.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any, Final

import msgspec

from penstock.wire import eras, messages
from penstock.wire.messages import HEADER_MISMATCH, INVALID_REQUEST, Message
from penstock.wire.toolbox import UpstreamTool

SESSION: Final = "mcp-session-id"
VERSION: Final = "mcp-protocol-version"
METHOD: Final = "mcp-method"
NAME: Final = "mcp-name"
PARAMETER: Final = "mcp-param-"
LAST_EVENT: Final = "last-event-id"

JSON: Final = "application/json"
EVENTS: Final = "text/event-stream"

# The HTTP status for each error of the modern era.
_STATUS: Final[Mapping[int, int]] = {
    messages.PARSE_ERROR: 400,
    messages.INVALID_REQUEST: 400,
    messages.INVALID_PARAMS: 400,
    messages.HEADER_MISMATCH: 400,
    -32021: 400,  # a capability that the client lacks
    messages.UNSUPPORTED_VERSION: 400,
    messages.METHOD_NOT_FOUND: 404,
}

Pairs = Sequence[tuple[str, str]]  # headers in their order, with names in lower case

# The member of the parameters that `Mcp-Name` repeats.
_NAMED: Final = {
    "tools/call": "name",
    "prompts/get": "name",
    "resources/read": "uri",
    "tasks/get": "taskId",
    "tasks/update": "taskId",
    "tasks/cancel": "taskId",
}
_ONCE: Final = (VERSION, METHOD, NAME)
_WRAPPED: Final = re.compile(r"=\?base64\?(.*)\?=")
_PLAIN: Final = re.compile(r"[\x20-\x7e]*")
_DECIMAL: Final = re.compile(r"-?\d+(?:\.\d+)?", re.ASCII)


def for_message(message: Message, tool: UpstreamTool | None) -> dict[str, str]:
    """Return the headers that repeat parts of a modern request's body."""
    if not isinstance(message.method, str) or not eras.is_modern(message.params):
        return {}
    version = messages.text_of(eras.meta_of(message.params), eras.VERSION_META) or ""
    made = {VERSION: version, METHOD: encoded(message.method)}
    params = messages.members_of(message.params)
    name = messages.text_of(params, _NAMED.get(message.method, ""))
    if name is not None:
        made[NAME] = encoded(name)
    if message.method == "tools/call" and tool is not None and tool.header_parameters:
        made |= _parameters(tool, messages.decoded(params.get("arguments")))
    return made


def _parameters(tool: UpstreamTool, arguments: Any) -> dict[str, str]:
    values = {
        header: _rendered(_at(arguments, path)) for path, header in tool.header_parameters.items()
    }
    return {PARAMETER + name: encoded(text) for name, text in values.items() if text is not None}


def _at(value: Any, path: tuple[str, ...]) -> Any:
    for step in path:
        value = value.get(step) if isinstance(value, Mapping) else None
    return value


def _rendered(value: Any) -> str | None:
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value) if isinstance(value, str | int | float) else None


def mismatch(message: Message, given: Pairs) -> bytes | None:
    """Return the error for a modern request whose headers disagree with its body, or None."""
    for name in _ONCE:
        if sum(other == name for other, _ in given) > 1:
            return _error(f"The header {name} appears more than once.")
    headers, wanted = dict(given), for_message(message, None)
    for name in _ONCE:
        if name in wanted and decoded(headers.get(name)) != decoded(wanted[name]):
            return _error(f"The header {name} does not match the body.")
    return None


class RepeatedArguments(msgspec.Struct, frozen=True):
    """A call over HTTP, and its headers, some of which may repeat arguments."""

    message: Message
    given: Pairs

    @property
    def are_there(self) -> bool:
        return any(name.startswith(PARAMETER) for name, _ in self.given)

    def mismatch(self, tool: UpstreamTool | None) -> bytes | None:
        """Return an error unless the headers repeat the arguments that the tool's schema says."""
        if tool is None or not tool.header_parameters:
            return None
        arguments = messages.decoded(messages.members_of(self.message.params).get("arguments"))
        faults = (
            self._fault(PARAMETER + header.lower(), _at(arguments, path))
            for path, header in tool.header_parameters.items()
        )
        told = next((fault for fault in faults if fault), "")
        return _error(told) if told else None

    def _fault(self, name: str, value: Any) -> str:
        wanted, values = _rendered(value), [text for other, text in self.given if other == name]
        if len(values) > 1:
            return f"The header {name} appears more than once."
        if not values:
            return f"The header {name} is missing." if wanted is not None else ""
        if wanted is None:
            return f"The header {name} repeats no argument."
        is_same = _same(decoded(values[0]), wanted, value)
        return "" if is_same else f"The header {name} does not match its argument."


def _same(header: str | None, wanted: str, value: Any) -> bool:
    """Compare a header with an argument. For a number, 42 equals 42.0."""
    if header == wanted or header is None:
        return header is not None
    if isinstance(value, bool | str) or not _DECIMAL.fullmatch(header):
        return False
    return Decimal(header) == Decimal(wanted)


def _error(told: str) -> bytes:
    return messages.error(HEADER_MISMATCH, told)


def encoded(value: str) -> str:
    """Return a value as a header can carry it. Text other than plain ASCII is wrapped in base64."""
    is_plain = _PLAIN.fullmatch(value) and value == value.strip() and not _WRAPPED.fullmatch(value)
    if is_plain:
        return value
    return f"=?base64?{base64.b64encode(value.encode('utf-8', 'surrogatepass')).decode()}?="


def decoded(value: str | None) -> str | None:
    """Return the value of a header. Return None for a missing header, and for invalid base64."""
    wrapped = _WRAPPED.fullmatch(value) if value is not None else None
    if wrapped is None:
        return value
    try:
        data = base64.b64decode(wrapped[1], validate=True)
        is_canonical = base64.b64encode(data).decode() == wrapped[1]
        return data.decode() if is_canonical else None
    except (binascii.Error, UnicodeDecodeError):
        return None


def status_of(response: bytes) -> int:
    """Return the HTTP status of a modern response, which depends on the code of its error."""
    code = messages.code_of(messages.read_message(response))
    return _STATUS.get(code, 200) if isinstance(code, int) else 200


def accepts(accept: str) -> tuple[bool, bool]:
    """Return whether a client accepts JSON, and whether it accepts a stream of events."""
    kinds = {item.partition(";")[0].strip() for item in accept.lower().split(",")}
    return (
        not kinds.isdisjoint({JSON, "application/*", "*/*"}),
        not kinds.isdisjoint({EVENTS, "text/*", "*/*"}),
    )


def is_modern(message: Message | None, version: str) -> bool:
    """Return whether a request is modern, by its version header or by its body. A `message` of None
    stands for a batch."""
    return version in eras.MODERN_VERSIONS or (
        message is not None and eras.is_modern(message.params)
    )


def disagreement(message: Message | None, given: Pairs) -> bytes | None:
    """Return the error for a modern body, or None.

    It must be one request or notification, name its version, and agree with the headers.
    """
    if message is None or isinstance(message.method, msgspec.UnsetType):
        return messages.error(INVALID_REQUEST, "A body holds one request or notification.")
    if not message.key:
        return None
    missing = eras.envelope_fault(eras.meta_of(message.params), None)
    return missing or mismatch(message, given)


def event(message: bytes, *, id: str = "", retry: int | None = None) -> bytes:  # noqa: A002 (its name)
    """Return a message as a server-sent event, with its data on one line."""
    parts = [b"event: message"]
    if id:
        parts.append(f"id: {id}".encode())
    if retry is not None:
        parts.append(f"retry: {retry}".encode())
    parts.append(b"data: " + messages.one_line(message))
    return b"\r\n".join(parts) + b"\r\n\r\n"
