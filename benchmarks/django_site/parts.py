"""The names of 300 ViewSets, six actions each, in ten parts of a large site."""

from __future__ import annotations

from typing import Final

_NAMES: Final = (
    "circuits", "racks", "power", "cables", "tenancy", "wireless", "clusters", "prefixes",
    "contacts", "contracts",
)  # fmt: skip
_VIEW_SETS: Final = 30
PARTS: Final = {
    name: tuple(f"{name}_{number:02}" for number in range(_VIEW_SETS)) for name in _NAMES
}
