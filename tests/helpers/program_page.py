"""The programs of docs/howto/programs.md and of the README, run as the pages say.

Run this file to write the replies below the programs anew: python tests/helpers/program_page.py
"""

import re
import shlex
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from node_runtime import node, package
from program_material import make_folders
from relay_processes import StdioClient
from servers_of_others import server_of_others

ROOT = Path(__file__).parents[2]
PAGES = (ROOT / "docs" / "howto" / "programs.md", ROOT / "README.md")
# A program, and the reply that is shown below it.
SHOWN = re.compile(r"^```py\n(.*?)^```\n+```text\n(.*?)^```", re.MULTILINE | re.DOTALL)
COMMAND = re.compile(r"^penstock run (.*) -- (.*)$", re.MULTILINE)
# Tokens are random. Some results hold the paths of this machine, so their costs differ.
TOKEN = re.compile(r"pen_[\w.-]+")
COST = re.compile(r"~([\d,]+) tokens")


def sections(page: Path) -> dict[str, str]:
    """Return the parts of a page that show programs, by their headings."""
    parts = re.split(r"^## (.*)\n", page.read_text("utf-8"), flags=re.MULTILINE)[1:]
    pairs = zip(parts[::2], parts[1::2], strict=True)
    return {title: text for title, text in pairs if SHOWN.search(text)}


@contextmanager
def connected(section: str, folder: Path) -> Iterator[StdioClient]:
    """Start the `penstock run` of a section, in the folder of the material."""
    *_, shown = COMMAND.finditer(section.partition("```py\n")[0])  # the last one before the program
    options, command = map(shlex.split, shown.groups())
    client = StdioClient(_installed(command), "--no-stats", *options, cwd=folder)
    client.greet()
    try:
        yield client
    finally:
        client.discard()


def _installed(command: list[str]) -> list[str]:
    """Return the command of the same server, pinned, as the tests install it."""
    match command:
        case ["npx", "-y", name, *arguments]:
            return [node(), package(f"{name}/dist/index.js"), *arguments]
        case ["uvx", "mcp-server-git", *arguments]:
            return [server_of_others("mcp-server-git"), *arguments]
    raise AssertionError(f"not a server that the tests have: {command}")


def answer(client: StdioClient, section: str, code: str) -> str:
    """Run a program, and return what an agent reads, with the random part of tokens left out."""
    tool = "run_python_with_writes" if "`run_python_with_writes`" in section else "run_python"
    result = client.weighed(tool, code=code)
    return TOKEN.sub("pen_…", "\n".join(block["text"].rstrip() for block in result["content"]))


def rewritten(section: str, folder: Path) -> str:
    """Return a section with the replies that its programs get now."""
    with connected(section, folder) as client:
        return SHOWN.sub(
            lambda found: (
                f"```py\n{found[1]}```\n\n```text\n{answer(client, section, found[1])}\n```"
            ),
            section,
        )


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as material:
        make_folders(Path(material))
        for page in PAGES:
            told = page.read_text("utf-8")
            for shown in sections(page).values():
                told = told.replace(shown, rewritten(shown, Path(material)))
            page.write_text(told, "utf-8")
