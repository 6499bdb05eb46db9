"""The columns of rows, as a probe describes them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from itertools import groupby
from typing import Final

_FEWEST_ALIKE: Final = 8
_DIGITS: Final = re.compile(r"\d+")


def described_columns(types: Mapping[str, str], samples: Mapping[str, str]) -> dict[str, str]:
    """Return each column's type, with a sample if there is one. Columns whose names differ only in
    their numbers, such as years, are one entry."""
    described: dict[str, str] = {}
    for (_, kind), group in groupby(types.items(), key=lambda item: (_stem(item[0]), item[1])):
        names = [name for name, _ in group]
        if len(names) >= _FEWEST_ALIKE:
            described[f"{names[0]}…{names[-1]}"] = f"{kind}, {len(names)} columns"
            continue
        for name in names:
            described[name] = f"{kind}: {samples[name]}" if name in samples else kind
    return described


def _stem(name: str) -> str:
    """Return a name without its numbers; the name itself if it has none."""
    return _DIGITS.sub("#", name)
