"""GeoJSON: the one kind of dict with several lists of which it is known which list has the rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

_COLLECTION: Final = "FeatureCollection"
_FEATURES: Final = "features"


def row_list(lists: Sequence[str], kind: object) -> int | None:
    """Return the number of the list whose elements are rows, given the keys of all lists of a dict:
    the only list, or the features of GeoJSON. `kind`: the dict's member `type`."""
    if len(lists) == 1:
        return 0
    if kind != _COLLECTION or lists.count(_FEATURES) != 1:
        return None
    return lists.index(_FEATURES)
