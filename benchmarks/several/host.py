"""A host that has several servers, as a model sees it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from benchmarks.strangers import Answering, listed


class Host:
    """Several conversations as one. Tools are named as in Claude Code: `mcp__SERVER__TOOL`."""

    def __init__(self, conversations: Mapping[str, Answering]) -> None:
        self._by_prefix = {f"mcp__{name}__": one for name, one in conversations.items()}
        self.instructions = "\n".join(one.instructions for one in conversations.values())

    def ask(self, method: str, params: Mapping[str, Any]) -> dict[str, Any]:
        if method == "tools/list":
            return {"tools": [*self._tools()]}
        for prefix, conversation in self._by_prefix.items():
            if params["name"].startswith(prefix):
                own_name = params["name"].removeprefix(prefix)
                return conversation.ask(method, {**params, "name": own_name})
        raise LookupError(params["name"])

    def _tools(self) -> Iterator[dict[str, Any]]:
        for prefix, conversation in self._by_prefix.items():
            for tool in listed(conversation):
                yield {**tool, "name": prefix + tool["name"]}
