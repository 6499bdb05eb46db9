"""What the handlers ask of the world, as values.

A handler is a generator. It yields an effect, is sent the answer to it, and returns the message that
the client gets. Nothing in this folder does I/O, so threads, an event loop and a test can all drive
the same handlers.

There are two kinds. `Forward`, `AskUpstream` and `Discover` wait for upstream, and the session sees to them.
All others are `Work`, which may take seconds: a carrier does it on a thread that reads from nobody.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from typing import Any, TypeVar

import msgspec

from penstock.core.model.values import Call, LiveRows, Result
from penstock.disclosure.catalogue import Catalogue
from penstock.disclosure.discloser import Audience
from penstock.disclosure.forms import Listing
from penstock.disclosure.grants import Holder
from penstock.wire.messages import Message

# -- upstream ----------------------------------------------------------------------------------


class Forward(msgspec.Struct, frozen=True):
    """Send the client's request to upstream. Answer: `UpstreamAnswer`."""

    line: bytes


class AskUpstream(msgspec.Struct, frozen=True):
    """Send a request of our own to upstream. Answer: `UpstreamAnswer`."""

    method: str
    params: bytes


class Discover(msgspec.Struct, frozen=True):
    """Find out which era upstream speaks, once for all requests that wait. Answer: None."""


class UpstreamAnswer(msgspec.Struct, frozen=True):
    """Upstream's response: what it says, and the bytes in which it came."""

    message: Message
    line: bytes

    @property
    def result(self) -> dict[str, msgspec.Raw] | None:
        """The members of a result; None for an error."""
        members = self.message.result
        return None if isinstance(members, msgspec.UnsetType) else members

    @property
    def error(self) -> msgspec.Raw | None:
        raw = self.message.error
        return None if isinstance(raw, msgspec.UnsetType) else raw


# -- the gate ----------------------------------------------------------------------------------


class Prepare(msgspec.Struct, frozen=True):
    """Check a call, and put stored values in the place of references. Answer: `Run` or `Reply`."""

    call: Call


class Offer(msgspec.Struct, frozen=True):
    """Hold what a tool gave to the budget. Answer: `Reply`."""

    call: Call
    result: Result | LiveRows
    notice: str = ""


class Read(msgspec.Struct, frozen=True):
    """Look at a stored result for the agent. Answer: `Reply`."""

    call: Call


class Show(msgspec.Struct, frozen=True):
    """Open a stored result in the explorer. Answer: `Reply`."""

    call: Call


class Browse(msgspec.Struct, frozen=True):
    """Look at a stored result for the explorer. Answer: `Reply`."""

    call: Call


class ReadResource(msgspec.Struct, frozen=True):
    """Read the stored result behind a link. Answer: `Resource` or `Refusal`."""

    call: Call
    uri: str


# -- tool descriptions -------------------------------------------------------------------------


class Disclose(msgspec.Struct, frozen=True):
    """Make the list of tools that a client is shown. Answer: the `Catalogue`, with what the settings
    lay over it, and the `Listing` of it."""

    tools: Catalogue
    audience: Audience
    # Penstock's own tools: for everybody, and for apps alone.
    ours: tuple[bytes, ...]
    for_apps: tuple[bytes, ...]
    # The members that stand beside the tools.
    around: bytes


class Enquiry(msgspec.Struct, frozen=True):
    """A question about tools that are not listed in full: what the agent is shown, and who it is."""

    catalogue: Catalogue
    listing: Listing
    audience: Audience
    holder: Holder
    # Whether a reply is within its budget.
    fits: Callable[[bytes], bool]
    # A description that no reply can hold is stored as the result of this call.
    kept_as: Call


class Find(msgspec.Struct, frozen=True):
    """Find tools by what they do. Answer: `describing.Told`."""

    enquiry: Enquiry
    # As the agent gave it: text, if all is well.
    query: object


class Describe(msgspec.Struct, frozen=True):
    """Describe tools, and grant their use. Answer: `describing.Told`."""

    enquiry: Enquiry
    # None where the agent gave no list.
    names: Sequence[object] | None
    # A tool was called, and no resource read.
    is_tool: bool


class Unwrap(msgspec.Struct, frozen=True):
    """Find out which call is meant by one `through` a tool of ours. Answer: `Inner`, or what is wrong
    with it."""

    enquiry: Enquiry
    role: str
    through: str
    given: Mapping[str, msgspec.Raw]


class Judge(msgspec.Struct, frozen=True):
    """Decide whether a tool may be called with what its agent has read of it. Answer: the refusal,
    empty where it may."""

    enquiry: Enquiry
    tool: str
    arguments: Mapping[str, Any] | None
    # Upstream has a tool of that name.
    is_there: bool


# -- others ------------------------------------------------------------------------------------


class LoadExplorer(msgspec.Struct, frozen=True):
    """Load the explorer's page. Answer: its content."""


class StepAside(msgspec.Struct, frozen=True):
    """Go on in another thread, because the next step works on something large. Answer: None."""


GateWork = Prepare | Offer | Read | Show | Browse | ReadResource
EnquiryWork = Disclose | Find | Describe | Unwrap | Judge
Work = GateWork | EnquiryWork | LoadExplorer | StepAside
Effect = Forward | AskUpstream | Discover | Work

Outcome = TypeVar("Outcome")
Steps = Generator[Effect, Any, Outcome]
