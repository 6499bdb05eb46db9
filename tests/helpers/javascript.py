"""JavaScript as the judge of how long a payload is after a host has parsed it and written it again."""

import json
import subprocess
from typing import Self

from node_runtime import node

_SCRIPT = """
const lines = require("node:readline").createInterface({ input: process.stdin });
lines.on("line", (line) => console.log(JSON.stringify(JSON.stringify(JSON.parse(line)))));
"""


class JavaScript:
    """A Node that writes JSON again. It lives as long as the `with` block."""

    def __enter__(self) -> Self:
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
        self._process = subprocess.Popen([node(), "-e", _SCRIPT], **pipes)
        return self

    def __exit__(self, *_: object) -> None:
        self._process.communicate()

    def rewritten(self, wire: bytes) -> str:
        """Return the text that JavaScript makes of some JSON."""
        self._process.stdin.write(wire.replace(b"\n", b" ") + b"\n")
        self._process.stdin.flush()
        return json.loads(self._process.stdout.readline())


def length(text: str) -> int:
    """Return the length that JavaScript gives a text."""
    return len(text.encode("utf-16-le", "surrogatepass")) // 2
