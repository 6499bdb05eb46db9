"""`penstock serve` as a real process, and raw bytes on its socket."""

import re
import socket
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from environments import clean_environment
from http_rig import serve_command
from relay_processes import PATIENCE, end, wait_until

_STATUS = re.compile(rb"HTTP/1\.[01] ([1-5][0-9][0-9]) ?[^\r\n]*\r\n")
_LENGTH = re.compile(rb"(?im)^content-length:[ \t]*([0-9]+)[ \t]*\r$")
_MOMENT = 0.05  # for replies to bytes that may be no whole request; nothing depends on it


@dataclass
class Front:
    """A server that is running, and its log so far."""

    url: str
    process: subprocess.Popen[bytes]
    log: Path
    read: int = 0

    def troubles(self) -> list[str]:
        """Return what the log says about faults of Penstock's since the last look."""
        logged = self.log.read_text("utf-8", "replace")
        new, self.read = logged[self.read :], len(logged)
        found = "Traceback" in new or "could not be handled" in new
        return [new] if found else []

    def exchange(self, parts: Sequence[bytes], *, leaves_early: bool = False) -> bytes:
        """Send the parts of a request, and return all bytes of the reply. The server closes the
        connection at the latest when the client has closed its half."""
        place = urlsplit(self.url)
        replied = b""
        with socket.create_connection((place.hostname, place.port), PATIENCE) as opened:
            with suppress(OSError):  # the server may refuse, and close, before it has read all
                for part in parts:
                    opened.sendall(part)
            if leaves_early:
                return b""
            opened.settimeout(_MOMENT)
            with suppress(OSError):
                while part := opened.recv(1 << 16):
                    replied += part
                return replied
            opened.settimeout(PATIENCE)
            with suppress(OSError):  # it may have hung up
                opened.shutdown(socket.SHUT_WR)
            with suppress(ConnectionError):
                while part := opened.recv(1 << 16):
                    replied += part
        return replied


@contextmanager
def fronted(folder: Path, *target: str) -> Iterator[Front]:
    """Run `penstock serve`, with its log in a file."""
    log = folder / "serve.log"
    with serve_command(*target) as command, log.open("wb") as stderr:
        process = subprocess.Popen(command, stderr=stderr, env=clean_environment())
        found: list[str] = []
        try:
            wait_until(
                lambda: found.extend(re.findall(r"http://\S+(?=\n)", log.read_text())) or found,
                "an address",
            )
            yield Front(found[0], process, log)
        finally:
            end(process.pid)
            process.wait()


def statuses(replied: bytes) -> list[int]:
    """Return the statuses of the replies on a connection. Raise AssertionError unless each is
    well-formed. The last one may be cut."""
    found = []
    while replied:
        start = _STATUS.match(replied)
        assert start or (len(replied) < 12 and b"\n" not in replied), replied[:200]
        if start is None:
            break
        found.append(int(start[1]))
        head, blank, rest = replied.partition(b"\r\n\r\n")
        if not blank:
            break
        for line in head.split(b"\r\n")[1:]:
            assert re.fullmatch(rb"[!#$%&'*+.^_`|~0-9A-Za-z-]+:[^\r\n\0]*", line), line
        replied = _after_body(head + b"\r\n", rest, found[-1])
    return found


def _after_body(head: bytes, rest: bytes, status: int) -> bytes:
    if status in (204, 304) or status < 200:
        return rest
    if length := _LENGTH.search(head):
        return rest[int(length[1]) :]
    if b"transfer-encoding: chunked" in head.lower():
        while match := re.match(rb"([0-9A-Fa-f]+)\r\n", rest):
            size = int(match[1], 16)
            rest = rest[match.end() + size + 2 :]
            if size == 0:
                return rest
    return b""
