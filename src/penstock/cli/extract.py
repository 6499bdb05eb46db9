"""`penstock extract`: a server's tools as files that you can edit."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from penstock.cli.printing import say, tell
from penstock.cli.tool_source import add_source_options, listed_by

if TYPE_CHECKING:
    from penstock.cli.auditing.extraction import Extracted

_EXAMPLES = """\
examples:
  penstock extract descriptions -- npx -y @modelcontextprotocol/server-everything
  penstock extract descriptions --force --url https://example.com/mcp
  penstock extract descriptions --tools list.json

Add to the files what helps an agent, such as "examples" or "usage_guidance". The agent gets it with
the full description if you run: penstock run --descriptions DIR -- COMMAND
"""


def add_to(commands: Any) -> None:
    parser = commands.add_parser(
        "extract",
        help="write each tool of a server to a JSON file, for --descriptions",
        usage="penstock extract DIR [options] (-- COMMAND [ARGUMENT …] | --url URL | --tools FILE)",
        description="Write one JSON file for each tool of a server: its name, description and\n"
        "schemas, as the server lists them. Existing files stay as they are. No tool is called.",
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "folder",
        metavar="DIR",
        type=Path,
        help="The folder for the files. It is made if it does not exist.",
    )
    parser.add_argument(
        "--force",
        action="store_true",
        help="Update existing files with what the server says now. Keep what only a file says.",
    )
    add_source_options(parser)
    parser.set_defaults(do=extract, name="extract")


def extract(chosen: argparse.Namespace) -> int:
    from penstock.cli.auditing import extraction
    from penstock.disclosure import Catalogue

    catalogue = Catalogue.from_tools(listed_by(chosen).tools)
    done = extraction.extract(catalogue, chosen.folder, replaces=chosen.force)
    for name in done.too_large:
        tell(f"{name} is too large for --descriptions to read.")
    say(_summary(done, chosen.folder, forced=chosen.force))
    return 0


def _summary(done: Extracted, folder: Path, *, forced: bool) -> str:
    count = len(done.written) + len(done.updated) + len(done.kept)
    parts = [f"{len(done.written)} written"]
    parts += [f"{len(done.updated)} updated"] if forced else []
    parts += [f"{len(done.kept)} unchanged"] if done.kept else []
    text = f"{count} {'tool' if count == 1 else 'tools'} in {folder}: {', '.join(parts)}."
    if done.kept and not forced:
        text += "\n--force updates those files, and keeps what only a file says."
    return text
