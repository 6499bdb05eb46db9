"""The tools that run programs: `run_python`, and `run_python_with_writes`, which a host can allow
apart from it.

A model that has never heard of Penstock reads the first description at the start of a conversation,
and has to write a correct program after it.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from functools import cache
from typing import Final

from penstock.core.json.encoding import encode
from penstock.disclosure.names import PROGRAM_NAMES, RUN, RUN_WRITES, free_name
from penstock.disclosure.programs import ProgramTool, programs_available
from penstock.errors import MissingExtra
from penstock.log import logger
from penstock.settings.policy import Policy

_ABOUT: Final = (
    "Runs Python that calls tools; only its answer, the last expression or `return`, comes back, and "
    "is stored if large. In scope: read-only tools as async functions (`await get_issue(key='A-1')`); "
    "`await call('odd-name', {…})` for other names, `await text('tool', {…})` for the exact text of documents; "
    "`sql('SELECT … FROM t', t=items)`, `store(value)` for a token, `rows(token)`, `value(token)`. "
    "Tools return whole values, decoded: CSV is a list of dicts with typed values. "
    "Imports: asyncio (gather), collections, csv, datetime, decimal, functools, itertools, json, math, "
    "random, re, …; not statistics. No files or network. Variables stay for the next program."
)
_SCHEMA: Final = {
    "type": "object",
    "properties": {"code": {"type": "string"}},
    "required": ["code"],
}


def program_names(taken: Collection[str]) -> dict[str, str]:
    """Return, for each of the two tools, a name that no tool of the server has."""
    return {role: free_name(role, taken) for role in PROGRAM_NAMES}


def offered_programs(policy: Policy) -> tuple[str, ...]:
    """Return the roles of the tools that a client with these settings may get. With `auto`, only an
    index lists them."""
    if policy.programs == "off" or not programs_available():
        if policy.programs not in ("off", "auto"):
            _warn_once()
        return ()
    return PROGRAM_NAMES if policy.programs_may_write else (RUN,)


@cache
def _warn_once() -> None:
    logger().warning(
        "programs are not offered: %s", MissingExtra("programs", "run_python").next_step
    )


def program_tools(policy: Policy, names: Mapping[str, str]) -> tuple[ProgramTool, ...]:
    """Return the tools that a client with these settings may get. `names` has a name by role."""
    roles = offered_programs(policy)
    return tuple(ProgramTool(role, names[role], program_tool(role, names)) for role in roles)


def program_tool(role: str, names: Mapping[str, str]) -> bytes:
    """Return a tool as it is listed. `names` has the names of both tools by role."""
    about, hints = _ABOUT, {"title": "Run a program", "readOnlyHint": True}
    if role == RUN_WRITES:
        about = f"As {names[RUN]}, and may call every tool."
        hints = {"title": "Run a program that may write"}
    shown = {"name": names[role], "description": about, "inputSchema": _SCHEMA}
    return encode({**shown, "annotations": hints})
