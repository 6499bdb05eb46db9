"""A client's request, with everything that its handler needs."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final, Protocol

import msgspec

from penstock.core.budget.measure import Meter
from penstock.core.json import rawjson
from penstock.core.model.cancellation import Cancellation
from penstock.core.model.recent import Recent
from penstock.core.model.turns import Party
from penstock.core.model.values import LiveRows, Principal, Result
from penstock.core.protocol.references import PREFIX
from penstock.core.views.request import TOKEN_FIELD
from penstock.disclosure.discloser import Audience
from penstock.settings.policy import Policy
from penstock.wire import eras, messages
from penstock.wire.answered import AnswerTally
from penstock.wire.audience import audience_from
from penstock.wire.batch import Batch
from penstock.wire.effects import Forward, InnerCall, Steps, UpstreamAnswer
from penstock.wire.headers import RepeatedArguments
from penstock.wire.inner_calls import InnerCalls
from penstock.wire.reader import READER
from penstock.wire.servers import HubMember, Servers
from penstock.wire.shared_toolboxes import SharedToolboxes
from penstock.wire.toolbox import Toolbox, UpstreamTool
from penstock.wire.upstream_state import Shown, UpstreamState

_MOST_REPLACED: Final = 256
_UNREAD: Final = object()
_TOKEN: Final = TOKEN_FIELD.encode()
_REFERENCE: Final = PREFIX.encode()
_ESCAPE: Final = rb"\u"  # may spell one of the other two


class Rules(Protocol):
    """The current settings, and the meter that counts text. A gate has both."""

    @property
    def policy(self) -> Policy: ...

    @property
    def meter(self) -> Meter: ...

    def adopt(self, brought: Mapping[str, Mapping[str, Any]], of: Iterable[str] = ()) -> None:
        """Adopt the settings that decorators made for tools. `of` names all tools of the server."""


class Connection(msgspec.Struct, eq=False):
    """One client and one upstream: what all requests between them have in common."""

    rules: Rules
    principal: Principal
    server: str
    legacy_session: str = ""  # identifies the legacy session
    peer: str = ""  # over HTTP, the address that the client calls from
    known: UpstreamState = msgspec.field(default_factory=UpstreamState)
    # The toolboxes that sessions share, if there are other sessions.
    toolboxes: SharedToolboxes | None = None
    # The facts that a legacy client gave about itself.
    audience: Audience = msgspec.field(default_factory=Audience)
    # The servers behind this Penstock, if there are several.
    servers: Servers | None = None
    # Upstream is in this process, and decorators may have marked its tools.
    is_inside: bool = False
    # Over HTTP, the headers that repeat arguments.
    repeated: RepeatedArguments | None = None
    # An adapter's functions for every call, see `gate.hooks`.
    hooks: Mapping[str, Any] = msgspec.field(default_factory=dict)
    tally: AnswerTally | None = None
    now: Callable[[], float] = time.monotonic
    # Answers that the client got instead of upstream's, by the id of the request.
    replaced: Recent[bytes, bytes] = msgspec.field(default_factory=lambda: Recent(_MOST_REPLACED))

    @property
    def party(self) -> str:
        """The name of the caller with whom others share fairly: the principal, or for an anonymous
        caller the legacy session, or else the peer."""
        if not self.principal.is_bearer:
            return self.principal.id
        if self.legacy_session:
            return f"session:{self.legacy_session}"
        return f"peer:{self.peer}"

    @property
    def party_at_peer(self) -> Party:
        return Party(self.party, self.peer)


class InsideResult(msgspec.Struct, frozen=True):
    """The result of a tool in this process, which the session gets besides upstream's message."""

    result: Result | LiveRows | None = None  # replaces the result in the message
    # The next four are fields of `Call`.
    origin: Any = None
    pages_first: bool = False
    is_part: bool = False
    essence: Mapping[str, Any] | None = None
    notice: str = ""  # for the agent that reads the result


_NOTHING: Final = InsideResult()


class Request(msgspec.Struct, eq=False, weakref=True):
    """A request that has not been answered."""

    connection: Connection
    key: bytes
    method: str
    params: msgspec.Raw | msgspec.UnsetType
    line: bytes  # the message as it goes to upstream
    is_modern: bool
    batch: Batch | None = None
    # The running handler. None for a request that passes unread.
    steps: Steps[bytes] | None = None
    is_understood: bool = False  # the handler has read the parameters
    # Upstream does not have the request: it was not sent yet, or upstream has answered it.
    is_with_penstock: bool = False
    is_answered: bool = False  # upstream has answered the request
    upstream_line: bytes = b""  # upstream's answer
    held: str = ""  # the token that the client gets in place of the result
    is_read: bool = False  # the call reads a stored result
    read_from: tuple[str, ...] = ()  # of several servers, those whose stored results it needs
    is_for_explorer: bool = False  # only the explorer sees the answer
    task: str = ""  # the task that the request is about
    tool: str = ""
    arguments: msgspec.Raw | None = None
    grant: Any = None  # the grant handle that came with the request
    shown: Shown | None = None  # the tools that the client is shown, once a handler needs them
    notice: str = ""  # for the agent that reads the result
    inside: InsideResult = _NOTHING
    cancellation: Cancellation = msgspec.field(default_factory=Cancellation)
    # The calls that a program makes, for the request of the program.
    inner_calls: InnerCalls[Request] | None = None
    is_late: bool = False  # the time that the handler had asked for is up
    lateness: Cancellation = msgspec.field(default_factory=Cancellation)  # stops what is late
    # The program's request, the call and its answer, for the request of such a call.
    program: Request | None = None
    inner_call: InnerCall | None = None
    response: bytes = b""
    _meta: Mapping[str, msgspec.Raw] | None = None
    _audience: Audience | None = None
    _client_policy: Policy | None = None
    _decoded: Any = _UNREAD
    _is_marked: bool | None = None

    # -- what is known -------------------------------------------------------------------------

    @property
    def known(self) -> UpstreamState:
        return self.connection.known

    @property
    def toolbox(self) -> Toolbox | None:
        return self.connection.known.toolbox

    @property
    def upstream_tool(self) -> UpstreamTool | None:
        """The tool that the request calls, as upstream lists it."""
        toolbox = self.toolbox
        return None if toolbox is None else toolbox.tools.get(self.tool)

    @property
    def member(self) -> HubMember | None:
        """The server that the request is for, if there are several: the one of its task or tool."""
        servers = self.connection.servers
        if servers is None:
            return None
        if self.task:
            return servers.owner_of_task(self.task)
        return servers.owner(self.tool) if self.tool else None

    @property
    def reader(self) -> str:
        """The name under which the client knows the reader."""
        known = self.connection.known
        pinned, toolbox = known.pinned.name(READER), known.toolbox
        return pinned or (READER if toolbox is None else toolbox.reader)

    def pin_reader(self) -> None:
        """Keep the name of the reader for the session. Do it before an agent is told of a token: while
        the reply is made, upstream may list a tool of that name."""
        self.known.pin({READER: self.reader}, self.toolbox)

    @property
    def policy(self) -> Policy:
        return self.connection.rules.policy

    @property
    def meter(self) -> Meter:
        return self.connection.rules.meter

    @property
    def audience(self) -> Audience:
        """The client's facts about itself: from its handshake, or from each modern request."""
        if not self.is_modern:
            return self.connection.audience
        if self._audience is None:
            meta = eras.meta_of(self.params)
            self._audience = audience_from(
                meta.get(eras.CLIENT_META), meta.get(eras.CAPABILITIES_META)
            )
        return self._audience

    @property
    def client_policy(self) -> Policy:
        """The settings that hold for this client. For a tool's settings, ask `policy`."""
        if self._client_policy is None:
            self._client_policy = self.policy.for_client(self.audience.client)
        return self._client_policy

    @property
    def may_hide(self) -> bool:
        """Return whether a list for this client may leave something out."""
        policy = self.client_policy
        return policy.list_form != "full" or policy.has_only_programs

    @property
    def gate(self) -> str:
        """The setting `gate`: how much an agent must know about a tool before it calls the tool."""
        return self.client_policy.gate

    @property
    def decoded(self) -> Any:
        """The arguments as values, or None if they nest too deep to decode."""
        if self._decoded is _UNREAD:
            self._decoded = messages.decoded(self.arguments)
        return self._decoded

    @property
    def is_marked(self) -> bool:
        """Return whether the arguments may hold a token or a reference. Others need no decoding."""
        if self._is_marked is None:
            raw = b"" if self.arguments is None else bytes(self.arguments)
            self._is_marked = _TOKEN in raw or _REFERENCE in raw or _ESCAPE in raw
        return self._is_marked

    @property
    def decoded_object(self) -> dict[str, Any]:
        return self.decoded if isinstance(self.decoded, dict) else {}

    # -- changes -------------------------------------------------------------------------------

    def set_call(self, tool: str, arguments: msgspec.Raw | None) -> None:
        self.tool, self.arguments = tool, arguments
        self._decoded, self._is_marked = _UNREAD, None

    def become(self, tool: str, arguments: bytes) -> None:
        """Turn the request into a call of another tool, or with other arguments."""
        self.set_call(tool, msgspec.Raw(arguments))
        params: dict[str, bytes | msgspec.Raw] = dict(messages.members_of(self.params))
        params["name"], params["arguments"] = rawjson.string(tool), arguments
        changed = messages.object_from(params)
        self.params = msgspec.Raw(changed)
        self.line = messages.request(self.key, self.method, changed)

    def call_for_program(self, key: bytes, call: InnerCall) -> Request:
        """Return a request for a call that this program makes. It has the program's `_meta`, but
        no progress token, because its progress is not that of the program."""
        named = {"name": rawjson.string(call.tool), "arguments": call.arguments}
        members = {**named, **call.more}
        if self._meta is None:  # the parameters hold the program, which may be long
            self._meta = eras.meta_of(self.params)
        params = eras.own_params(self._meta, **members)
        line = messages.request(key, self.method, params)
        request = Request(
            self.connection, key, self.method, msgspec.Raw(params), line, self.is_modern
        )
        request.set_call(call.tool, msgspec.Raw(call.arguments))
        request.program, request.inner_call, request.shown = self, call, self.shown
        return request

    # -- answers -------------------------------------------------------------------------------

    @property
    def fault(self) -> bytes | None:
        """The refusal of a modern request with a bad `_meta`, or None. Check it before you answer a
        request in upstream's place."""
        wrong = eras.envelope_fault(eras.meta_of(self.params)) if self.is_modern else None
        return None if wrong is None else self.refuse(wrong)

    def answer(self, result: bytes) -> bytes:
        return messages.response(self.key, result)

    def refuse(self, error: bytes) -> bytes:
        return messages.error_response(self.key, error)

    def fail(self, code: int, message: str, data: Any = None) -> bytes:
        return messages.failure(self.key, code, message, data)

    def in_place(self, message: bytes) -> bytes:
        """Remember an answer that replaces upstream's. Upstream may send its own once more after a
        broken stream; the client then gets this one again."""
        self.connection.replaced.put(self.key, message)
        return message


def pass_on(request: Request) -> Steps[bytes]:
    """Forward a request, and return the answer unchanged."""
    answer: UpstreamAnswer = yield Forward(request.line)
    return answer.line
