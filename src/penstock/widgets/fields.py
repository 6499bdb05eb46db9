"""The columns that a chart needs: `referenced_fields(spec)` for a Vega-Lite or Vega spec.

A widget that draws two columns of twenty does not need the other eighteen. A column that the spec
does not name can be left out of every row without changing the picture. If a spec may read a column
without naming it (by a name computed at run time, or as part of a whole row), every column is
needed. When in doubt, a column is kept: one too many only costs some of the budget.
"""

from __future__ import annotations

import json
import reprlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from penstock.errors import InvalidSetting
from penstock.widgets.vega.walk import Walk

_COMPOSITIONS = ("layer", "concat", "hconcat", "vconcat")
_WHAT_TO_GIVE = (
    "Give a Vega-Lite spec with a mark, layer, concat, hconcat, vconcat, facet or repeat, or a Vega "
    "spec with marks, as a dict or as its JSON text."
)


@dataclass(frozen=True, slots=True)
class Fields:
    """The columns that a spec may refer to: `column in fields`."""

    names: frozenset[str] = frozenset()  # all words of the spec that could name a column
    everything: bool = False  # The chart may need a column that the spec does not name.

    def __contains__(self, column: object) -> bool:
        return self.everything or column in self.names


def referenced_fields(spec: Mapping[str, Any] | str | bytes) -> Fields:
    """Return the top-level columns that a Vega-Lite or Vega spec may refer to.

        fields = referenced_fields(spec)
        pruned = [{k: v for k, v in row.items() if k in fields} for row in rows]

    For a field `a.b`, these are `a`, and also `a.b`, which Vega-Lite sometimes takes for a column.
    A column that the chart needs is never missing. A column that it does not need is included if a
    word of the spec is its name. Raise `InvalidSetting` if this is not a spec.
    """
    mapping = _as_mapping(spec)
    _require_chart(mapping)
    walk = Walk()
    walk.over(mapping)
    return Fields(frozenset(walk.names), walk.everything)


def _as_mapping(spec: object) -> Mapping[str, Any]:
    to_dict = getattr(spec, "to_dict", None)
    if callable(to_dict):  # an Altair chart
        spec = to_dict()
    if isinstance(spec, (str, bytes)):
        try:
            spec = json.loads(spec)
        except RecursionError:
            raise _refused(
                spec, "nests too deep to be read as text; a dict may be deeper"
            ) from None
        except ValueError as error:
            raise _refused(spec, f"not JSON: {error}") from None
    if not isinstance(spec, Mapping):
        raise _refused(
            spec,
            f"a spec is a dict, JSON or an Altair chart, and this is {type(spec).__name__}",
        )
    return spec


def _require_chart(spec: Mapping[str, Any]) -> None:
    if not (_is_vega_lite(spec) or _is_vega(spec)):
        raise _refused(spec, "neither Vega-Lite nor Vega: it does not say what to draw")


def _is_vega_lite(spec: Mapping[str, Any]) -> bool:
    return (
        isinstance(spec.get("mark"), (str, Mapping))
        or any(isinstance(spec.get(key), (list, tuple)) for key in _COMPOSITIONS)
        or (isinstance(spec.get("spec"), Mapping) and ("facet" in spec or "repeat" in spec))
    )


def _is_vega(spec: Mapping[str, Any]) -> bool:
    """Return whether this is a Vega spec. One that only computes has no marks, but named data."""
    data = spec.get("data")
    return isinstance(spec.get("marks"), (list, tuple)) or (
        isinstance(data, (list, tuple))
        and bool(data)
        and all(isinstance(each, Mapping) and "name" in each for each in data)
    )


def _refused(spec: object, why: str) -> InvalidSetting:
    return InvalidSetting("spec", reprlib.repr(spec), why, next_step=_WHAT_TO_GIVE)
