"""Times and memory of a site, alone and with a gateway. Each task has a process of its own."""

import resource
from functools import partial
from statistics import median
from time import perf_counter

from agents import LEGACY
from django.core.cache import cache

from benchmarks import clock
from inside import STARTED
from inside.answers import Answer, count_of
from inside.callers import send
from inside.comparing import tools_by_place
from inside.gateway import GATEWAY
from inside.reading import READER, first_reply

ROUNDS = 25
INVOKER = "call_read_only_tool"
FEW = 20  # rows, if a reply has none
HELLO = {
    "protocolVersion": LEGACY,
    "capabilities": {},
    "clientInfo": {"name": "measuring", "version": "1"},
}


def alone(about):
    """Measure the memory of the site without a gateway, and the generation of its own schema."""
    _served(about)
    return {"ready": _since_start(), "megabytes": _megabytes(), "schema": _schema_seconds()}


def cold(about):
    """Measure the first connection after a deployment: Django's cache has nothing of the tools."""
    cache.clear()
    return warm(about)


def warm(about):
    """Measure the first connection of a process, and a list of tools that is known."""
    agent = _served(about)
    ready = _since_start()
    first = _seconds(lambda: (agent.ask("initialize", HELLO), agent.ask("tools/list")))
    memory = _megabytes()
    again = median(_seconds(lambda: agent.ask("tools/list")) for _ in range(ROUNDS))
    listed = agent.last.content.decode()
    return {
        "ready": ready, "first": first, "megabytes": memory, "again": again, "listed": listed
    }  # fmt: skip


def calls(about):
    """Measure calls of tools, each as a ratio to a request to the API that answers the same."""
    agent, one, many = _served(about), about.one(), about.listed()
    tools = about.frisian() if GATEWAY == "frisian" else _tools(one, many)
    if many.place not in tools:
        return {"failed": "no such tool"}
    calls = _as_listed(agent, tools)
    first = first_reply(agent, *calls[many.place])
    if first.status != 200:
        return {"failed": first.told()}
    found = {"reply": agent.last.content.decode()}
    page = many.url(**about.page(len(first.rows or ()) or FEW))
    found["page"] = _ratio(agent, *calls[many.place], page)
    if one.place in calls:
        found["record"] = _ratio(agent, *calls[one.place], one.url())
    if first.value.get("continuation_token") and first.value.get("next"):
        token = {"continuation_token": first.value["next"]}
        found["next"] = _ratio(agent, READER, token, page)
    callers = about.agents().items()
    found["seen"] = {kind: _seen(caller, many, *tools[many.place]) for kind, caller in callers}
    return found


def _tools(*cases):
    names = tools_by_place()
    return {case.place: (names[case.place], case.arguments) for case in cases}


def _as_listed(agent, tools):
    """Return the calls of these tools as an agent makes them: in an index, another tool does it."""
    if INVOKER not in agent.tools():
        return tools
    return {
        place: (INVOKER, {"name": tool, "arguments": arguments})
        for place, (tool, arguments) in tools.items()
    }


def _seen(agent, case, tool, arguments):
    """Return the number of rows that a caller is told of, by the API and by the gateway."""
    response = send(agent, case.url())
    by_api = Answer(response.status_code, count=count_of(response.json()))
    both = (by_api, first_reply(agent, tool, arguments))
    return [one.kind if one.status != 200 else one.count for one in both]


def _ratio(agent, tool, arguments, url):
    """Call a tool and the API in turn, and return the ratio of the medians."""
    both = {"tool": partial(agent.value, tool, **arguments), "api": partial(send, agent, url)}
    found = clock.middle(clock.in_turns(both, ROUNDS))
    return found["tool"] / found["api"]


def _served(about):
    """Answer a request, so that everything that the site itself needs is loaded."""
    agent = about.agents()["superuser"]
    response = send(agent, about.listed().url())
    assert response.status_code == 200, response.content
    return agent


def _schema_seconds():
    """Return the seconds that drf-spectacular takes for the site's schema; None without it."""
    try:
        from drf_spectacular.settings import spectacular_settings
    except ImportError:
        return None
    generator = spectacular_settings.DEFAULT_GENERATOR_CLASS()
    return _seconds(lambda: generator.get_schema(request=None, public=True))


def _since_start():
    """Return the seconds since the process started."""
    return perf_counter() - STARTED


def _megabytes():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def _seconds(do):
    start = perf_counter()
    do()
    return perf_counter() - start
