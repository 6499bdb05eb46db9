"""Templates of resources, and the URIs that may come from them."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

_VARIABLE: Final = re.compile(r"\{[^{}]*\}")
_LONGEST: Final = 2_000


def admits(template: str, uri: str) -> bool:
    """Return whether a URI may come from a template: whether it has the fixed parts of the template
    in their order. A template that leaves the scheme open admits nothing, because it would claim the
    resources of all servers. This takes linear time, whatever a server writes into its template."""
    parts = _fixed_parts(template)
    if not parts:
        return False
    if len(parts) == 1:
        return uri == parts[0]
    first, *middle, last = parts
    if ":" not in first:
        return False
    if not (uri.startswith(first) and uri.endswith(last)) or len(uri) < len(first) + len(last):
        return False
    at, end = len(first), len(uri) - len(last)
    for part in middle:
        found = uri.find(part, at, end)
        if found < 0:
            return False
        at = found + len(part)
    return True


def fixed_start(template: str) -> str:
    """Return the text with which all URIs of a template begin."""
    return next(iter(_fixed_parts(template)), template)


@lru_cache(8_192)
def _fixed_parts(template: str) -> tuple[str, ...]:
    return () if len(template) > _LONGEST else tuple(_VARIABLE.split(template))
