"""The frozen values that all parts share.

A `Call` comes in; a `Result` is the output of the tool. The `Reply` that goes out is in `reply.py`,
and the values that a store keeps are in `stored.py`. A `Refusal` is an expected answer, so it is
returned and never raised.

`Call` is a dataclass, because the code copies it with `replace`. All others are structs, which are
faster to import and to create.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Final

import msgspec

ABSENT: Final = msgspec.UNSET
RESERVED_META = "io.modelcontextprotocol/"


class Mode(StrEnum):
    """The views, in the order in which they are offered: the cheapest first."""

    SQL = "sql"
    QUERY = "query"
    SEARCH = "search"
    SUMMARY = "summary"
    FILTERED = "filtered"
    PAGINATED = "paginated"
    FULL = "full"


class RowForm(StrEnum):
    """The forms in which rows that share their keys are sent."""

    AUTO = "auto"  # answers of `sql`, `query` and `search` in the shorter form, others as objects
    OBJECTS = "objects"  # `items`: one object for each row
    TABLE = "table"  # `columns`, and `rows` of cells


class Principal(msgspec.Struct, frozen=True):
    """The caller of a request. A caller without an id is known only by the tokens that it bears."""

    id: str = ""
    # The mark of a user on one machine. Users of several machines may have one id; the mark tells
    # their results apart in a list. It grants nothing.
    mark: str = ""

    @property
    def is_bearer(self) -> bool:
        return not self.id


class Frame(msgspec.Struct, frozen=True):
    """The parts that a framework adds around a reply. They count against the budget."""

    structured: bool = False  # send the envelope as structuredContent too, not only as text
    fields: Mapping[str, Any] = {}  # added to every result, such as `resultType`


NOBODY: Final = Principal()
# The parties of callers who have not logged in: a session, or the address that the caller calls from.
ANONYMOUS_PARTIES: Final = ("session:", "peer:")
NO_FRAME: Final = Frame()


@dataclass(frozen=True, slots=True)
class Call:
    """One call of a tool."""

    tool: str
    arguments: Mapping[str, Any] = field(default_factory=dict)
    principal: Principal = NOBODY
    server: str = ""
    frame: Frame = NO_FRAME
    schema: Mapping[str, Any] | None = None  # the tool's own, without Penstock's fields
    heavy: bool = False  # answer with a probe even if the result fits, unless the probe is larger
    is_reader: bool = False  # the call reads a stored result, of any tool
    reader: str = ""  # the name of the tool that reads stored results, if there is one
    browser: str = ""  # the name of the tool with which an app reads stored results
    is_merged: bool = True  # the tool lists Penstock's fields as its own; strip them
    for_app: bool = False  # only an app sees the result, so it may use up the ceiling
    has_link: bool = False  # the probe links to the whole, for clients that read resources
    origin: Any = None  # JSON for the adapter, which must say later if the result may still be read
    pages_first: bool = False  # answer rows with their first page instead of a probe
    is_part: bool = False  # the result is a part of a list, so that its probe states no count
    server_name: str = ""  # the server's own name for itself, which people see
    essence: Mapping[str, Any] | None = None  # show these parts of the result instead of a probe
    party: str = ""  # the caller whose quota counts: the principal if empty
    # Returns why stored values from these sources must not be handed to the tool, or None. A source
    # is a tool and the origin of its result.
    refusal_of: Callable[[Sequence[tuple[str, Any]]], Refusal | None] | None = None

    @property
    def reading_frame(self) -> Frame:
        """The frame of replies about the stored result. The reader has no structured content."""
        return Frame(fields=self.frame.fields) if self.reader else self.frame

    def __post_init__(self) -> None:
        if isinstance(self.principal, str):
            object.__setattr__(self, "principal", Principal(self.principal))


class Result(msgspec.Struct, frozen=True):
    """The result of a tool: content blocks, structured content, or both."""

    content: Sequence[Mapping[str, Any]] = ()
    # May be a `msgspec.Raw`, that is JSON that stays bytes. A `Raw` inside a value must be compact.
    structured: Any = ABSENT
    is_error: bool = False
    meta: Mapping[str, Any] = {}
    # Replaces parts of `structured` that have no JSON form. Without it, such a result is refused.
    fallback: Callable[[Any], Any] | None = None
    members: Mapping[str, Any] = {}  # extensions: members that no revision of MCP defines

    @classmethod
    def of(cls, value: Any) -> Result:
        """Return the result of a Python function: a str becomes text, anything else structured."""
        if isinstance(value, cls):
            return value
        if isinstance(value, str):
            return cls(content=({"type": "text", "text": value},))
        return cls(structured=value)


class LiveRows(msgspec.Struct, frozen=True):
    """A result whose rows an adapter reads again when they are needed, such as a queryset."""

    reference: Any  # JSON with which the adapter finds the rows again
    count: int
    first: Sequence[bytes]  # the encoded rows of the first page
    data_size: int
    estimated: bool = True  # `data_size` is an estimate
    # If the list is too long to be copied, views that need every row refuse. Otherwise they read the
    # first rows, and say so.
    refuses_part: bool = False


class LiveWindow(msgspec.Struct, frozen=True):
    """Some rows of a live result, encoded."""

    rows: Sequence[bytes]
    count: int | None = None  # of all rows that the result has by now, if known


class Refusal(msgspec.Struct, frozen=True):
    """An expected answer to a call that cannot be served: the error, and the next step."""

    error: str
    next_step: str
    reason: str = ""  # for the log; never on the wire
