"""The reader: the tool `read_result`, which Penstock adds to a list.

A model that has never heard of Penstock reads this description at the start of every conversation.
So the description says what the model would otherwise have to guess, and nothing else.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any, Final

from penstock.core.json.encoding import encode
from penstock.core.model.values import Mode
from penstock.core.protocol.schema import NEGOTIATION_FIELDS
from penstock.core.views.request import TOKEN_FIELD, offered_modes
from penstock.settings.policy import Policy

READER: Final = "read_result"
_OTHER_NAMES: Final = ("penstock_read_result", "penstock_stored_result")

# The modes whose names do not tell how they are used.
_ABOUT: Final[Mapping[Mode, str]] = {
    Mode.SQL: "sql: query is one SELECT over table result",
    Mode.QUERY: "query: jq",
    Mode.SEARCH: "search: text to find",
    Mode.FILTERED: "filtered: filter_keys",
    Mode.PAGINATED: "paginated (default): next gives more",
}
# Clients of every revision look for the title here.
ANNOTATIONS: Final = {"title": "Read a stored result", "readOnlyHint": True}
# Beside programs, which read stored results too.
_SHORT_FIELDS: Final = (TOKEN_FIELD, "mode", "query")
# Keywords that cost more tokens than they help.
_UNLISTED: Final = frozenset({"minimum", "description"})


def reader_name(taken: Collection[str]) -> str:
    """Return a name that no tool of upstream's has."""
    for name in (READER, *_OTHER_NAMES):
        if name not in taken:
            return name
    number = 2
    while f"{_OTHER_NAMES[0]}_{number}" in taken:
        number += 1
    return f"{_OTHER_NAMES[0]}_{number}"


def reader_tool(name: str, policy: Policy) -> bytes:
    """Return the reader as it is listed."""
    return encode(
        {
            "name": name,
            "description": description(policy),
            "inputSchema": input_schema(policy),
            "annotations": ANNOTATIONS,
        }
    )


def listed_reader(whole: bytes, name: str, policy: Policy, *, has_programs: bool) -> bytes:
    """Return the whole reader, or a short one if the settings leave reading to programs."""
    is_short = has_programs and policy.has_only_programs
    return short_reader_tool(name, policy) if is_short else whole


def short_reader_tool(name: str, policy: Policy) -> bytes:
    """Return the reader for a list in which programs do most of the reading. It takes all fields,
    and each probe names the modes that apply."""
    modes = [mode for mode in offered_modes(policy) if mode != Mode.PAGINATED]
    properties = {field: {"type": "string"} for field in _SHORT_FIELDS}
    schema = {"type": "object", "properties": properties, "required": [TOKEN_FIELD]}
    about = f"Reads a stored result. mode: {', '.join(modes)} or {Mode.PAGINATED} (default)."
    shown = {"name": name, "description": about, "inputSchema": schema}
    return encode({**shown, "annotations": ANNOTATIONS})


def description(policy: Policy) -> str:
    offered = [Mode(mode) for mode in offered_modes(policy)]
    modes = "; ".join(_ABOUT[mode] for mode in offered if mode in _ABOUT)
    return (
        f"Reads a stored result; its tool does not run again. {modes}. path: JSON Pointer to a part. "
        'To hand a result to another tool unread, pass "@result:<token>".'
    )


def input_schema(policy: Policy) -> dict[str, Any]:
    """Return a schema of few words. The tool's description explains its fields, and the schema
    admits those that are not listed."""
    properties = {
        name: {key: value for key, value in told.items() if key not in _UNLISTED}
        for name, told in NEGOTIATION_FIELDS.items()
    }
    properties["mode"]["enum"] = offered_modes(policy)
    properties["tables"] = {"type": "object"}
    return {"type": "object", "properties": properties, "required": [TOKEN_FIELD]}


INSTRUCTIONS: Final = "A result too large to send is stored, and the reply says how to read it: do not repeat the call."
