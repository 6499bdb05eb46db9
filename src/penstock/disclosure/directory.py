"""A short directory of all names in a catalogue.

It holds every name if they fit. Otherwise it groups names by their first word, with the size of
each group and as many of its names as fit. So a model at least knows where to look.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Final

from penstock.core.budget.fitting import largest

# Where a name's first word ends: list_files, list-files, files.list, files/list, listFiles.
_FIRST_WORD: Final = re.compile(r"[^_\-./:]+?(?=[_\-./:]|(?<=[a-z0-9])(?=[A-Z])|$)")
_LEAST_GROUP: Final = 2

Fits = Callable[[str], bool]


def directory(names: Sequence[str], fits: Fits) -> str:
    """Return the most detailed directory that fits, or nothing if not even a count fits."""
    everything = ", ".join(names)
    if fits(everything):
        return everything
    groups = _grouped(names)
    longest = max((len(members) for members in groups.values()), default=0)
    if fits(_shown(groups, 0)):
        most = largest(longest, lambda count: fits(_shown(groups, count)))
        return _shown(groups, most)
    count = largest(len(groups), lambda some: fits(_first_groups(groups, some)))
    shortest = _first_groups(groups, count)
    return shortest if fits(shortest) else ""


def _grouped(names: Sequence[str]) -> dict[str, list[str]]:
    """Return the names by first word, in order of appearance. Single names form the last group."""
    by_word: dict[str, list[str]] = {}
    for name in names:
        match = _FIRST_WORD.match(name)
        by_word.setdefault(match[0] if match else name, []).append(name)
    groups = {word: found for word, found in by_word.items() if len(found) >= _LEAST_GROUP}
    alone = [found[0] for found in by_word.values() if len(found) < _LEAST_GROUP]
    return {**groups, "other": alone} if alone else groups


def _shown(groups: dict[str, list[str]], most: int) -> str:
    return "; ".join(_group(word, members, most) for word, members in groups.items())


def _first_groups(groups: dict[str, list[str]], count: int) -> str:
    shown = dict(list(groups.items())[:count])
    rest = sum(len(members) for members in list(groups.values())[count:])
    parts = [_shown(shown, 0)] if shown else []
    return "; ".join([*parts, f"and {rest} more"] if rest else parts)


def _group(word: str, members: list[str], most: int) -> str:
    if most == 0:
        return f"{word}… ({len(members)})"
    hidden = len(members) - most
    more = f", and {hidden} more" if hidden > 0 else ""
    return f"{word}… ({len(members)}): {', '.join(members[:most])}{more}"
