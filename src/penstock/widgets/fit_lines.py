"""The rows of a table as JSON, each encoded when it is first needed, and payloads of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

from penstock.widgets.fit_caps import Cap, size_of
from penstock.widgets.rows import RowTable

# Rows are encoded in growing batches: a frame gives many rows nearly as fast as one, but few are
# needed if rows are large.
_FIRST_BATCH = 32
_LARGEST_BATCH = 1_024


class Lines:
    """Rows with some of their columns, and their weights (see `Cap.weigh`), each with a comma.

    A row that is too large for a payload of its own has the weight 0, and no payload holds it.
    """

    def __init__(self, table: RowTable, names: Sequence[str], cap: Cap) -> None:
        self.total = len(table)
        self.names = tuple(names)
        self.refused: dict[int, int] = {}  # the size of each row that is too large
        self._table = table
        self._cap = cap
        self._made: dict[int, bytes] = {}
        self._weights: dict[int, int] = {}
        self._dropped = len(table.columns) - len(names)
        empty = len(self._payload([]))
        # The count of omitted rows has a varying number of digits, and the last row has no comma.
        self._frame_at_most = empty - 1
        self._frame_at_least = empty - 1 - len(str(self.total)) + 1

    def weight(self, index: int) -> int:
        if index not in self._weights:
            self._make([index])
        return self._weights[index]

    def weights(self, indices: Iterable[int]) -> Iterator[tuple[int, int]]:
        """Yield indices and weights, in batches: a caller that stops early has wasted few rows."""
        for batch in _batches(indices):
            self._make(batch)
            yield from zip(batch, map(self._weights.__getitem__, batch), strict=True)

    @property
    def likely(self) -> int:
        """An estimate of how many rows fit, after `all_fit` has returned False."""
        return len(self._weights) + _LARGEST_BATCH

    def payload(self, indices: Iterable[int]) -> bytes:
        """Return the payload of these rows, in their original order."""
        return self._payload([self._made[index] for index in sorted(indices)])

    def over_for_certain(self, weight: int) -> bool:
        """Return whether rows of this total weight surely exceed the cap."""
        return not self._cap.may_admit(self._frame_at_least + weight)

    def within_for_certain(self, weight: int) -> bool:
        return self._cap.surely_admits(self._frame_at_most + weight)

    def fit(self, indices: Sequence[int], weight: int) -> bool:
        """Return whether these rows of this total weight fit; measure the payload if in doubt."""
        if self.over_for_certain(weight):
            return False
        return self.within_for_certain(weight) or self._cap.admits(self.payload(indices))

    def all_fit(self) -> bool:
        """Return whether all rows fit. Stop reading rows once the answer is known."""
        total = 0
        for batch in _batches(range(self.total)):
            self._make(batch)
            weights = [self._weights[index] for index in batch]
            total += sum(weights)
            if not all(weights) or self.over_for_certain(total):
                return False
        return self.fit(range(self.total), total)

    def _make(self, indices: Sequence[int]) -> None:
        missing = [index for index in indices if index not in self._weights]
        if not missing:
            return
        lines = self._table.lines(missing, self.names)
        weights = [weight + 1 for weight in self._cap.weigh_all(lines)]
        self._made.update(zip(missing, lines, strict=True))
        self._weights.update(zip(missing, weights, strict=True))
        if not self.within_for_certain(max(weights)):
            for index in missing:
                self._refuse_if_too_large(index)

    def _refuse_if_too_large(self, index: int) -> None:
        """Measure a row that is too large, and drop it: there may be many such rows."""
        if self.fit([index], self._weights[index]):
            return
        self.refused[index] = size_of(self._made.pop(index))
        self._weights[index] = 0

    def _payload(self, lines: list[bytes]) -> bytes:
        left_out = self.total - len(lines)
        counts = b'],"truncated":%d,"columns_dropped":%d}' % (left_out, self._dropped)
        return b'{"rows":[' + b",".join(lines) + counts


def _batches(indices: Iterable[int]) -> Iterator[list[int]]:
    remaining = iter(indices)
    size = _FIRST_BATCH
    while batch := list(islice(remaining, size)):
        yield batch
        size = min(2 * size, _LARGEST_BATCH)
