"""What the relay remembers between two messages, and what it does with one.

`Knowledge` is about upstream and may be shared; `Pending` is about one request. Outputs are values:
a session does no I/O, so that threads and an event loop can carry out the same rules.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal

import msgspec

from penstock.core.json import rawjson
from penstock.core.json.encoding import encode
from penstock.core.model.cancellation import Cancellation
from penstock.core.model.recent import Recent
from penstock.core.model.values import Frame, LiveRows, Result
from penstock.wire import eras, messages
from penstock.wire.messages import INTERNAL_ERROR, UNSUPPORTED_VERSION, UPSTREAM_GONE, Message
from penstock.wire.toolbox import Toolbox

Era = Literal["", "legacy", "modern"]
_LONGEST_INFO: Final = 300
_MOST_TASKS = 10_000
# Under this id a server says that Penstock is in it.
EXTENSION: Final = "dev.penstock/results"


class ToClient(msgspec.Struct, frozen=True):
    """Send this to the client. `answers`: the id of its request that is thereby answered."""

    message: bytes
    answers: bytes = b""


class ToUpstream(msgspec.Struct, frozen=True):
    """Send this to upstream."""

    message: bytes


class Later(msgspec.Struct, frozen=True):
    """Do this where it may take its time (`Session.do`); it gives further outputs."""

    job: Callable[[], Outputs]
    pending: Pending | None = None


Outputs = list["ToClient | ToUpstream | Later"]


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


class Knowledge:
    """What is known of an upstream, as far as one principal may know it."""

    def __init__(self) -> None:
        self.era: Era = ""
        self.version = ""  # negotiated, in the legacy era
        self.capabilities: dict[str, Any] | None = None
        self.is_initialized = False
        self.server_info: Any = None  # as upstream stamps its results with it, in the modern era
        self.beside: dict[str, Any] = {}  # what a framework adds to every result of a tool
        self.toolbox: Toolbox | None = None
        self.shown: Any = None  # what `disclosing` has made of it last
        self._tasks: Recent[str, str] = Recent(_MOST_TASKS)

    @property
    def lacks_tools(self) -> bool:
        return self.capabilities is not None and "tools" not in self.capabilities

    @property
    def lacks_resources(self) -> bool:
        """Upstream has tools, and so results to link to, but no resources of its own."""
        known = self.capabilities
        return known is not None and "tools" in known and "resources" not in known

    @property
    def has_penstock(self) -> bool:
        """Upstream keeps its results itself."""
        known = self.capabilities or {}
        places = (known.get("extensions"), known.get("experimental"))
        return any(isinstance(place, dict) and EXTENSION in place for place in places)

    def stamp(self, *, is_modern: bool) -> dict[str, Any]:
        """What a result that upstream has not made must carry besides."""
        if not is_modern:
            return {}
        if self.server_info is None:
            return {**eras.COMPLETE}
        return {**eras.COMPLETE, "_meta": {eras.SERVER_META: self.server_info}}

    def frame(self, *, is_modern: bool, structured: bool = False) -> Frame:
        """What goes around an answer to a call."""
        return Frame(structured, {**self.beside, **self.stamp(is_modern=is_modern)})

    def learn_discovery(self, message: Message) -> None:
        """An upstream that cannot be discovered is of the old era, unless it says that it only
        objects to the version, failed, or could not be reached at all."""
        if not isinstance(message.result, msgspec.UnsetType):
            self.era = "modern"
            members = messages.members_of(message.result)
            self.capabilities = capabilities_in(members)
            self.server_info = _server_info(members)
            return
        code = messages.decoded(messages.members_of(message.error).get("code"))
        if code not in (UNSUPPORTED_VERSION, UPSTREAM_GONE, INTERNAL_ERROR):
            self.era = "legacy"

    def remember_task(self, task: str, tool: str) -> None:
        self._tasks.put(task, tool)

    def tool_of_task(self, task: str | None) -> str:
        return self._tasks.get(task or "") or ""


def capabilities_in(members: dict[str, msgspec.Raw]) -> dict[str, object]:
    value = messages.decoded(members.get("capabilities"))
    return value if isinstance(value, dict) else {}


def _server_info(members: dict[str, msgspec.Raw]) -> dict[str, object] | None:
    """Who upstream says it is, in so few words that every reply can repeat them."""
    stamped = messages.members_of(members.get("_meta", msgspec.UNSET))
    said = messages.decoded(stamped.get(eras.SERVER_META))
    if not isinstance(said, dict):
        return None
    brief = {name: said[name] for name in ("name", "version") if name in said}
    forms = (form for form in (said, brief) if len(encode(form)) <= _LONGEST_INFO)
    return next(forms, None)


class Batch:
    """The requests of one batch (revision 2025-03-26): their answers go back as one array."""

    def __init__(self, keys: set[bytes], answers: list[bytes]) -> None:
        """`answers`: what is known already of members that are no messages."""
        self._open = keys
        self._answers = answers
        self._lock = threading.Lock()
        self.is_wrong = bool(answers) and not keys

    def add(self, key: bytes, message: bytes | None) -> bytes | None:
        """The array, once the last answer is there. None for an answer that will never come."""
        with self._lock:
            self._open.discard(key)
            if message is not None:
                self._answers.append(message)
            return None if self._open or not self._answers else self.whole

    @property
    def whole(self) -> bytes:
        return b"[" + b",".join(self._answers) + b"]"


@dataclass(slots=True, eq=False)
class Pending:
    """A request of the client's that has not been answered.

    `is_ours`: the relay is at work on it, before upstream has seen it or after it has answered.
    `grant`: the handle that came with it. `is_changed`: it is not the request that the client sent.
    """

    key: bytes
    method: str
    params: msgspec.Raw | msgspec.UnsetType
    is_modern: bool
    batch: Batch | None = None
    is_ours: bool = False
    tool: str = ""
    arguments: msgspec.Raw | None = None
    grant: Any = None
    shown: Any = None  # what `disclosing` has made of the tools for it
    notice: str = ""  # for whoever reads the result
    told: Told = _NOTHING
    is_changed: bool = False
    cancellation: Cancellation = field(default_factory=Cancellation)

    def become(self, tool: str, arguments: bytes) -> None:
        """From now on the call of this tool, whatever it came as."""
        params: dict[str, bytes | msgspec.Raw] = dict(messages.members_of(self.params))
        params["name"], params["arguments"] = rawjson.string(tool), arguments
        self.tool, self.arguments = tool, msgspec.Raw(arguments)
        self.params = msgspec.Raw(messages.object_from(params))
        self.is_changed = True

    def line(self, sent: bytes) -> bytes:
        """The request as it goes on, where the client `sent` this."""
        if not self.is_changed or isinstance(self.params, msgspec.UnsetType):
            return sent
        return messages.request(self.key, self.method, bytes(self.params))
