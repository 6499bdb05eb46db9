"""The carrier inside a server: it moves messages between the server and the rules.

An adapter says who the caller is and how to ask the server. A request goes through a `Session` as
if the server were another program. Long work runs in a thread. An unchanged result of the server
stays the same object.
"""

from __future__ import annotations

import sys
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, assert_never

import anyio

from penstock.adapters.concurrent_calls import answer_of_program
from penstock.adapters.decorators.threads import in_thread
from penstock.core.json import rawjson
from penstock.core.json.encoding import encode
from penstock.core.model.recent import Recent
from penstock.core.model.values import Principal
from penstock.disclosure.discloser import Audience
from penstock.engine.engine import Engine
from penstock.figures.keeping import tally_of
from penstock.gate.gate import Gate
from penstock.settings.policy import Policy
from penstock.stores import Store, open_store
from penstock.wire import messages
from penstock.wire.marks import serving
from penstock.wire.outputs import Output, Outputs, Perform, Ring, ToClient, ToUpstream
from penstock.wire.request import Connection, Request
from penstock.wire.session import Session
from penstock.wire.upstream_state import UpstreamState

_MOST_KNOWN: Final = 256
_KEY: Final = b"1"  # the only id: each request has its own session


class ServerError(Exception):
    """An error in answer to a request, from the server or from Penstock."""

    def __init__(self, error: Mapping[str, Any], cause: Exception | None = None) -> None:
        self.error = error  # with `code`, `message` and `data`
        self.cause = cause
        super().__init__(error.get("message"))


@dataclass(frozen=True, slots=True)
class SpokenRevision:
    """Facts that an adapter knows of its server, so that the server need not be asked."""

    capabilities: Mapping[str, Any]
    server_info: Mapping[str, Any] | None = None
    # The members that the framework adds to every result of a tool.
    beside: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ServerRequest:
    """A request to the server, and its caller."""

    method: str
    params: Mapping[str, Any] | None
    principal: Principal
    is_modern: bool
    legacy_session: str = ""  # the legacy session of the request
    audience: Audience = field(default_factory=Audience)
    facts: SpokenRevision | None = None
    request: object = None  # an object that identifies the request
    peer: str = ""  # over HTTP, the address that the client calls from


# Asks the server. Returns the result as the framework's object and as JSON values, or raises
# `ServerError`.
AskServer = Callable[[str, Mapping[str, Any] | None], Awaitable[tuple[Any, Any]]]


@dataclass(frozen=True, slots=True)
class ServerAnswer:
    """The answer to a request."""

    given: Any = None  # the server's own object, if it was not changed
    result: Mapping[str, Any] | None = None  # a result in its place


class ServerSide:
    """The gate of one server, and what is known of its tools. `server` distinguishes it from others
    that use the same store. The default is the command line."""

    def __init__(self, policy: Policy | None, store: Store | str | None, server: str) -> None:
        stated = policy or Policy.of_process()
        self.gate = Gate(stated, _opened(store, stated))
        self.engine = Engine(self.gate, tally_of(stated, lambda: server or Path(sys.argv[0]).stem))
        self.server = server or " ".join(sys.argv)
        self._known: Recent[tuple[str, str, bool], UpstreamState] = Recent(_MOST_KNOWN)
        self._greeted: dict[bool, UpstreamState] = {}  # the last state with capabilities, by era

    async def carry(self, asked: ServerRequest, ask_server: AskServer) -> ServerAnswer:
        """Return the answer to one request."""
        session = self._session(asked)
        try:
            return await _Passage(self.engine, session, asked, ask_server).answer()
        finally:
            if session.known.capabilities is not None:
                self._greeted[asked.is_modern] = session.known

    def _session(self, asked: ServerRequest) -> Session:
        return Session(
            Connection(
                self.gate,
                principal=asked.principal,
                server=self.server,
                legacy_session=asked.legacy_session,
                peer=asked.peer,
                known=self._knowledge(asked),
                audience=asked.audience,
                is_inside=True,
                tally=self.engine.tally,
            )
        )

    def _knowledge(self, asked: ServerRequest) -> UpstreamState:
        """Return what one caller may know: a server may list different tools to another caller."""
        key = (asked.principal.id, asked.legacy_session, asked.is_modern)
        known = self._known.get_or_make(key, lambda: self._newly_known(asked))
        if not asked.is_modern:
            # The framework has done the handshake, unless this request is the handshake.
            known.is_initialized = asked.method != "initialize"
        return known

    def _newly_known(self, asked: ServerRequest) -> UpstreamState:
        """Return a new state, with the capabilities that the server told an earlier caller, if any:
        they are the same for every caller."""
        known, before = UpstreamState(), self._greeted.get(asked.is_modern)
        if before is not None:
            known.capabilities, known.server_info = before.capabilities, before.server_info
        if asked.facts is not None:
            known.capabilities = dict(asked.facts.capabilities)
            known.server_info = asked.facts.server_info
            known.beside = dict(asked.facts.beside)
        if not asked.is_modern:
            known.era = "legacy"
        elif known.capabilities is not None:
            known.era = "modern"
        return known

    def close(self) -> None:
        self.engine.close()
        self.gate.close()


def _opened(store: Store | str | None, policy: Policy) -> Store | None:
    if not isinstance(store, str):
        return store
    return open_store(store, capacity=policy.capacity, quota=policy.quota)


class _Passage:
    """One request on its way through its session."""

    def __init__(
        self, engine: Engine, session: Session, asked: ServerRequest, ask_server: AskServer
    ) -> None:
        self._engine = engine
        self._session = session
        self._asked = asked
        self._ask_server = ask_server
        self._sent = messages.request(_KEY, asked.method, encode(dict(asked.params or {})))
        self._given: dict[bytes, Any] = {}  # the server's objects, by the message made of each

    async def answer(self) -> ServerAnswer:
        try:
            return await self._pass()
        except BaseException:
            self._session.cancel(_KEY)  # after any error, nothing waits for the answer
            raise

    async def _pass(self) -> ServerAnswer:
        outputs = self._session.from_client(self._sent)
        while outputs:
            output = outputs.pop(0)
            match output:
                case ToClient():
                    if output.answers:
                        return self._answer(output.message)
                case ToUpstream():
                    outputs += self._session.from_upstream(await self._up(output.message))
                case Perform():
                    outputs += await in_thread(self._engine.carry_out, self._session, output)
                case Ring():
                    together = [output, *outputs]
                    return self._answer(await answer_of_program(together, self._carry_out))
                case _:
                    assert_never(output)
        raise RuntimeError("a request was left without an answer")

    async def _carry_out(self, output: Output) -> Outputs:
        """Carry out one output of a program, and return what it leads to."""
        match output:
            case ToUpstream() if not messages.read_message(output.message).key:
                return []  # a cancellation: the task of the cancelled call ends with the program
            case ToUpstream():
                return self._session.from_upstream(await self._up_for_program(output.message))
            case Perform():
                return await in_thread(self._engine.carry_out, self._session, output)
            case Ring():
                await anyio.sleep(output.seconds)
                return self._session.rang(output.request)
            case ToClient():
                return []
            case _:
                assert_never(output)

    async def _up_for_program(self, message: bytes) -> bytes:
        """Return the server's response to a call of a program. An exception of a tool is an error in
        the program, and ends neither the program nor the request."""
        try:
            return await self._up(message)
        except Exception as error:  # noqa: BLE001 (a tool may raise anything)
            key = messages.read_message(message).key
            return messages.failure(key, messages.INTERNAL_ERROR, str(error))

    def _answer(self, message: bytes) -> ServerAnswer:
        given = self._given.get(message)
        if isinstance(given, ServerError):
            raise given
        if message in self._given:
            return ServerAnswer(given)
        response = rawjson.decode(message)
        if "error" in response:
            raise ServerError(response["error"])
        return ServerAnswer(result=response["result"])

    async def _up(self, line: bytes) -> bytes:
        """Send a request to the server, and return its response."""
        message = messages.read_message(line)
        is_same = line is self._sent
        params = self._asked.params if is_same else rawjson.decode(message.params or b"{}")
        try:
            given, result = await self._run(message, str(message.method), params)
        except ServerError as failed:
            response = messages.error_response(message.key, encode(dict(failed.error)))
            self._given[response] = failed
            return response
        response = messages.response(message.key, encode(result))
        self._given[response] = given
        return response

    async def _run(
        self, message: messages.Message, method: str, params: Mapping[str, Any] | None
    ) -> tuple[Any, Any]:
        request = self._session.pending.get(message.key)
        mark = "" if request is None else self._mark_of(request)
        with serving(mark, self._asked.request) as served:
            answer = await self._ask_server(method, params)
        if served.notices and request is not None:
            request.notice = " ".join(filter(None, (request.notice, *served.notices)))
        return answer

    def _mark_of(self, request: Request) -> str:
        """Return the key of the tool's mark; empty without one, or if Penstock ignores the tool."""
        tool = request.upstream_tool
        if tool is None or tool.mark is None or not request.policy.covers(request.tool):
            return ""
        return tool.mark.key
