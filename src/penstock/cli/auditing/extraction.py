"""A server's tools as JSON files, one file per tool, in the format of `Catalogue.from_folder`.

Text that a user wrote into a file is worth more than text that the server can send again. So an
existing file stays as it is, and an update replaces only what the server says.
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
    """The names of the files, by what happened to them."""

    written: tuple[str, ...]  # new
    updated: tuple[str, ...]  # changed
    kept: tuple[str, ...]  # unchanged
    too_large: tuple[str, ...]  # too large to be read back; each is in one of the others too


def extract(catalogue: Catalogue, folder: Path, *, replaces: bool = False) -> Extracted:
    """Write a file for each tool that has none. With `replaces`, update the other files too."""
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
    """Write one file. Return what was done, and the size of the file."""
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
    """Return the file with the server's values for the members that the server has too.

    The order of the file stays. Members that only the server has come last.
    """
    said = dict(rawjson.members(listed))
    kept = dict(rawjson.members(file))
    members = {**{key: said.get(key, value) for key, value in kept.items()}, **said}
    return b"{" + b",".join(key + b":" + value for key, value in members.items()) + b"}"


def _files_in(folder: Path) -> dict[str, Path]:
    """Return the files by the tool that they describe.

    If two files describe one tool, the last counts, as in `Catalogue.from_folder`.
    """
    return {name: path for path in _json_files(folder) if (name := _tool_of(path)) is not None}


def _tool_of(path: Path) -> str | None:
    """Return the tool that a file describes, if any. Refuse a broken file, to keep its text."""
    try:
        document = rawjson.compact(path.read_bytes())
    except (ValueError, RecursionError) as error:
        raise CannotExtract(
            f"{path} exists, but cannot be read as JSON: {error}.",
            next_step="Correct it, move it away, or name another folder.",
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
        return raw + b"\n"  # lone surrogates or very deep JSON: exact too, but on one line


def _replace(path: Path, text: bytes) -> None:
    """Replace a file in one step, so that nothing reads half a file and a crash loses nothing."""
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
