"""The session, which handles each message between one client and its upstream.

THEORY OF OPERATION

Most messages are forwarded unchanged. Only a few notifications, and requests whose method has a
handler (`methods.py`), are inspected. A handler is a generator: it yields effects, and returns the
answer. A handler that needs upstream waits in `_awaiting`, under the id of the message that upstream
will answer. Slow work goes to the carrier (`Perform`), so that other requests do not wait.

Every request of the client is `pending` until it has an answer, from upstream or from Penstock. If
upstream ends, each one without an answer from upstream gets an error. If the client cancels a
request, upstream is told only if upstream has it. An answer that comes after all, or that no request
waits for, is the business of `late_answers.py`.

Penstock's own requests have ids that no client uses. Their responses do not go to the client. A
program makes calls as such requests. Each call is pending like a request of the client, has a handler
of its own, and gives its answer to the program.

RULES FOR EDITING THIS MODULE

1. Do no I/O. Use no clock but the connection's. Hold no lock while anything is decoded.
2. `from_client`, `from_upstream` and `go_on` run in different threads. Only one thread may advance
   a handler: the one that took its request out of `_awaiting` or `_awaiting_era`, or that performed
   its work.
3. Only the thread that takes a request out of `pending` may answer it: nothing is answered twice.
4. A cancellation sets a flag. The thread that may advance the handler then drops the handler.
5. Forward an unchanged message as the same bytes.
"""

from __future__ import annotations

import secrets
import threading
from itertools import count
from typing import Any, Final

import msgspec

from penstock.core.json.utf8 import is_utf8
from penstock.core.model.values import Refusal
from penstock.log import logger
from penstock.wire import eras, messages
from penstock.wire.bad_bytes import refuse_bytes
from penstock.wire.batch import Batch
from penstock.wire.busy import busy_answer
from penstock.wire.effects import (
    AskUpstream,
    CallTools,
    Discover,
    Effect,
    Forward,
    SetAlarm,
    Steps,
    UpstreamAnswer,
)
from penstock.wire.inner_calls import InnerCalls
from penstock.wire.late_answers import LateAnswers
from penstock.wire.messages import (
    INTERNAL_ERROR,
    INVALID_REQUEST,
    MAY_HAVE_RUN,
    PARSE_ERROR,
    UPSTREAM_GONE,
    Message,
)
from penstock.wire.methods import HANDLERS, in_its_era
from penstock.wire.outputs import Outputs, Perform, Ring, ToClient, ToUpstream, forwarded_together
from penstock.wire.program_calls import program_call
from penstock.wire.received import UpstreamMessage, received_in, start_of
from penstock.wire.reporting import report
from penstock.wire.request import Connection, InsideResult, Request, pass_on
from penstock.wire.result_budget import hold_stray
from penstock.wire.tasks import task_notified
from penstock.wire.unread import Unread

_FAILED: Final = (
    "Penstock failed on this request; see its log. The server may have run the request."
)


class Session:
    """The requests of one client that have not been answered, and the handlers that answer them."""

    def __init__(self, connection: Connection) -> None:
        self.connection = connection
        self.known = connection.known
        self.pending: dict[bytes, Request] = {}
        self._awaiting: dict[bytes, Request] = {}  # by the id that upstream's answer will have
        self._awaiting_era: list[Request] = []
        self._discovery: bytes | None = None  # the id of our `server/discover`
        self._own = b'"penstock-%b-' % secrets.token_hex(8).encode()  # the prefix of our own ids
        self._serials = count()
        self._late = LateAnswers(connection)
        self._ended = ""
        self._lock = threading.Lock()

    # -- from the client -----------------------------------------------------------------------

    def from_client(self, line: bytes) -> Outputs:
        if not is_utf8(line):
            return refuse_bytes(line)
        try:
            batch = messages.batch_of(line)
            if batch is not None:
                return self._batch(batch)
            return self._client_message(line, messages.read_message(line))
        except ValueError as error:
            logger().warning("the client sent invalid JSON (%s): %r", error, start_of(line))
            return [ToClient(messages.failure(b"", PARSE_ERROR, f"Not JSON: {error}."))]

    def _batch(self, lines: list[bytes]) -> Outputs:
        if not lines:
            return [ToClient(messages.failure(b"", INVALID_REQUEST, "An empty batch."))]
        opened = [(line, messages.message_or_none(line)) for line in lines]
        batch = Batch.of([message for _, message in opened])
        outputs: Outputs = [
            output
            for line, message in opened
            if message is not None
            for output in self._client_message(line, message, batch)
        ]
        if batch.has_only_errors:
            outputs.append(ToClient(batch.whole))
        return forwarded_together(outputs)

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
            return self._begin(request, in_its_era(request, handler or pass_on))
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
        if request is not None and request.is_with_penstock:
            outputs = self.cancel_inner(request)
        else:
            outputs = [ToUpstream(line)]
        if request is not None and request.batch is not None:
            whole = request.batch.add(request.key, None)
            outputs += [] if whole is None else [ToClient(whole, request.key)]
        return outputs

    def cancel(self, key: bytes) -> Request | None:
        """Cancel a request, and return it. The caller must tell upstream, unless the request
        `is_with_penstock`. For a program, the caller must call `cancel_inner` too."""
        with self._lock:
            request = self.pending.pop(key, None)
        if request is None:
            return None
        request.cancellation.request()
        if request.inner_calls is not None and request.inner_calls.interrupt() is not None:
            self.drop(request)  # the program waited for its calls
        if not request.is_with_penstock:
            if self._take(self._awaiting, key, request):
                self.drop(request)
            self._late.note_cancelled(key)
        return request

    def forget(self, request: Request) -> None:
        """Keep nothing of a request whose client has left. An answer that still comes is held to the
        budget, as any that no request waits for."""
        if self._take(self.pending, request.key, request):
            request.cancellation.request()
            if self._take(self._awaiting, request.key, request):
                self.drop(request)

    def cancel_inner(self, program: Request) -> Outputs:
        """Cancel the calls of a program that have no answer. Return what to tell upstream."""
        calls = program.inner_calls
        open_calls = [] if calls is None else list(calls.open)
        cancelled = [self.cancel(key) for key in open_calls]
        return [
            ToUpstream(messages.cancellation(request.key, "the program has ended"))
            for request in cancelled
            if request is not None and not request.is_with_penstock
        ]

    # -- from upstream -------------------------------------------------------------------------

    def from_upstream(self, line: bytes) -> Outputs:
        outputs: Outputs = []
        for received in received_in(line):
            outputs += self._upstream_message(received)
        return outputs

    def from_upstream_unread(self, unread: Unread) -> Outputs:
        """Answer with an error the requests whose answer an unread message may have been."""
        outputs: Outputs = []
        for error in unread.answers(self._with_upstream()):
            outputs += self.from_upstream(error)
            self._late.note_given_up(messages.read_message(error).key)
        return outputs

    def _with_upstream(self) -> list[bytes]:
        """Return the ids of all requests that upstream has not answered."""
        passed = [key for key, request in list(self.pending.items()) if request.steps is None]
        asked = [] if self._discovery is None else [self._discovery]
        return list(dict.fromkeys([*self._awaiting, *passed, *asked]))

    def _upstream_message(self, received: UpstreamMessage) -> Outputs:
        message, line = received.message, received.line
        if message.method is msgspec.UNSET:
            return self._upstream_response(received)
        if message.id is not msgspec.UNSET:
            return [ToClient(line)]
        if message.method == "notifications/tools/list_changed":
            self.known.outdate_toolbox()
        if message.method != "notifications/tasks":
            return [ToClient(line)]
        about = self._about(line, message.params, is_modern=True)
        return self._begin(about, task_notified(about, received.original))

    def _upstream_response(self, received: UpstreamMessage) -> Outputs:
        message, line = received.message, received.line
        key = message.key
        if key == self._discovery:
            return self._discovered(message)
        with self._lock:
            request = self._awaiting.pop(key, None)
        if request is not None:
            request.is_with_penstock = True
            if key == request.key:
                request.is_answered, request.upstream_line = True, line
            return self.go_on(request, UpstreamAnswer(message, line, received.original))
        request = self.pending.get(key)
        if request is None:
            return self._unexpected(message, line)
        if request.steps is None:
            return self._deliver(request, line)
        logger().warning("upstream answered a request twice")
        return []

    def _unexpected(self, message: Message, line: bytes) -> Outputs:
        """Handle a response that no request waits for."""
        if message.key.startswith(self._own):
            return []  # a second answer to a request of ours
        taken = self._late.taken(message, line)
        if taken is not None:
            return taken
        about = self._about(line, is_modern=self.known.era == "modern")
        return self._begin(about, hold_stray(about, UpstreamAnswer(message, line)))

    def _about(self, line: bytes, params: Any = msgspec.UNSET, *, is_modern: bool) -> Request:
        """Return a request without an id, for the handler of a message that upstream has sent."""
        about = Request(self.connection, b"", "", params, line, is_modern)
        about.is_understood = about.is_answered = True  # so no work for it is refused
        return about

    def tell(self, key: bytes, result: InsideResult) -> None:
        """Note the result of a tool in this process, before upstream's answer to the call comes."""
        request = self.pending.get(key)
        if request is not None:
            request.inside = result
            request.notice = " ".join(filter(None, (request.notice, result.notice)))

    def upstream_ended(self, why: str) -> Outputs:
        """Answer with an error all requests that upstream has not answered, and all later ones. A
        request that upstream has answered, and Penstock still works on, gets its answer. A program
        gets an error for each of its calls, and ends by itself."""
        self._ended = why
        outputs: Outputs = []
        for key, request in list(self._awaiting.items()):
            if self._take(self._awaiting, key, request):
                is_call = key == request.key and request.method == "tools/call"
                outputs += self._lost(request, MAY_HAVE_RUN if is_call else "")
                self.drop(request)
        for request in list(self.pending.values()):
            goes_on = request.is_answered or request.inner_calls is not None
            outputs += [] if goes_on else self._lost(request)
        return outputs

    def _lost(self, request: Request, more: str = "") -> Outputs:
        request.cancellation.request()
        return self._deliver(request, request.fail(UPSTREAM_GONE, self._ended + more))

    def is_at_work(self) -> bool:
        """Return whether Penstock is busy with a request, before or after upstream has it."""
        return any(request.is_with_penstock for request in list(self.pending.values()))

    # -- handlers ------------------------------------------------------------------------------

    def _begin(self, request: Request, steps: Steps[bytes]) -> Outputs:
        request.steps, request.is_with_penstock = steps, True
        return self.go_on(request)

    def go_on(self, request: Request, given: Any = None) -> Outputs:
        """Advance the handler of a request with the answer to its last effect."""
        if request.steps is None:
            return []
        try:
            effect = request.steps.send(given)
        except StopIteration as done:
            return self._deliver(request, done.value)
        except Exception as error:  # noqa: BLE001 (the client gets an error for any failure)
            return self._failed(request, error)
        return self._see_to(request, effect)

    def _see_to(self, request: Request, effect: Effect) -> Outputs:
        if request.cancellation.requested:
            return self.drop(request)
        request.is_understood = not isinstance(effect, Discover)
        match effect:
            case Forward():
                return self._send(request, request.key, effect.line, effect.seconds)
            case AskUpstream():
                key = self._own_id()
                line = messages.request(key, effect.method, effect.params)
                return self._send(request, key, line)
            case Discover():
                return self._discover(request)
            case CallTools():
                return self._call_tools(request, effect)
            case SetAlarm():
                return [Ring(request, effect.seconds), *self.go_on(request)]
            case _:
                return [Perform(request, effect)]

    def _send(
        self, request: Request, key: bytes, line: bytes, seconds: float | None = None
    ) -> Outputs:
        """Send upstream a message on behalf of a request, and wait for the answer.

        At this moment another thread may cancel the request, or learn that upstream has ended.
        Either that thread finds the request in `_awaiting`, or this thread sees its flag.
        """
        self._awaiting[key] = request
        request.is_with_penstock = key != request.key
        if not self._ended and not request.cancellation.requested:
            # The alarm first: some carriers wait for the answer before they take the next output.
            alarm = [] if seconds is None else [Ring(request, seconds)]
            return [*alarm, ToUpstream(line, is_inner=request.program is not None)]
        if self._take(self._awaiting, key, request):
            self.drop(request)
        return self._lost(request) if self._ended else []

    def _call_tools(self, program: Request, effect: CallTools) -> Outputs:
        """Begin the calls of a program. Advance the program if some are done, or once one is."""
        calls = program.inner_calls = program.inner_calls or InnerCalls()
        outputs: Outputs = []
        for call in effect.calls:
            request = program.call_for_program(self._own_id(), call)
            self.pending[request.key] = request
            calls.begin(request.key, request)
            outputs += self._begin(request, program_call(request))
        if not effect.waits:
            return [*outputs, *self.go_on(program, calls.finished())]
        done = calls.wait()
        is_cancelled = program.cancellation.requested
        if done is None and (program.is_late or is_cancelled):  # it may have come before the wait
            done = calls.interrupt()
        if is_cancelled:  # another thread has cancelled those calls that it knew
            outputs += self.cancel_inner(program)
        return outputs if done is None else [*outputs, *self.go_on(program, done)]

    def _finish_inner(self, request: Request, program: Request, response: bytes) -> Outputs:
        """Give a program the answer to one of its calls, on the thread that has the answer."""
        request.response = response
        calls = program.inner_calls
        done = None if calls is None else calls.finish(request.key, request)
        return [] if done is None else self.go_on(program, done)

    def rang(self, request: Request) -> Outputs:
        """Give up a call that upstream has not answered in time. Advance a program that waits although
        its time is up, or stop it if it computes."""
        if self.pending.get(request.key) is not request:
            return []
        if self._take(self._awaiting, request.key, request):
            request.is_with_penstock = True
            self._late.note_given_up(request.key)
            told = messages.cancellation(request.key, "the answer took too long")
            return [*self.go_on(request), ToUpstream(told)]
        request.is_late = True
        calls = request.inner_calls
        done = None if calls is None else calls.interrupt()
        if done is not None:
            return self.go_on(request, done)
        request.lateness.request()
        return []

    def drop(self, request: Request) -> Outputs:
        """Drop a handler whose answer nobody wants, on the thread that may advance the handler."""
        request.steps = None
        return []

    def _take(self, waiting: dict[bytes, Request], key: bytes, request: Request) -> bool:
        """Take a request from those that wait. Return False if another thread has taken it, or if
        the client has used its id again."""
        with self._lock:
            if waiting.get(key) is not request:
                return False
            del waiting[key]
            return True

    def _own_id(self) -> bytes:
        return b'%b%d"' % (self._own, next(self._serials))

    def _failed(self, request: Request, error: Exception) -> Outputs:
        if isinstance(error, ValueError | RecursionError) and not request.is_understood:
            # The parameters may nest too deep to decode. Let upstream judge them.
            logger().info("passed on unread: %s", request.method, exc_info=error)
            return self._begin(request, pass_on(request))
        logger().error("a request could not be handled", exc_info=error)
        return self.give_up(request)

    def give_up(self, request: Request) -> Outputs:
        """Answer with an error, because Penstock failed on the request."""
        request.cancellation.request()  # a program may still have its sandbox
        return self._deliver_error(request, request.fail(INTERNAL_ERROR, _FAILED))

    def turn_away(self, request: Request, why: Refusal) -> Outputs:
        """Answer that too much is waiting, before the next work for the request begins. Upstream must
        not have answered the request: its answer would be lost."""
        fields = self.known.frame(is_modern=request.is_modern).fields
        return self._deliver_error(request, busy_answer(request.key, request.method, why, fields))

    def _deliver_error(self, request: Request, error: bytes) -> Outputs:
        """Send the client an error, unless it has asked for nothing: upstream began with a message."""
        return self._deliver(request, error) if request.key else []

    def _deliver(self, request: Request, message: bytes) -> Outputs:
        """Send the client an answer, unless the request was cancelled or answered meanwhile."""
        key = request.key
        if not key:  # a notification of upstream's
            return [ToClient(message)] if message else []
        if not self._take(self.pending, key, request):
            return []
        report(request, b"" if request.program else message)  # no model reads a program's calls
        if request.program is not None:
            return self._finish_inner(request, request.program, message)
        self._late.note_answered(key)
        outputs = self.cancel_inner(request)
        if request.batch is None:
            return [*outputs, ToClient(message, key)]
        whole = request.batch.add(key, message)
        return outputs if whole is None else [*outputs, ToClient(whole, key)]

    # -- eras ----------------------------------------------------------------------------------

    def _discover(self, request: Request) -> Outputs:
        """Hold a request back until upstream's era is known. The first such request asks for it."""
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
