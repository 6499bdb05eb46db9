"""Full descriptions on demand: of the tools that were asked for, as many as fit in one reply.

What is wrong with a question is said in the words of the pattern that this follows (see `codes`), so
that an agent written for it finds its way here too.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final
from urllib.parse import parse_qsl, quote, urlsplit

import msgspec

from penstock.disclosure.catalogue import Catalogue, Described
from penstock.disclosure.directory import directory
from penstock.disclosure.shortening import clipped, plain
from penstock.encoding import encode

URI: Final = "resource:///tool_descriptions"
TEMPLATE: Final = URI + "{?tools}"
MOST_NAMES: Final = 100
_LONGEST_NAME: Final = 200
_SUMMARY_CHARS: Final = 400

MISSING_SELECTION: Final = "MISSING_TOOL_SELECTION"
DESCRIPTION_REQUIRED: Final = "TOOL_DESCRIPTION_REQUIRED"

Fits = Callable[[bytes], bool]


class Selection(msgspec.Struct, frozen=True):
    """Names that were asked for, each once, in order. `left_out`: how many were too many."""

    names: tuple[str, ...]
    left_out: int = 0


def uri_for(*names: str) -> str:
    return f"{URI}?tools={','.join(quote(name, safe='') for name in names)}"


def is_descriptions(uri: str) -> bool:
    return uri == URI or uri.startswith(URI + "?")


def selected(uri: str) -> Selection:
    """The names in a URI. They are names and nothing else: none is ever made into a path."""
    pairs = parse_qsl(urlsplit(uri).query, keep_blank_values=True, max_num_fields=None)
    given = [name for key, value in pairs if key == "tools" for name in value.split(",")]
    return selection(given)


def selection(given: Sequence[object]) -> Selection:
    names = [name.strip() for name in given if isinstance(name, str)]
    unique = list(dict.fromkeys(name for name in names if name))
    return Selection(tuple(unique[:MOST_NAMES]), max(0, len(unique) - MOST_NAMES))


def described(selection: Selection, catalogue: Catalogue, fits: Fits) -> bytes:
    """The descriptions by name, within what fits: what does not is named, with the way to it."""
    if not selection.names:
        return encode(missing_selection(catalogue, fits))
    parts = {name: _part(name, catalogue) for name in selection.names}
    for count in range(len(parts), 0, -1):
        reply = _reply(list(parts.items())[:count], list(parts)[count:], selection.left_out)
        if fits(reply):
            return reply
    name = selection.names[0]
    tool = catalogue.get(name)
    short = _summary(tool) if tool is not None else b"{}"
    return _reply([(name, short)], list(parts)[1:], selection.left_out)


def _part(name: str, catalogue: Catalogue) -> bytes:
    tool = catalogue.get(name)
    if tool is not None:
        return tool.full
    shown = clipped(name, _LONGEST_NAME)
    unknown: dict[str, Any] = {"error": f"There is no tool {shown!r}."}
    near = catalogue.nearest(name)
    if near:
        unknown["did_you_mean"] = near
    return encode(unknown)


def _reply(parts: Sequence[tuple[str, bytes]], omitted: Sequence[str], left_out: int) -> bytes:
    members: dict[str, Any] = {name: msgspec.Raw(part) for name, part in parts}
    if omitted:
        members["$omitted"] = list(omitted)
        members["$next_step"] = "Ask for these in a question of their own."
    if left_out:
        members["$ignored"] = left_out
    return encode(members)


def _summary(tool: Described) -> bytes:
    """Of a description that is too large by itself: what the tool does, and what it takes by name."""
    properties = tool.schema.get("properties")
    names = list(properties)[:_LONGEST_NAME] if isinstance(properties, Mapping) else []
    return encode(
        {
            "name": tool.name,
            "description": clipped(plain(tool.description), _SUMMARY_CHARS),
            "parameters": names,
            "required": tool.schema.get("required", []),
            "summarised": len(tool.full),
        }
    )


# -- what is wrong, in the words of the pattern -------------------------------------------------


def missing_selection(catalogue: Catalogue, fits: Fits) -> dict[str, Any]:
    """The base of the resource has no tools to describe."""
    some = catalogue.names[:2] or ["TOOL_NAME"]

    def told(available: str) -> dict[str, Any]:
        error = {
            "code": MISSING_SELECTION,
            "message": "Say which tools: their short descriptions are enough to choose by.",
            "examples": [uri_for(some[0]), uri_for(*some)],
        }
        return {"error": {**error, "available_tools": available} if available else error}

    return told(directory(catalogue.names, lambda text: fits(encode(told(text)))))


def description_required(tool: Described, why: str, fits: Fits, *, teaches: bool) -> bytes:
    """A call that cannot go through yet. Where the gate teaches, the way out comes with it."""
    uri = uri_for(tool.name)
    error: dict[str, Any] = {
        "code": DESCRIPTION_REQUIRED,
        "message": why,
        "instructions": [
            f"1. Read {uri}, or call describe_tools for {tool.name}.",
            "2. Look at the parameters.",
            "3. Call the tool again.",
        ],
        "resource_uri": uri,
    }
    if not teaches:
        return encode({"error": error})
    error["instructions"] = ["Call the tool again, with arguments as described here."]
    for description in (tool.full, _summary(tool)):
        reply = encode({"error": {**error, "description": msgspec.Raw(description)}})
        if fits(reply):
            return reply
    return encode({"error": error})
