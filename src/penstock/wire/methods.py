"""The messages that are opened; every other is sent on as the bytes it came in."""

from __future__ import annotations

from typing import Final

from penstock.wire import calls, greetings, holding, lists, resources, tasks
from penstock.wire.messages import Message
from penstock.wire.session import Methods, Session
from penstock.wire.state import Outputs, ToClient


def _tools_changed(session: Session, line: bytes, _message: Message) -> Outputs:
    session.outdate_toolbox()
    return [ToClient(line)]


METHODS: Final = Methods(
    requests={
        "tools/list": lists.open_list,
        "tools/call": calls.open_call,
        "tasks/result": tasks.open_task,
        "tasks/get": tasks.open_task,
        "resources/list": resources.open_list,
        "resources/templates/list": resources.open_templates,
        "resources/read": resources.open_read,
    },
    responses={
        "initialize": greetings.close_initialize,
        "server/discover": greetings.close_discover,
        "tools/list": lists.close_list,
        "resources/list": resources.close_list,
        "resources/templates/list": resources.close_templates,
        "tools/call": holding.close_call,
        "tasks/result": holding.close_call,
        "tasks/get": tasks.close_task_status,
    },
    notifications={
        "notifications/tools/list_changed": _tools_changed,
        "notifications/tasks": tasks.task_notified,
    },
)
# A request that is opened on its way up, or whose response is opened on its way down.
OPENED: Final = METHODS.requests.keys() | METHODS.responses.keys()
