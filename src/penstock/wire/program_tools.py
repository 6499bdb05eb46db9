"""The tools that run programs: when they are offered."""

from __future__ import annotations

from penstock.disclosure.names import PROGRAM_NAMES, RUN, is_called
from penstock.wire.request import Request


def may_be_program(request: Request) -> bool:
    """Return whether a call may be one of a tool that runs programs. The list of tools decides."""
    return any(is_called(request.tool, role) for role in PROGRAM_NAMES)


def program_role(request: Request) -> str:
    """Return which of the tools that run programs is called, or ""."""
    programs = request.client_policy.programs
    is_offered = programs == "write" or (request.tool == RUN and programs != "off")
    return request.tool if request.tool in PROGRAM_NAMES and is_offered else ""
