"""Which columns a chart needs: `referenced_fields(spec)` for a spec of Vega-Lite or Vega.

A widget that draws two columns of twenty need not be sent the other eighteen. A column that the spec
does not name can be left out of every row, and the picture stays the same. Where a spec may read a
column without naming it (by a name that only the run knows, or as part of a whole row), every column
is needed. When in doubt, a column is kept: one too many only costs some of the budget.
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
    """The columns that a spec may refer to: `column in fields`.

    `names` are all words of the spec that can be the name of a column, and more than there are
    columns. With `everything`, the chart may need a column that the spec does not name.
    """

    names: frozenset[str] = frozenset()
    everything: bool = False

    def __contains__(self, column: object) -> bool:
        return self.everything or column in self.names


def referenced_fields(spec: Mapping[str, Any] | str | bytes) -> Fields:
    """Return the columns that a Vega-Lite or Vega spec may refer to, at the top level of a row: for
    a field `a.b` that is `a` (and a column `a.b`, for which Vega-Lite looks here and there).

        fields = referenced_fields(spec)
        pruned = [{k: v for k, v in row.items() if k in fields} for row in rows]

    A column that the chart needs is never missing; one that it does not need may be among them, if
    a word of the spec is the same as its name. Raises InvalidSetting for what is not a spec.
    """
    mapping = _as_mapping(spec)
    _require_chart(mapping)
    walk = Walk()
    walk.over(mapping)
    return Fields(frozenset(walk.names), walk.everything)


def _as_mapping(spec: object) -> Mapping[str, Any]:
    to_dict = getattr(spec, "to_dict", None)
    if callable(to_dict):  # a chart of Altair's
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
            f"a spec is a dict, JSON, or a chart of Altair's, and this is {type(spec).__name__}",
        )
    return spec


def _require_chart(spec: Mapping[str, Any]) -> None:
    if not (_is_vega_lite(spec) or _is_vega(spec)):
        raise _refused(spec, "neither Vega-Lite nor Vega: nothing in it says what to draw")


def _is_vega_lite(spec: Mapping[str, Any]) -> bool:
    return (
        isinstance(spec.get("mark"), (str, Mapping))
        or any(isinstance(spec.get(key), (list, tuple)) for key in _COMPOSITIONS)
        or (isinstance(spec.get("spec"), Mapping) and ("facet" in spec or "repeat" in spec))
    )


def _is_vega(spec: Mapping[str, Any]) -> bool:
    """Marks may be missing where a spec only computes, and then its data have names."""
    data = spec.get("data")
    return isinstance(spec.get("marks"), (list, tuple)) or (
        isinstance(data, (list, tuple))
        and bool(data)
        and all(isinstance(each, Mapping) and "name" in each for each in data)
    )


def _refused(spec: object, why: str) -> InvalidSetting:
    return InvalidSetting("spec", reprlib.repr(spec), why, next_step=_WHAT_TO_GIVE)
