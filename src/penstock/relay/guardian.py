"""The guardian: a small process that ends the servers which outlive Penstock.

If Penstock is killed, it can end nothing. Most servers see the end of their input then, and exit. For
the others there is one guardian for each Penstock. It starts with the first server, and waits for the
end of a pipe of which Penstock alone holds the other end. Then it gives the servers two seconds, and
ends what is left of their process groups, gently first.

Linux could send a signal at the death of a parent instead. But that signal is sent when the *thread*
dies that started the server, it must be asked for between fork and exec, where no thread may run
Python, and it does not reach what the server has started. A guardian has none of these limits, and
works on every POSIX system.

On Windows a job object does the same: see `windows_job.py`.
"""

from __future__ import annotations

import atexit
import os
import subprocess
import sys
import threading
from contextlib import suppress
from typing import Final

from penstock.log import logger

_LAST_SECONDS: Final = 1.0
# It reads "+ GROUP" and "- GROUP". No signal for Penstock's own group may end it before its work.
_SCRIPT: Final = """
trap '' HUP INT QUIT TERM PIPE
groups=' '
while read -r what group; do
  case $what in
    +) groups="$groups$group " ;;
    -) case $groups in *" $group "*) groups="${groups%%" $group "*} ${groups#*" $group "}" ;; esac ;;
  esac
done
left() {
  kept=
  for group in $groups; do kill -s 0 -- "-$group" && kept="$kept $group"; done
  groups=$kept
  [ -n "$groups" ] || exit 0
}
tell() { for group in $groups; do kill -s "$1" -- "-$group"; done; }
left; sleep 1; left; sleep 1; left
tell TERM
sleep 1; left
tell KILL
"""


class Guardian:
    """The guardian of this process. Threads may share it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._groups: set[int] = set()
        self._process: subprocess.Popen[bytes] | None = None
        self._owner = 0  # the process that started it; a fork of that must leave it alone

    def watch_over(self, group: int) -> None:
        with self._lock:
            self._groups.add(group)
            if not self._told(b"+", group):
                self._start()

    def let_go(self, group: int) -> None:
        """Forget a group that has ended: another may get its number."""
        with self._lock:
            self._groups.discard(group)
            self._told(b"-", group)

    def _told(self, what: bytes, group: int) -> bool:
        if self._process is None or self._process.stdin is None:
            return False
        try:
            self._process.stdin.write(b"%b %d\n" % (what, group))
        except OSError:  # The guardian was killed.
            self._process.poll()
            self._process = None
            return False
        return True

    def _start(self) -> None:
        try:
            self._process = subprocess.Popen(  # noqa: S603 (a fixed command)
                ["/bin/sh", "-c", _SCRIPT],
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                env={"PATH": f"{os.environ.get('PATH', '')}:{os.defpath}"},  # it needs `sleep`
                cwd="/",
                bufsize=0,
                start_new_session=True,  # The end of the host's own group must not end it.
            )
        except OSError as error:
            logger().info("servers that ignore the end of their input may outlive us: %s", error)
            return
        self._owner = os.getpid()
        for group in self._groups:
            self._told(b"+", group)

    def close(self) -> None:
        """Let the guardian end. Leave it what is still running."""
        with self._lock:
            process, self._process = self._process, None
        if process is None or process.stdin is None or self._owner != os.getpid():
            return
        with suppress(OSError):
            process.stdin.close()
        if not self._groups:
            with suppress(subprocess.TimeoutExpired):
                process.wait(_LAST_SECONDS)


_ONLY: Final = Guardian()
atexit.register(_ONLY.close)


def watch_over(process: subprocess.Popen[bytes]) -> None:
    """End this server, which leads a process group, if Penstock ends without doing so."""
    if sys.platform == "win32":
        from penstock.relay.windows_job import add_to_job

        add_to_job(process)
    else:
        _ONLY.watch_over(process.pid)


def let_go(process: subprocess.Popen[bytes]) -> None:
    """Forget a server that has ended."""
    if sys.platform != "win32":
        _ONLY.let_go(process.pid)
