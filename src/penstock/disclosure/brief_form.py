"""The listing form `brief`: every tool with its name, a short description and an open schema.

No tool is dropped. All descriptions are cut to the same number of words, the largest with which the
list fits the budget.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from penstock.core.budget.fitting import largest
from penstock.core.json.encoding import encode
from penstock.disclosure.described_tool import DescribedTool
from penstock.disclosure.names import HEADER_KEY
from penstock.disclosure.shortening import Wording

# A description that is cut inside its first sentence keeps this many words: fewer say nothing.
# A word is at least one token.
LEAST_WORDS: Final = 12
# Members that a host needs besides the description: they label the tool, and say what it may do.
_KEPT: Final = ("title", "annotations", "icons")

Fits = Callable[[Sequence[bytes]], bool]


def brief_tools(
    tools: Sequence[DescribedTool], fits: Fits, *, at_least: bool = False
) -> list[bytes] | None:
    """Return the tools with as many words as fit. If not even the fewest words fit, return None, or
    with `at_least` the tools cut to the fewest words."""
    wordings = [Wording(tool.description) for tool in tools]
    least = [min(LEAST_WORDS, wording.first_words) for wording in wordings]

    def listed(most: int, extra: int = 0) -> list[bytes]:
        """Return the tools with at most `most` words each, and one more for the first `extra`."""
        return [
            brief(tool, wording.take(max(fewest, most + (number < extra))))
            for number, (tool, wording, fewest) in enumerate(
                zip(tools, wordings, least, strict=True)
            )
        ]

    if not fits(listed(0)):
        return listed(0) if at_least else None
    longest = max((wording.words for wording in wordings), default=0)
    most = largest(longest, lambda words: fits(listed(words)))
    extra = largest(len(tools), lambda count: fits(listed(most, count)))
    return listed(most, extra)


def shortest(tool: DescribedTool) -> bytes:
    """Return the tool with the fewest words that still say something."""
    wording = Wording(tool.description)
    return brief(tool, wording.take(min(LEAST_WORDS, wording.first_words)))


def brief(tool: DescribedTool, description: str) -> bytes:
    """Return the tool's entry in a list. Its schema is open: parameters are described on demand."""
    listed: dict[str, Any] = {"name": tool.name}
    listed |= {name: tool.listed[name] for name in _KEPT if name in tool.listed}
    if tool.task_support != "forbidden":  # a host's default
        listed["execution"] = tool.listed["execution"]
    if description:
        listed["description"] = description
    listed["inputSchema"] = open_schema(tool.schema)
    if tool.ui:
        listed["_meta"] = {"ui": tool.ui}
    return encode(listed)


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
