"""Scripted agents that know only what a model knows: the prompt, the functions, and the replies.

No script knows the name of a parameter, the form of a URI or the code of an error from elsewhere.
So each script shows that the texts are sufficient.
"""

import json
import re

from penstock.testing import call

# Known from the task and common sense.
KNOWN = {"station": "Lyon", "hours": 3}
GUESS = {"query": "water temperature in Lyon"}


def follows_the_workflow(messages, functions):
    """Choose from the list, read the description by resource as the prompt says, and call."""
    tool = chosen(functions)
    told = yield call("read_resource", resource_uri=address(messages, tool))
    return (yield use(functions, tool, learned(told, tool)))


def learns_with_the_tool(_messages, functions):
    """Read the description with the tool, as an agent does whose host offers no resources."""
    tool = chosen(functions)
    told = yield call("describe_tools", tools=[tool])
    return (yield use(functions, tool, learned(told, tool)))


def fetches_everything_first(messages, functions):
    """Make a common mistake: read the descriptions of all tools in order to choose one."""
    told = yield call("read_resource", resource_uri=address(messages, "").partition("?")[0])
    error = json.loads(told)["error"]
    tool = picked(error["available_tools"])
    like_this, shown = error["examples"][0].split("=")
    assert shown.rpartition("_")[2] in error["available_tools"]
    told = yield call("read_resource", resource_uri=f"{like_this}={tool}")
    return (yield use(functions, tool, learned(told, tool)))


def describes_nothing_first(_messages, functions):
    """Make the same mistake with the tool."""
    told = yield call("describe_tools", tools=[])
    tool = picked(json.loads(told)["error"]["available_tools"])
    told = yield call("describe_tools", tools=[tool])
    return (yield use(functions, tool, learned(told, tool)))


def calls_without_fetching(_messages, functions):
    """Make a common mistake: call with guessed arguments."""
    tool = chosen(functions)
    error = json.loads((yield use(functions, tool, GUESS)))["error"]
    if "description" in error:
        arguments = filled(error["description"], error)
    else:
        told = yield call("read_resource", resource_uri=error["resource_uri"])
        arguments = learned(told, tool)
    return (yield use(functions, tool, arguments))


def calls_and_then_follows_the_instructions(_messages, functions):
    """Make the same mistake without resources, and follow the instructions of the error."""
    tool = chosen(functions)
    error = json.loads((yield use(functions, tool, GUESS)))["error"]
    name, tools = re.search(r"call (\w+) with tools: (\[.*?\])", error["instructions"][0]).groups()
    told = yield call(name, tools=json.loads(tools))
    return (yield use(functions, tool, learned(told, tool)))


def guesses_well(_messages, functions):
    return (yield use(functions, chosen(functions), KNOWN))


# -- what a model does in its head -------------------------------------------------------------


def chosen(functions):
    """Choose a tool by the short descriptions, or by the directory of names in an index."""
    listed = {entry["function"]["name"]: entry["function"]["description"] for entry in functions}
    if "call_tool" in listed:
        return picked(listed["describe_tools"])
    return next(name for name, told in listed.items() if told.startswith("Lists levels and temp"))


def picked(directory):
    """Return a name that sounds like measured values: `list_readings` or `list_(… readings …)`."""
    return f"list_{re.search(r'readings?', directory)[0]}"


def address(messages, tool):
    """Return the address of a description in the prompt's spelling."""
    return re.search(r"\S+\?tools=NAME", messages[0]["content"])[0].replace("NAME", tool)


def learned(told, tool):
    """Return the arguments, after a description was read."""
    read = json.loads(told)
    beside = {name.removeprefix("$"): value for name, value in read.items() if name != tool}
    return filled(read[tool], beside)


def filled(description, beside):
    """Return the required arguments, and one more if the reply asks for it."""
    known = {name: KNOWN[name] for name in description["inputSchema"]["required"]}
    asked = re.search(r"Add (\w+) to the arguments", beside.get("next_step", ""))
    return {**known, asked[1]: beside[asked[1]]} if asked else known


def use(functions, tool, arguments):
    """Call a tool directly, or through `call_read_only_tool` in an index."""
    if tool in [entry["function"]["name"] for entry in functions]:
        return call(tool, **arguments)
    return call("call_read_only_tool", name=tool, arguments=arguments)
