"""Every GET without parameters, by each caller: REST and MCP must give the same."""

import json
from io import StringIO

from django.core.management import call_command
from rest_framework.schemas.generators import EndpointEnumerator

from inside.answers import canonical
from inside.callers import send
from inside.cases import Case
from inside.reading import by_mcp, by_rest, is_html


def compare(about):
    """Return what was compared, and each difference."""
    agents, tools = about.agents(), tools_by_place()
    shown = {kind: _listed(agent) for kind, agent in agents.items()}
    paths = _read_paths()
    exposed = [path for path in paths if f"GET {path}" in tools]
    wanting = [path for path in exposed if _required(shown["superuser"], tools[f"GET {path}"])]
    html = [path for path in paths if is_html(send(agents["superuser"], path))]
    found = {
        "tools": len(tools),
        "left_out": sorted({*paths} - {*exposed} - {*html}),
        "html": sorted({*html} & {*exposed}),
        "in_need_of_arguments": wanting,
        "visible": {kind: len(seen) for kind, seen in shown.items()},
        "list_in_full": canonical(list(shown["superuser"].values())),
        "walked": [],
        "closed": [],  # open in the API to a caller whom the endpoint refuses every tool
        "shown_though_refused": [],
        "differences": [],
    }
    cases = [Case(path) for path in exposed if path not in (*html, *wanting)]
    found["compared"] = len(cases)
    cases += about.more_lists()
    for case in cases:
        for kind in case.callers or agents:
            _compare_one(case, tools[case.place], kind, agents[kind], shown[kind], found)
    return found


def tools_by_place():
    """Return the name of each tool by its method and path, as the doctor tells it."""
    out = StringIO()
    call_command("penstock_doctor", "--json", stdout=out)
    return {tool["where"]: tool["name"] for tool in json.loads(out.getvalue())["tools"]}


def _read_paths():
    """Return the paths of the URLconf that a GET reads without parameters."""
    found = EndpointEnumerator().get_api_endpoints()
    return sorted({path for path, method, _ in found if method == "GET" and "{" not in path})


def _listed(agent):
    """Return the tools that a caller is shown, by name; none if the endpoint refuses the caller."""
    response = agent.post(agent.message("tools/list"))
    if response.status_code != 200:
        return {}
    return {tool["name"]: tool for tool in response.json()["result"]["tools"]}


def _required(shown, tool):
    """Return the arguments that a tool cannot do without."""
    return shown.get(tool, {}).get("inputSchema", {}).get("required", [])


def _compare_one(case, tool, kind, agent, shown, found):
    rest = by_rest(agent, case)
    parameters = shown.get(tool, {}).get("inputSchema", {}).get("properties", {})
    mcp = by_mcp(agent, tool, case.arguments, parameters, case.pages_by)
    told = {
        "path": case.url(), "tool": tool, "caller": kind, "rest": rest.told(), "mcp": mcp.told()
    }  # fmt: skip
    if rest.status in (401, 403) and tool in shown:
        found["shown_though_refused"].append(told)
    why = _why_not_same(rest, mcp)
    if why and not shown and mcp.kind == "refused":
        found["closed"].append(told)
    elif why := why and _why_still_not_same(rest, by_rest(agent, case), mcp):
        found["differences"].append({**told, "why": why})
    elif mcp.tokens:
        found["walked"].append(told)


def _why_still_not_same(rest, again, mcp):
    """Compare once more. Some answers change by themselves, such as the time of the last request:
    of these, only the size is compared."""
    return _why_not_same(again, mcp, only_size=bool(_why_not_same(rest, again)))


def _why_not_same(rest, mcp, *, only_size=False):
    """Return how an answer by MCP differs from the same by REST, or an empty text."""
    if rest.kind != mcp.kind:
        return f"{rest.kind} by REST, {mcp.kind} by MCP"
    if mcp.count is not None and rest.rows is not None and mcp.count != len(rest.rows):
        return f"count {mcp.count} of {len(rest.rows)} rows"
    if len(rest.content) != len(mcp.content):
        return f"{len(mcp.content)} of {len(rest.content)} rows"
    if only_size:
        return ""
    changed = sum(a != b for a, b in zip(rest.content, mcp.content, strict=True))
    return f"{changed} of {len(rest.content)} with other content" if changed else ""
