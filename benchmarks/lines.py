"""Lines of the report: a measurement, its floor, and whether it is within its limit."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Line:
    """One measurement, and the floor that it is compared with."""

    what: str
    ours: float
    floor: float | None = None
    unit: str = "ms"
    limit: float | None = None  # the most for the score; None if the line is for information
    difference: bool = False  # the score is ours - floor, otherwise ours / floor
    at_least: bool = False  # the limit is the least for the score

    @property
    def score(self) -> float | None:
        if self.floor is None:
            return None
        return self.ours - self.floor if self.difference else self.ours / self.floor

    @property
    def is_over(self) -> bool:
        if self.limit is None or self.score is None:
            return False
        return self.score < self.limit if self.at_least else self.score > self.limit

    @property
    def cells(self) -> tuple[str, ...]:
        return (
            self.what,
            _amount(self.ours, self.unit),
            "" if self.floor is None else _amount(self.floor, self.unit),
            self._scored(self.score),
            self._scored(self.limit),
            "" if self.limit is None else "OVER" if self.is_over else "ok",
        )

    def _scored(self, value: float | None) -> str:
        if value is None:
            return ""
        return f"{value:+.2f} {self.unit}" if self.difference else f"{value:.2f} x"

    def as_json(self) -> dict[str, Any]:
        return {**asdict(self), "score": self.score, "over": self.is_over}


def _amount(value: float, unit: str) -> str:
    return f"{value:,.0f} {unit}" if value >= 1_000 or unit == "tok" else f"{value:,.2f} {unit}"


def none(what: str, servers: Sequence[str], *, may_be: bool = False) -> Line:
    """Count the servers. More than none fails, unless `may_be`."""
    # Only failures are named here; the lines of the servers show the others.
    named = f" ({', '.join(servers)})" if servers and not may_be else ""
    limit = None if may_be else 0
    return Line(f"  servers {what}{named}", len(servers), 0, "", limit, difference=True)


_HEADINGS = ("what", "ours", "floor", "ratio", "limit", "")


def table(lines: Iterable[Line]) -> str:
    rows = [_HEADINGS, *(line.cells for line in lines)]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return "\n".join(_row(row, widths) for row in rows)


def _row(cells: tuple[str, ...], widths: list[int]) -> str:
    first, *numbers = (
        cell.ljust(width) if at == 0 else cell.rjust(width)
        for at, (cell, width) in enumerate(zip(cells, widths, strict=True))
    )
    return "  ".join([first, *numbers]).rstrip()
