"""Instructions for an agent that sees tools without their full descriptions.

The text names only tools that are listed, and describes only the gate that is set: sentences about
others would contradict it. It gives one piece of advice: call at once if the arguments are known,
and look them up otherwise.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

from penstock.disclosure.names import CALL, CALL_READ_ONLY, DESCRIBE, FIND, PROGRAM_NAMES
from penstock.disclosure.uris import TEMPLATE, URI

RESOURCE_NAME: Final = "Tool descriptions"

_LEARN: Final = f"{URI}?tools=NAME (several: ?tools=A,B)"
_GATES: Final[Mapping[str, str]] = {
    "off": "A call needs no description first.",
    "teach": "A call with valid arguments runs at once; any other returns the description.",
    "strict": "A call is refused until you read the tool's description.",
}
_AT_ONCE: Final = "Call a tool at once if you know its arguments, otherwise look them up with {}."
_STRICTLY: Final = "Look a tool up with {} before you call it: until then its calls are refused."
_FORMS: Final[Mapping[str, str]] = {
    "short": "Some descriptions are shortened.",
    "signatures": "Descriptions end with the parameters (* required).",
    "brief": "Tools are listed without their parameters.",
}
_WITHOUT_ENTRIES: Final = ("index", "programs")  # forms that list other tools in place of most


def workflow(gate: str, form: str = "brief", own: Mapping[str, str] | None = None) -> str:
    """Return the description of the resource: three steps, what the gate does, what will fail."""
    names = own or {}
    learn = " or ".join([_LEARN, *(names[role] for role in (DESCRIBE,) if role in names)])
    if form in _WITHOUT_ENTRIES:
        pick = f"by name in {names.get(DESCRIBE, DESCRIBE)} or with {names.get(FIND, FIND)}"
        call = f"it through {_callers(names)}"
    else:
        pick = "by its short description: WHAT it does is enough to choose"
        call = "it"
    return (
        f"1. PICK a tool {pick}.\n"
        f"2. LEARN HOW: {learn}.\n"
        f"3. CALL {call} with the parameters you learned.\n"
        f"{_GATES[gate]} {URI} without ?tools= describes nothing."
    )


def instructions(gate: str, form: str = "", own: Mapping[str, str] | None = None) -> str:
    """Return the part of a server's instructions that is about its list. A host may show only 512
    characters. `form` is empty if the list is not known yet: then only a strict gate needs words."""
    names = own or {}
    if not form:
        refused = (
            "A call may be refused until you read the tool's description: the refusal says how."
        )
        return refused if gate == "strict" else ""
    if DESCRIBE not in names:
        return ""  # the list has all that a call needs
    look = " or ".join(names[role] for role in (DESCRIBE, FIND) if role in names)
    advice = (_STRICTLY if gate == "strict" else _AT_ONCE).format(look)
    if form in _WITHOUT_ENTRIES:
        return (
            f"Most tools are not listed: {names[DESCRIBE]} has their names, {_callers(names)} calls "
            f"them. {advice}"
        )
    return f"{_FORMS[form]} {advice}"


def _callers(names: Mapping[str, str]) -> str:
    """Return the tools that call others; programs, where no other tool calls them."""
    calls = [names[role] for role in (CALL_READ_ONLY, CALL) if role in names]
    runs = [names[role] for role in PROGRAM_NAMES if role in names]
    return " or ".join(calls or runs) or CALL


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
