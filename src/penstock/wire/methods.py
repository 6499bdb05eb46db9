"""The methods that have a handler. All other requests are sent on unchanged."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from penstock.wire import eras, messages
from penstock.wire.calls import tools_call
from penstock.wire.effects import Discover, Steps
from penstock.wire.greetings import initialize, server_discover
from penstock.wire.lists import tools_list
from penstock.wire.request import Request
from penstock.wire.resources import resource_templates_list, resources_list, resources_read
from penstock.wire.tasks import tasks_get, tasks_result

Handler = Callable[[Request], Steps[bytes]]

HANDLERS: Final[Mapping[str, Handler]] = {
    "initialize": initialize,
    "server/discover": server_discover,
    "tools/list": tools_list,
    "tools/call": tools_call,
    "tasks/get": tasks_get,
    "tasks/result": tasks_result,
    "resources/list": resources_list,
    "resources/templates/list": resource_templates_list,
    "resources/read": resources_read,
}


def in_its_era(request: Request, handler: Handler) -> Steps[bytes]:
    """Find out upstream's era for a modern request. Refuse the request if upstream is legacy."""
    if request.known.era == "" and request.method != "server/discover":
        yield Discover()
    if request.known.era == "legacy":
        requested = messages.decoded(eras.meta_of(request.params).get(eras.VERSION_META))
        return request.refuse(eras.unsupported(requested, eras.LEGACY_VERSIONS))
    return (yield from handler(request))
