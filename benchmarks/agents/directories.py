"""The names in a directory, as a client reads them: `a, b`, `jira… (63): jira_a, jira_b`, or
grouped by a common beginning, as in `jira_(add_comment get_issue)`.

Words of prose are read as names too. This does no harm: the agent looks for a name that it knows.
"""

from __future__ import annotations

import re
from typing import Final

_PIECE: Final = re.compile(r"[\w\-./:]+|[()]|\s+|.", re.DOTALL)
_WORD: Final = re.compile(r"[\w\-./:]+")


def names_in(text: str) -> set[str]:
    """Return every name that the text spells, whole or in groups."""
    names: set[str] = set()
    beginnings = [""]  # of the groups around this place
    word = ""
    for piece in [*_PIECE.findall(text), " "]:
        if piece == "(":
            beginnings.append(beginnings[-1] + word)
            word = ""
            continue
        if word and piece != "…":  # in `jira… (63)`, the word is no name
            whole = beginnings[-1] + word
            names |= {whole, whole.rstrip(".:")}
        word = piece if _WORD.fullmatch(piece) else ""
        if piece == ")" and len(beginnings) > 1:
            beginnings.pop()
    return names
