"""The reader: the tool `read_result`, which Penstock adds to a list.

A model that has never heard of Penstock reads this description at the start of every conversation.
So the description says what the model would otherwise have to guess, and nothing else.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any, Final

from penstock.core.json.encoding import encode
from penstock.core.model.values import Mode, RowForm
from penstock.core.protocol.schema import NEGOTIATION_FIELDS
from penstock.core.views.request import ANSWERING, TOKEN_FIELD, offered_modes
from penstock.settings.policy import Policy

READER: Final = "read_result"
_OTHER_NAMES: Final = ("penstock_read_result", "penstock_stored_result")

_ABOUT: Final[Mapping[Mode, str]] = {
    Mode.SQL: "sql: query is one SELECT over table result, nested fields as dotted columns; "
    "tables {name: token} adds others",
    Mode.QUERY: "query: query is a jq program",
    Mode.SEARCH: "search: places with query (substring, any case)",
    Mode.SUMMARY: "summary: shape, column profiles, lines that matter",
    Mode.FILTERED: "filtered: only filter_keys (dots reach inside)",
    Mode.PAGINATED: "paginated (default): rows; pass next as continuation_token for more",
    Mode.FULL: "full: all, up to a ceiling",
}
# Clients of every revision look for the title here.
ANNOTATIONS: Final = {
    "title": "Read a stored result",
    "readOnlyHint": True,
    "idempotentHint": True,
    "openWorldHint": False,
}


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


def description(policy: Policy) -> str:
    offered = [Mode(mode) for mode in offered_modes(policy)]
    modes = "; ".join(_ABOUT[mode] for mode in offered)
    return (
        f"Look at a stored result, too large to send, by its {TOKEN_FIELD}. "
        "The tool does not run again. "
        f"Modes: {modes}. path (JSON Pointer; / in a key is ~1; /~text: the exact text) focuses any "
        "mode on a part. "
        "Replies are capped and say what they left out; reading keeps tokens alive. "
        f"{_about_answers(offered)}"
        'To hand a result to another tool unread, pass "@result:<token>" or '
        '"@result:<token>#/path".'
    )


def _about_answers(offered: Collection[Mode]) -> str:
    """Return a sentence on the token of an answer. The answer itself has no room for it."""
    names = ", ".join(mode for mode in offered if mode in ANSWERING)
    told = "each answer is stored under its own token; page_size 0 shows no rows. "
    return f"{names}: {told}" if names else ""


def input_schema(policy: Policy) -> dict[str, Any]:
    """Return a schema whose fields have no descriptions. The tool's description explains them, and
    repeating that costs tokens."""
    properties = {
        name: {key: value for key, value in told.items() if key != "description"}
        for name, told in NEGOTIATION_FIELDS.items()
    }
    properties["mode"]["enum"] = offered_modes(policy)
    properties["row_form"] = {"type": "string", "enum": [form.value for form in RowForm]}
    properties["tables"] = {"type": "object", "additionalProperties": {"type": "string"}}
    return {
        "type": "object",
        "properties": properties,
        "required": [TOKEN_FIELD],
        "additionalProperties": False,
    }


INSTRUCTIONS: Final = (
    f"Results too large for one reply are stored whole. The reply then holds a {TOKEN_FIELD} and "
    "names the tool that reads them: use that. Do not repeat the original call."
)
