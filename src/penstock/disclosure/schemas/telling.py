"""Whether a text on a parameter tells more than the names and the type beside it."""

from __future__ import annotations

import re
from typing import Final

from penstock.disclosure.texts import stems

# Words that say nothing about a parameter beyond its type.
_EMPTY: Final = frozenset(
    stems.in_text(
        "argument boolean contain field flag given integer list nullable number object optional "
        "parameter property provide required specify string text type value"
    )
)
# Words that make a condition, a limit or a choice out of any others: "required if type is list".
_CONDITIONS: Final = """
all always another both cannot each either else every except exclude excluding if instead least less
may maximum minimum more most must need never no none nor not one only other otherwise over per
require requires should than two under unless until up when whenever where whether without
"""
_CONDITION: Final = re.compile(rf"\b(?:{'|'.join(_CONDITIONS.split())})\b|n['’]t\b", re.IGNORECASE)
# Digits, and all signs but those of a sentence: %, <, =, quotation marks, brackets.
_SIGN: Final = re.compile(r"\d|[^\w\s.,;:!?'’-]|__|(?<!\w)['’]|['’](?!\w)")


def tells_more(text: str, *names: str) -> bool:
    """Return whether a text says more than these names: `The subject of the message` does not,
    beside `subject` and `send_message`."""
    if _SIGN.search(text) or _CONDITION.search(text):
        return True
    named = (word for name in names for word in stems.in_name(name))
    return not _EMPTY.union(map(stems.stem, named)).issuperset(stems.in_text(text))
