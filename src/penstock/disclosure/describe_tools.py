"""Replies with descriptions of the tools that an agent names, as many as fit.

A description is compact, unless the agent asks for the whole one.

Errors use the codes of a published pattern for descriptions on demand, so that an agent written for
that pattern understands them.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

import msgspec

from penstock.core.budget.fitting import largest
from penstock.core.json.encoding import encode
from penstock.disclosure.catalogue import Catalogue
from penstock.disclosure.compact_description import compact_description
from penstock.disclosure.described_tool import DescribedTool
from penstock.disclosure.lists.directory import directory
from penstock.disclosure.names import DESCRIPTION_REQUIRED, MISSING_SELECTION
from penstock.disclosure.problems import Fits
from penstock.disclosure.python_description import python_description
from penstock.disclosure.texts.shortening import ELLIPSIS, clipped, plain
from penstock.disclosure.uris import named_in, uri_for

MOST_NAMES: Final = 100
_LONGEST_NAME: Final = 200
_SHORT_NAME: Final = 64
_SHORTEST_NAME: Final = 20
_DIRECTORY_CHARS: Final = 2_000
_MOST_SLIPS: Final = 3

_NO_SUCH_TOOL: Final = (encode({"error": "There is no such tool."}),)
# The reply if nothing else fits. It repeats no text of the agent's, which may be long.
_LEAST_SAID: Final = encode(
    {"error": {"code": DESCRIPTION_REQUIRED, "message": "Read the tool's description first."}}
)

# Stores a description that is too large for any reply, and returns how to read it in parts.
Keep = Callable[[bytes], dict[str, Any]]


class Selection(msgspec.Struct, frozen=True):
    """The names that an agent asked for, each once, in order."""

    names: tuple[str, ...]
    left_out: int = 0  # the number of names beyond `MOST_NAMES`


def selected(uri: str, known: Container[str] = ()) -> Selection:
    """Return the names in a URI. A name is never made into a path."""
    return selection(named_in(uri), known)


def selection(given: Sequence[object], known: Container[str] = ()) -> Selection:
    """Return the names, without white space around them unless a known name has it."""
    texts = [name for name in given if isinstance(name, str)]
    names = [name if name in known else name.strip() for name in texts]
    unique = list(dict.fromkeys(name for name in names if name))
    return Selection(tuple(unique[:MOST_NAMES]), max(0, len(unique) - MOST_NAMES))


class DescribeContext(msgspec.Struct, frozen=True):
    """The context of one reply with descriptions."""

    catalogue: Catalogue
    fits: Fits
    keep: Keep
    more: Mapping[str, Any] = {}  # members that every reply has besides
    ours: frozenset[str] = frozenset()  # Penstock's own tools, which the list describes in full
    is_tool: bool = False  # the agent called a tool; otherwise it read the resource
    is_whole: bool = False  # the agent asked for whole descriptions
    is_python: bool = False  # the agent wants tools as functions of Python


class DescribedPart(NamedTuple):
    """The part of a reply that is about one name."""

    name: str
    shown: bytes
    is_cut: bool = False


class DescribedReply(msgspec.Struct, frozen=True):
    """A reply, and the names of the tools that it describes."""

    reply: bytes
    tools: tuple[str, ...] = ()
    is_error: bool = False


def described(selection: Selection, ask: DescribeContext) -> DescribedReply:
    """Return the descriptions that fit, by name, and the names of those that do not fit."""
    if not selection.names:
        return DescribedReply(missing_selection(ask), is_error=True)
    parts = [*_parts(selection.names, ask)]
    more = {**ask.more, **_names_once(parts[:1], selection, ask)}

    def reply(count: int) -> bytes:
        some = parts[:count]
        told = {**more, **_way_to_whole(some, ask)}
        return _reply(some, selection.names[count:], selection.left_out, told, ask.fits)

    count = largest(len(parts), lambda some: ask.fits(reply(some)))
    if count:
        shown = [name for name in selection.names[:count] if name in ask.catalogue]
        return DescribedReply(reply(count), tuple(shown))
    return _first_alone(selection, ask)


def _first_alone(selection: Selection, ask: DescribeContext) -> DescribedReply:
    """Return a summary of the first tool, for a budget that not even one description fits."""
    name, tool = selection.names[0], ask.catalogue.get(selection.names[0])
    rest, granted = selection.names[1:], () if tool is None else (name,)
    for part in _NO_SUCH_TOOL if tool is None else _summaries(tool, ask.keep):
        for key in (name, clipped(name, _SHORTEST_NAME)):  # clear, because it is the only name
            only = [DescribedPart(key, part)]
            reply = _reply(only, rest, selection.left_out, ask.more, ask.fits)
            if ask.fits(reply):
                return DescribedReply(reply, granted)
    return DescribedReply(
        encode({"$omitted": len(selection.names) + selection.left_out}), is_error=True
    )


def _names_once(
    parts: Sequence[DescribedPart], selection: Selection, ask: DescribeContext
) -> dict[str, Any]:
    """Return a short directory of the tools, if the agent named one that does not exist."""
    if all(name in ask.catalogue or name in ask.ours for name in selection.names):
        return {}
    least = _members(parts) | dict(ask.more)
    least["$omitted"] = len(selection.names) + selection.left_out

    def is_short(text: str) -> bool:
        short = len(text) <= _DIRECTORY_CHARS
        return short and ask.fits(encode({**least, "$available_tools": text}))

    some = directory(ask.catalogue.names, is_short)
    return {"$available_tools": some} if some else {}


def _way_to_whole(parts: Sequence[DescribedPart], ask: DescribeContext) -> dict[str, str]:
    """Say how to get what was left out, if something was."""
    if not any(part.is_cut for part in parts):
        return {}
    way = 'pass "whole": true' if ask.is_tool else "add &whole=true"
    return {"$whole": f"{ELLIPSIS} marks what is left out: {way} to see all."}


def _parts(names: Sequence[str], ask: DescribeContext) -> Iterator[DescribedPart]:
    """Yield each name with its part of the reply. Only the first few unknown names get suggestions,
    because finding similar names is slow."""
    slips, said = 0, set[str]()
    describe = python_description if ask.is_python else compact_description
    for name in names:
        tool = ask.catalogue.get(name)
        if tool is not None and ask.is_whole:
            yield DescribedPart(name, tool.full)
        elif tool is not None:
            yield DescribedPart(name, *describe(tool, said))
        elif name in ask.ours:
            notice = encode({"notice": "The list describes this tool in full."})
            yield DescribedPart(name, notice)
        else:
            near = ask.catalogue.nearest(name) if slips < _MOST_SLIPS else []
            slips += 1
            yield DescribedPart(clipped(name, _LONGEST_NAME), encode(_unknown(name, near)))


def _unknown(name: str, near: Sequence[str]) -> dict[str, Any]:
    told: dict[str, Any] = {"error": f"There is no tool {clipped(name, _SHORT_NAME)!r}."}
    return {**told, "did_you_mean": near} if near else told


def _members(parts: Sequence[DescribedPart]) -> dict[str, Any]:
    return {part.name: msgspec.Raw(part.shown) for part in parts}


def _reply(
    parts: Sequence[DescribedPart],
    omitted: Sequence[str],
    left_out: int,
    more: Mapping[str, Any],
    fits: Fits,
) -> bytes:
    """Return a reply that counts the omitted names, and lists as many of them as fit."""
    members = _members(parts) | dict(more)
    missing = len(omitted) + left_out
    if not missing:
        return encode(members)

    def told(count: int) -> bytes:
        named = [clipped(name, _LONGEST_NAME) for name in omitted[:count]]
        rest = {"$omitted": missing, "$ask_next": named} if named else {"$omitted": missing}
        return encode({**members, **rest})

    return told(largest(len(omitted), lambda count: fits(told(count))))


def _summaries(tool: DescribedTool, keep: Keep) -> Iterator[bytes]:
    """Yield ever shorter summaries of a description that is too large for any reply. A summary says
    what the tool does, names its parameters, and says how to read the rest."""
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


# -- errors, with the codes of the pattern -------------------------------------------------


def missing_selection(ask: DescribeContext) -> bytes:
    """Return the error for a request that names no tools."""
    names = ask.catalogue.names
    some = [name for name in names if name.isascii() and len(name) <= _SHORT_NAME][:2] or ["NAME"]
    examples = [[some[0]], some]

    def told(available: str) -> bytes:
        error = {
            "code": MISSING_SELECTION,
            "message": "Name the tools: the list is enough to choose by.",
            "examples": [{"tools": each} if ask.is_tool else uri_for(*each) for each in examples],
        }
        return encode({"error": {**error, "available_tools": available} if available else error})

    return told(directory(names, lambda text: ask.fits(told(text))))


class StoppedCall(msgspec.Struct, frozen=True):
    """A call that the gate stops until the agent knows the tool's description."""

    tool: DescribedTool
    why: str
    describe: str  # the name of Penstock's tool `describe_tools` on this server
    again: str  # how to repeat the call
    grant: Mapping[str, Any] = {}  # the grant handle that the next call must show, if any


def description_required(missing: StoppedCall, fits: Fits) -> bytes:
    """Return the refusal of the gate `strict`: the agent must read the description first."""
    name, uri = missing.tool.name, uri_for(missing.tool.name)
    steps = [
        f"1. Read {uri}, or call {missing.describe} with tools: {encode([name]).decode()}.",
        "2. Look at the parameters.",
        f"3. {missing.again}",
    ]
    whole = _required(missing, steps, {"resource_uri": uri})
    if fits(whole):
        return whole
    short = _required(missing, [f"Call {missing.describe} with the tool's name first."], {})
    return short if fits(short) else _LEAST_SAID


def description_brought(missing: StoppedCall, fits: Fits, keep: Keep) -> bytes:
    """Return the error of the gate `teach`, with the description: a wrong call costs one turn."""

    def bringing(description: bytes, *steps: str) -> bytes:
        told = {**missing.grant, "description": msgspec.Raw(description)}
        return _required(missing, [*steps, missing.again], told)

    more = f'The description is shortened: {missing.describe} with "whole": true shows all.'
    compact = compact_description(missing.tool, set())
    brought = bringing(compact.shown, *([more] if compact.is_cut else []))
    if fits(brought):
        return brought
    for summary in _summaries(missing.tool, keep):
        reply = bringing(summary, more)
        if fits(reply):
            return reply
    return description_required(missing, fits)


def _required(missing: StoppedCall, steps: Sequence[str], more: Mapping[str, Any]) -> bytes:
    error = {
        "code": DESCRIPTION_REQUIRED,
        "message": missing.why,
        "instructions": list(steps),
        **more,
    }
    return encode({"error": error})
