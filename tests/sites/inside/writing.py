"""Writes to objects that are out of a caller's reach: both ways must refuse, and change nothing."""

import json
from dataclasses import dataclass
from typing import Any

from inside.answers import Answer, rows_of
from inside.callers import send
from inside.comparing import tools_by_place
from inside.reading import NOTE, by_mcp


@dataclass(frozen=True)
class Write:
    """A write to an endpoint, by a kind of caller. A body that is a list is a bulk write."""

    caller: str
    method: str
    path: str
    parameters: dict[str, Any]
    body: Any = None

    @property
    def arguments(self):
        """The arguments of the tool."""
        body = {"items": self.body} if isinstance(self.body, list) else self.body or {}
        return {**self.parameters, **body}


def write(about):
    agents, tools = about.agents(), tools_by_place()
    before = about.at_stake()
    tried = [_tried(each, agents[each.caller], tools, about, before) for each in about.writes()]
    return {"tried": tried}


def _tried(each, agent, tools, about, before):
    """Try a write both ways, and say what came of it. A bulk write may answer that it changed
    nothing instead of refusing."""
    rest = _by_rest(each, agent)
    tool = tools[f"{each.method} {each.path}"]
    mcp = by_mcp(agent, tool, each.arguments)
    return {
        "caller": each.caller,
        "write": f"{each.method} {each.path}",
        "tool": tool,
        "rest": rest.told(),
        "mcp": mcp.told(),
        "is_alike": rest.kind == mcp.kind,
        "is_unchanged": about.at_stake() == before,
    }


def _by_rest(each, agent):
    place = each.path.format(**each.parameters)
    body = b"" if each.body is None else json.dumps(each.body)
    response = send(agent, place, each.method, body)
    value = json.loads(response.content or b"null")
    return Answer(response.status_code, value, rows_of(value), notes=[str(value)[:NOTE]])
