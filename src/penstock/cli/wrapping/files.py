"""The only module that changes a config file: it reads, makes a backup, and replaces the text.

It also writes the file of servers beside a config. Between the two writes, a server is in both
files and never in none.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from itertools import count
from pathlib import Path
from typing import Final

from penstock.cli.whole_files import give_rights, replacing
from penstock.cli.wrapping.failures import ConfigError
from penstock.cli.wrapping.plan import FileBeside, Plan

_BACKUP: Final = ".penstock-backup-"
_SERVERS: Final = ".penstock-servers"


def original_of(path: Path) -> Path:
    """Return the config that a file is a backup of, or whose servers it holds. Return any other
    file itself."""
    name, mark, number = path.name.rpartition(_BACKUP)
    config = path.with_name(name) if mark and name and number.isdecimal() else path
    name = config.name.removesuffix(_SERVERS)
    return config.with_name(name) if name else config


def servers_file_of(config: Path) -> Path:
    """Return the place for the servers of a config that one entry runs."""
    return config.absolute().with_name(config.name + _SERVERS)


def is_servers_file(path: Path) -> bool:
    return path.name.endswith(_SERVERS) and path.name != _SERVERS


def backups_of(config: Path) -> list[Path]:
    """Return the backups of a config, the newest first."""
    start = config.name + _BACKUP
    numbers = [
        (int(number), path)
        for path in config.absolute().parent.iterdir()
        if path.name.startswith(start) and (number := path.name.removeprefix(start)).isdecimal()
    ]
    return [path for _, path in sorted(numbers, reverse=True)]


def read(path: Path) -> str:
    """Return the text of a config. Its byte order mark and line ends stay."""
    with _told(path, "read"):
        if path.is_dir():
            raise ConfigError(path, "This is a folder", next_step="Name the config file inside it.")
        if not path.exists():
            raise ConfigError(
                path,
                "There is no such file",
                next_step="Name the config of your host; `penstock wrap` lists those it finds.",
            )
        if not path.is_file():
            raise ConfigError(path, "This is not a regular file", next_step="Name a config file.")
        data = path.read_bytes()
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        raise ConfigError(
            path, "The file is not UTF-8", next_step="Save it as UTF-8 in an editor and try again."
        ) from error


def write(plan: Plan) -> Path | None:
    """Write a plan's text into its file, and return the backup.

    The new file is complete before it replaces the old one, so that a host never reads half of it.
    A plan without effect writes nothing.
    """
    if not plan.has_effect:
        return None
    original = plan.original.encode()
    with _told(plan.path, "written"):
        target = plan.path.resolve(strict=True)  # so that a link stays a link
        status = target.stat()
        _require_writable(plan.path, status)
        if target.read_bytes() != original:
            raise ConfigError(
                plan.path,
                "The file has changed since it was read",
                next_step="Close the host and run the command again; nothing was changed.",
            )
        _require_unchanged(plan.servers_file)
        with replacing(target) as file:
            file.write(plan.text.encode())
            backup = _keep_copy(plan.path, original, status)
            _write_servers(plan.servers_file)
    _put_away(plan.servers_file)
    _remove_copies(plan.path, plan.text.encode())
    return backup


def _write_servers(servers: FileBeside | None) -> None:
    """Write the file of servers, if it is new or changes. Only the user can read it: servers have
    secrets."""
    if servers is None or servers.after is None or servers.after == servers.before:
        return
    with _told(servers.path, "written"):
        if servers.before is None:
            handle = os.open(servers.path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
            with os.fdopen(handle, "wb") as file:
                file.write(servers.after.encode())
                file.flush()
                os.fsync(handle)
            return
        with replacing(servers.path.resolve()) as file:
            file.write(servers.after.encode())


def _put_away(servers: FileBeside | None) -> None:
    """Turn the file of servers into a backup, if it is needed no more."""
    if servers is None or servers.after is not None:
        return
    try:
        _keep_copy(servers.path, servers.path.read_bytes(), servers.path.stat())
        servers.path.unlink()
    except OSError as error:
        raise ConfigError(
            servers.path,
            f"The servers are back in the config, but this file stays: {error.strerror or error}",
            next_step="Delete it.",
        ) from error


def _require_unchanged(servers: FileBeside | None) -> None:
    if servers is None or servers.before is None:
        return
    with _told(servers.path, "read"):
        if servers.path.read_bytes() != servers.before.encode():
            raise ConfigError(
                servers.path,
                "The file has changed since it was read",
                next_step="Run the command again; nothing was changed.",
            )


def _require_writable(path: Path, status: os.stat_result) -> None:
    """Refuse a read-only file. The folder's rights would allow replacing it, but its own do not."""
    if not status.st_mode & stat.S_IWUSR or not os.access(path, os.W_OK):
        raise ConfigError(
            path,
            "The file is read-only",
            next_step="Make it writable, or ask its administrator; nothing was changed.",
        )


def _keep_copy(path: Path, data: bytes, status: os.stat_result) -> Path:
    """Write a backup with the file's rights, because it may hold secrets. It has the highest number,
    and takes the place of older backups with the same content."""
    numbers = count(_highest_number(path) + 1)
    while True:
        backup = path.with_name(f"{path.name}{_BACKUP}{next(numbers)}")
        with suppress(FileExistsError):
            handle = os.open(backup, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
            with os.fdopen(handle, "wb") as file:
                file.write(data)
                file.flush()
                os.fsync(handle)
            give_rights(backup, status)
            _remove_copies(path, data, but=backup)
            return backup


def _highest_number(path: Path) -> int:
    newest = next(iter(backups_of(path)), None)
    return int(newest.name.rpartition(_BACKUP)[2]) if newest else 0


def _remove_copies(path: Path, data: bytes, but: Path | None = None) -> None:
    """Remove all other backups with this content: a change and its undoing would leave one more each
    time."""
    for backup in backups_of(path):
        with suppress(OSError):  # It stays, which does no harm.
            if (
                backup.name != getattr(but, "name", "")
                and backup.is_file()
                and backup.read_bytes() == data
            ):
                backup.unlink()


@contextmanager
def _told(path: Path, what: str) -> Iterator[None]:
    """Add a next step to the errors of the operating system."""
    try:
        yield
    except OSError as error:
        raise ConfigError(
            path,
            f"The file cannot be {what}: {error.strerror or error}",
            next_step="Check the rights of the file and its folder, and close the host.",
        ) from error
