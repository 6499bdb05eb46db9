"""The log files below one folder, and nothing outside it. No MCP."""

import gzip
import io
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from difflib import get_close_matches
from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import IO, Any, Final, cast

from entries import BadInput

_GZIP: Final = b"\x1f\x8b"
_UTF_16: Final = (b"\xff\xfe", b"\xfe\xff")
LONGEST: Final = 1_000_000  # characters; a longer line comes in pieces
_NEAR: Final = 5


class Folder:
    def __init__(self, path: Path) -> None:
        self._root = path.resolve(strict=True)
        if not self._root.is_dir():
            raise NotADirectoryError(path)

    def logs(self) -> Iterator[dict[str, Any]]:
        """Yield every file, except hidden ones and links that lead out of the folder."""
        for path in sorted(self._root.rglob("*")):
            name = path.relative_to(self._root).as_posix()
            if not any(part.startswith(".") for part in name.split("/")) and self._is_log(path):
                about = path.stat()
                changed = f"{datetime.fromtimestamp(about.st_mtime, UTC):%Y-%m-%dT%H:%M:%SZ}"
                yield {"name": name, "bytes": about.st_size, "changed": changed}

    @contextmanager
    def opened(self, name: str) -> Iterator[tuple[Iterator[tuple[int, str]], datetime]]:
        """Yield the numbered lines of a file, and the time of its last change."""
        path = self._path(name)
        try:
            with path.open("rb") as file, _text_of(file) as text:
                yield _lines(text), datetime.fromtimestamp(path.stat().st_mtime, UTC)
        except (EOFError, zlib.error, gzip.BadGzipFile) as error:
            raise BadInput(f"{name!r} is damaged: its gzip data cannot be unpacked.") from error
        except OSError as error:
            raise BadInput(f"{name!r} cannot be read: {error.strerror or error}.") from error

    def _path(self, name: str) -> Path:
        """Return the path of a log. All bad names get the same answer, which reveals nothing about
        files outside the folder."""
        try:
            path = (self._root / name).resolve(strict=True)
        except (OSError, ValueError, RuntimeError):
            path = None
        if path is None or not _is_below(name) or not self._is_log(path):
            raise BadInput(f"There is no log {name[:200]!r} here. {self._hint(name)}")
        return path

    def _is_log(self, path: Path) -> bool:
        """Return whether a path is a plain file in the folder, after following links. A pipe would
        never end."""
        try:
            real = path.resolve(strict=True)
            return real.is_file() and real.is_relative_to(self._root)
        except (OSError, RuntimeError):
            return False

    def _hint(self, name: str) -> str:
        near = get_close_matches(name, [log["name"] for log in self.logs()], _NEAR, 0.5)
        return f"Near it: {', '.join(near)}." if near else "list_logs names the logs."


def _is_below(name: str) -> bool:
    """Return whether a name stays below the folder, by its text alone, on every platform."""
    posix, windows = PurePosixPath(name), PureWindowsPath(name)
    is_rooted = posix.is_absolute() or bool(windows.drive or windows.root)
    return not is_rooted and ".." not in {*posix.parts, *windows.parts}


def _text_of(file: IO[bytes]) -> IO[str]:
    """Unpack and decode a file. Bytes that are not UTF-8 become escapes: \\xff."""
    start = _start(file)
    if start == _GZIP:
        file = cast("IO[bytes]", gzip.GzipFile(fileobj=file))
        start = _start(file)
    encoding = "utf-16" if start in _UTF_16 else "utf-8-sig"
    return io.TextIOWrapper(file, encoding, errors="backslashreplace", newline="\n")


def _start(file: IO[bytes]) -> bytes:
    start = file.read(2)
    file.seek(0)
    return start


def _lines(file: IO[str]) -> Iterator[tuple[int, str]]:
    number, is_new = 0, True
    while line := file.readline(LONGEST):
        number += is_new
        is_new = line.endswith("\n")
        yield number, line.rstrip("\r\n")
