"""`penstock audit`: the cost of a server's list of tools, and the saving of each listing form."""

from __future__ import annotations

import argparse
import os
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from penstock.cli.options import add_settings, config_file
from penstock.cli.printing import can_show, tell
from penstock.cli.tool_source import add_source_options, listed_by
from penstock.core.budget.measure import default_meter
from penstock.errors import PenstockError
from penstock.settings.policy import Policy
from penstock.settings.table import RUN_DEFAULTS

if TYPE_CHECKING:
    from penstock.cli.auditing.costs import Audit

_EXAMPLES = """\
examples:
  penstock audit -- npx -y @modelcontextprotocol/server-everything
  penstock audit --html cost.html --url https://example.com/mcp
  penstock audit --json --tools list.json | jq .forms.brief.saved
  penstock audit --list-budget 4000tok --always 'search_*' -- ./my-server
"""


def add_to(commands: Any) -> None:
    parser = commands.add_parser(
        "audit",
        help="measure what a server's list of tools costs an agent",
        usage="penstock audit [options] ([--] COMMAND [ARGUMENT …] | --url URL | --tools FILE)",
        description="Measure a server's list of tools: the tokens of each tool and of its parts,\n"
        "the cost of the list in each listing form, and how many full descriptions use up what a\n"
        "form saves. No tool is called.",
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add_source_options(parser)
    group = parser.add_argument_group("settings")
    add_settings(group, "list_budget", "always")
    group.add_argument("--config", metavar="FILE", help="The settings file.")
    group = parser.add_argument_group("output")
    add = group.add_argument
    add("--json", action="store_true", help="Print JSON, with every tool.")
    add("--html", metavar="FILE", type=Path, help="Also write a page with plots, in one file.")
    add("--all", action="store_true", help="Print every tool, not only the largest.")
    parser.set_defaults(do=audit, name="audit")


def audit(chosen: argparse.Namespace) -> int:
    from penstock.cli.auditing.costs import audited

    # Report a wrong setting before a server is started.
    settings = {"list_budget": chosen.list_budget, "always": chosen.always}
    file = config_file(chosen.config)
    policy = Policy.load(settings, environment=os.environ, file=file, defaults=RUN_DEFAULTS)
    listed = listed_by(chosen)
    found = audited(
        listed.tools,
        policy,
        default_meter(),
        server=listed.server,
        version=listed.version,
        is_file=chosen.tools is not None,
    )
    if chosen.html is not None:
        _write_page(found, chosen.html)
    text = _json(found) if chosen.json else _table(found, shows_all=chosen.all)
    sys.stdout.buffer.write(text + b"\n")
    return 0


def _json(found: Audit) -> bytes:
    from penstock.cli.auditing.report import as_json

    return as_json(found)


def _table(found: Audit, *, shows_all: bool) -> bytes:
    from penstock.cli.auditing.table import TableStyle, table

    encoding = sys.stdout.encoding or "ascii"
    columns = shutil.get_terminal_size((100, 24)).columns
    look = TableStyle(columns, is_plain=not can_show("█▏−–…"), shows_all=shows_all)  # noqa: RUF001 (signs)
    return table(found, look).encode(encoding, "backslashreplace")


def _write_page(found: Audit, file: Path) -> None:
    from penstock.cli.auditing.page import page

    try:
        file.write_bytes(page(found).encode("utf-8", "replace"))
    except OSError as error:
        why = f"Cannot write {file}: {error.strerror or error}."
        raise PenstockError(why, next_step="Name another file with --html.") from error
    tell(f"{file} written")
