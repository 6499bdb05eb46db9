"""A small MCP client that asks a server for its tools and leaves: `listed_tools`."""

from __future__ import annotations

from penstock.errors import MissingExtra
from penstock.relay.process import OURS, Surroundings
from penstock.relay.target import Target
from penstock.relay.tool_lists.conversation import Listed, NotListed, Report, listing, tools_in
from penstock.relay.tool_lists.process import Inbox, ask_command, signals_to

__all__ = ["Inbox", "Listed", "NotListed", "Report", "listed_tools", "signals_to", "tools_in"]


def listed_tools(
    target: Target,
    report: Report,
    *,
    seconds: float,
    around: Surroundings = OURS,
    inbox: Inbox | None = None,
) -> Listed:
    """Return all pages of a server's list of tools. Each answer may take `seconds`.

    Every failure raises a `PenstockError`. A process that was started for this has ended.
    """
    steps = listing(report)
    if not target.url:
        return ask_command(target.command, steps, seconds, around, inbox)
    try:
        from penstock.relay.tool_lists.remote import ask_url
    except ModuleNotFoundError as error:
        raise MissingExtra("serve", "--url") from error
    return ask_url(target, steps, seconds)
