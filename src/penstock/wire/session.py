"""One client and one upstream: what becomes of each message.

THEORY OF OPERATION

Most messages are forwarded as the bytes they came in. A request is looked into only if its method has
a handler (`methods.py`). A handler is a generator: it yields what it needs, and returns the answer.
Whatever has to wait for upstream waits here, by the id of the message that upstream will answer.
Whatever takes long is the carrier's to do (`Perform`), so that nothing else waits.

Every request of the client's is `pending` until it is answered, whoever answers it. If upstream
ends, each gets an error. If the client cancels one, whether upstream is told depends on who has it.

Requests of our own have ids that no client uses, and their responses go to nobody else.

RULES FOR WHOEVER EDITS THIS

1. No I/O, no clock but the connection's, no lock held while anything is decoded.
2. `from_client`, `from_upstream` and `go_on` run in different threads. A handler is advanced by the thread
   that took its request out of `_awaiting` or `_awaiting_era`, or that did its work. No other thread
   touches it.
3. The thread that takes a request out of `pending` answers it, so that nothing is answered twice.
4. A cancellation sets a flag. The thread that may advance the handler sees it, and lets go of the handler.
5. A message that need not be changed is sent as the bytes that came.
"""

from __future__ import annotations

import secrets
import threading
from itertools import count
from typing import Any, Final

import msgspec

from penstock.core.model.recent import Recent
from penstock.log import logger
from penstock.wire import eras, messages
from penstock.wire.batch import Batch
from penstock.wire.effects import AskUpstream, Discover, Effect, Forward, Steps, UpstreamAnswer
from penstock.wire.messages import (
    INTERNAL_ERROR,
    INVALID_REQUEST,
    PARSE_ERROR,
    UPSTREAM_GONE,
    Message,
)
from penstock.wire.methods import HANDLERS, Handler
from penstock.wire.outputs import Outputs, Perform, ToClient, ToUpstream
from penstock.wire.request import Connection, InsideResult, Request, pass_on
from penstock.wire.tasks import task_notified
from penstock.wire.toolbox import UpstreamTool

_MOST_CANCELLED: Final = 10_000
_SHOWN: Final = 200
_FAILED: Final = "Penstock failed on this request; its log says why. Upstream may have run it."


class Session:
    """The rules for one connection."""

    def __init__(self, connection: Connection) -> None:
        self.connection = connection
        self.known = connection.known
        self.pending: dict[bytes, Request] = {}
        self._awaiting: dict[bytes, Request] = {}  # by the id of what upstream is to answer
        self._awaiting_era: list[Request] = []
        self._discovery: bytes | None = None  # the id of the request that finds out the era
        self._own = b'"penstock-%b-' % secrets.token_hex(8).encode()  # starts each id of ours
        self._serials = count()
        self._cancelled: Recent[bytes, bool] = Recent(_MOST_CANCELLED)
        self._ended = ""
        self._lock = threading.Lock()

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
        request = Request(
            self.connection, message.key, message.method, message.params, line, is_modern, batch
        )
        self.pending[request.key] = request
        if self._ended:
            return self._lost(request)
        handler = HANDLERS.get(request.method)
        if is_modern and self.known.era != "modern":
            return self._begin(request, _in_its_era(request, handler or pass_on))
        return [ToUpstream(line)] if handler is None else self._begin(request, handler(request))

    def _client_notification(self, line: bytes, message: Message) -> Outputs:
        if message.method == "notifications/cancelled":
            return self._cancelled_by_client(line, message)
        if message.method == "notifications/initialized":
            self.known.is_initialized = True
        return [ToUpstream(line)]

    def _cancelled_by_client(self, line: bytes, message: Message) -> Outputs:
        named = messages.members_of(message.params).get("requestId")
        request = None if named is None else self.cancel(messages.id_key(named))
        outputs: Outputs = [] if request is not None and request.is_ours else [ToUpstream(line)]
        if request is not None and request.batch is not None:
            whole = request.batch.add(request.key, None)
            outputs += [] if whole is None else [ToClient(whole, request.key)]
        return outputs

    def cancel(self, key: bytes) -> Request | None:
        """Give a request up, because its client does not want the answer any more.

        Return the request. Upstream is to be told too, unless the request `is_ours`.
        """
        with self._lock:
            request = self.pending.pop(key, None)
        if request is None:
            return None
        request.cancellation.request()
        if not request.is_ours:
            if self._take(self._awaiting, key, request):
                self.drop(request)
            self._cancelled.put(key, True)
        return request

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
        if message.method is msgspec.UNSET:
            return self._upstream_response(line, message)
        if message.id is not msgspec.UNSET:
            return [ToClient(line)]
        if message.method == "notifications/tools/list_changed":
            self.known.outdate_toolbox()
        if message.method != "notifications/tasks":
            return [ToClient(line)]
        about = Request(self.connection, b"", message.method, message.params, line, is_modern=True)
        about.is_understood = True
        return self._begin(about, task_notified(about))

    def _upstream_response(self, line: bytes, message: Message) -> Outputs:
        key = message.key
        if key == self._discovery:
            return self._discovered(message)
        with self._lock:
            request = self._awaiting.pop(key, None)
        if request is not None:
            request.is_ours = True
            request.is_answered = request.is_answered or key == request.key
            return self.go_on(request, UpstreamAnswer(message, line))
        request = self.pending.get(key)
        if request is None:
            return self._unexpected(message, line)
        if request.steps is None:
            return self._deliver(request, line)
        logger().warning("upstream answered a request twice")
        return []

    def _unexpected(self, message: Message, line: bytes) -> Outputs:
        """A response to no request that is pending. Perhaps the request was cancelled meanwhile: then a
        large response is dropped, and so is our own word that none came."""
        key = message.key
        if key.startswith(self._own):
            return []  # a second answer to a request of ours
        was_cancelled = self._cancelled.pop(key)
        replaced = self.connection.replaced.get(key)
        if replaced is not None:  # a replay after a broken stream: the same token as the first time
            return [ToClient(replaced, key)]
        inline = self.connection.rules.policy.inline_budget
        is_small = inline.surely_admits(len(line))
        if was_cancelled and (not is_small or messages.code_of(message) == UPSTREAM_GONE):
            return []
        return [ToClient(line)]

    def called_by(self, message: Message | None) -> UpstreamTool | None:
        """The tool that a message to upstream calls, as upstream lists it."""
        toolbox = self.known.toolbox
        if message is None or message.method != "tools/call" or toolbox is None:
            return None
        name = messages.text_of(messages.members_of(message.params), "name")
        return toolbox.tools.get(name or "")

    def tell(self, key: bytes, result: InsideResult) -> None:
        """Note what a tool in this process gave for a call, before upstream answers that."""
        request = self.pending.get(key)
        if request is not None:
            request.inside = result
            request.notice = " ".join(filter(None, (request.notice, result.notice)))

    def upstream_ended(self, why: str) -> Outputs:
        """Tell every request without an answer of upstream's that upstream is gone, and every later one.
        A request whose answer is being worked on gets that answer."""
        self._ended = why
        outputs: Outputs = []
        for key, request in list(self._awaiting.items()):
            if self._take(self._awaiting, key, request):
                outputs += self._lost(request)
                self.drop(request)
        for request in list(self.pending.values()):
            outputs += [] if request.is_answered else self._lost(request)
        return outputs

    def _lost(self, request: Request) -> Outputs:
        request.cancellation.request()
        return self._deliver(request, request.fail(UPSTREAM_GONE, self._ended))

    def is_at_work(self) -> bool:
        """Whether something that the client asked has not reached upstream, or is being answered."""
        return any(request.is_ours for request in list(self.pending.values()))

    # -- handlers ------------------------------------------------------------------------------

    def _begin(self, request: Request, steps: Steps[bytes]) -> Outputs:
        request.steps, request.is_ours = steps, True
        return self.go_on(request)

    def go_on(self, request: Request, given: Any = None) -> Outputs:
        """Advance the handler of a request, now that it has been `given` what it needed."""
        if request.steps is None:
            return []
        try:
            effect = request.steps.send(given)
        except StopIteration as done:
            return self._deliver(request, done.value)
        except Exception as error:  # noqa: BLE001 (whatever it is, the client is told)
            return self._failed(request, error)
        return self._see_to(request, effect)

    def _see_to(self, request: Request, effect: Effect) -> Outputs:
        if request.cancellation.requested:
            return self.drop(request)
        request.is_understood = not isinstance(effect, Discover)
        match effect:
            case Forward():
                return self._send(request, request.key, effect.line)
            case AskUpstream():
                key = self._own_id()
                line = messages.request(key, effect.method, effect.params)
                return self._send(request, key, line)
            case Discover():
                return self._discover(request)
            case _:
                return [Perform(request, effect)]

    def _send(self, request: Request, key: bytes, line: bytes) -> Outputs:
        """Send upstream a message for the sake of a request, and wait for the answer.

        Another thread may cancel the request at this moment, or learn that upstream has ended: it sees
        what is noted here, or is seen.
        """
        self._awaiting[key] = request
        request.is_ours = key != request.key
        if not self._ended and not request.cancellation.requested:
            return [ToUpstream(line)]
        if self._take(self._awaiting, key, request):
            self.drop(request)
        return self._lost(request) if self._ended else []

    def drop(self, request: Request) -> Outputs:
        """Let go of a handler, on the thread that may advance it: nobody wants its answer."""
        request.steps = None
        return []

    def _take(self, waiting: dict[bytes, Request], key: bytes, request: Request) -> bool:
        """Take a request from those that wait. A client may have used its id again meanwhile."""
        with self._lock:
            if waiting.get(key) is not request:
                return False
            del waiting[key]
            return True

    def _own_id(self) -> bytes:
        return b'%b%d"' % (self._own, next(self._serials))

    def _failed(self, request: Request, error: Exception) -> Outputs:
        if isinstance(error, ValueError | RecursionError) and not request.is_understood:
            # Nested too deep to look into, perhaps: then it is upstream's to judge.
            logger().info("passed on unread: %s", request.method, exc_info=error)
            return self._begin(request, pass_on(request))
        logger().error("a request could not be handled", exc_info=error)
        return self.give_up(request)

    def give_up(self, request: Request) -> Outputs:
        """Answer a request that Penstock has failed on with an error."""
        return self._deliver(request, request.fail(INTERNAL_ERROR, _FAILED) if request.key else b"")

    def _deliver(self, request: Request, message: bytes) -> Outputs:
        """Send the client an answer, unless the request was cancelled or answered meanwhile."""
        key = request.key
        if not key:  # a notification of upstream's
            return [ToClient(message)] if message else []
        if not self._take(self.pending, key, request):
            return []
        if request.batch is None:
            return [ToClient(message, key)]
        whole = request.batch.add(key, message)
        return [] if whole is None else [ToClient(whole, key)]

    # -- eras ----------------------------------------------------------------------------------

    def _discover(self, request: Request) -> Outputs:
        """Hold a request back until upstream's era is known. The first of them asks."""
        with self._lock:
            self._awaiting_era.append(request)
            if self._discovery is not None:
                return []
            self._discovery = key = self._own_id()
        params = eras.own_params(eras.meta_of(request.params))
        return [ToUpstream(messages.request(key, "server/discover", params))]

    def _discovered(self, message: Message) -> Outputs:
        self.known.learn_discovery(message)
        with self._lock:
            waiting, self._awaiting_era, self._discovery = self._awaiting_era, [], None
        return [output for request in waiting for output in self.go_on(request)]


def _in_its_era(request: Request, handler: Handler) -> Steps[bytes]:
    """A request of the new era to an upstream of which it is not known that it speaks it."""
    if request.known.era == "" and request.method != "server/discover":
        yield Discover()
    if request.known.era == "legacy":
        requested = messages.decoded(eras.meta_of(request.params).get(eras.VERSION_META))
        return request.refuse(eras.unsupported(requested, eras.LEGACY_VERSIONS))
    return (yield from handler(request))


def _start_of(line: bytes) -> str:
    return line[:_SHOWN].decode("utf-8", "replace").rstrip()
