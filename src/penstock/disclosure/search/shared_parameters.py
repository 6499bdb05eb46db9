"""Optional parameters that several tools of one reply take: named once, as `+1`, `+2`, …"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple, Self

from penstock.disclosure.schemas.signature import Parameters

_FEWEST_TOOLS: Final = 2
_FEWEST_CHARS: Final = 20  # a shorter group does not save what its marks cost


class SharedParameters(NamedTuple):
    """The signatures of some tools, with groups of parameters told apart from them."""

    signatures: list[str]
    groups: dict[str, str]  # the parameters of each group, by the mark in the signatures

    @classmethod
    def of(cls, tools: Sequence[Parameters]) -> Self:
        """Put parameters in one group if the same tools take them, with the same type."""
        takers: dict[tuple[str, str], list[int]] = defaultdict(list)
        for number, tool in enumerate(tools):
            for parameter in tool.optional.items():
                takers[parameter].append(number)
        groups: dict[tuple[int, ...], list[tuple[str, str]]] = defaultdict(list)
        for parameter, numbers in takers.items():
            groups[tuple(numbers)].append(parameter)
        shared = {
            numbers: parameters
            for numbers, parameters in groups.items()
            if len(numbers) >= _FEWEST_TOOLS
            and sum(len(told) + 1 for _, told in parameters) >= _FEWEST_CHARS
        }
        return cls(
            [_marked(number, tool, shared) for number, tool in enumerate(tools)],
            {
                f"+{mark}": " ".join(told for _, told in parameters)
                for mark, parameters in enumerate(shared.values(), 1)
            },
        )


def _marked(
    number: int,
    tool: Parameters,
    shared: Mapping[tuple[int, ...], Sequence[tuple[str, str]]],
) -> str:
    """Return the signature of a tool, with a mark for each group that the tool takes."""
    own = {name for taken, group in shared.items() if number in taken for name, _ in group}
    marks = [f"+{mark}" for mark, taken in enumerate(shared, 1) if number in taken]
    return " ".join(filter(None, [tool.line(own), *marks]))
