"""Programs that agents write: whether they can run, and which tools they may call."""

from __future__ import annotations

from functools import cache
from importlib.util import find_spec
from typing import NamedTuple

from penstock.disclosure.catalogue import Catalogue
from penstock.disclosure.described_tool import DescribedTool
from penstock.disclosure.names import RUN_WRITES


class ProgramTool(NamedTuple):
    """A tool that runs programs, as it is listed."""

    role: str
    name: str
    shown: bytes


@cache
def programs_available() -> bool:
    """Return whether the library that runs programs is installed."""
    return find_spec("pydantic_monty") is not None


def callable_by(role: str, catalogue: Catalogue) -> list[DescribedTool]:
    """Return the tools that a program may call: those that only read, unless it may write too."""
    tools = catalogue.without_apps()
    return [tool for tool in tools if role == RUN_WRITES or tool.is_read_only]
