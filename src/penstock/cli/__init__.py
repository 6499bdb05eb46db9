"""The command `penstock`, with one file per command."""

from __future__ import annotations

import argparse
import shlex
import sys
from collections.abc import Sequence
from importlib import import_module
from typing import Final

from penstock._version import __version__
from penstock.cli.command_line import (
    END,
    Options,
    Parser,
    nearest,
    no_command_left,
    split_at_command,
    split_at_end,
)
from penstock.cli.printing import CannotWrite, reader_may_leave, tell_error
from penstock.errors import PenstockError

USAGE_ERROR = 2
# Each command is a module of this folder.
COMMANDS: Final = (
    "demo", "run", "serve", "wrap", "doctor", "stats", "results", "audit", "extract", "purge",
)  # fmt: skip
# The commands whose server may be named without `--`.
_WITHOUT_END: Final = ("run", "serve", "audit")
# Names in the parsed command line that are not options.
_NO_OPTIONS: Final = ("command", "do", "name")

# Words that mean something elsewhere.
_INSIDE: Final = {"show": "results show"}
_ELSEWHERE: Final = {
    ("audit", "--servers"): "For the servers of a file: penstock doctor --servers FILE"
}

_DESCRIPTION = """\
Keep MCP tool results and tool lists inside the agent's context budget, and lose nothing.

  penstock demo
      Show what Penstock does, in a few seconds.
  penstock run -- npx -y @modelcontextprotocol/server-everything
      Run one server behind Penstock. Put this command into a host's configuration.
  penstock run --servers ~/.cursor/mcp.json
      Run all servers of a host's config behind one Penstock.
  penstock wrap cursor
      Show how to put every server of a host behind Penstock; --write makes the change.
  penstock doctor
      Check the installation, the store, and the servers of hosts on this machine.
  penstock serve --url https://example.com/mcp
      Put a server behind Penstock, over HTTP.
  penstock audit -- ./my-server
      Measure what a server's list of tools costs, and what Penstock would save.
  penstock stats
      Show what Penstock has saved on this machine.
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command and return its exit code. Print an error as a sentence and a next step."""
    code = 0
    try:
        with reader_may_leave():
            code = _main(arguments)
    except CannotWrite as error:
        tell_error(error)
        return USAGE_ERROR
    return code


def _main(arguments: Sequence[str] | None) -> int:
    given = list(sys.argv[1:] if arguments is None else arguments)
    try:
        chosen = _chosen(given)
        code: int = chosen.do(chosen)
    except PenstockError as error:
        tell_error(error)
        return USAGE_ERROR
    except KeyboardInterrupt:
        return 130
    return code


def _chosen(given: list[str]) -> argparse.Namespace:
    """Parse a command line. Refuse words that are not understood, with a suggestion."""
    first = given[0] if given else "--help"
    if first == END:
        from penstock.relay.secret_words import shown_words

        told, step = (
            "No command of Penstock is named.",
            f"Use: penstock run {shlex.join(shown_words(given))}",
        )
        raise PenstockError(told, next_step=step)
    if not first.startswith("-") and first not in COMMANDS:
        raise _no_command(first)
    parser, options = _parser(first)
    split = split_at_command if first in _WITHOUT_END else split_at_end
    words = split(given[1:], options)
    chosen, unknown = parser.parse_known_args([first, *words.own])
    chosen.command = words.command
    if unknown:
        raise _misunderstood(chosen, unknown[0], words.greedy, options)
    named = (getattr(chosen, name, None) for name in ("command", "url", "tools", "servers"))
    if words.greedy and not any(named):
        raise _without_server(chosen, words.greedy, options)
    return chosen


def _no_command(given: str) -> PenstockError:
    near = _INSIDE.get(given) or nearest(given, COMMANDS)
    step = f"Did you mean {near}?" if near else f"Use one of: {', '.join(COMMANDS)}."
    return PenstockError(f"There is no command {given!r}.", next_step=step)


def _misunderstood(
    chosen: argparse.Namespace, word: str, greedy: str, options: Options
) -> PenstockError:
    option = word.partition("=")[0]
    known = [f"--{given.replace('_', '-')}" for given in vars(chosen) if given not in _NO_OPTIONS]
    near = nearest(option, known)
    if greedy and not near:
        return _without_server(chosen, greedy, options)
    step = f"Did you mean {near}?" if near else f"See penstock {chosen.name} --help."
    step = _ELSEWHERE.get((chosen.name, option), step)
    return PenstockError(f"There is no option {option!r}.", next_step=step)


def _without_server(chosen: argparse.Namespace, greedy: str, options: Options) -> PenstockError:
    """Return the error for a line without a server. `greedy` may have taken its command."""
    if getattr(chosen, "server", None):
        from penstock.cli.options import no_servers_file

        return no_servers_file()
    return no_command_left(greedy, options, chosen.name)


def _parser(command: str) -> tuple[argparse.ArgumentParser, Options]:
    """Return the parser, and the options of the command."""
    parser = Parser(
        prog="penstock",
        description=_DESCRIPTION,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"penstock {__version__}")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    # Import only the command that was named: a host waits until `penstock run` is ready.
    for name in (command,) if command in COMMANDS else COMMANDS:
        import_module(f"penstock.cli.{name}").add_to(commands)
    named = commands.choices.get(command)
    return parser, {} if named is None else named._option_string_actions  # noqa: SLF001 (no other way)
