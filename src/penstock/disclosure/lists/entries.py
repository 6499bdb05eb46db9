"""The entries of one tool in lists, from the fewest words to the server's own.

A model can call a tool whose parameters it sees and whose prose it does not. So the words go first,
then the schema becomes a signature in the description, and in the form `brief` that goes too.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import IntEnum
from typing import Any, Final

from penstock.core.json.encoding import encode
from penstock.disclosure.described_tool import DescribedTool
from penstock.disclosure.lists.hints import labels
from penstock.disclosure.names import HEADER_KEY
from penstock.disclosure.schemas.bare import bare_schema, lean_schema
from penstock.disclosure.schemas.signature import signature
from penstock.disclosure.schemas.slimming import slim
from penstock.disclosure.texts.shortening import Wording
from penstock.log import logger

_MOST_WORDS: Final = 12  # of the description of one parameter, if the entry is short


class Detail(IntEnum):
    """The amount that an entry tells, from the least to the most."""

    BRIEF = 0  # a sentence
    SIGNED = 1  # a sentence and a signature
    BARE = 2  # a sentence, and a schema with names, types and choices
    SHORT = 3  # a sentence, and a few words on each parameter that does not explain itself
    LEAN = 4  # everything but the words on parameters that explain themselves
    SLIM = 5  # everything but the noise that schema generators leave
    FULL = 6  # the server's own entry, without an output schema that Penstock would widen

    @property
    def says_all(self) -> bool:
        """Return whether such an entry has all that a call needs."""
        return self >= Detail.LEAN


def entry(tool: DescribedTool, step: Detail, prose: str) -> bytes:
    """Return the entry of a tool. `prose` is a short description, for the steps below `LEAN`. A tool
    whose entry cannot be made gets the least one, so that no tool costs a client the others."""
    if step is Detail.FULL:
        return tool.in_full_unwidened
    try:
        return _short_entry(tool, step, prose)
    except Exception:  # noqa: BLE001 (one tool must not cost the list)
        logger().exception("%s is listed with an open schema: its own cannot be read", tool.name)
        return encode({"name": tool.name, "description": prose, "inputSchema": open_schema({})})


def _short_entry(tool: DescribedTool, step: Detail, prose: str) -> bytes:
    if not tool.listed:  # nested too deep to be decoded
        return encode({"name": tool.name, "inputSchema": open_schema({})})
    described, schema = _TELLING[step](tool, prose)
    listed: dict[str, Any] = {"name": tool.name, **labels(tool)}
    if "icons" in tool.listed:
        listed["icons"] = tool.listed["icons"]
    if tool.task_support != "forbidden":  # a host's default
        listed["execution"] = tool.listed["execution"]
    if described:
        listed["description"] = described
    listed["inputSchema"] = schema
    if tool.ui:
        listed["_meta"] = {"ui": tool.ui}
    return encode(listed)


def _signed(tool: DescribedTool, prose: str) -> tuple[str, Any]:
    """Return a description that ends with the parameters, and an open schema."""
    takes = f"({signature(tool.schema)})"
    return f"{prose} {takes}" if prose else takes, open_schema(tool.schema)


def _few_words(_name: str, said: str) -> str:
    wording = Wording(said, is_markup=False)
    return wording.take(min(wording.first_words, _MOST_WORDS))


_TELLING: Final[Mapping[Detail, Callable[[DescribedTool, str], tuple[str, Any]]]] = {
    Detail.BRIEF: lambda tool, prose: (prose, open_schema(tool.schema)),
    Detail.SIGNED: _signed,
    Detail.BARE: lambda tool, prose: (prose, bare_schema(tool)),
    Detail.SHORT: lambda tool, prose: (prose, lean_schema(tool, _few_words)),
    Detail.LEAN: lambda tool, _: (tool.description, lean_schema(tool)),
    Detail.SLIM: lambda tool, _: (tool.description, slim(tool.schema)),
}


def open_schema(schema: Mapping[str, Any]) -> dict[str, Any]:
    """Return a schema that admits anything. Parameters that a client must repeat in headers stay,
    or the client would not know of them."""
    repeated = _with_headers(schema.get("properties"))
    # Some model providers refuse an object schema that names no properties at all.
    return {"type": "object", "properties": repeated, "additionalProperties": True}


def _with_headers(properties: Any) -> dict[str, Any]:
    if not isinstance(properties, Mapping):
        return {}
    kept: dict[str, Any] = {}
    for name, below in properties.items():
        if not isinstance(below, Mapping):
            continue
        if HEADER_KEY in below:
            kept[name] = dict(below)
        elif inner := _with_headers(below.get("properties")):
            kept[name] = {"type": "object", "properties": inner}
    return kept
