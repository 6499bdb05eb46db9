"""What a client says to learn a server's tools, in both eras. It does no I/O.

`listing` yields what is to be sent and gets the answers; `process` and `remote` carry it. The
handshake is tried first: a server that knows it may know nothing else. One that refuses it is asked
in the new way, with the version in each request.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from typing import Any, Final, TypeAlias, TypeVar

import msgspec

from penstock._version import __version__
from penstock.core.json import rawjson
from penstock.core.json.encoding import encode
from penstock.errors import PenstockError
from penstock.wire import eras, messages
from penstock.wire.messages import METHOD_NOT_FOUND, UNSUPPORTED_VERSION, UPSTREAM_GONE, Message

# A list that has more pages than this is taken for one that never ends.
MOST_PAGES: Final = 1_000
SHOWN: Final = 300

_CLIENT: Final = {"name": "penstock", "version": __version__}
_GREETING: Final = {
    "protocolVersion": eras.LEGACY_VERSIONS[0],
    "capabilities": {},
    "clientInfo": _CLIENT,
}
_MODERN: Final = {
    eras.VERSION_META: eras.MODERN_VERSIONS[0],
    eras.CAPABILITIES_META: {},
    eras.CLIENT_META: _CLIENT,
}
INITIALIZE: Final = "initialize"
INITIALIZED: Final = "notifications/initialized"
LIST: Final = "tools/list"

Report: TypeAlias = Callable[[str], None]


class NotListed(PenstockError):
    """The MCP server did not list its tools."""

    next_step = "Check that it is an MCP server, and that a host can use it as it is."


class Ask(msgspec.Struct, frozen=True):
    """A request; its answer is sent back."""

    method: str
    params: bytes


class Tell(msgspec.Struct, frozen=True):
    """A notification; nothing comes back."""

    method: str
    params: bytes = b"{}"


class Listed(msgspec.Struct, frozen=True):
    """A server's tools as it lists them, undecoded and compact, and what it calls itself."""

    tools: tuple[bytes, ...]
    server: str = ""
    version: str = ""


Found = TypeVar("Found")
Steps: TypeAlias = Generator[Ask | Tell, Message | None, Found]


def listing(report: Report) -> Steps[Listed]:
    greeting = yield Ask(INITIALIZE, encode(_GREETING))
    if greeting is None or isinstance(greeting.result, msgspec.UnsetType):
        _give_up_if_gone(greeting)
        return (yield from _pages({"_meta": _MODERN}, msgspec.UNSET, report, greeting))
    welcome = greeting.result
    if "tools" not in messages.members_of(welcome.get("capabilities", msgspec.UNSET)):
        raise no_tools()
    yield Tell(INITIALIZED)
    return (yield from _pages({}, welcome.get("serverInfo", msgspec.UNSET), report))


def _pages(
    common: dict[str, Any], info: Any, report: Report, refused: Message | None = None
) -> Steps[Listed]:
    """`refused` is how a greeting was, if it was."""
    tools: list[bytes] = []
    cursors: set[str] = set()
    params = common
    while True:
        answer = yield Ask(LIST, encode(params))
        page = _page(answer, refused)
        tools += tools_in(page.get("tools", msgspec.UNSET))
        report(f"{len(tools)} tools listed")
        cursor = messages.text_of(page, "nextCursor")
        if cursor is None:
            about = page.get("_meta", msgspec.UNSET) if info is msgspec.UNSET else info
            return Listed(tuple(tools), *_name_and_version(about))
        if cursor in cursors or len(cursors) >= MOST_PAGES:
            raise _endless(cursor, len(cursors))
        cursors.add(cursor)
        params = {**common, "cursor": cursor}


def _page(answer: Message | None, refused: Message | None) -> dict[str, msgspec.Raw]:
    if answer is None or isinstance(answer.result, msgspec.UnsetType):
        _give_up_if_gone(answer)
        raise _refusal(answer, refused)
    return answer.result


def tools_in(raw: bytes | msgspec.Raw | msgspec.UnsetType) -> list[bytes]:
    """The elements of a list, compact."""
    try:
        document = b"" if isinstance(raw, msgspec.UnsetType) else rawjson.compact(raw)
    except ValueError as error:
        raise NotListed(f"The list of tools cannot be read: {error}.") from error
    if not document.startswith(b"["):
        raise NotListed("The answer to tools/list holds no list of tools.")
    return list(rawjson.elements(document))


def messages_in(data: bytes) -> list[Message]:
    """Of one line, or of one event: a message, a batch of them, or none."""
    try:
        batch = messages.batch_of(data) if data else []
    except ValueError:
        return []
    found = [_message(item) for item in ([data] if batch is None else batch)]
    return [message for message in found if message is not None]


def _message(data: bytes) -> Message | None:
    message = messages.message_or_none(data)
    if message is not None:
        return message
    mended = messages.mended(data)
    return None if mended is None else messages.message_or_none(mended)


def reply_to(asked: Message) -> bytes:
    """To a request of the server's. It gets an answer to every one, so that it does not wait."""
    if asked.method == "ping":
        return messages.response(asked.key, b"{}")
    return messages.failure(asked.key, METHOD_NOT_FOUND, "This client only lists tools.")


# -- what can be wrong -------------------------------------------------------------------------


def no_tools() -> NotListed:
    return NotListed(
        "The MCP server offers no tools.",
        next_step="There is nothing to measure: its prompts and resources cost no list of tools.",
    )


def _give_up_if_gone(answer: Message | None) -> None:
    """An answer that whoever carries the messages has given in the server's place: it will not be
    another one the next time."""
    code, told = _error_in(answer)
    if code == UPSTREAM_GONE:
        raise NotListed(told, next_step="Check the address and the credentials, and try again.")


def _refusal(answer: Message | None, greeting: Message | None) -> NotListed:
    code, told = _error_in(answer)
    first, told_first = _error_in(greeting)
    # What a server says to a greeting that it does not know tells nothing; anything else may be
    # the reason for all that follows.
    if greeting is not None and first not in (METHOD_NOT_FOUND, UNSUPPORTED_VERSION):
        return NotListed(f"The MCP server refused the connection: {told_first[:SHOWN]!r}.")
    if code == METHOD_NOT_FOUND:
        return no_tools()
    return NotListed(f"The MCP server refused tools/list: {told[:SHOWN]!r}.")


def _error_in(answer: Message | None) -> tuple[Any, str]:
    """Its code and its words; an error can be anything, and is shown as it is then."""
    if answer is None or isinstance(answer.error, msgspec.UnsetType):
        return None, "an answer without a result"
    members = messages.members_of(answer.error)
    told = messages.text_of(members, "message")
    spelled = bytes(answer.error).decode("utf-8", "replace")
    return messages.decoded(members.get("code")), spelled if told is None else told


def _endless(cursor: str, pages: int) -> NotListed:
    return NotListed(
        f"The server's list of tools does not end: after {pages} pages came the cursor "
        f"{cursor[:SHOWN]!r}.",
        next_step="Report this to whoever wrote the server: no host can read such a list.",
    )


def _name_and_version(about: Any) -> tuple[str, str]:
    """As an `initialize` result has it, or as the `_meta` of a modern one."""
    members = messages.members_of(about)
    told = messages.members_of(members.get(eras.SERVER_META, about))
    return messages.text_of(told, "name") or "", messages.text_of(told, "version") or ""
