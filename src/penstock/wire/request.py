"""A request of the client's, with all that a handler has to know of it.

`Connection` is what the requests of one client have in common. A `Request` is all that a handler is
given.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Protocol

import msgspec

from penstock.core.budget.measure import Meter
from penstock.core.json import rawjson
from penstock.core.model.cancellation import Cancellation
from penstock.core.model.recent import Recent
from penstock.core.model.values import LiveRows, Principal, Result
from penstock.core.protocol.references import PREFIX
from penstock.core.views.request import TOKEN_FIELD
from penstock.disclosure.discloser import Audience
from penstock.settings.policy import Policy
from penstock.wire import eras, messages
from penstock.wire.audience import audience_from
from penstock.wire.batch import Batch
from penstock.wire.effects import Answer, Forward, Steps
from penstock.wire.knowledge import Knowledge, Shown
from penstock.wire.reader import READER
from penstock.wire.toolbox import Tool, Toolbox

_MOST_REPLACED: Final = 256
_UNREAD: Final = object()
# A `\\u` may be how one of the others is spelled.
_MARKS: Final = (TOKEN_FIELD.encode(), PREFIX.encode(), rb"\u")

# Over HTTP some arguments are repeated in headers: the error, if they do not agree.
HeaderCheck = Callable[[Tool | None], bytes | None]


class Rules(Protocol):
    """The settings that hold now, how text is counted, and the time. A gate has all three."""

    @property
    def policy(self) -> Policy: ...

    @property
    def meter(self) -> Meter: ...

    @property
    def clock(self) -> Callable[[], float]: ...


@dataclass(slots=True, eq=False)
class Connection:
    """One client and one upstream.

    `seat` tells its legacy session from others. `is_inside`: upstream is in this process, and its
    decorators have something to say. `hooks` are what an adapter brings to every call, see
    `gate.Hooks`. `replaced` holds answers in the place of upstream's, by request.
    """

    rules: Rules
    principal: Principal
    server: str
    seat: str = ""
    known: Knowledge = field(default_factory=Knowledge)
    audience: Audience = field(default_factory=Audience)
    is_inside: bool = False
    header_check: HeaderCheck | None = None
    hooks: Mapping[str, Any] = field(default_factory=dict)
    replaced: Recent[bytes, bytes] = field(default_factory=lambda: Recent(_MOST_REPLACED))


class Told(msgspec.Struct, frozen=True):
    """What upstream says of a call's result besides, where it is in this process. `result`: the result
    itself, in the place of that in the message. `notice`: for whoever reads it. The others are a
    `Call`'s."""

    result: Result | LiveRows | None = None
    origin: Any = None
    pages_first: bool = False
    essence: Mapping[str, Any] | None = None
    notice: str = ""


_NOTHING: Final = Told()


@dataclass(slots=True, eq=False)
class Request:
    """A request that has not been answered. `line` is the message as it goes to upstream.

    `steps`: its handler, under way. `is_understood`: its handler has got beyond the parameters.
    `is_ours`: upstream does not have it, not yet or not any more. `is_answered`: upstream has answered
    it. `is_shown_less`: its client is not shown every tool in full. `grant`: the handle that came with
    it.
    """

    connection: Connection
    key: bytes
    method: str
    params: msgspec.Raw | msgspec.UnsetType
    line: bytes
    is_modern: bool
    batch: Batch | None = None
    steps: Steps[bytes] | None = None
    is_understood: bool = False
    is_ours: bool = False
    is_answered: bool = False
    is_shown_less: bool = False
    tool: str = ""
    arguments: msgspec.Raw | None = None
    grant: Any = None
    shown: Shown | None = None  # where a folder of descriptions may change between two requests
    notice: str = ""  # for whoever reads the result
    told: Told = _NOTHING
    cancellation: Cancellation = field(default_factory=Cancellation)
    _audience: Audience | None = None
    _decoded: Any = _UNREAD
    _is_marked: bool | None = None

    # -- what is known -------------------------------------------------------------------------

    @property
    def known(self) -> Knowledge:
        return self.connection.known

    @property
    def toolbox(self) -> Toolbox | None:
        return self.connection.known.toolbox

    @property
    def upstream_tool(self) -> Tool | None:
        """The tool that is called, as upstream lists it."""
        toolbox = self.toolbox
        return None if toolbox is None else toolbox.tools.get(self.tool)

    @property
    def reader(self) -> str:
        """The name of the tool that reads stored results."""
        toolbox = self.toolbox
        return READER if toolbox is None else toolbox.reader

    @property
    def policy(self) -> Policy:
        return self.connection.rules.policy

    @property
    def meter(self) -> Meter:
        return self.connection.rules.meter

    @property
    def audience(self) -> Audience:
        """In the legacy era a client says once who it is, since then with every request."""
        if not self.is_modern:
            return self.connection.audience
        if self._audience is None:
            meta = eras.meta_of(self.params)
            self._audience = audience_from(
                meta.get(eras.CLIENT_META), meta.get(eras.CAPABILITIES_META)
            )
        return self._audience

    @property
    def may_hide(self) -> bool:
        """False where this client is shown everything, whatever there is."""
        return self.policy.for_client(self.audience.client).list_form != "full"

    @property
    def gate(self) -> str:
        """How much a client has to know of a tool before it calls it."""
        return self.policy.for_client(self.audience.client).gate

    @property
    def decoded(self) -> Any:
        """The arguments as values; None where they nest too deep to be looked into."""
        if self._decoded is _UNREAD:
            self._decoded = messages.decoded(self.arguments)
        return self._decoded

    @property
    def is_marked(self) -> bool:
        """Whether the arguments may hold a token or a reference: others need no second look."""
        if self._is_marked is None:
            raw = b"" if self.arguments is None else bytes(self.arguments)
            self._is_marked = any(mark in raw for mark in _MARKS)
        return self._is_marked

    @property
    def decoded_object(self) -> dict[str, Any]:
        return self.decoded if isinstance(self.decoded, dict) else {}

    # -- what it becomes -----------------------------------------------------------------------

    def set_call(self, tool: str, arguments: msgspec.Raw | None) -> None:
        self.tool, self.arguments = tool, arguments
        self._decoded, self._is_marked = _UNREAD, None

    def become(self, tool: str, arguments: bytes) -> None:
        """From now on the call of this tool, whatever it came as."""
        self.set_call(tool, msgspec.Raw(arguments))
        self.line = self.line_with(arguments, tool)
        self.params = messages.read_message(self.line).params

    def line_with(self, arguments: bytes, tool: str | None = None) -> bytes:
        """The call with other arguments, all else as it was spelled."""
        params: dict[str, bytes | msgspec.Raw] = dict(messages.members_of(self.params))
        params["arguments"] = arguments
        if tool is not None:
            params["name"] = rawjson.string(tool)
        return messages.request(self.key, self.method, messages.object_from(params))

    # -- answers -------------------------------------------------------------------------------

    @property
    def fault(self) -> bytes:
        """The answer to a request that is not in order, empty for others: where we answer, the duties
        of a server are ours."""
        wrong = eras.envelope_fault(eras.meta_of(self.params)) if self.is_modern else None
        return b"" if wrong is None else self.refuse(wrong)

    def answer(self, result: bytes) -> bytes:
        return messages.response(self.key, result)

    def refuse(self, error: bytes) -> bytes:
        return messages.error_response(self.key, error)

    def fail(self, code: int, message: str, data: Any = None) -> bytes:
        return messages.failure(self.key, code, message, data)

    def in_place(self, message: bytes) -> bytes:
        """An answer in the place of upstream's. If upstream sends its own once more, after a stream
        broke, this one is sent again."""
        self.connection.replaced.put(self.key, message)
        return message


def pass_on(request: Request) -> Steps[bytes]:
    """To upstream and back, unread."""
    answer: Answer = yield Forward(request.line)
    return answer.line
