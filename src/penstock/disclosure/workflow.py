"""Instructions for an agent that sees tools without their full descriptions.

The text describes only the gate that is set: sentences about other gates would contradict it. Choosing a tool and learning its parameters are separate steps,
because the most common mistake is to fetch descriptions in order to choose.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

from penstock.disclosure.uris import TEMPLATE, URI

RESOURCE_NAME: Final = "Tool descriptions"

_LEARN: Final = f"{URI}?tools=NAME (several: ?tools=A,B)"
_GATES: Final[Mapping[str, str]] = {
    "off": "A call needs no description first.",
    "teach": "A call with valid arguments runs at once; any other returns the description.",
    "strict": "A call is refused until you read the tool's description.",
}


def workflow(gate: str, form: str = "brief", own: Mapping[str, str] | None = None) -> str:
    """Return the description of the resource: three steps, what the gate does, what will fail."""
    names = own or {}
    describe = names.get("describe_tools", "describe_tools")
    if form == "index":
        find = names.get("find_tools", "find_tools")
        pick = f"by name in {describe} or with {find}"
        reads = names.get("call_read_only_tool", "call_read_only_tool")
        call = f"it through {reads} or {names.get('call_tool', 'call_tool')}"
    else:
        pick = "by its short description: WHAT it does is enough to choose"
        call = "it"
    return (
        f"1. PICK a tool {pick}.\n"
        f"2. LEARN HOW: {_LEARN} or {describe}.\n"
        f"3. CALL {call} with the parameters you learned.\n"
        f"{_GATES[gate]} {URI} without ?tools= describes nothing."
    )


def instructions(gate: str, form: str = "", own: Mapping[str, str] | None = None) -> str:
    """Return the workflow for a server's instructions. A host may show only 512 characters of it.
    `form` is empty if the form of the list is not known yet."""
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
        steps = f"Tools are listed in brief. PICK one, {learn}, then CALL it."
    else:
        steps = f"If a tool is listed without parameters, {learn} before you CALL it."
    return f"{steps} {_GATES[gate]}"


def listed_resource(gate: str, form: str, own: Mapping[str, str] | None = None) -> dict[str, Any]:
    """Return the entry of the resource in `resources/list`."""
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
    """Return a system prompt for a host: the tools, and the workflow if a server needs one. The
    workflow comes from the server's resource, because only the server knows its gate.
    If the resource has no description, the gate is taken to be `strict`."""
    lines = [f"- {tool['name']}: {tool.get('description') or 'no description'}" for tool in tools]
    prompt = "You have these tools:\n" + "\n".join(lines)
    told = [
        str(resource.get("description") or workflow("strict"))
        for resource in resources
        if "tool_descriptions" in str(resource.get("uri", ""))
    ]
    return "\n\n".join([prompt, *dict.fromkeys(told)])
