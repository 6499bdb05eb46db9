"""What an agent is told of a list that does not say everything, and how a host can tell it.

The text says what the chosen gate does, and nothing else: two sentences that pull in opposite
directions cost a model more than a long one. Choosing a tool and learning to use it are kept apart,
for the commonest mistake is to fetch descriptions in order to choose.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

from penstock.disclosure.uris import TEMPLATE, URI

RESOURCE_NAME: Final = "Tool descriptions"

_LEARN: Final = f"{URI}?tools=NAME (several: ?tools=A,B)"
_GATES: Final[Mapping[str, str]] = {
    "off": "A call needs no description first.",
    "teach": "A call whose arguments fit runs at once; any other is answered with the description.",
    "strict": "A call is refused until the tool's description was read.",
}


def workflow(gate: str, form: str = "brief", own: Mapping[str, str] | None = None) -> str:
    """For the description of the resource: three steps, what the gate does, what will fail."""
    names = own or {}
    describe = names.get("describe_tools", "describe_tools")
    if form == "index":
        find = names.get("find_tools", "find_tools")
        pick = f"by its name in {describe}, or with {find}"
        call = f"it through {names.get('call_tool', 'call_tool')}"
    else:
        pick = "by its short description: that says WHAT it does, and is enough to choose"
        call = "it"
    return (
        f"1. PICK a tool {pick}.\n"
        f"2. LEARN HOW it is used: {_LEARN}, or {describe}.\n"
        f"3. CALL {call} with the parameters you learned.\n"
        f"{_GATES[gate]} {URI} without ?tools= describes nothing."
    )


def instructions(gate: str, form: str = "", own: Mapping[str, str] | None = None) -> str:
    """The same for a server's instructions, of which a host may show 512 characters. Without a
    form: where it is not known yet, how the tools will be listed."""
    names = own or {}
    describe = names.get("describe_tools", "describe_tools")
    learn = f"LEARN its parameters from {_LEARN} or {describe}"
    if form == "index":
        find = names.get("find_tools", "find_tools")
        reads = names.get("call_read_only_tool", "call_read_only_tool")
        writes = names.get("call_tool", "call_tool")
        steps = (
            f"Most tools are not listed. PICK one by its name in {describe} or with {find}, LEARN "
            f"its parameters with {describe}, CALL it through {reads} or, if it may write, {writes}."
        )
    elif form == "brief":
        steps = f"Tools are listed in brief. PICK one by that, {learn}, then CALL it."
    else:
        steps = (
            f"A tool listed without parameters: PICK it by what is listed, {learn}, then CALL it."
        )
    return f"{steps} {_GATES[gate]}"


def listed_resource(gate: str, form: str, own: Mapping[str, str] | None = None) -> dict[str, Any]:
    """The resource as it stands in a list."""
    return {
        "uri": URI,
        "name": RESOURCE_NAME,
        "description": workflow(gate, form, own),
        "mimeType": "application/json",
    }


def listed_template(gate: str, form: str, own: Mapping[str, str] | None = None) -> dict[str, Any]:
    listed = listed_resource(gate, form, own)
    del listed["uri"]
    return {"uriTemplate": TEMPLATE, **listed}


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
