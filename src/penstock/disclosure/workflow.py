"""What an agent is told of a list that does not say everything, and how a host can tell it.

The text says what the chosen gate does, and nothing else: two sentences that pull in opposite
directions cost a model more than a long one.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final, Literal

from penstock.disclosure.describing import URI

Gating = Literal["off", "teach", "strict"]
GATES: Final = ("off", "teach", "strict")
RESOURCE_NAME: Final = "Tool descriptions"

_STEPS: Final = (
    "1. PICK a tool by its short description: that says WHAT it does, and is enough to choose.\n"
    f"2. LEARN how it is used: {URI}?tools=TOOL_NAME (several: ?tools=A,B), or describe_tools.\n"
    "3. CALL it with the parameters you learned."
)
_GATES: Final[Mapping[str, str]] = {
    "off": "A call needs no description first.",
    "teach": "A call whose arguments fit runs at once; any other is answered with the description.",
    "strict": "A call is refused until the tool's description was read.",
}


def workflow(gate: Gating) -> str:
    """For the resource's own description, and for instructions."""
    return (
        f"Tools are listed in brief.\n{_STEPS}\n{_GATES[gate]} "
        f"{URI} without ?tools= describes nothing."
    )


def listed_resource(gate: Gating) -> dict[str, Any]:
    """The resource as it stands in a list."""
    return {
        "uri": URI,
        "name": RESOURCE_NAME,
        "description": workflow(gate),
        "mimeType": "application/json",
    }


def system_prompt(
    tools: Iterable[Mapping[str, Any]], resources: Iterable[Mapping[str, Any]]
) -> str:
    """For a host's own code: the tools, and the workflow where a server needs one. The text is the
    server's, from its resource: only it knows what its gate does."""
    lines = [f"- {tool['name']}: {tool.get('description') or 'no description'}" for tool in tools]
    prompt = "You have these tools:\n" + "\n".join(lines)
    told = [
        str(resource.get("description") or workflow("strict"))
        for resource in resources
        if "tool_descriptions" in str(resource.get("uri", ""))
    ]
    return "\n\n".join([prompt, *dict.fromkeys(told)])
