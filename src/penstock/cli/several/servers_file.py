"""A file of servers in a host's own format: its entries, as they are written."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple

from penstock.cli.wrapping.failures import NoServers
from penstock.cli.wrapping.files import original_of, read
from penstock.cli.wrapping.formats import ConfiguredServer, Format, format_of
from penstock.cli.wrapping.plan import configured_servers
from penstock.cli.wrapping.text_edits import ConfigText
from penstock.cli.wrapping.tree import Node, TreeTable, plain

INPUT_VARIABLE: Final = "PENSTOCK_INPUT_"
_INPUT: Final = "input:"
_NOT_IN_VARIABLES: Final = re.compile(r"\W", re.ASCII)


class WrittenServer(NamedTuple):
    """One server of a file, as the file has it."""

    name: str
    entry: Node
    project: str
    is_repeated: bool  # another server of the file has the same name

    @property
    def values(self) -> dict[str, Any]:
        found = plain(self.entry)
        return found if isinstance(found, dict) else {}

    @property
    def is_off(self) -> bool:
        return self.values.get("disabled") is True or self.values.get("enabled") is False


class ServersFile(NamedTuple):
    """A file of servers, and what its entries refer to."""

    path: Path  # of the host's config, also where the file is a copy of it
    format: Format
    servers: tuple[WrittenServer, ...]
    defaults: Mapping[str, str]  # of the values that a host asks users for, by their ids

    def inputs(self, environment: Mapping[str, str]) -> dict[str, str]:
        """Return the values of all `${input:…}`, by names such as `input:token`."""
        prefix = INPUT_VARIABLE
        known = {_INPUT + key: text for key, text in self.defaults.items()}
        for word in set(inputs_in(plain_entries(self.servers))):
            told = environment.get(prefix + variable_part(word.removeprefix(_INPUT)))
            known |= {} if told is None else {word: told}
        return known


def variable_part(key: str) -> str:
    """Return the end of the name of the variable that holds the value of an input."""
    return _NOT_IN_VARIABLES.sub("_", key).upper()


def input_of(variable: str) -> str:
    """Return the id of the input that a variable such as `input:token` stands for, or ""."""
    return variable.removeprefix(_INPUT) if variable.startswith(_INPUT) else ""


def read_servers(path: Path, folder: Path) -> ServersFile:
    """Read a file. Leave out the servers of projects whose folder is not this one."""
    return servers_in_text(read(path), path, folder)


def servers_in_text(text: str, path: Path, folder: Path) -> ServersFile:
    """Return the servers in a text that is or will be in a file."""
    config = original_of(path)
    form = format_of(config)
    source = ConfigText(text, form.dialect)
    found = [one for one in configured_servers(source, path, form) if _is_for(one.project, folder)]
    if not found:
        told = f"All of its servers are for projects in other folders than {folder}"
        raise NoServers(path, told)
    return ServersFile(config, form, _written(found), _defaults(source.dialect.scan(source.text)))


def _is_for(project: str, folder: Path) -> bool:
    return not project or Path(project).resolve() == folder.resolve()


def _written(found: list[ConfiguredServer]) -> tuple[WrittenServer, ...]:
    """Return each name once. A project's server takes the place of one for all folders, as in the
    host. Otherwise the last server of a name stands for all of them."""
    counts = Counter((one.name, one.project) for one in found)
    last = {one.name: one for one in sorted(found, key=lambda one: bool(one.project))}
    return tuple(
        WrittenServer(one.name, one.entry, one.project, counts[one.name, one.project] > 1)
        for one in last.values()
    )


def plain_entries(servers: tuple[WrittenServer, ...]) -> list[Any]:
    return [plain(server.entry) for server in servers]


def inputs_in(value: Any) -> list[str]:
    """Return the names, such as `input:token`, of the inputs that an entry refers to."""
    if isinstance(value, str):
        return re.findall(r"\$\{(input:[^}]+)\}", value)
    inside = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return [word for one in inside for word in inputs_in(one)]


def _defaults(root: TreeTable) -> dict[str, str]:
    """Return the default values of the inputs that VS Code asks for."""
    values = plain(root)
    inside = values.get("mcp")
    listed = values.get("inputs") or (inside.get("inputs") if isinstance(inside, dict) else ())
    asked = [one for one in (listed if isinstance(listed, list) else ()) if isinstance(one, dict)]
    return {
        one["id"]: one["default"]
        for one in asked
        if isinstance(one.get("id"), str) and isinstance(one.get("default"), str)
    }
