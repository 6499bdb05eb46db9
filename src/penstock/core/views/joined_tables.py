"""The field `tables` of the reader: other stored results that a statement can join, by name.

    {"cities": "<token>", "orders": "<token>#/orders"}

A path after # leads to a part of the result.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from penstock.core.budget.fitting import clip
from penstock.core.model.questions import LONGEST_TABLE_NAME, is_reserved, is_table_name
from penstock.core.model.values import Refusal

MOST_JOINED: Final = 50
_HOW: Final = 'Give tables as {"name": "<continuation_token>"}; "<token>#/path" is a part.'
_RENAME: Final = (
    f"Give it another name: 1 to {LONGEST_TABLE_NAME} printable characters, not result, json_each or "
    "json_tree, not starting with sqlite_ or pragma_."
)
_SHOWN: Final = 60


class JoinedTable(NamedTuple):
    """A stored result, or a part of it, under the name that a statement uses."""

    name: str
    token: str
    path: str  # of the part


def read_tables(given: Any) -> tuple[JoinedTable, ...] | Refusal:
    """Check the names and the form of the tokens. Nothing here depends on which tokens exist."""
    tables = _decoded(given)
    if not isinstance(tables, Mapping):
        return Refusal("tables is not an object.", _HOW)
    if len(tables) > MOST_JOINED:
        return Refusal(
            f"tables has {len(tables)} names; at most {MOST_JOINED} are allowed.",
            "Join fewer results; the answer is a result, and can be joined again.",
        )
    names: set[str] = set()
    found: list[JoinedTable] = []
    for name, reference in tables.items():
        wrong = _fault(name, names, reference)
        if wrong is not None:
            return wrong
        names.add(name.lower())
        token, _, path = reference.partition("#")
        found.append(JoinedTable(name, token, path))
    return tuple(found)


def _decoded(given: Any) -> Any:
    """Return the object in a text of JSON, as models sometimes write it."""
    try:
        return json.loads(given) if isinstance(given, str) else given
    except (ValueError, RecursionError):
        return given


def _fault(name: Any, names: set[str], reference: Any) -> Refusal | None:
    shown = repr(clip(name, _SHOWN) if isinstance(name, str) else name)[: 2 * _SHOWN]
    if not isinstance(name, str) or not is_table_name(name):
        why = "reserved" if isinstance(name, str) and is_reserved(name) else "no name of a table"
        return Refusal(f"tables: {shown} is {why}.", _RENAME)
    if name.lower() in names:
        return Refusal(
            f"tables has the name {shown} twice: SQL ignores the case of names.",
            "Give each result another name.",
        )
    if not isinstance(reference, str):
        return Refusal(f"tables: the value of {shown} is not a token.", _HOW)
    return None
