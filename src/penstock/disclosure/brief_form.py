"""The list in brief: every tool with its name, what it does in a few words, and an open schema.

The tools share the budget: each may have so many words, and the number of words is the largest with
which the list still fits. None is dropped.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from penstock.core.budget.fitting import largest
from penstock.core.json.encoding import encode
from penstock.disclosure.described_tool import DescribedTool
from penstock.disclosure.names import HEADER_KEY
from penstock.disclosure.shortening import Wording

# A description shorter than its first sentence has at least so many words, or it tells nothing. A
# word is at least a token.
LEAST_WORDS: Final = 12
# What a host needs of a tool beside its words: who it is for, and what it may do.
_KEPT: Final = ("title", "annotations", "icons")

Fits = Callable[[Sequence[bytes]], bool]


def brief_tools(
    tools: Sequence[DescribedTool], fits: Fits, *, at_least: bool = False
) -> list[bytes] | None:
    """The tools with as many words as fit. Where even the fewest do not: None, or `at_least` those."""
    wordings = [Wording(tool.description) for tool in tools]
    least = [min(LEAST_WORDS, wording.first_words) for wording in wordings]

    def listed(most: int, extra: int = 0) -> list[bytes]:
        """With at most so many words each, and one more for the first `extra`."""
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
    """With the fewest words that still tell something."""
    wording = Wording(tool.description)
    return brief(tool, wording.take(min(LEAST_WORDS, wording.first_words)))


def brief(tool: DescribedTool, description: str) -> bytes:
    """A tool in a list. Its schema is open: what it takes is told on demand."""
    listed: dict[str, Any] = {"name": tool.name}
    listed |= {name: tool.listed[name] for name in _KEPT if name in tool.listed}
    if tool.task_support != "forbidden":  # which is what a host takes it to be unless it is said
        listed["execution"] = tool.listed["execution"]
    if description:
        listed["description"] = description
    listed["inputSchema"] = open_schema(tool.schema)
    if tool.ui:
        listed["_meta"] = {"ui": tool.ui}
    return encode(listed)


def open_schema(schema: Mapping[str, Any]) -> dict[str, Any]:
    """Admits anything. Parameters that a client must repeat in headers stay: without them it could
    not know."""
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
