"""The conversation in which a client learns a server's tools, legacy or modern, without I/O.

`listing` yields messages and receives their answers; `process` and `remote` carry them. The legacy
handshake comes first, because a legacy server may know nothing else. A server that refuses it is
asked in the modern way, with the version in each request.
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
from penstock.wire.list_limits import PageCount
from penstock.wire.messages import METHOD_NOT_FOUND, UNSUPPORTED_VERSION, UPSTREAM_GONE, Message
from penstock.wire.received import received

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

    next_step = "Check that it is an MCP server, and that it works in a host."


class Ask(msgspec.Struct, frozen=True):
    """A request. The carrier sends its answer into the generator."""

    method: str
    params: bytes
    page: int = 1  # of the list that is asked for

    @property
    def name(self) -> str:
        """The name of the request in an error."""
        return self.method if self.page == 1 else f"page {self.page:,} of {self.method}"


class Tell(msgspec.Struct, frozen=True):
    """A notification, which has no answer."""

    method: str
    params: bytes = b"{}"


class Listed(msgspec.Struct, frozen=True):
    """A server's tools, and its name and version."""

    tools: tuple[bytes, ...]  # as the server lists them, undecoded and compact
    server: str = ""
    version: str = ""
    capabilities: bytes = b'{"tools":{}}'


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
    listed = yield from _pages({}, welcome.get("serverInfo", msgspec.UNSET), report)
    return msgspec.structs.replace(listed, capabilities=bytes(welcome["capabilities"]))


def _pages(
    common: dict[str, Any], info: Any, report: Report, refused: Message | None = None
) -> Steps[Listed]:
    """Read all pages. `refused` is the server's refusal of the legacy handshake, if any."""
    tools: list[bytes] = []
    count, params = PageCount(), common
    while True:
        asked = Ask(LIST, encode(params), count.pages + 1)
        page = _page((yield asked), asked, refused)
        listed = tools_in(page.get("tools", msgspec.UNSET))
        tools += listed
        report(f"{len(tools)} tools listed")
        cursor = messages.text_of(page, "nextCursor")
        wrong = count.add(listed, cursor)
        if wrong:
            raise _unreadable(wrong)
        if cursor is None:
            about = page.get("_meta", msgspec.UNSET) if info is msgspec.UNSET else info
            return Listed(tuple(tools), *_name_and_version(about))
        params = {**common, "cursor": cursor}


def _page(answer: Message | None, asked: Ask, refused: Message | None) -> dict[str, msgspec.Raw]:
    if answer is None or isinstance(answer.result, msgspec.UnsetType):
        _give_up_if_gone(answer)
        raise _refusal(answer, asked, refused)
    return answer.result


def tools_in(raw: bytes | msgspec.Raw | msgspec.UnsetType) -> list[bytes]:
    """Return the elements of a list in compact form."""
    try:
        document = b"" if isinstance(raw, msgspec.UnsetType) else rawjson.compact(raw)
    except ValueError as error:
        raise NotListed(f"The list of tools cannot be read: {error}.") from error
    if not document.startswith(b"["):
        raise NotListed("The answer to tools/list holds no list of tools.")
    return list(rawjson.elements(document))


def messages_in(data: bytes) -> list[Message]:
    """Return the messages of one line or event: a single message, a batch, or none."""
    try:
        batch = messages.batch_of(data) if data else []
    except ValueError:
        return []
    found = [_message(item) for item in ([data] if batch is None else batch)]
    return [message for message in found if message is not None]


def _message(data: bytes) -> Message | None:
    try:
        return received(data).message
    except ValueError:
        return None


def reply_to(asked: Message) -> bytes:
    """Return the reply to a request of the server. Each gets a reply, so that none waits."""
    if asked.method == "ping":
        return messages.response(asked.key, b"{}")
    return messages.failure(asked.key, METHOD_NOT_FOUND, "This client only lists tools.")


# -- failures ----------------------------------------------------------------------------------


def no_tools() -> NotListed:
    return NotListed(
        "The MCP server offers no tools.",
        next_step="There is nothing to measure: prompts and resources add nothing to the list.",
    )


def _give_up_if_gone(answer: Message | None) -> None:
    """Raise if the carrier answered in the server's place: another try would fail alike."""
    code, told = _error_in(answer)
    if code == UPSTREAM_GONE:
        raise NotListed(told, next_step="Check the address and the credentials, and try again.")


def _refusal(answer: Message | None, asked: Ask, greeting: Message | None) -> NotListed:
    code, told = _error_in(answer)
    first, told_first = _error_in(greeting)
    # A server that does not know the handshake gives one of two codes, which explain nothing. Any
    # other refusal may be the cause of all later ones.
    if greeting is not None and first not in (METHOD_NOT_FOUND, UNSUPPORTED_VERSION):
        return NotListed(f"The MCP server refused the connection: {told_first[:SHOWN]!r}.")
    if code == METHOD_NOT_FOUND and asked.page == 1:
        return no_tools()
    return NotListed(f"The MCP server refused {asked.name}: {told[:SHOWN]!r}.")


def _error_in(answer: Message | None) -> tuple[Any, str]:
    """Return the code and the text of an error. An error without a text is shown as JSON."""
    if answer is None or isinstance(answer.error, msgspec.UnsetType):
        return None, "an answer without a result"
    members = messages.members_of(answer.error)
    told = messages.text_of(members, "message")
    spelled = bytes(answer.error).decode("utf-8", "replace")
    return messages.decoded(members.get("code")), spelled if told is None else told


def _unreadable(wrong: str) -> NotListed:
    return NotListed(
        f"The server's list of tools {wrong}",
        next_step="Report this to the server's author: no host can read such a list.",
    )


def _name_and_version(about: Any) -> tuple[str, str]:
    """Read them from `serverInfo` of an `initialize` result, or from a modern `_meta`."""
    members = messages.members_of(about)
    told = messages.members_of(members.get(eras.SERVER_META, about))
    return messages.text_of(told, "name") or "", messages.text_of(told, "version") or ""
