"""A chart with as many points as the host takes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import msgspec

from penstock.core.browsing.app_scale import AppScale
from penstock.core.json import rawjson
from penstock.core.model.reply import Reply
from penstock.core.model.values import Refusal

Points = Sequence[dict[str, Any]]
_NO_OTHERS: Final = {"values": 0, "count": 0}

NO_ROOM: Final = Refusal(
    "A reply has no room for even a small chart of this.", "Look at the rows instead."
)


def draw(chart: bytes, said: Mapping[str, Any], scale: AppScale) -> Reply | Refusal:
    """Return a chart with as many points as fit. `said`: fields beside the chart."""
    whole = scale.reply({"chart": msgspec.Raw(chart), **said})
    if scale.admits(whole):
        return whole
    drawn = rawjson.decode(chart)
    every, count = 2, len(drawn["points"])
    while every < 2 * count:
        reply = scale.reply({"chart": thinned(drawn, every), **said})
        if scale.admits(reply):
            return reply
        every *= 2
    return NO_ROOM


def thinned(chart: dict[str, Any], every: int) -> dict[str, Any]:
    """Return a chart with one point in place of `every` points. Of categories, the last become part
    of the others. Of pairs, the outermost stay."""
    points = chart["points"]
    if chart["kind"] == "categories":
        kept = points[: -(-len(points) // every)]
        others = _others([*points[len(kept) :], chart.get("others", _NO_OTHERS)])
        return {**chart, "points": kept, "others": others}
    if chart["kind"] == "scatter":
        return {**chart, "points": _some(points, every)}
    groups = [points[start : start + every] for start in range(0, len(points), every)]
    # A bin is no longer a day or a month.
    told = {name: value for name, value in chart.items() if name != "step"}
    return {**told, "points": [_joined(group) for group in groups]}


def _others(groups: Points) -> dict[str, Any]:
    """Return what some categories have together. A group is one category, or says how many it is."""
    values = sum(group.get("values", 1) for group in groups)
    return {"values": values, **_together(groups)}


def _some(pairs: Points, every: int) -> Points:
    """Return one pair of `every`, and the pairs with the least and the greatest numbers."""
    kept = {*range(0, len(pairs), every)}
    for name in ("x", "y"):
        numbers = [pair[name] for pair in pairs]
        kept |= {numbers.index(min(numbers)), numbers.index(max(numbers))}
    return [pairs[place] for place in sorted(kept)]


def _joined(points: Points) -> dict[str, Any]:
    """Join neighbours."""
    return {"x": points[0]["x"], "x2": points[-1]["x2"], **_together(points)}


def _together(points: Points) -> dict[str, Any]:
    """Return the count of all, and the mean of their means, weighted by their rows."""
    told = {"count": sum(point["count"] for point in points)}
    known = [point for point in points if point.get("mean") is not None]
    if not known:
        return told
    weight = sum(point["count"] for point in known)
    return {**told, "mean": sum(point["mean"] * point["count"] / weight for point in known)}
