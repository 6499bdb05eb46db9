"""Results that real MCP servers sent, each with questions and their right answers.

`recordings()` yields them. `README.md` tells where they come from and how to record them again.
The `.txt` files beside this one are another corpus: texts for the tests of token counts.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

RECORDED = Path(__file__).parent / "recorded"


@dataclass(frozen=True)
class Question:
    """A question that a person would ask of one result, and the right answer.

    `request` has what a call of `read_result` needs beside the token: `mode`, and as the mode asks
    for it `query`, `path`, `page`, `page_size`. `answer` depends on the mode:

    - `sql`: the rows of the answer;
    - `search`: `{"total": …}`, the number of matching rows or lines, or in one long line the number
      of matches;
    - `paginated`: `{"items": […]}`, and `total` if there is only one right total;
    - `full`: `{"bytes": …, "sha256": …}` of the text in UTF-8, or of a decoded image.
    """

    ask: str
    request: dict[str, Any]
    answer: Any

    @property
    def mode(self) -> str:
        return str(self.request["mode"])


@dataclass(frozen=True)
class Recording:
    """One result as it came on the wire, and the call that it answers."""

    server: str
    tool: str
    arguments: dict[str, Any]
    protocol_version: str
    result: dict[str, Any]
    format: str
    questions: tuple[Question, ...]
    path: Path

    @property
    def name(self) -> str:
        """Return the folder and the name, such as `git/log`."""
        return f"{self.path.parent.name}/{self.path.stem}"


def recordings() -> Iterator[Recording]:
    """Yield every recording, in the order of their names."""
    for path in sorted(RECORDED.glob("*/*.json")):
        yield load(path)


def load(path: Path) -> Recording:
    fields = json.loads(path.read_text("utf-8"))
    return Recording(
        server=fields["server"],
        tool=fields["tool"],
        arguments=fields["arguments"],
        protocol_version=fields["protocolVersion"],
        result=fields["result"],
        format=fields["format"],
        questions=tuple(map(_question, fields["questions"])),
        path=path,
    )


def _question(fields: dict[str, Any]) -> Question:
    request = {key: value for key, value in fields.items() if key not in {"ask", "answer"}}
    return Question(fields["ask"], request, fields["answer"])
