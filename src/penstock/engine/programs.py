"""The programs of agents, as the engine runs them: in the sandbox, with the store at hand."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from typing import Any, Final

import msgspec

from penstock.core.budget.estimate import EstimateMeter
from penstock.core.json.encoding import encode
from penstock.core.model.cancellation import Cancellation
from penstock.core.model.program import Settled, Source, Turn, Waiting, origin_of
from penstock.core.model.values import Call
from penstock.core.protocol.entries import account_of, owner_of
from penstock.engine.parked_programs import Parked, ParkedPrograms
from penstock.engine.program_functions import StoreFunctions
from penstock.engine.program_values import NoValue, Returned, returned
from penstock.errors import MissingExtra
from penstock.gate.gate import Gate
from penstock.wire.effects import (
    EndedProgram,
    EndProgram,
    InnerAnswer,
    ParkProgram,
    ProgramWork,
    ResumeProgram,
    Started,
    StartProgram,
    UnparkProgram,
)

try:
    from penstock.programs.running import Running
    from penstock.programs.sandbox import BUSY, Box, Sandbox
    from penstock.programs.type_check import wrong_call
    from penstock.programs.variables import Kept, Variables, most_kept
except ModuleNotFoundError as error:
    raise MissingExtra("programs", "run_python") from error

_ESTIMATE: Final = EstimateMeter()
_SAMPLE: Final = 20_000  # characters, from which the tokens of a longer text are estimated
_NOT_KEPT: Final = "The variables of this program were not kept: {}."
_TOO_LARGE: Final = "they take {:,} MB, and at most {:,} MB are kept"
_UNWRITTEN: Final = "the sandbox could not write them"
_LOST: Final = "The variables of earlier programs are gone: they could not be read."


class Programs:
    """The sandbox of one engine. It starts with the first program."""

    def __init__(self, gate: Gate, mark: str = "") -> None:
        self._gate = gate
        self._sandbox: Sandbox | None = None
        self._starting = threading.Lock()
        self._parked = ParkedPrograms(lambda program: program.end(keeps_variables=False), mark)

    def close(self) -> None:
        self._parked.close()
        if self._sandbox is not None:
            self._sandbox.close()

    def park(self, work: ParkProgram) -> str:
        now, program = self._gate.clock(), work.program
        parked = Parked(program, work.handler, program.owner, now + self._gate.policy.ttl)
        return self._parked.park(parked, now)

    def take_back(
        self, work: UnparkProgram, hooks: Mapping[str, Any], lateness: Cancellation
    ) -> Any:
        """Return the handler of a program that waited, which now belongs to another request."""
        owner = owner_of(work.call.principal, work.call.server)
        parked = self._parked.take(work.handle, owner, self._gate.clock())
        if parked is None:
            return None
        parked.program.belong_to(hooks, lateness)
        return parked.handler

    def start(
        self, work: StartProgram, hooks: Mapping[str, Any], lateness: Cancellation
    ) -> Started:
        """Check a program, and run its first turn."""
        sandbox, kept = self._open_sandbox(), self._variables(work, hooks)
        self._parked.sweep(self._gate.clock())
        try:
            wrong = wrong_call(sandbox, work.code, work.scope.without(kept.names))
            if wrong is not None:
                return Started(None, wrong)
            return self._begin(sandbox, LiveProgram(self._gate, work, kept, hooks, lateness))
        except TimeoutError:
            return Started(None, BUSY)

    def _open_sandbox(self) -> Sandbox:
        policy = self._gate.policy
        with self._starting:
            if self._sandbox is None:
                self._sandbox = Sandbox(policy.program_seconds, policy.program_memory)
            return self._sandbox

    def _begin(self, sandbox: Sandbox, program: LiveProgram) -> Started:
        kept = program.kept
        box = sandbox.restore(kept.dump) if kept.dump else None
        is_lost = kept.is_lost or bool(kept.dump and box is None)
        program.notices += [_LOST] if is_lost else []
        turn = program.start(box or sandbox.open(), sandbox.memory)
        return Started(program, turn, has_variables=bool(kept.dump) and not is_lost)

    def _variables(self, work: StartProgram, hooks: Mapping[str, Any]) -> Kept:
        """Return the variables of the session, if the caller may still use the tools that they come
        from."""
        if not work.holder:
            return Kept()
        kept = variables_of(self._gate, work).load(self._gate.clock())
        authorize = hooks.get("authorize")
        if authorize is not None and not all(authorize(*source) is True for source in kept.sources):
            return Kept(edition=kept.edition, is_lost=True)
        return kept


def variables_of(gate: Gate, work: StartProgram) -> Variables:
    owner = owner_of(work.call.principal, work.call.server)
    return Variables(gate.store, owner, work.holder, account_of(work.call))


class LiveProgram:
    """A program that runs: its place in the sandbox, and all that its calls have returned."""

    running: Running

    def __init__(
        self,
        gate: Gate,
        work: StartProgram,
        kept: Kept,
        hooks: Mapping[str, Any],
        lateness: Cancellation,
    ) -> None:
        self._gate = gate
        self._work = work
        self.kept = kept
        self._hooks = hooks
        self._lateness = lateness
        self._sources: dict[tuple[str, bytes], Source] = {}
        self._calls: list[dict[str, Any]] = []
        self._text, self._length = "", 0  # of what the calls returned: the start, and the length
        self._end: Callable[[], None] = _nothing
        self.notices: list[str] = []
        self._add_sources(kept.sources)

    def start(self, box: Box, memory: int) -> Turn:
        work = self._work
        functions = StoreFunctions(
            self._gate, self._call, self.hooks, self._add_sources, self.notices.append
        )
        self.running = Running(
            box,
            work.code,
            work.scope,
            functions.by_name,
            memory,
            may_gather=self.kept.may_gather,
        )
        self.belong_to(self._hooks, self._lateness)
        with self._freed_on_failure():
            return self._with_sources(self.running.start())

    @property
    def owner(self) -> str:
        return owner_of(self._work.call.principal, self._work.call.server)

    def hooks(self) -> Mapping[str, Any]:
        """Return the hooks of the request that the program belongs to."""
        return self._hooks

    def belong_to(self, hooks: Mapping[str, Any], lateness: Cancellation) -> None:
        """Let the program end when the request with these hooks is cancelled, or its time is up."""
        self._end()
        stop, stops = self.running.box.stop, [hooks.get("cancellation") or Cancellation(), lateness]
        self._hooks = hooks
        self._end = partial(_unbind, stops, stop)
        for each in stops:
            each.bind(stop)

    def resume(self, answers: Iterable[InnerAnswer]) -> Turn:
        with self._freed_on_failure():
            settled = [self._settled(answer) for answer in answers]
            return self._with_sources(self.running.go_on(settled))

    def _with_sources(self, turn: Turn) -> Turn:
        if not isinstance(turn, Waiting):
            return turn
        return msgspec.structs.replace(turn, sources=tuple(self._sources.values()))

    def end(self, *, keeps_variables: bool, left: Iterable[InnerAnswer] = ()) -> EndedProgram:
        """Keep the variables, note the calls that are left, and give the sandbox back."""
        with self._freed_on_failure():
            for answer in left:
                self._note_left(answer)
            if keeps_variables and self._work.holder and not self.running.box.is_stopped:
                self._keep_variables()
        self._free()
        return EndedProgram(
            tuple(self._sources.values()), self._calls, self._tokens(), tuple(self.notices)
        )

    def _tokens(self) -> int:
        """Return about how many tokens the results of all calls have."""
        sample = self._text
        return _ESTIMATE.count(sample) * self._length // len(sample) if sample else 0

    def _free(self) -> None:
        """Give the sandbox back."""
        self._end()
        self._end = _nothing
        self.running.box.close()

    @contextmanager
    def _freed_on_failure(self) -> Iterator[None]:
        """Give the sandbox back if Penstock fails in this block: nobody else would."""
        try:
            yield
        except BaseException:
            self._free()
            raise

    def _call(self) -> Call:
        """Return the call that what this program stores comes from."""
        return replace(self._work.call, origin=origin_of([*self._sources.values()]))

    def _add_sources(self, sources: Iterable[Source]) -> None:
        for tool, origin in sources:
            self._sources[tool, b"" if origin is None else encode(origin)] = (tool, origin)

    def _settled(self, answer: InnerAnswer) -> Settled:
        """Return the value of a call for the program, or the error. Note what was returned."""
        if answer.error:
            return Settled(answer.number, error=answer.error, kind=answer.kind)
        self._add_sources([(answer.tool, answer.origin)])  # an error tells something, too
        try:
            found = returned(answer, self._gate, self._hooks)
        except NoValue as refused:
            self._note(answer, Returned(None, {"error": str(refused)}, str(refused)))
            return Settled(answer.number, error=f"{answer.tool}: {refused}")
        self._note(answer, found)
        return Settled(answer.number, found.value)

    def _note_left(self, answer: InnerAnswer) -> None:
        if answer.error:
            self._note(answer, Returned(None, {"error": answer.error}))
        else:
            self._settled(answer)

    def _note(self, answer: InnerAnswer, found: Returned) -> None:
        asked = {"tool": answer.tool, "arguments": msgspec.Raw(answer.arguments)}
        self._calls.append({**asked, **found.kept})
        self._length += len(found.text)
        if len(self._text) < _SAMPLE:
            self._text += found.text[: _SAMPLE - len(self._text)]

    def _keep_variables(self) -> None:
        gate, box = self._gate, self.running.box
        with box:
            dump = box.dump()
        most = most_kept(gate.policy.program_memory)
        if dump is None:
            why = _UNWRITTEN
        elif len(dump) > most:
            why = _TOO_LARGE.format(len(dump) // 1_000_000, most // 1_000_000)
        else:
            sources, edition = tuple(self._sources.values()), self.kept.edition + 1
            names = self.kept.names | self.running.names
            kept = Kept(dump, sources, edition, self.running.may_gather, names)
            why = variables_of(gate, self._work).save(kept, gate.clock(), gate.policy.ttl)
        if why:
            self.notices.append(_NOT_KEPT.format(why))


def _unbind(stops: Iterable[Cancellation], stop: Callable[[], None]) -> None:
    for each in stops:
        each.unbind(stop)


def _nothing() -> None:
    """Do nothing: no request has the program."""


def carry_out(
    programs: Programs, work: ProgramWork, hooks: Mapping[str, Any], lateness: Cancellation
) -> Any:
    """Do the work of a program."""
    match work:
        case StartProgram():
            return programs.start(work, hooks, lateness)
        case ParkProgram():
            return programs.park(work)
        case UnparkProgram():
            return programs.take_back(work, hooks, lateness)
        case ResumeProgram():
            program: LiveProgram = work.program
            return program.resume(work.answers)
        case EndProgram():
            if work.program is None:
                return EndedProgram((), (), 0)
            ended: LiveProgram = work.program
            return ended.end(keeps_variables=work.keeps_variables, left=work.left)
