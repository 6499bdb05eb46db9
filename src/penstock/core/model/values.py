"""The values that everything else speaks in. All frozen; none does anything but hold and render.

`Call` comes in, `Result` is what the tool gave. `Reply`, which goes out, is in `reply.py`, and what a
store keeps is in `stored.py`. A `Refusal` is an answer, not an accident.

A value that others are made from with `replace` is a dataclass; any other is a struct, which is
quicker to import and to make.
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
    """The views, cheapest first: the order in which they are offered."""

    SQL = "sql"
    QUERY = "query"
    SEARCH = "search"
    SUMMARY = "summary"
    FILTERED = "filtered"
    PAGINATED = "paginated"
    FULL = "full"


class Principal(msgspec.Struct, frozen=True):
    """The caller. One without an identity is the bearer of the tokens it holds."""

    id: str = ""

    @property
    def is_bearer(self) -> bool:
        return not self.id


class Frame(msgspec.Struct, frozen=True):
    """The fields that the adapter's framework puts around a reply, counted before it leaves.

    `structured`: the envelope is sent as structuredContent as well as text.
    `fields`: what is added to every result, such as `resultType`.
    """

    structured: bool = False
    fields: Mapping[str, Any] = {}


NOBODY: Final = Principal()
NO_FRAME: Final = Frame()


@dataclass(frozen=True, slots=True)
class Call:
    """One call of a tool. `schema` is the tool's own input schema, before Penstock's merge.
    `reader` names the tool that stored results are read with, where there is one; `browser` the tool
    that an app reads them with. `is_merged`: the negotiation fields are advertised as the tool's own,
    so that they are taken out again. `for_app`: only an app sees its result, which may then fill what
    the host takes. `has_link`: a probe of its result links to the whole, for clients that read
    resources. `origin`: JSON that an adapter wants to see again when it is asked whether the result may
    still be read. `pages_first`: rows are answered with their first page in the place of a probe. `essence`: what
    the agent needs of the result, which is shown in the place of a probe."""

    tool: str
    arguments: Mapping[str, Any] = field(default_factory=dict)
    principal: Principal = NOBODY
    server: str = ""
    frame: Frame = NO_FRAME
    schema: Mapping[str, Any] | None = None
    heavy: bool = False
    is_reader: bool = False
    reader: str = ""
    browser: str = ""
    is_merged: bool = True
    for_app: bool = False
    has_link: bool = False
    origin: Any = None
    pages_first: bool = False
    essence: Mapping[str, Any] | None = None

    @property
    def reading_frame(self) -> Frame:
        """The frame of replies about the stored result: the reader promises no structure."""
        return Frame(fields=self.frame.fields) if self.reader else self.frame

    def __post_init__(self) -> None:
        if isinstance(self.principal, str):
            object.__setattr__(self, "principal", Principal(self.principal))


class Result(msgspec.Struct, frozen=True):
    """The result of a tool: content blocks, structured content, or both.

    `structured` may be a `msgspec.Raw`: JSON that stays bytes from end to end. One inside other
    values must be compact. `fallback` makes another value of a part of it that has no JSON form;
    without one the result is refused.
    """

    content: Sequence[Mapping[str, Any]] = ()
    structured: Any = ABSENT
    is_error: bool = False
    meta: Mapping[str, Any] = {}
    fallback: Callable[[Any], Any] | None = None

    @classmethod
    def of(cls, value: Any) -> Result:
        """The result of a Python function: text stays text, anything else is structured."""
        if isinstance(value, cls):
            return value
        if isinstance(value, str):
            return cls(content=({"type": "text", "text": value},))
        return cls(structured=value)


class LiveRows(msgspec.Struct, frozen=True):
    """A result that is a question an adapter can ask again, a queryset for instance.

    `reference` is JSON that the adapter's resolver understands; `first` are the rows of the
    first page, encoded. `data_size` may be an estimate, and then says so.
    """

    reference: Any
    count: int
    first: Sequence[bytes]
    data_size: int
    estimated: bool = True


class LiveWindow(msgspec.Struct, frozen=True):
    """Rows of a live result, encoded, and how many it has by now where that is known."""

    rows: Sequence[bytes]
    count: int | None = None


class Refusal(msgspec.Struct, frozen=True):
    """What is wrong with a call, and what to do next."""

    error: str
    next_step: str
    reason: str = ""  # for the log; never on the wire
