"""Lookups in a table of classes, also for their subclasses."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

Entry = TypeVar("Entry")


def nearest(table: Mapping[Any, Entry], kind: type) -> Entry | None:
    return next((table[base] for base in kind.__mro__ if base in table), None)
