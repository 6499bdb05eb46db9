"""The open files of a process, of which every connection is one."""

from __future__ import annotations

import asyncio
import errno
import sys
import time
from typing import Any, Final

from penstock.log import logger

# More is of no use, and some programs that inherit the limit try to close as many files.
_MOST_FILES: Final = 65_536
_OUT_OF_FILES: Final = (errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM)
_REPEAT_SECONDS: Final = 60.0


def raise_limit() -> int:
    """Let this process open as many files as it may, and return how many."""
    if sys.platform == "win32":
        return _MOST_FILES  # Sockets do not count as files there.
    import resource

    now, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = _MOST_FILES if most == resource.RLIM_INFINITY else min(most, _MOST_FILES)
    if now == resource.RLIM_INFINITY or now >= wanted:
        return min(now, _MOST_FILES) if now != resource.RLIM_INFINITY else _MOST_FILES
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, most))
    except (OSError, ValueError):  # macOS has one more limit.
        return now
    return wanted


def connections_within(files: int, wanted: int, workers: int = 1, *, is_named: bool = True) -> int:
    """Return how many connections fit. For each, a worker may need one more file: to upstream, or to the
    worker that serves the request. Each other worker may pass on as many requests, which need as much.
    `is_named`: the user has named the number, and must know that it does not hold."""
    room = files // (2 * workers)
    if room < wanted:
        tell = logger().warning if is_named else logger().info
        tell(
            "at most %d connections at once for each worker, not %d: a process may open only %d files. "
            "Raise the limit (ulimit -n) to at most %d, or set --max-connections",
            *(room, wanted, files, _MOST_FILES),
        )
    return min(room, wanted)


class FailedAccepts:
    """The handler of the event loop's errors. A failing accept is tried again every second, and logged
    once a minute; asyncio would log a traceback every time."""

    def __init__(self) -> None:
        self._logged = -_REPEAT_SECONDS
        self._untold = 0

    def __call__(self, loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        error = context.get("exception")
        is_accept = "accept" in context.get("message", "")
        if not isinstance(error, OSError) or not is_accept or error.errno not in _OUT_OF_FILES:
            loop.default_exception_handler(context)
            return
        self._untold += 1
        if time.monotonic() - self._logged >= _REPEAT_SECONDS:
            logger().error(
                "cannot accept connections: %s (%d times). Clients wait until some files are closed",
                *(error.strerror, self._untold),
            )
            self._logged, self._untold = time.monotonic(), 0
