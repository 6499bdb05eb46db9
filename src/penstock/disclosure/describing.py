"""Full descriptions on demand: of the tools that were asked for, as many as fit in one reply.

What is wrong with a question is said in the words of the pattern that this follows (the codes below),
so that an agent written for it finds its way here too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Final
from urllib.parse import parse_qsl, urlsplit

import msgspec

from penstock.disclosure.catalogue import Catalogue, Described
from penstock.disclosure.directory import directory
from penstock.disclosure.shortening import clipped, plain
from penstock.disclosure.uris import uri_for
from penstock.encoding import encode
from penstock.fitting import largest

MOST_NAMES: Final = 100
_LONGEST_NAME: Final = 200
_SHORT_NAME: Final = 64
_DIRECTORY_CHARS: Final = 2_000

MISSING_SELECTION: Final = "MISSING_TOOL_SELECTION"
DESCRIPTION_REQUIRED: Final = "TOOL_DESCRIPTION_REQUIRED"

Fits = Callable[[bytes], bool]
# Puts what is too large for any reply where it can be read in parts; what says how.
Keep = Callable[[bytes], dict[str, Any]]


class Selection(msgspec.Struct, frozen=True):
    """Names that were asked for, each once, in order. `left_out`: how many were too many."""

    names: tuple[str, ...]
    left_out: int = 0


def selected(uri: str) -> Selection:
    """The names in a URI. They are names and nothing else: none is ever made into a path."""
    pairs = parse_qsl(urlsplit(uri).query, keep_blank_values=True, max_num_fields=None)
    given = [name for key, value in pairs if key == "tools" for name in value.split(",")]
    return selection(given)


def selection(given: Sequence[object]) -> Selection:
    names = [name.strip() for name in given if isinstance(name, str)]
    unique = list(dict.fromkeys(name for name in names if name))
    return Selection(tuple(unique[:MOST_NAMES]), max(0, len(unique) - MOST_NAMES))


class Told(msgspec.Struct, frozen=True):
    """A reply, and the tools that it describes."""

    reply: bytes
    tools: tuple[str, ...] = ()


def described(
    selection: Selection, catalogue: Catalogue, fits: Fits, keep: Keep, more: Mapping[str, Any]
) -> Told:
    """The descriptions by name, within what fits: what does not is named, with the way to it.
    `more` stands beside them."""
    if not selection.names:
        return Told(missing_selection(catalogue, fits))
    parts = [(name, _part(name, catalogue)) for name in selection.names]
    beside = {**more, **_names_once(parts[:1], more, selection, catalogue, fits)}

    def reply(count: int) -> bytes:
        omitted = selection.names[count:]
        return _reply(parts[:count], omitted, selection.left_out, beside, fits)

    count = largest(len(parts), lambda some: fits(reply(some)))
    if count:
        shown = [name for name in selection.names[:count] if name in catalogue]
        return Told(reply(count), tuple(shown))
    name, tool = selection.names[0], catalogue.get(selection.names[0])
    shorter = [b"{}"] if tool is None else _summaries(tool, keep)
    omitted = selection.names[1:]
    whole = first_fitting(
        (_reply([(name, part)], omitted, selection.left_out, more, fits) for part in shorter), fits
    )
    return Told(whole, () if tool is None else (name,))


def _names_once(
    parts: Sequence[tuple[str, bytes]],
    more: Mapping[str, Any],
    selection: Selection,
    catalogue: Catalogue,
    fits: Fits,
) -> dict[str, Any]:
    """For whoever asked for what is not there: what is, once, and in no more than a few words."""
    if all(name in catalogue for name in selection.names):
        return {}
    least: dict[str, Any] = {
        clipped(name, _LONGEST_NAME): msgspec.Raw(part) for name, part in parts
    }
    least |= {**more, "$omitted": len(selection.names) + selection.left_out}

    def is_short(text: str) -> bool:
        return len(text) <= _DIRECTORY_CHARS and fits(encode({**least, "$available_tools": text}))

    some = directory(catalogue.names, is_short)
    return {"$available_tools": some} if some else {}


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


def _reply(
    parts: Sequence[tuple[str, bytes]],
    omitted: Sequence[str],
    left_out: int,
    more: Mapping[str, Any],
    fits: Fits,
) -> bytes:
    """Names that were asked for and do not fit are counted, and named as far as there is room."""
    members: dict[str, Any] = {
        clipped(name, _LONGEST_NAME): msgspec.Raw(part) for name, part in parts
    }
    missing = len(omitted) + left_out
    if not missing:
        return encode({**members, **more})

    def told(count: int) -> bytes:
        named = [clipped(name, _LONGEST_NAME) for name in omitted[:count]]
        rest = {"$omitted": missing, "$ask_next": named} if named else {"$omitted": missing}
        return encode({**members, **more, **rest})

    return told(largest(len(omitted), lambda count: fits(told(count))))


def _summaries(tool: Described, keep: Keep) -> Iterator[bytes]:
    """Of a description that is too large by itself: what the tool does, and what it takes by name;
    with the way to the rest. In ever fewer words."""
    required = tool.schema.get("required")
    needed = (
        [name for name in required if isinstance(name, str)] if isinstance(required, list) else []
    )
    others = [name for name in tool.parameters if name not in needed]
    rest = {"summarised": len(tool.full), **keep(tool.full)}
    about = plain(tool.description)
    for chars, most in ((400, 30), (200, 10), (100, 3), (0, 0)):
        yield encode(
            {
                "description": clipped(about, chars),
                "required": [clipped(name, chars) for name in needed[:most]],
                "optional": [clipped(name, chars) for name in others[:most]],
                **rest,
            }
        )


def first_fitting(candidates: Iterable[bytes], fits: Fits) -> bytes:
    """The first that fits, or else the last, which is the least there is to say."""
    found = b""
    for found in candidates:
        if fits(found):
            break
    return found


# -- what is wrong, in the words of the pattern -------------------------------------------------


def missing_selection(catalogue: Catalogue, fits: Fits) -> bytes:
    """The base of the resource has no tools to describe."""
    some = [name for name in catalogue.names if len(name) <= _SHORT_NAME][:2] or ["TOOL_NAME"]

    def told(available: str) -> bytes:
        error = {
            "code": MISSING_SELECTION,
            "message": "Say which tools: their short descriptions are enough to choose by.",
            "examples": [uri_for(some[0]), uri_for(*some)],
        }
        return encode({"error": {**error, "available_tools": available} if available else error})

    return told(directory(catalogue.names, lambda text: fits(told(text))))


class Missing(msgspec.Struct, frozen=True):
    """A call that cannot go through yet, and what its agent is to be told besides: how our tool that
    describes is called, and what goes with the next call."""

    tool: Described
    why: str
    describe: str
    grant: Mapping[str, Any] = {}


def description_required(missing: Missing, fits: Fits) -> bytes:
    """The gate refuses: the description has to be read first."""
    name, uri = missing.tool.name, uri_for(missing.tool.name)
    again = ", with the tool_grant that comes along." if missing.grant else "."
    steps = [
        f"1. Read {uri}, or call {missing.describe} with tools: {encode([name]).decode()}.",
        "2. Look at the parameters.",
        f"3. Call the tool again{again}",
    ]
    fewer = [f"Call {missing.describe} with the tool's name first."]
    chances: tuple[tuple[list[str], dict[str, str]], ...] = (
        (steps, {"resource_uri": uri}),
        (steps[:1], {}),
        (fewer, {}),
    )
    return first_fitting((_required(missing, few, more) for few, more in chances), fits)


def description_brought(missing: Missing, fits: Fits, keep: Keep) -> bytes:
    """The gate teaches: the description comes with the error, so a wrong call costs one turn."""
    steps = ["Call the tool again, with arguments as described here."]

    def bringing(description: bytes) -> bytes:
        told = {**missing.grant, "description": msgspec.Raw(description)}
        return _required(missing, steps, told)

    whole = bringing(missing.tool.full)
    if fits(whole):
        return whole
    short = first_fitting(map(bringing, _summaries(missing.tool, keep)), fits)
    return short if fits(short) else description_required(missing, fits)


def _required(missing: Missing, steps: Sequence[str], more: Mapping[str, Any]) -> bytes:
    error = {
        "code": DESCRIPTION_REQUIRED,
        "message": missing.why,
        "instructions": list(steps),
        **more,
    }
    return encode({"error": error})
