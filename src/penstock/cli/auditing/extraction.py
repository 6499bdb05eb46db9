"""A server's tools as JSON files, one a tool, as `Catalogue.from_folder` reads them.

What somebody has written into a file by hand is worth more than what a server can say again: a file
that is there stays, and where it is to be brought up to date, only what the server says is replaced.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import msgspec

from penstock.cli.auditing.filenames import SUFFIX, file_names
from penstock.core.json import rawjson
from penstock.disclosure import Catalogue, DescribedTool
from penstock.disclosure.description_files import LARGEST_FILE
from penstock.errors import PenstockError
from penstock.wire import messages

_INDENT: Final = 2


class CannotExtract(PenstockError):
    """The descriptions could not be written."""

    next_step = "Check the folder and its permissions, or name another."


class Extracted(msgspec.Struct, frozen=True):
    """Names of files: new ones, changed ones, those left as they were, and those that are too large
    to be read back."""

    written: tuple[str, ...]
    updated: tuple[str, ...]
    kept: tuple[str, ...]
    too_large: tuple[str, ...]


def extract(catalogue: Catalogue, folder: Path, *, replaces: bool = False) -> Extracted:
    """Writes what is not there yet; with `replaces`, also what the server says now."""
    with _told(folder):
        folder.mkdir(parents=True, exist_ok=True)
        there = _files_in(folder)
    new = file_names((tool.name for tool in catalogue if tool.name not in there), _taken(folder))
    done: dict[str, list[str]] = {"written": [], "updated": [], "kept": []}
    large = []
    for tool in catalogue:
        path = there.get(tool.name) or folder / new[tool.name]
        with _told(path):
            what, size = _put(tool, path, replaces=replaces)
        done[what].append(path.name)
        large += [path.name] if size > LARGEST_FILE else []
    return Extracted(
        tuple(done["written"]), tuple(done["updated"]), tuple(done["kept"]), tuple(large)
    )


def _put(tool: DescribedTool, path: Path, *, replaces: bool) -> tuple[str, int]:
    """What was done, and how large the file is."""
    if not path.exists():
        text = _indented(tool.raw)
        with path.open("xb") as file:
            file.write(text)
        return "written", len(text)
    before = rawjson.compact(path.read_bytes())
    after = merged(tool.raw, before)
    if not replaces or after == before:
        return "kept", path.stat().st_size
    text = _indented(after)
    _replace(path, text)
    return "updated", len(text)


def merged(listed: bytes, file: bytes) -> bytes:
    """The file with the server's members in the place of its own, which keep their place; what the
    server has beside them comes after."""
    said = dict(rawjson.members(listed))
    kept = dict(rawjson.members(file))
    members = {**{key: said.get(key, value) for key, value in kept.items()}, **said}
    return b"{" + b",".join(key + b":" + value for key, value in members.items()) + b"}"


def _files_in(folder: Path) -> dict[str, Path]:
    """By the tool they are about. Of two files about one tool the last counts, as it does where
    they are read."""
    return {name: path for path in _json_files(folder) if (name := _tool_of(path)) is not None}


def _tool_of(path: Path) -> str | None:
    """None for a file that is about no tool; a slip in one that is must not cost its words."""
    try:
        document = rawjson.compact(path.read_bytes())
    except (ValueError, RecursionError) as error:
        raise CannotExtract(
            f"{path} is there and cannot be read as JSON: {error}.",
            next_step="Mend it, move it away, or name another folder.",
        ) from error
    if not document.startswith(b"{"):
        return None
    members = messages.members_of(document)
    return messages.text_of(members, "name") if "name" in members else path.stem


def _json_files(folder: Path) -> list[Path]:
    return sorted(path for path in folder.glob(f"*{SUFFIX}") if path.is_file())


def _taken(folder: Path) -> list[str]:
    return [path.name for path in folder.iterdir()]


def _indented(raw: bytes) -> bytes:
    try:
        return msgspec.json.format(raw, indent=_INDENT) + b"\n"
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return raw + b"\n"  # lone surrogates, or very deep: as exact, in one line


def _replace(path: Path, text: bytes) -> None:
    """At once, so that nobody reads half a file, and an end halfway loses nothing."""
    beside = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        beside.write_bytes(text)
        beside.replace(path)
    finally:
        beside.unlink(missing_ok=True)


@contextmanager
def _told(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise CannotExtract(f"{path}: {error.strerror or error}.") from error
