"""One server of a file as a member of a group: how it is started, or why it cannot be."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final, NamedTuple

from penstock.cli.options import secret_variables_of, target_from
from penstock.cli.several.bridges import leads_elsewhere
from penstock.cli.several.itself import INSIDE_VARIABLE, runs_file
from penstock.cli.several.servers_file import (
    INPUT_VARIABLE,
    ServersFile,
    WrittenServer,
    input_of,
    variable_part,
)
from penstock.cli.wrapping.entries import Left, Local, Remote, understand
from penstock.cli.wrapping.exclusions import why_unreachable
from penstock.cli.wrapping.host_values import HostValues, NotFilled, host_values
from penstock.cli.wrapping.invocation import recognise
from penstock.cli.wrapping.wrapped_options import wrapped_options
from penstock.errors import PenstockError
from penstock.relay.hub.group import GroupedServer
from penstock.relay.process import Surroundings
from penstock.relay.target import Target
from penstock.settings.sources import without_secret_variables
from penstock.wire.servers import HubMember

_LONGEST_NAME: Final = 64
_CONTROL: Final = re.compile(r"[\x00-\x1f\x7f-\x9f\ud800-\udfff]")
_ENV_FILE: Final = "envFile"
_NOT_SET: Final = "The environment variable {} that it uses is not set"


class BadEntry(PenstockError):
    """The entry of a server cannot be used."""

    next_step = "Correct the entry."


class NoInput(BadEntry):
    """A value that a host asks its users for is not known here."""

    def __init__(self, word: str) -> None:
        self.variable = f"{INPUT_VARIABLE}{variable_part(input_of(word))}"
        told = f"Its ${{{word}}} has no value, and only a host asks for it."
        super().__init__(told, next_step=f"Set the environment variable {self.variable}.")


class FaultyServer(GroupedServer, frozen=True):
    """A server that cannot be started, because of its entry or of something that the entry names."""

    why: str = ""
    next_step: str = ""
    variable: str = ""  # the one that is missing, if it has a value that a host asks users for


class _Started(NamedTuple):
    target: Target
    around: Surroundings
    own: Mapping[str, str]
    folder: str

    @property
    def identity(self) -> str:
        return _digest(
            self.target.server,
            self.folder,
            *(f"{name}={value}" for name, value in sorted(self.own.items())),
            "",
            *(f"{name}={value}" for name, value in sorted(self.target.headers)),
        )


class Group(NamedTuple):
    """The facts about a group that each of its members depends on."""

    file: ServersFile
    path: Path
    inside: str  # all files of servers that this Penstock runs in, itself among them
    environment: Mapping[str, str]
    # The folder in which the host has started us, if our servers are those of its config.
    started_in: str | None = None


def member(written: WrittenServer, group: Group, *, takes_results: bool) -> GroupedServer:
    """Return a server of the file. One that is badly configured has a fault, and stops no other."""
    try:
        found = _started(written, group)
    except PenstockError as error:
        values = sorted(map(repr, written.values.items()))
        known = HubMember(written.name, _digest(written.name, *values), takes_results=False)
        why, step = error.message, error.next_step
        variable = error.variable if isinstance(error, NoInput) else ""
        fault = f"{why} {step}"
        return FaultyServer(
            known, Target(), fault=fault, why=why, next_step=step, variable=variable
        )
    is_remote = bool(found.target.url)
    is_elsewhere = is_remote or leads_elsewhere(found.target.command, found.own.values())
    known = HubMember(written.name, found.identity, is_remote, takes_results or not is_elsewhere)
    return GroupedServer(known, found.target, found.around)


def _started(written: WrittenServer, group: Group) -> _Started:
    if written.is_repeated:
        raise BadEntry("Two servers of the file have this name.", next_step="Rename one of them.")
    check_name(written.name)
    entry = understand(written.entry, group.file.format)
    if isinstance(entry, Left):
        raise BadEntry(_sentence(entry))
    if _ENV_FILE in written.values:
        step = f"Move the variables of the file into `env`, and remove `{_ENV_FILE}`."
        raise BadEntry(f"Only the host reads its `{_ENV_FILE}`.", next_step=step)
    # A credential of our own is for no server of the file, unless an entry refers to it.
    offered = without_secret_variables(group.environment)
    inputs = group.file.inputs(group.environment)
    try:
        values = host_values(written.values, group.file.path, written.project, offered, inputs)
        if group.started_in is not None and not written.values.get("cwd"):
            values = values._replace(folder=group.started_in)
        if isinstance(entry, Remote):
            return _remote(entry, values, group)
        return _local(entry, values, group)
    except NotFilled as error:
        raise _not_filled(error.variable) from None


def check_name(name: str) -> None:
    """Refuse a name that no server of a group can have."""
    if not name.strip() or _CONTROL.search(name):
        told = "Its name is empty, or has characters that cannot be shown."
        raise BadEntry(told, next_step="Rename it.")
    if len(name) > _LONGEST_NAME:
        told = f"Its name has {len(name)} characters."
        raise BadEntry(told, next_step=f"Rename it: {_LONGEST_NAME} is the most.")


def _local(entry: Local, values: HostValues, group: Group) -> _Started:
    found = recognise(entry.program, entry.arguments)
    hidden: Sequence[str] = ()
    if found is not None and found.told[:1] == ("run",) and not found.values("--servers"):
        chosen = wrapped_options(found, entry.arguments, values)
        target, hidden = target_from(chosen, values.environment), secret_variables_of(chosen)
        environment = without_secret_variables(values.environment, hidden)
    else:
        command = tuple(map(values.filled, (entry.program, *entry.arguments)))
        target, environment = Target.of(command, None, environment={}), values.environment
    if runs_file(target.command, values.folder, group.path):
        told = "It runs the very file that it is in."
        raise BadEntry(told, next_step="Remove its entry from the file.")
    # A server has the same lists in every folder in which its host starts it.
    folder = "" if values.folder == group.started_in else values.folder
    started = _Started(target, _around(environment, values, group), values.own, folder)
    _check_startable(started)
    return started


def _check_startable(started: _Started) -> None:
    """Refuse texts that no process can be given."""
    names = started.own.keys()
    folder = started.around.folder or ""
    texts = (*started.target.command, *names, *started.own.values(), folder)
    if any("\0" in text or not _is_encodable(text) for text in texts):
        raise BadEntry("It has characters that a process cannot be given.")
    if any(not name or "=" in name for name in names):
        raise BadEntry("Its `env` has a name that no variable can have.")


def _is_encodable(text: str) -> bool:
    try:
        os.fsencode(text)
    except UnicodeEncodeError:
        return False
    return True


def _remote(entry: Remote, values: HostValues, group: Group) -> _Started:
    left = why_unreachable(entry)
    if left is not None:
        raise BadEntry(_sentence(left))
    headers = entry.headers.values if entry.headers else {}
    named = entry.variable_headers.values if entry.variable_headers else {}
    told = {name: values.filled(text) for name, text in headers.items()}
    told |= {name: _variable(variable, group.environment) for name, variable in named.items()}
    if entry.bearer_variable:
        token = _variable(entry.bearer_variable, group.environment)
        told["Authorization"] = f"Bearer {token}"
    pairs = [f"{name}={text}" for name, text in told.items()]
    url = values.filled(entry.address)
    if not all(map(_is_encodable, (url, *pairs))):
        raise BadEntry("Its URL or a header has characters that cannot be sent.")
    target = Target.of((), url, headers=pairs, environment={})
    return _Started(target, Surroundings(), values.own, "")


def _around(environment: Mapping[str, str], values: HostValues, group: Group) -> Surroundings:
    passed_on = {
        name: text for name, text in environment.items() if not name.startswith(INPUT_VARIABLE)
    }
    return Surroundings({**passed_on, INSIDE_VARIABLE: group.inside}, values.folder)


def _variable(name: str, environment: Mapping[str, str]) -> str:
    """Return the value of a variable whose name the entry states. A default cannot stand there."""
    if not environment.get(name):
        raise BadEntry(f"{_NOT_SET.format(name)}.", next_step="Set it.")
    return environment[name]


def _not_filled(variable: str) -> BadEntry:
    if input_of(variable):
        return NoInput(variable)
    name = variable.partition(":")[0]
    step = f"Set it, or write ${{{name}:-VALUE}} in the file."
    return BadEntry(f"{_NOT_SET.format(name)}.", next_step=step)


def _sentence(left: Left) -> str:
    return f"{left.reason[:1].upper()}{left.reason[1:]}."


def _digest(*parts: str) -> str:
    return hashlib.sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()[:32]
