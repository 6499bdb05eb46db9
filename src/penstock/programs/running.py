"""One program in its sandbox: it runs until it waits for tools, ends or fails.

A call of a tool becomes a future, and starts when the program next waits. So calls that are
gathered run at the same time. In a program that gathers nothing, a call that is awaited where it
stands gets its answer without a future, which is quicker. Functions that read the store answer at
once.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

import pydantic_monty as monty

from penstock.core.json import rawjson
from penstock.core.json.encoding import encode
from penstock.core.model.program import (
    ASK_LESS,
    CALL_FUNCTION,
    TEXT_FUNCTION,
    Broken,
    Finished,
    Scope,
    Settled,
    ToolCall,
    Turn,
    Waiting,
)
from penstock.errors import InvalidResult
from penstock.programs.crossing import has_no_json_form, in_utf8
from penstock.programs.failures import TOO_LONG, failure, source_line
from penstock.programs.sandbox import Box, as_function
from penstock.programs.source import OWN, OWN_PREFIX, rewritten

MOST_PRINTED: Final = 1_000_000
_PRINTED_TOO_MUCH: Final = f"The program printed more than {MOST_PRINTED:,} bytes."
_RETURN_IT: Final = "Return a value instead: a large one is stored whole."
_NO_AWAIT: Final = "The call of {} was not awaited, so it did not run."
_WRITE_AWAIT: Final = "Write await before the call."
_NEVER: Final = "The program waits for a call of an earlier program."
_NO_SLEEP: Final = "A program cannot sleep."
_FORGED: Final = "The value has no JSON form, because a function of Penstock was replaced."
_OWN_NAMES: Final = f"Leave names alone that start with {OWN_PREFIX}."
_NOT_UTF8: Final = "UnicodeEncodeError"
_SLEEPS: Final = ("time.sleep", "asyncio.sleep", "system.sleep")


class HelperError(Exception):
    """A function that reads the store has refused. The program can catch this as a `ValueError`."""


Helper = Callable[..., Any]


class Running:
    """A program that has started, and its place in a sandbox."""

    def __init__(
        self,
        box: Box,
        code: str,
        scope: Scope,
        helpers: Mapping[str, Helper],
        memory: int,
        *,
        may_gather: bool = False,  # a function of an earlier program may
    ) -> None:
        self.box = box
        self._code = code
        self._source = rewritten(code)
        self.may_gather = may_gather or self._source.may_gather
        self._file = ""  # by which the sandbox calls this program
        self._scope = scope
        self._helpers = helpers
        self._memory = memory
        self._printed: list[str] = []
        self._room = MOST_PRINTED  # bytes that the program may still print
        self._waiting: monty.FutureSnapshot | monty.FunctionSnapshot | None = None
        self._new: list[ToolCall] = []
        self._futures: set[int] = set()  # calls that have a future, and no outcome yet

    @property
    def names(self) -> frozenset[str]:
        """The names that the program assigns or defines."""
        return self._source.names

    @property
    def printed(self) -> str:
        return "".join(self._printed)

    def _print(self, _stream: str, text: str) -> None:
        """Keep what the program prints. Stop a program that prints too much."""
        self._room -= len(text.encode("utf-8", "replace"))
        if self._room >= 0:
            self._printed.append(text)
        else:
            self.box.stop()

    def start(self) -> Turn:
        if self._source.unawaited is not None:
            name, line = self._source.unawaited
            return self._not_awaited(name, line)
        code = self._source.code.decode()
        return self._turn(lambda: self.box.session.feed_start(code, print_callback=self._print))

    def go_on(self, settled: Iterable[Settled]) -> Turn:
        """Give the program the outcomes of some of its calls."""
        outcomes = {one.number: _outcome(one) for one in settled}
        self._futures.difference_update(outcomes)
        return self._turn(lambda: self._resumed(outcomes))

    def _resumed(self, outcomes: Mapping[int, Any]) -> monty.SyncSnapshot:
        try:
            return self._given(outcomes)
        except monty.MontyRuntimeError as error:
            if error.traceback() or not str(error).startswith(_NOT_UTF8):
                raise
        return self._given(in_utf8(outcomes))  # the sandbox took no outcome, and still waits

    def _given(self, outcomes: Mapping[int, Any]) -> monty.SyncSnapshot:
        waiting = self._waiting
        assert waiting is not None  # noqa: S101 (only a program that waits has calls)
        if isinstance(waiting, monty.FunctionSnapshot):
            return waiting.resume(outcomes[waiting.call_id])
        return waiting.resume(dict(outcomes))

    # -- one turn ------------------------------------------------------------------------------

    def _turn(self, advance: Callable[[], monty.SyncSnapshot]) -> Turn:
        self._new = []
        try:
            with self.box:
                return self._until_it_waits(advance())
        except monty.MontyError as error:
            return self._failed(error)
        except RuntimeError as error:  # the box was closed by another thread
            return Broken(str(error), is_stopped=True)

    def _until_it_waits(self, snapshot: monty.SyncSnapshot) -> Turn:
        end = time.monotonic() + self.box.seconds
        while True:
            if time.monotonic() > end:  # the sandbox does not count the time of our own functions
                told = TOO_LONG.format(self.box.seconds)
                return Broken(told, ASK_LESS, printed=self.printed, is_stopped=True)
            match snapshot:
                case monty.MontyComplete():
                    return self._finished(snapshot.output)
                case monty.FutureSnapshot():
                    if not snapshot.pending_call_ids:
                        told, step = _NEVER, "Call the tool again."
                        return Broken(told, step, printed=self.printed, is_stopped=True)
                    self._waiting = snapshot
                    return Waiting(tuple(self._new))
                case monty.NameLookupSnapshot():
                    snapshot = self._look_up(snapshot)
                case monty.FunctionSnapshot():
                    answered = self._answer(snapshot)
                    if answered is None:
                        self._waiting = snapshot
                        return Waiting(tuple(self._new))
                    snapshot = answered

    def _look_up(self, snapshot: monty.NameLookupSnapshot) -> monty.SyncSnapshot:
        """Answer with a function for a tool that is named but not called at once."""
        name = snapshot.variable_name
        if self._is_function(name):
            return snapshot.resume(value=as_function(name))
        return snapshot.resume()

    def _is_function(self, name: str) -> bool:
        return name in self._scope.tools or name in self._helpers or name in _BY_NAME

    def _answer(self, snapshot: monty.FunctionSnapshot) -> monty.SyncSnapshot | None:
        """Answer a call at once, or with a future. Return None to let it wait for its answer."""
        name = snapshot.function_name
        if snapshot.is_os_function:
            if name in _SLEEPS:
                return snapshot.resume(_raised("RuntimeError", _NO_SLEEP))
            return snapshot.resume_not_handled()
        if name in self._helpers:
            return snapshot.resume(self._helped(name, snapshot))
        if not self._is_function(name):
            return snapshot.resume(_raised("NameError", f"name {name!r} is not defined"))
        call = self._tool_call(snapshot)
        if not isinstance(call, str) and has_no_json_form((call.args, call.kwargs)):
            call = f"{name}() takes data, not functions, ranges or iterators: make a list of them"
        if isinstance(call, str):
            return snapshot.resume(_raised("TypeError", call))
        self._new.append(call)
        is_awaited = call.line > 0 and self._source.is_awaited(snapshot.position.start)
        if is_awaited and not self.may_gather and not self._futures:
            return None
        self._futures.add(call.number)
        return snapshot.resume({"future": ...})

    def _helped(self, name: str, snapshot: monty.FunctionSnapshot) -> monty.ExternalResult:
        try:
            return {"return_value": self._helpers[name](*snapshot.args, **snapshot.kwargs)}
        except HelperError as error:
            return _raised("ValueError", str(error))
        except (TypeError, ValueError, AttributeError, InvalidResult):
            told = f"{name.removeprefix(OWN_PREFIX)}() does not take these arguments"
            return _raised("TypeError", told)

    def _tool_call(self, snapshot: monty.FunctionSnapshot) -> ToolCall | str:
        """Return the call, or what is wrong with it."""
        name, line = snapshot.function_name, self._line(snapshot.position)
        args, kwargs = tuple(snapshot.args), snapshot.kwargs
        if name not in _BY_NAME:
            return ToolCall(snapshot.call_id, name, args, kwargs, line=line)
        given = {**dict(zip(_PARAMETERS, args, strict=False)), **kwargs}
        tool, arguments = given.get("name"), given.get("arguments", {})
        is_right = len(given) == len(args) + len(kwargs) and given.keys() <= {*_PARAMETERS}
        if not is_right or not isinstance(tool, str) or not isinstance(arguments, dict):
            return f'{name}() takes the name of a tool and its arguments: {name}("name", {{...}})'
        is_text = name == TEXT_FUNCTION
        return ToolCall(snapshot.call_id, tool, (), arguments, True, is_text, line)

    def _line(self, position: monty.SourceRange) -> int:
        """Return the line of a call; 0 if a function of an earlier program makes the call. The
        sandbox numbers its programs, so the longest and then greatest name is this one's."""
        name = position.filename
        self._file = max(self._file, name, key=lambda file: (len(file), file))
        is_own = name == self._file
        return self._source.code[: position.start].count(b"\n") + 1 if is_own else 0

    # -- the end -------------------------------------------------------------------------------

    def _finished(self, output: Any) -> Turn:
        if self._new:
            return self._not_awaited(self._new[0].function, self._new[0].line)
        if output is None:
            return Finished(b"null", self.printed)
        try:
            answer, lost = _answer_in(output)
        except (InvalidResult, TypeError, ValueError):  # a program has replaced `ANSWER`
            self.box.session.feed_run(OWN)
            return Broken(_FORGED, _OWN_NAMES, printed=self.printed)
        notices = (f"{lost} NaN or infinite numbers are shown as null.",) if lost else ()
        return Finished(answer, self.printed, notices)

    def _not_awaited(self, name: str, line: int) -> Broken:
        told, source = _NO_AWAIT.format(name), source_line(self._code, line)
        return Broken(told, _WRITE_AWAIT, line, source, self.printed)

    def _failed(self, error: monty.MontyError) -> Turn:
        if self._room < 0:
            return Broken(_PRINTED_TOO_MUCH, _RETURN_IT, printed=self.printed, is_stopped=True)
        if self.box.is_stopped:
            return Broken("The program was stopped.", printed=self.printed, is_stopped=True)
        if self._new and "coroutine" in str(error):
            return self._not_awaited(self._new[0].function, self._new[0].line)
        return failure(error, self._code, self.printed, self._memory, self.box.seconds)


_BY_NAME: Final = (CALL_FUNCTION, TEXT_FUNCTION)
_PARAMETERS: Final = ("name", "arguments")


def _answer_in(output: Any) -> tuple[bytes, int]:
    """Return the answer as compact JSON, and the number of values that became null."""
    if isinstance(output, tuple) and len(output) == 2 and isinstance(output[0], str):  # noqa: PLR2004
        return encode(rawjson.decode(output[0].encode())), int(output[1])
    return encode(output), 0  # the source could not be changed, see `source.rewritten`


def _outcome(settled: Settled) -> monty.ExternalSettledResult:
    if settled.error:
        return _raised(settled.kind, settled.error)
    return {"return_value": settled.value}


def _raised(kind: Any, message: str) -> monty.ExternalExceptionData:
    return {"exc_type": kind, "message": message}
