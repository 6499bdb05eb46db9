"""The kept corpus of programs that try to get out of the sandbox, or to take too much.

The first line of a program tells its outcome: `refused` (an error that the program may catch),
`stopped` (a limit ends the program), `answer` (a harmless value), or `ended` (any of these, in time).
After a colon follows a part of the error. Words in capitals stand for what must not be reached.
"""

from pathlib import Path
from typing import Any, NamedTuple

FOLDER = Path(__file__).parent / "escapes"
NAMES = sorted(path.stem for path in FOLDER.glob("*.py"))


class Escape(NamedTuple):
    code: str
    outcome: str
    error: str

    @property
    def may_run_out_of_time(self) -> bool:
        """Whether any limit may end the program. All others end by themselves, however slowly."""
        return self.outcome in ("stopped", "ended") and not self.error


def read(name: str, canaries: dict[str, Any]) -> Escape:
    """Return a program of the corpus, with the canaries in their places."""
    code = (FOLDER / f"{name}.py").read_text("utf-8")
    for word, canary in canaries.items():
        code = code.replace(word, str(canary))
    first, _, code = code.partition("\n")
    outcome, _, error = first.removeprefix("# Expected: ").partition(":")
    return Escape(code, outcome, error.strip())
