r"""Questions in jq: a program over a result as one JSON document.

This runs in the child process, which has limits on time and memory and an empty environment.
libjq ends its process when memory runs out; the parent then explains that to the caller.

Numbers: jq computes with doubles, but keeps all digits of an input number that it did not compute
with. These digits survive only in `tojson`: the Python values of the library, and its `text()`,
are rounded. So every output goes through `tojson`. `.[0]` returns 30 digits, `.[0]+0` returns 17.
A number in scientific notation comes back as the same number in jq's spelling: 1E+400 for 1e400.
An exponent beyond a billion becomes the largest double.
"""

from __future__ import annotations

import importlib
import re
from dataclasses import dataclass
from functools import cache
from typing import Any

import msgspec

from penstock.core.model.questions import Failure, Language, Limits, WorkerAnswer, jq_installed
from penstock.worker.sandbox.bounds import bounded

MESSAGE_CHARS = 500
TOO_DEEP = "<skipped: too deep>"

# Without these definitions a program would end silently: the library drops the message of
# halt_error, and reports the end of the inputs as "break".
GUARDS = (
    "def halt_error: error; def halt_error($code): error; "
    'def input: error("There is no other input: `.` is the whole result");'
)
# Compiling a program loads its modules. In parentheses these words cannot load any.
_MODULE_WORD = re.compile(r"\b(?:import|include|module)\b")
_MODULE_ERROR = re.compile(r"unexpected (?:import|include|module)\b")

_ESCAPED_BACKSLASH = re.compile(rb"\\\\")
_SURROGATE = re.compile(rb"\\u[dD][89a-fA-F]")
_PAIR = re.compile(rb"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}")

NOT_INSTALLED = Failure(
    "jq is not installed on this server.", "Use another mode, such as sql or search."
)
NO_MODULES = Failure(
    "jq modules (import, include) are not available.", "Define what you need in the program."
)
UNREADABLE_TEXT = Failure(
    "The result holds a text that jq cannot read: half of a surrogate pair.",
    "Use another mode, or narrow with path to a part without that text.",
)
NESTED_TOO_DEEP = Failure(
    "An output is nested too deep for jq to print.", "Return an inner part of it."
)


@cache
def library() -> Any:
    """Return the jq package, or None. The child calls this while it can still open files."""
    return importlib.import_module("jq") if jq_installed() else None


@dataclass(frozen=True, slots=True)
class JqDocument:
    """A JSON document, kept for any number of programs."""

    text: bytes

    @property
    def size(self) -> int:
        return len(self.text)

    def answer(
        self, program: str, limits: Limits, _language: Language = "jq", /
    ) -> WorkerAnswer | Failure:
        if library() is None:
            return NOT_INSTALLED
        if _has_lone_surrogate(self.text):
            return UNREADABLE_TEXT
        try:
            compiled = _compile(program)
        except ValueError as error:
            return _not_compiled(str(error))
        try:
            return _outputs(compiled, self.text, limits)
        except ValueError as error:
            return _failed(str(error))

    def close(self) -> None:
        """Do nothing: a document holds only memory."""


def _compile(program: str) -> Any:
    # Compile the program alone first. Errors then have the right line and column, and unmatched
    # parentheses are found, which the parentheses around the program might match.
    if not _MODULE_WORD.search(program):
        library().compile(program)
    return library().compile(_wrapped(program))


def _wrapped(program: str) -> str:
    emit = "emit"
    while emit in program:  # so that no program can redefine it
        emit += "_"
    # The parenthesis has its own line, because the program may end with a comment.
    return f"{GUARDS} def {emit}: tojson; ({program}\n)|{emit}"


def _outputs(compiled: Any, document: bytes, limits: Limits) -> WorkerAnswer | Failure:
    outputs = compiled.input_text(document.decode())
    answer = bounded((text.encode() for text in outputs), limits)
    if isinstance(answer, WorkerAnswer) and any(map(_is_cut, answer.rows)):
        return NESTED_TOO_DEEP
    return answer


def _is_cut(row: bytes) -> bool:
    """Return whether `tojson` cut a row: beyond 10,000 levels it writes a mark that is not JSON."""
    if TOO_DEEP.encode() not in row:
        return False
    try:
        msgspec.json.decode(row)
    except (msgspec.DecodeError, RecursionError):
        return True
    return False


def _has_lone_surrogate(document: bytes) -> bool:
    # jq refuses the first half of a pair and silently replaces the second.
    if not _SURROGATE.search(document):
        return False
    return _SURROGATE.search(_PAIR.sub(b"", _ESCAPED_BACKSLASH.sub(b"", document))) is not None


def _not_compiled(message: str) -> Failure:
    if _MODULE_ERROR.search(message):
        return NO_MODULES
    return Failure(
        f"jq cannot compile the program: {_bounded(message)}", "Correct the program; try . first."
    )


def _failed(message: str) -> Failure:
    return Failure(
        f"The jq program failed: {_bounded(message)}",
        "Correct the program; `type` and `keys` show what a value is.",
    )


def _bounded(message: str) -> str:
    text = message.strip()
    return text if len(text) <= MESSAGE_CHARS else text[: MESSAGE_CHARS - 1] + "…"
