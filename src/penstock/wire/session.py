"""One client and one upstream: what becomes of each message.

THEORY OF OPERATION

Most messages are forwarded as the bytes they came in. The relay opens a request only if its method
is in the tables that it is given (`methods.py`), and a response only if it opened the request.
What it has to work on for longer (the store, the worker, a large result) is a `Later`, so that
nothing else waits.

Every request of the client's is `Pending` until it is answered, whoever answers it. If upstream
ends, each gets an error. If the client cancels one, whether upstream is told depends on who has it.

The relay's own requests have ids that no client uses, and their responses go to nobody else.

RULES FOR WHOEVER EDITS THIS

1. No I/O, no clock but `now`, no lock held while anything is decoded.
2. `from_client`, `from_upstream` and a `Later` run in different threads. Each takes a request out
   of `pending` with one `pop`: whoever gets it answers it, so that nothing is answered twice.
3. What need not be changed is sent as the bytes that came.
"""

from __future__ import annotations

import secrets
import threading
import time
from collections.abc import Callable, Mapping
from itertools import count
from typing import Any

import msgspec

from penstock.core.model.recent import Recent
from penstock.core.model.values import Principal
from penstock.disclosure.discloser import Audience, Discloser
from penstock.gate.gate import Gate
from penstock.log import logger
from penstock.settings.policy import Policy
from penstock.wire import eras, messages
from penstock.wire.messages import (
    INTERNAL_ERROR,
    INVALID_REQUEST,
    PARSE_ERROR,
    UPSTREAM_GONE,
    Message,
)
from penstock.wire.state import (
    Batch,
    Knowledge,
    Later,
    Outputs,
    Pending,
    ToClient,
    Told,
    ToUpstream,
)
from penstock.wire.toolbox import Tool, Toolbox

_MOST_CANCELLED = 10_000
_MOST_REPLACED = 256
_SHOWN = 200

Answered = Callable[[Message], Outputs]
# Over HTTP some arguments are repeated in headers: the error, if they do not agree.
HeaderCheck = Callable[[Tool | None], bytes | None]


Opener = Callable[["Session", Pending, bytes], Outputs]
Closer = Callable[["Session", Pending, Message, bytes], Outputs]
Hearer = Callable[["Session", bytes, Message], Outputs]


class Methods(msgspec.Struct, frozen=True):
    """The messages that are opened, by method: the client's requests, upstream's responses to them,
    and upstream's notifications."""

    requests: Mapping[str, Opener]
    responses: Mapping[str, Closer]
    notifications: Mapping[str, Hearer]


class Session:
    """The rules for one client. `seat`: what tells its legacy session from others. `is_inside`:
    upstream is in this process, and its decorators have something to say. `hooks`: what an adapter
    brings to every call, see `gate.Hooks`."""

    def __init__(
        self,
        gate: Gate,
        discloser: Discloser,
        methods: Methods,
        *,
        principal: Principal,
        server: str,
        seat: str = "",
        knowledge: Knowledge | None = None,
        is_inside: bool = False,
        header_check: HeaderCheck | None = None,
        hooks: Mapping[str, Any] | None = None,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        self.gate = gate
        self.discloser = discloser
        self._methods = methods
        self.principal = principal
        self.seat = seat
        self.audience = Audience()
        self.server = server
        self.known = knowledge or Knowledge()
        self.is_inside = is_inside
        self.header_check = header_check
        self.hooks = hooks or {}
        self.now = now
        self.pending: dict[bytes, Pending] = {}
        self._own: dict[bytes, tuple[Answered, Pending]] = {}
        self._nonce = secrets.token_hex(8).encode()
        self._serials = count()
        self._cancelled: Recent[bytes, bool] = Recent(_MOST_CANCELLED)
        self._replaced: Recent[bytes, bytes] = Recent(_MOST_REPLACED)
        self._held: list[tuple[Pending, bytes]] | None = None
        self._ended = ""
        self._lock = threading.Lock()

    @property
    def policy(self) -> Policy:
        return self.gate.policy

    @property
    def toolbox(self) -> Toolbox | None:
        return self.known.toolbox

    def outdate_toolbox(self) -> None:
        if self.known.toolbox is not None:
            self.known.toolbox = self.known.toolbox.outdated()

    # -- from the client -----------------------------------------------------------------------

    def from_client(self, line: bytes) -> Outputs:
        try:
            batch = messages.batch_of(line)
            if batch is not None:
                return self._batch(batch)
            return self._client_message(line, messages.read_message(line))
        except ValueError as error:
            logger().warning("the client sent what is not JSON (%s): %r", error, _start_of(line))
            return [ToClient(messages.failure(b"", PARSE_ERROR, f"Not JSON: {error}."))]

    def _batch(self, lines: list[bytes]) -> Outputs:
        if not lines:
            return [ToClient(messages.failure(b"", INVALID_REQUEST, "An empty batch."))]
        opened = [(line, messages.message_or_none(line)) for line in lines]
        wrong = messages.failure(b"", INVALID_REQUEST, "Not a message.")
        batch = Batch(
            {message.key for _, message in opened if message is not None and message.is_request},
            [wrong for _, message in opened if message is None],
        )
        outputs: Outputs = [
            output
            for line, message in opened
            if message is not None
            for output in self._client_message(line, message, batch)
        ]
        if batch.is_wrong:
            outputs.append(ToClient(batch.whole))
        forwarded = [item.message for item in outputs if isinstance(item, ToUpstream)]
        if len(forwarded) <= 1:
            return outputs
        together = ToUpstream(b"[" + b",".join(forwarded) + b"]")
        return [together, *(item for item in outputs if not isinstance(item, ToUpstream))]

    def _client_message(self, line: bytes, message: Message, batch: Batch | None = None) -> Outputs:
        if message.method is msgspec.UNSET:
            return [ToUpstream(line)]  # a response to a request of upstream's
        if message.id is msgspec.UNSET:
            return self._client_notification(line, message)
        is_modern = eras.is_modern(message.params) or (
            self.known.era == "modern" and message.method != "initialize"
        )
        pending = Pending(message.key, message.method, message.params, is_modern, batch)
        self.pending[pending.key] = pending
        if self._ended:
            return self.fail(pending, UPSTREAM_GONE, self._ended)
        is_known = not pending.is_modern or self.known.era == "modern"
        begin = self._open if is_known else self._modern_request
        return self.do(Later(lambda: begin(pending, line), pending))

    def _open(self, pending: Pending, line: bytes) -> Outputs:
        opener = self._methods.requests.get(pending.method)
        try:
            return [ToUpstream(line)] if opener is None else opener(self, pending, line)
        except (ValueError, RecursionError):
            # Nested too deep to look into, perhaps: then it is upstream's to judge.
            logger().info("passed on unread: %s", pending.method, exc_info=True)
            pending.is_ours = False
            return [ToUpstream(line)]

    def _client_notification(self, line: bytes, message: Message) -> Outputs:
        if message.method == "notifications/cancelled":
            return self._cancelled_by_client(line, message)
        if message.method == "notifications/initialized":
            self.known.is_initialized = True
        return [ToUpstream(line)]

    def _cancelled_by_client(self, line: bytes, message: Message) -> Outputs:
        named = messages.members_of(message.params).get("requestId")
        pending = None if named is None else self.cancel(messages.id_key(named))
        outputs: Outputs = [] if pending is not None and pending.is_ours else [ToUpstream(line)]
        if pending is not None and pending.batch is not None:
            whole = pending.batch.add(pending.key, None)
            outputs += [] if whole is None else [ToClient(whole, pending.key)]
        return outputs

    def cancel(self, key: bytes) -> Pending | None:
        """The client does not want the answer any more. Upstream is to be told of it if the
        request that this gives is not ours."""
        pending = self.pending.pop(key, None)
        if pending is None:
            return None
        pending.cancellation.request()
        if not pending.is_ours:
            self._cancelled.put(key, True)
        return pending

    # -- from upstream -------------------------------------------------------------------------

    def from_upstream(self, line: bytes) -> Outputs:
        try:
            batch = messages.batch_of(line)
        except ValueError:
            batch = None  # no message either
        lines = [line] if batch is None else batch
        return [output for item in lines for output in self._line_from_upstream(item)]

    def _line_from_upstream(self, line: bytes) -> Outputs:
        try:
            return self._upstream_message(line, messages.read_message(line))
        except ValueError as error:
            mended = messages.mended(line)
            if mended is not None:
                logger().warning("upstream sent what is not quite JSON (%s)", error)
                return self._upstream_message(mended, messages.read_message(mended))
            # A server that prints to stdout: its client could do nothing with it either.
            logger().warning("upstream sent what is not JSON (%s): %r", error, _start_of(line))
            return []

    def _upstream_message(self, line: bytes, message: Message) -> Outputs:
        if message.method is not msgspec.UNSET:
            opener = (
                self._methods.notifications.get(message.method)
                if message.id is msgspec.UNSET
                else None
            )
            if opener is None:
                return [ToClient(line)]
            return self.do(Later(lambda: opener(self, line, message)))
        key = message.key
        own = self._own.pop(key, None)
        if own is not None:
            then, cause = own
            return self.do(Later(lambda: then(message), cause))
        pending = self.pending.get(key)
        if pending is None:
            return self._unexpected(key, line)
        conclude = self._methods.responses.get(pending.method)
        if conclude is None:
            return self.deliver(pending, line)
        return self.do(Later(lambda: conclude(self, pending, message, line), pending))

    def _unexpected(self, key: bytes, line: bytes) -> Outputs:
        """A response to nothing that is pending: perhaps to what was cancelled meanwhile. A client
        may ignore it; it is not to be flooded by it."""
        was_cancelled = self._cancelled.pop(key)
        replaced = self._replaced.get(key)
        if replaced is not None:  # a replay after a broken stream: the same token as the first time
            return [ToClient(replaced, key)]
        if was_cancelled and not self.policy.inline_budget.surely_admits(len(line)):
            return []
        return [ToClient(line)]

    def tell(self, key: bytes, told: Told) -> None:
        """What an upstream in this process says of its answer to a call, before it gives that."""
        pending = self.pending.get(key)
        if pending is not None:
            pending.told = told
            pending.notice = " ".join(filter(None, (pending.notice, told.notice)))

    def upstream_ended(self, why: str) -> Outputs:
        """What each request that waits is told, and from now on each that comes."""
        self._ended = why
        outputs: Outputs = []
        for key in list(self.pending):
            pending = self.pending.get(key)
            if pending is not None:
                pending.cancellation.request()
                outputs += self.fail(pending, UPSTREAM_GONE, why)
        return outputs

    def is_at_work(self) -> bool:
        """Whether something that the client asked has not reached upstream, or is being answered."""
        asking = (cause for _, cause in list(self._own.values()))
        waits = any(self.pending.get(cause.key) is cause for cause in asking)
        return waits or any(pending.is_ours for pending in list(self.pending.values()))

    def do(self, later: Later) -> Outputs:
        """Carry out a job. A fault of ours must not leave a client waiting."""
        try:
            return later.job()
        except Exception:  # noqa: BLE001 (whatever it is, the client is told)
            logger().exception("a message could not be handled")
            if later.pending is None:
                return []
            told = "Penstock failed on this request; its log says why. Upstream may have run it."
            return self.fail(later.pending, INTERNAL_ERROR, told)

    # -- answers -------------------------------------------------------------------------------

    def deliver(self, pending: Pending, message: bytes) -> Outputs:
        """A response, unless the request was cancelled or answered meanwhile."""
        key = pending.key
        if self.pending.get(key) is not pending or self.pending.pop(key, None) is None:
            return []
        if pending.batch is not None:
            whole = pending.batch.add(pending.key, message)
            return [] if whole is None else [ToClient(whole, pending.key)]
        return [ToClient(message, pending.key)]

    def answer(self, pending: Pending, result: bytes) -> Outputs:
        return self.deliver(pending, messages.response(pending.key, result))

    def replace(self, pending: Pending, message: bytes) -> Outputs:
        """A response in the place of upstream's, which upstream may send once more."""
        self._replaced.put(pending.key, message)
        return self.deliver(pending, message)

    def refuse(self, pending: Pending, error: bytes) -> Outputs:
        return self.deliver(pending, messages.error_response(pending.key, error))

    def fail(self, pending: Pending, code: int, message: str, data: Any = None) -> Outputs:
        return self.refuse(pending, messages.error(code, message, data))

    # -- requests of our own -------------------------------------------------------------------

    def ask(self, method: str, params: bytes, then: Answered, cause: Pending) -> Outputs:
        """A request of the relay's own, for the sake of one of the client's."""
        key = b'"penstock-%b-%d"' % (self._nonce, next(self._serials))
        self._own[key] = then, cause
        return [ToUpstream(messages.request(key, method, params))]

    # -- eras ----------------------------------------------------------------------------------

    def _modern_request(self, pending: Pending, line: bytes) -> Outputs:
        """A request of the new era to an upstream of which it is not known that it speaks it."""
        if self.known.era == "legacy":
            return self._not_modern(pending)
        if pending.method == "server/discover":
            return self._open(pending, line)
        pending.is_ours = True
        with self._lock:
            asked = self._held is not None
            self._held = [*(self._held or []), (pending, line)]
        if asked:
            return []
        params = eras.own_params(eras.meta_of(pending.params))
        return self.ask("server/discover", params, self._discovered, pending)

    def _discovered(self, message: Message) -> Outputs:
        self.known.learn_discovery(message)
        with self._lock:
            held, self._held = self._held or [], None
        return [output for pending, line in held for output in self._let_go(pending, line)]

    def _let_go(self, pending: Pending, line: bytes) -> Outputs:
        """A request that was held back until upstream's era was known."""
        pending.is_ours = False
        if pending.cancellation.requested:
            return []
        if self.known.era == "legacy":
            return self._not_modern(pending)
        return self._open(pending, line)

    def _not_modern(self, pending: Pending) -> Outputs:
        requested = messages.decoded(eras.meta_of(pending.params).get(eras.VERSION_META))
        return self.refuse(pending, eras.unsupported(requested, eras.LEGACY_VERSIONS))


def _start_of(line: bytes) -> str:
    return line[:_SHOWN].decode("utf-8", "replace").rstrip()
