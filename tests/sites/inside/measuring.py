"""Times and memory of a site, alone and with a gateway. Each task has a process of its own."""

import resource
from functools import partial
from statistics import median
from time import perf_counter

from agents import LEGACY
from django.core.cache import cache

from inside.answers import rows_of
from inside.callers import send
from inside.comparing import tools_by_place
from inside.gateway import GATEWAY
from inside.reading import READER

ROUNDS = 25
HELLO = {
    "protocolVersion": LEGACY,
    "capabilities": {},
    "clientInfo": {"name": "measuring", "version": "1"},
}


def alone(about):
    """Measure the memory of the site without a gateway, and the generation of its own schema."""
    _served(about)
    return {"megabytes": _megabytes(), "schema": _schema_seconds()}


def cold(about):
    """Measure the first connection after a deployment: Django's cache has nothing of the tools."""
    cache.clear()
    return warm(about)


def warm(about):
    """Measure the first connection of a process, and a list of tools that is known."""
    agent = _served(about)
    first = _seconds(lambda: (agent.ask("initialize", HELLO), agent.ask("tools/list")))
    memory = _megabytes()
    again = median(_seconds(lambda: agent.ask("tools/list")) for _ in range(ROUNDS))
    listed = agent.post(agent.message("tools/list")).content.decode()
    return {"first": first, "megabytes": memory, "again": again, "listed": listed}


def calls(about):
    """Measure calls of tools, each as a ratio to a request to the API that answers the same."""
    agent, one, many = _served(about), about.one(), about.listed()
    names = tools_by_place() if GATEWAY == "penstock" else about.FRISIAN
    call = _caller(agent)
    first = call(names[many.place], many.arguments)
    rows = len(rows_of(first) or ())
    ask_one = partial(send, agent, one.url())
    ask_page = partial(send, agent, many.url(**about.page(rows)))
    found = {
        "rows": rows,
        "record": _ratio(partial(call, names[one.place], one.arguments), ask_one),
        "page": _ratio(partial(call, names[many.place], many.arguments), ask_page),
    }
    token = first.get("continuation_token") and first.get("next")
    if token:
        read = partial(agent.value, READER, continuation_token=token)
        found["next"] = _ratio(read, ask_page)
    return found


def _caller(agent):
    """Return a function that calls a tool as the list of tools has it: by another one, if the list
    is an index."""
    if "call_read_only_tool" not in agent.tools():
        return lambda tool, arguments: agent.value(tool, **arguments)
    return lambda tool, arguments: agent.value(
        "call_read_only_tool", name=tool, arguments=arguments
    )


def _ratio(call, ask):
    """Call and ask in turn, and return the ratio of the medians."""
    pairs = [(_seconds(call), _seconds(ask)) for _ in range(ROUNDS)]
    return median(called for called, _ in pairs) / median(asked for _, asked in pairs)


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


def _megabytes():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def _seconds(do):
    start = perf_counter()
    do()
    return perf_counter() - start
