"""Notices about the servers behind one Penstock, on their way to the agent.

They travel beside the next result that a model reads, because nothing else is sure to reach it: many
hosts show a model neither log messages nor the instructions of a server that changes.
"""

from __future__ import annotations

from penstock.wire.call_facts import is_for_app
from penstock.wire.effects import UpstreamAnswer
from penstock.wire.request import Request
from penstock.wire.results import WireResult


def add_server_notices(request: Request, answer: UpstreamAnswer) -> None:
    """Add to a result what the agent has not been told yet. Wait for another one, unless a model
    reads this result and Penstock may change it."""
    servers = request.connection.servers
    if servers is None or answer.result is None or request.program is not None:
        return
    if is_for_app(request) or not request.policy.covers(request.tool):
        return
    if WireResult(answer.result).is_complete and (told := servers.take_notices()):
        request.notice = " ".join(filter(None, (request.notice, told)))
