"""Effects: the values by which handlers ask for something to be done.

A handler is a generator. It yields an effect, receives the answer, and returns the message for the
client. Nothing in this folder does I/O, so threads, an event loop and a test can all drive the same
handlers.

There are two kinds of effects. The session handles those of the first section, which wait for
upstream or set an alarm. All others are `Work`, which may take seconds: a carrier runs it on a thread
that reads neither from a client nor from upstream.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from typing import Any, TypeVar

import msgspec

from penstock.core.model.program import Scope, Source, Turn
from penstock.core.model.values import Call, LiveRows, Result
from penstock.disclosure.catalogue import Catalogue
from penstock.disclosure.discloser import Audience
from penstock.disclosure.grants import Holder
from penstock.disclosure.lists.listing import Listing
from penstock.disclosure.programs import ProgramTool
from penstock.wire.messages import Message

# -- upstream and the time ---------------------------------------------------------------------


class Forward(msgspec.Struct, frozen=True):
    """Send the client's request to upstream. Answer: `UpstreamAnswer`, or None if it takes longer than
    `seconds`. Upstream is told then."""

    line: bytes
    seconds: float | None = None


class AskUpstream(msgspec.Struct, frozen=True):
    """Send a request of our own to upstream. Answer: `UpstreamAnswer`."""

    method: str
    params: bytes


class Discover(msgspec.Struct, frozen=True):
    """Find out which era upstream speaks, once for all requests that wait. Answer: None."""


class InnerCall(msgspec.Struct, frozen=True):
    """A call of a tool that a program makes."""

    number: int
    tool: str
    arguments: bytes  # a JSON object
    is_text: bool = False  # the program wants the exact text
    more: Mapping[str, bytes] = {}  # other parameters, such as the reply to a question of the tool


class CallTools(msgspec.Struct, frozen=True):
    """Begin calls for a program, and wait until at least one of its calls is done, or until its
    time is up. Answer: the requests that are done, in a list, which is empty if time is up."""

    calls: Sequence[InnerCall]
    waits: bool = True  # otherwise answer at once


class SetAlarm(msgspec.Struct, frozen=True):
    """Let the request know, by `is_late`, that so many seconds have passed. Answer: None."""

    seconds: float


class UpstreamAnswer(msgspec.Struct, frozen=True):
    """Upstream's response: the parsed message, and the bytes as they came."""

    message: Message
    line: bytes
    original: bytes = b""  # the bytes as they came, if they were not UTF-8: `line` is repaired

    @property
    def result(self) -> dict[str, msgspec.Raw] | None:
        """The members of the result, or None for an error."""
        members = self.message.result
        return None if isinstance(members, msgspec.UnsetType) else members

    @property
    def error(self) -> msgspec.Raw | None:
        raw = self.message.error
        return None if isinstance(raw, msgspec.UnsetType) else raw


# -- the gate ----------------------------------------------------------------------------------


class Prepare(msgspec.Struct, frozen=True):
    """Check a call, and replace references by stored values. Answer: `Run` or `Reply`."""

    call: Call


class Offer(msgspec.Struct, frozen=True):
    """Hold the result of a tool to the budget. Answer: `Reply`."""

    call: Call
    result: Result | LiveRows
    notice: str = ""


class Keep(msgspec.Struct, frozen=True):
    """Store a result whatever its size. Answer: its token, or "" if the store did not take it."""

    call: Call
    result: Result


class KeepBytes(msgspec.Struct, frozen=True):
    """Store bytes as a resource. Answer: `KeptBytes`, or None if the store did not take them."""

    call: Call
    data: bytes


class Read(msgspec.Struct, frozen=True):
    """Read a stored result for the agent. Answer: `Reply`."""

    call: Call


class Show(msgspec.Struct, frozen=True):
    """Open a stored result in the explorer. Answer: `Reply`."""

    call: Call


class Browse(msgspec.Struct, frozen=True):
    """Read a stored result for the explorer. Answer: `Reply`."""

    call: Call


class ReadResource(msgspec.Struct, frozen=True):
    """Read the stored result behind a link. Answer: `Resource` or `Refusal`."""

    call: Call
    uri: str


# -- tool descriptions -------------------------------------------------------------------------


class Disclose(msgspec.Struct, frozen=True):
    """Make the list of tools for a client. Answer: the `Catalogue`, with the descriptions from the
    settings, and its `Listing`."""

    tools: Catalogue
    audience: Audience
    ours: tuple[bytes, ...]  # Penstock's own tools for everybody
    for_apps: tuple[bytes, ...]  # Penstock's own tools for apps alone
    around: bytes  # the other members of the list's result
    about: str  # the server's name, and its purpose in a few words
    is_shortened: bool  # another Penstock made this list
    programs: tuple[ProgramTool, ...] = ()  # the tools that run programs


class Enquiry(msgspec.Struct, frozen=True):
    """The context of a question about tools that are not listed in full."""

    catalogue: Catalogue
    listing: Listing
    audience: Audience
    holder: Holder
    fits: Callable[[bytes], bool]  # tells whether a reply is within its budget
    kept_as: Call  # a description too large for a reply is stored as the result of this call


class Find(msgspec.Struct, frozen=True):
    """Find tools by what they do. Answer: `DescribedReply`."""

    enquiry: Enquiry
    query: object  # from the agent, unchecked: it should be text
    limit: object = None  # from the agent, unchecked: how many tools to tell of


class Describe(msgspec.Struct, frozen=True):
    """Describe tools, and grant their use. Answer: `DescribedReply`."""

    enquiry: Enquiry
    names: Sequence[object] | None  # None if the agent gave no list
    is_tool: bool  # the agent called `describe_tools`; otherwise it read a resource
    is_whole: bool = False  # the agent asked for whole descriptions
    written_as: object = None  # the agent's argument `as`, unchecked


class Unwrap(msgspec.Struct, frozen=True):
    """Find the call inside a call of `call_tool`. Answer: `Inner`, or the problem as bytes."""

    enquiry: Enquiry
    role: str
    through: str  # the name under which this client knows that tool
    given: Mapping[str, msgspec.Raw]


class Judge(msgspec.Struct, frozen=True):
    """Decide whether the agent knows a tool well enough to call it. Answer: a refusal, or empty."""

    enquiry: Enquiry
    tool: str
    arguments: Mapping[str, Any] | None
    is_there: bool  # upstream has a tool of that name


# -- programs ----------------------------------------------------------------------------------


class StartProgram(msgspec.Struct, frozen=True):
    """Start a program in a sandbox. Answer: `Started`."""

    code: str
    scope: Scope
    holder: str  # the session that keeps the variables; "" if none does
    call: Call  # of the tool that runs programs


class Started(msgspec.Struct, frozen=True):
    """A program, and how its first turn ended. There is no program if it could not start."""

    program: Any
    turn: Turn
    has_variables: bool = False  # those of an earlier program are in scope


class InnerAnswer(msgspec.Struct, frozen=True):
    """The answer to a call of a program: a response of upstream's, or an error instead of it."""

    number: int
    tool: str
    arguments: bytes = b"{}"
    response: bytes = b""
    inside: Result | None = None  # the result of a tool in this process
    live: tuple[Call, LiveRows] | None = None  # or the list that it is a part of, and the call
    origin: Any = None  # as in `Call`
    is_text: bool = False
    error: str = ""
    kind: str = "RuntimeError"  # the exception that the error is raised as


class ResumeProgram(msgspec.Struct, frozen=True):
    """Give a program the answers to some of its calls. Answer: a `Turn`."""

    program: Any
    answers: Sequence[InnerAnswer]


class EndProgram(msgspec.Struct, frozen=True):
    """End a program. Answer: `EndedProgram`."""

    program: Any
    keeps_variables: bool
    # Answers that came too late for the program, and errors for calls without an answer.
    left: Sequence[InnerAnswer] = ()


class ParkProgram(msgspec.Struct, frozen=True):
    """Keep a program while the user replies to a question. Answer: a handle for the client."""

    program: Any
    handler: Any  # returned by `UnparkProgram`


class UnparkProgram(msgspec.Struct, frozen=True):
    """Take a program back. Answer: the handler, or None if it is gone or another caller's."""

    handle: str
    call: Call  # of the tool that runs programs


class EndedProgram(msgspec.Struct, frozen=True):
    """The end of a program, after its variables were kept."""

    sources: tuple[Source, ...]  # the results that the program has read
    calls: Sequence[Mapping[str, Any]]  # what its calls returned, for the store
    tokens: int  # that the results of its calls would have cost, estimated
    notices: tuple[str, ...] = ()


# -- others ------------------------------------------------------------------------------------


class LoadExplorer(msgspec.Struct, frozen=True):
    """Load the explorer's page. Answer: its content."""


class StepAside(msgspec.Struct, frozen=True):
    """Continue in another thread, because the next step works on large data. Answer: None."""


GateWork = Prepare | Offer | Keep | KeepBytes | Read | Show | Browse | ReadResource
EnquiryWork = Disclose | Find | Describe | Unwrap | Judge
ProgramWork = StartProgram | ResumeProgram | EndProgram | ParkProgram | UnparkProgram
Work = GateWork | EnquiryWork | ProgramWork | LoadExplorer | StepAside
Effect = Forward | AskUpstream | Discover | CallTools | SetAlarm | Work

Outcome = TypeVar("Outcome")
Steps = Generator[Effect, Any, Outcome]
