"""The columns of rows, as a probe describes them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from itertools import groupby
from typing import Final, NamedTuple

_FEWEST_ALIKE: Final = 8
_DIGITS: Final = re.compile(r"\d+")


class ColumnEntry(NamedTuple):
    """A column, or several that differ only in a number, as a probe shows them."""

    name: str
    told: str  # the type, with a sample if there is one
    columns: int = 1


def described_columns(types: Mapping[str, str], samples: Mapping[str, str]) -> list[ColumnEntry]:
    """Return an entry for each column. Columns whose names differ only in their numbers, such as
    years, are one entry."""
    described: list[ColumnEntry] = []
    for (_, kind), group in groupby(types.items(), key=lambda item: (_stem(item[0]), item[1])):
        names = [name for name, _ in group]
        if len(names) >= _FEWEST_ALIKE:
            label, told = f"{names[0]}…{names[-1]}", f"{kind}, {len(names)} columns"
            described.append(ColumnEntry(label, told, len(names)))
            continue
        for name in names:
            told = f"{kind}: {samples[name]}" if name in samples else kind
            described.append(ColumnEntry(name, told))
    return described


def _stem(name: str) -> str:
    """Return a name without its numbers; the name itself if it has none."""
    return _DIGITS.sub("#", name)
