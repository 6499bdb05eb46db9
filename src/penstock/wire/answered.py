"""The material of all figures: the answer that a client gets, beside the one that upstream gave."""

from __future__ import annotations

from typing import Literal, Protocol

import msgspec

from penstock.core.model.reply import ORDINARY, Showing

AnswerKind = Literal["call", "result", "read", "list", "greeting"]


class Answered(msgspec.Struct, frozen=True):
    """The answer to one request, of which a model reads a part."""

    kind: AnswerKind
    sent: bytes  # the message for the client
    raw: bytes = b""  # upstream's message; empty if upstream was not asked
    tool: str = ""
    # The tool is in upstream's list, or Penstock's own. None if upstream's list is not known.
    is_known: bool | None = True
    is_held: bool = False  # the result was stored, and the client got a token
    # An app gets the structured content, and the model does not.
    has_widget: bool = False
    has_apps: bool = False  # the client shows apps, and hides their tools from the model
    form: str = ""  # the listing form
    # The server that the answer comes from, if there are several. Empty for what all of them share.
    server: str = ""
    showing: Showing = ORDINARY


class AnswerTally(Protocol):
    """A counter of answers. A call of it returns at once."""

    def __call__(self, answer: Answered) -> None: ...

    def close(self) -> None:
        """Wait a short time until everything is handed over to be counted."""
