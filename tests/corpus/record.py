"""Record the corpus again: `make record-corpus`, or with names of servers `… -m corpus.record git`.

Makes the material, installs and starts each pinned server, calls its tools, and writes every result
to `recorded`. Needs npm, git, Chromium, and the registries of npm and Python for the first run.

Results are written as they came on the wire: the same JSON values in the same order. Nothing is
replaced in them. The material has a fixed and neutral path instead, `/tmp/material`.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from pathlib import Path
from typing import Any

import msgspec
from benchmarks.registry import NotInstalled, Pin, kept_command
from benchmarks.strangers import Conversation, NoList, greeted

from corpus import RECORDED, takes_data, takes_files, takes_pages
from corpus.history import make_repository
from corpus.material import Material
from corpus.questions import Take
from corpus.stand_ins import kubeconfig, serving
from corpus.takes_files import FOLDER

PINS = Path(__file__).parent / "servers.toml"
HOME = Path(f"{FOLDER}-home")
SECONDS = 120


def all_takes() -> Iterator[Take]:
    return chain(
        takes_files.takes(), takes_data.takes(), takes_data.code_takes(), takes_pages.takes()
    )


def make_material() -> None:
    """Make the folder anew, with everything that the servers read."""
    folder = Path(FOLDER)
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    Material(folder).make()
    make_repository(folder / "repository")
    (folder / "kubeconfig").write_text(kubeconfig(), encoding="utf-8")


def record(server: str, pin: Pin, takes: Iterable[Take]) -> None:
    """Start a server, and write the result of each take."""
    shutil.rmtree(HOME, ignore_errors=True)
    command = tuple(map(_filled, kept_command(server, pin)))
    with greeted(command, pin.environment, HOME, SECONDS) as conversation:
        for take in takes:
            _write(take, pin, conversation.protocol_version, _played(conversation, take))


def _filled(argument: str) -> str:
    """Put this machine's paths into an argument of a pin."""
    chromium = os.environ.get("PENSTOCK_CHROMIUM") or shutil.which("chromium") or ""
    return argument.replace("{material}", FOLDER).replace("{chromium}", chromium)


def _played(conversation: Conversation, take: Take) -> dict[str, Any]:
    for tool, arguments in take.before:
        _called(conversation, tool, arguments)
    return _called(conversation, take.tool, take.arguments)


def _called(conversation: Conversation, tool: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
    result = conversation.ask("tools/call", {"name": tool, "arguments": arguments})
    if result.get("isError"):
        raise NoList(f"{tool}: {result['content']}"[:400])
    return result


def _write(take: Take, pin: Pin, protocol_version: str, result: dict[str, Any]) -> None:
    path = RECORDED / take.server / f"{take.name}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    fields = {
        "server": f"{pin.package} {pin.version}",
        "tool": take.tool,
        "arguments": take.arguments,
        "protocolVersion": protocol_version,
        "format": take.format,
        "questions": take.questions,
        "result": result,
    }
    path.write_text(json.dumps(fields, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    say(f"{path.stat().st_size:9,}  {take.server}/{take.name}: {take.format}")


def say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)  # noqa: T201 (a command reports)


def main(names: list[str]) -> int:
    """Record the named servers, or all. Return how many failed."""
    pins = msgspec.convert(tomllib.loads(PINS.read_text(encoding="utf-8")), dict[str, Pin])
    takes = list(all_takes())
    make_material()
    failed = 0
    with serving(Path(FOLDER)):
        for server in names or pins:
            try:
                record(server, pins[server], [take for take in takes if take.server == server])
            except (NoList, NotInstalled) as error:
                failed += 1
                say(f"   failed  {server}: {error}")
    return failed


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
