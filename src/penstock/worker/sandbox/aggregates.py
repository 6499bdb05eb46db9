"""The aggregates median, quantile, standard deviation and variance.

Like SQLite's own aggregates, they skip NULL, give NULL for no value, and read a text that is a
number as that number. Unlike SQLite's `sum`, which counts any other text as 0, they refuse it: a
median of zeros that nobody sent is worse than no median.

Each is a window function too. A frame only ever loses its oldest value, so a queue is enough.
"""

from __future__ import annotations

import re
from collections import deque
from dataclasses import dataclass
from math import floor, frexp, fsum, isfinite, nan, sqrt

from penstock.worker.sandbox.column import RefusedQuestion
from penstock.worker.sandbox.faults import Faults

_NUMBER = re.compile(r"\s*[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?\s*", re.ASCII)
_SMALLEST, _LARGEST = -(2**63), 2**63 - 1
_MOST_INTEGER_CHARS = 20
_EXCERPT_CHARS = 60
_GREATEST_EXPONENT = 1023  # of a float


def number_of(function: str, cell: object) -> int | float:
    """Return the number in a cell, or refuse the cell."""
    if isinstance(cell, int | float):
        return cell
    if isinstance(cell, str) and _NUMBER.fullmatch(cell):
        number = _parsed(cell.strip())
        if isfinite(number):
            return number
    raise RefusedQuestion(
        f"{function}: {str(cell)[:_EXCERPT_CHARS]!r} is not a number that SQL can compute with.",
        "Leave such rows out with WHERE, or make numbers of them, for instance with replace().",
    )


def _parsed(text: str) -> int | float:
    if len(text) <= _MOST_INTEGER_CHARS and text.lstrip("+-").isdigit():
        number = int(text)
        if _SMALLEST <= number <= _LARGEST:
            return number
    return float(text)


class _Aggregate:
    """The numbers of one group, or of one window frame."""

    def __init__(self, faults: Faults, function: str) -> None:
        self._read = faults.recorded(number_of)
        self._function = function
        self._numbers: deque[int | float] = deque()
        self._computed: tuple[int | float | None] | None = None

    def step(self, cell: object) -> None:
        if cell is not None:
            self._numbers.append(self._read(self._function, cell))
            self._computed = None

    def inverse(self, cell: object) -> None:
        if cell is not None:
            self._numbers.popleft()
            self._computed = None

    def value(self) -> int | float | None:
        """Return the value of the current frame. SQLite asks once for each row of the frame."""
        if self._computed is None:
            self._computed = (self._compute(self._numbers) if self._numbers else None,)
        return self._computed[0]

    def finalize(self) -> int | float | None:
        return self.value()

    def _compute(self, numbers: deque[int | float]) -> int | float | None:
        raise NotImplementedError


class Median(_Aggregate):
    def __init__(self, faults: Faults) -> None:
        super().__init__(faults, "median")

    def _compute(self, numbers: deque[int | float]) -> int | float:
        return quantile(sorted(numbers), 0.5)


# -- quantiles

# Other databases call the same aggregate by these names.
QUANTILES = ("quantile", "quantile_cont", "percentile_cont")


class Quantile(_Aggregate):
    """The value below which the share `p` of the values lies."""

    def __init__(self, faults: Faults, function: str) -> None:
        super().__init__(faults, function)
        self._read_share = faults.recorded(self._share_of)
        self._share: float | None = None

    def step(self, cell: object, share: object = None) -> None:
        self._share = self._read_share(share)
        super().step(cell)

    def inverse(self, cell: object, _share: object = None) -> None:
        super().inverse(cell)

    def _share_of(self, share: object) -> float:
        if not isinstance(share, int | float) or not 0 <= share <= 1:
            raise RefusedQuestion(
                f"{self._function}: the second argument is {share!r}, and not a share from 0 to 1.",
                f"Write {self._function}(column, 0.9) for the 90th percentile.",
            )
        if self._share not in (None, share):
            raise RefusedQuestion(
                f"{self._function}: the second argument differs between the rows.",
                "Write the share as a number, such as 0.9.",
            )
        return share

    def _compute(self, numbers: deque[int | float]) -> int | float | None:
        return None if self._share is None else quantile(sorted(numbers), self._share)


def quantile(ascending: list[int | float], share: float) -> int | float:
    """Return the quantile, interpolated between the two values nearest to it."""
    place = share * (len(ascending) - 1)
    below = floor(place)
    low, high = ascending[below], ascending[min(below + 1, len(ascending) - 1)]
    part = place - below
    if not part or low == high:
        return low
    if part == 0.5:  # noqa: PLR2004 - the sum of two integers is exact, their products are not
        middle = (low + high) / 2
        return middle if isfinite(middle) else low / 2 + high / 2
    return low * (1 - part) + high * part


# -- standard deviation and variance


@dataclass(frozen=True, slots=True)
class SpreadKind:
    is_root: bool
    of_sample: bool  # Divide by n - 1, because the mean itself is estimated from the sample.


SPREADS = {
    "stddev": SpreadKind(is_root=True, of_sample=True),
    "stddev_samp": SpreadKind(is_root=True, of_sample=True),
    "stddev_pop": SpreadKind(is_root=True, of_sample=False),
    "variance": SpreadKind(is_root=False, of_sample=True),
    "var_samp": SpreadKind(is_root=False, of_sample=True),
    "var_pop": SpreadKind(is_root=False, of_sample=False),
}


class Spread(_Aggregate):
    """The standard deviation or the variance. A sample of one value has none."""

    def __init__(self, faults: Faults, function: str, kind: SpreadKind) -> None:
        super().__init__(faults, function)
        self._kind = kind
        self._recorded = faults.recorded(self._measure)

    def _compute(self, numbers: deque[int | float]) -> float | None:
        return self._recorded(numbers)

    def _measure(self, numbers: deque[int | float]) -> float | None:
        divisor = len(numbers) - self._kind.of_sample
        if not divisor:
            return None
        try:
            spread = self._spread(numbers, divisor)
        except (OverflowError, ValueError):
            spread = nan  # `fsum` refuses infinities, and sums that are too large for a float.
        if isfinite(spread):
            return spread
        raise RefusedQuestion(
            f"{self._function}: the numbers are too large for a float.",
            "Divide them by a constant first.",
        )

    def _spread(self, numbers: deque[int | float], divisor: int) -> float:
        distances = _distances(numbers)
        # With the widest distance near 1, no square is too large or too small for a float. A power
        # of two changes no digit.
        scale = 2.0 ** min(frexp(max(map(abs, distances)))[1], _GREATEST_EXPONENT)
        squares = fsum((distance / scale) ** 2 for distance in distances) / divisor
        return sqrt(squares) * scale if self._kind.is_root else squares * scale * scale


def _distances(numbers: deque[int | float]) -> list[float]:
    """Return each number's distance from the mean.

    The mean is subtracted twice, because it is rounded. So values that differ only in their last
    digits keep their distances.
    """
    first = numbers[0]
    return _minus_mean(_minus_mean([float(number - first) for number in numbers]))


def _minus_mean(numbers: list[float]) -> list[float]:
    mean = fsum(numbers) / len(numbers)
    return [number - mean for number in numbers]
