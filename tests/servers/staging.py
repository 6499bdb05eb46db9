"""A stage for servers: a test holds a request back, and reads what a server has heard and said.

The test and the servers share only the files of one folder. So a stage works for a server in
another process, for several servers at once, and for one that was killed.
"""

import json
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

LOOK_SECONDS = 0.005


@dataclass(frozen=True)
class Heard:
    """A message that a server got, and the process that got it."""

    pid: int
    line: str

    @property
    def message(self) -> dict[str, Any]:
        return json.loads(self.line)

    @property
    def cue(self) -> str:
        return cue_of(self.message)


def cue_of(message: dict[str, Any]) -> str:
    """Return the name under which a message is held: the tool of a call, else the method."""
    method = message.get("method", "")
    return message["params"]["name"] if method == "tools/call" else method


class Stage:
    """The folder, for the test and for the servers."""

    def __init__(self, folder: Path | str) -> None:
        self._folder = Path(folder)

    # -- the test's side -----------------------------------------------------------------------

    @contextmanager
    def holding(self, cue: str) -> Iterator[None]:
        """Keep servers from answering messages with this cue inside the block."""
        self._hold_file(cue).touch()
        try:
            yield
        finally:
            self._hold_file(cue).unlink()

    def heard(self, *cues: str) -> list[Heard]:
        """Return the messages that the servers got: all, or those with these cues."""
        found = [Heard(**json.loads(line)) for line in self._lines("heard")]
        return [one for one in found if not cues or one.cue in cues]

    def said(self) -> list[str]:
        """Return the notifications that the servers have sent."""
        return self._lines("said")

    # -- a server's side -----------------------------------------------------------------------

    def hear(self, line: str) -> None:
        self._append("heard", json.dumps({"pid": os.getpid(), "line": line}))

    def say(self, line: str) -> None:
        self._append("said", line)

    def is_held(self, cue: str) -> bool:
        return self._hold_file(cue).exists()

    # -- the files -----------------------------------------------------------------------------

    def _hold_file(self, cue: str) -> Path:
        return self._folder / f"hold {cue.replace('/', '.')}"

    def _lines(self, name: str) -> list[str]:
        path = self._folder / name
        whole = path.read_text("utf-8").rpartition("\n")[0] if path.exists() else ""
        return whole.split("\n") if whole else []

    def _append(self, name: str, line: str) -> None:
        """Append in one write, so that the lines of several processes do not mix."""
        with (self._folder / name).open("ab", buffering=0) as file:
            file.write(line.encode() + b"\n")


# -- what every server on a stage offers -------------------------------------------------------

TEXT = {"type": "string"}
NUMBER = {"type": "integer"}
TOOLS: dict[str, dict[str, Any]] = {
    "small": {"text": TEXT},
    "large": {"rows": NUMBER},
    "take": {"value": {}},
    "talk": {"count": NUMBER},
    "wait": {},
    "late": {},  # its calls have little time
}


def small(text: str = "") -> str:
    return text


def large(rows: int = 2_000) -> str:
    """Return the JSON of a table, of about 60 bytes a row."""
    return json.dumps([{"id": n, "city": f"city {n % 7}", "note": "x" * 20} for n in range(rows)])


def take(value: Any) -> str:
    return json.dumps({"size": len(value)})


def talk(count: int = 0) -> str:
    return f"{count} words"


def wait() -> str:
    return "waited"


def late() -> str:
    return "in time"


FUNCTIONS: dict[str, Callable[..., str]] = {
    function.__name__: function for function in (small, large, take, talk, wait, late)
}
