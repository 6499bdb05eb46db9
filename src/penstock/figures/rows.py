"""The figures of one day: a row for each tool, and a row for each server's list."""

from __future__ import annotations

from typing import Final

import msgspec

OTHER: Final = "(other)"  # the row of tools, or of servers, that are too many
UNKNOWN: Final = "(unknown)"  # the row of calls that name no tool of the server


def writable(name: str) -> str:
    """Return a name as UTF-8 can hold it. JSON may hold half of a character."""
    return name.encode(errors="replace").decode()


class CallFigures(msgspec.Struct):
    """Calls of one tool. `raw` is what a model would have read without Penstock."""

    calls: int = 0
    errors: int = 0
    held: int = 0
    raw: int = 0
    sent: int = 0
    reads: int = 0
    read_sent: int = 0
    estimated: int = 0  # how many of these calls and reads have tokens that are estimates

    @property
    def saved(self) -> int:
        return self.raw - self.sent - self.read_sent


class ListFigures(msgspec.Struct):
    """Lists and greetings of one server. The last list is kept apart: it may have changed since."""

    listed: int = 0
    raw: int = 0
    sent: int = 0
    greeted: int = 0
    greeting_raw: int = 0
    greeting_sent: int = 0
    estimated: int = 0
    form: str = ""
    last_raw: int = 0
    last_sent: int = 0

    @property
    def saved(self) -> int:
        return self.raw - self.sent + self.greeting_raw - self.greeting_sent


CALL_FIELDS: Final = CallFigures.__struct_fields__
LIST_FIELDS: Final = ListFigures.__struct_fields__
# The fields that describe the last list, and are not added up.
LAST_FIELDS: Final = ("form", "last_raw", "last_sent")
