"""Listings of files, as `ls -l` writes them. They have no header, but each line has the same form."""

from __future__ import annotations

import re
from typing import Final

LISTING_COLUMNS: Final = ("mode", "links", "owner", "group", "size", "modified", "name")
# The size of a device is two numbers. Dates are in the forms of `--time-style`, and in that of BSD.
_LINE: Final = re.compile(
    rb"([bcdlps-](?:[r-][w-][xsS-]){2}[r-][w-][xtT-][.+@]?) +([0-9]+) +([^ ]+) +([^ ]+)"
    rb" +([0-9][0-9.,]*[KMGTPE]?|[0-9]+, +[0-9]+)"
    rb" +([A-Z][a-z]{2} +[0-9]{1,2} +(?:[0-9]{2}:[0-9]{2}(?::[0-9]{2})?(?: [0-9]{4})?|[0-9]{4})"
    rb"|[0-9]{4}-[0-9]{2}-[0-9]{2} [0-9]{2}:[0-9]{2}(?::[0-9]{2}\.[0-9]+ [+-][0-9]{4})?)"
    rb" ([^\r]+)\r?"
)


def listing_cells(line: bytes) -> list[bytes] | None:
    """Return the cells of a line of a listing; None if it is none."""
    found = _LINE.fullmatch(line)
    return None if found is None else list(found.groups())
