"""`penstock demo`: what an agent sees and pays for behind `penstock run`, with real processes."""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from penstock.cli.printing import replace_what_cannot_be_shown
from penstock.settings.sources import ENVIRONMENT_PREFIX


def add_to(commands: Any) -> None:
    parser = commands.add_parser(
        "demo",
        help="show what Penstock does, in a few seconds",
        description="Run two MCP servers behind `penstock run`. One floods a context window with "
        "its results, the other with its tools. Show what an agent sees at each step, and what "
        "that costs. With the extra programs, the agent runs a program too. Nothing is installed, and no file stays behind. The exit code is not zero if "
        "a step does not do what it says.",
    )
    parser.set_defaults(do=demo, name="demo")


def demo(_chosen: argparse.Namespace) -> int:
    from penstock.cli.demonstration.visits import visit_control_room, visit_plant, visit_pumps

    replace_what_cannot_be_shown()
    with _default_settings():
        visit_plant()
        visit_control_room()
        visit_pumps()
    return 0


@contextmanager
def _default_settings() -> Iterator[None]:
    """Hide the user's settings in the environment for a while: the demo shows the defaults."""
    own = [name for name in os.environ if name.startswith(ENVIRONMENT_PREFIX)]
    taken = {name: os.environ.pop(name) for name in own}
    try:
        yield
    finally:
        os.environ.update(taken)
