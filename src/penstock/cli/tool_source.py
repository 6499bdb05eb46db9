"""The source of the tools that `audit` and `extract` read: a server, or a file."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path
from threading import TIMEOUT_MAX
from typing import Any, Final

from penstock.cli.auditing.sources import saved_tools
from penstock.cli.options import UsageError, add_target_options, forget_secrets, target_from
from penstock.cli.printing import tell
from penstock.cli.progress import Progress
from penstock.errors import PenstockError
from penstock.relay.secret_words import secrets_of, without_secrets
from penstock.relay.target import URL_VARIABLE
from penstock.relay.tool_lists import Listed, listed_tools

DEFAULT_SECONDS: Final = 60.0
STDIN: Final = "-"


def add_source_options(parser: argparse.ArgumentParser) -> None:
    add_target_options(parser)
    group = parser.add_argument_group("the list")
    add = group.add_argument
    add(
        "--tools",
        metavar="FILE",
        help="Read a tools/list result that was saved as JSON, and ask no server; - is stdin.",
    )
    add_timeout(group, DEFAULT_SECONDS)


def add_timeout(group: Any, seconds: float) -> None:
    group.add_argument(
        "--timeout",
        metavar="SECONDS",
        type=_seconds,
        default=seconds,
        help=f"How long a server may take for one answer. Default: {seconds:g}.",
    )


def listed_by(chosen: argparse.Namespace) -> Listed:
    """Return the tools of a server or a file. A server that was started for this has ended."""
    if chosen.tools is None:
        return _asked(chosen)
    if chosen.command or chosen.url:
        raise UsageError("Both a file and a server were given.", next_step="Give only one.")
    return _read(chosen.tools)


def _asked(chosen: argparse.Namespace) -> Listed:
    if not (chosen.command or chosen.url or os.environ.get(URL_VARIABLE)):
        place = "DIR " if chosen.name == "extract" else ""
        step = f"penstock {chosen.name} {place}-- COMMAND, or --url URL, or --tools FILE"
        raise UsageError("No server is named.", next_step=f"Name one: {step}")
    target = target_from(chosen)
    forget_secrets(chosen)
    with Progress() as progress:
        progress(f"connecting to {target.shown}" if target.url else "starting the server")
        try:
            return listed_tools(target, progress, seconds=chosen.timeout)
        except PenstockError as error:
            # The error may repeat what the server printed.
            message = without_secrets(error.message, secrets_of(target))
            raise PenstockError(message, next_step=error.next_step) from error


def _read(name: str) -> Listed:
    shown = "stdin" if name == STDIN else name
    try:
        data = sys.stdin.buffer.read() if name == STDIN else Path(name).read_bytes()
    except OSError as error:
        why = f"Cannot read {shown}: {error.strerror or error}."
        raise PenstockError(why, next_step="Check the name of the file.") from error
    listed, is_whole = saved_tools(data, shown)
    if not is_whole:
        tell(f"{shown} is one page of a longer list. The other pages are missing.")
    return listed


def _seconds(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0.0
    if not 0 < seconds <= TIMEOUT_MAX:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of seconds above zero")
    return seconds
