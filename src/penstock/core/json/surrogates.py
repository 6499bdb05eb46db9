"""Halves of surrogate pairs: JSON allows them, UTF-8 cannot encode them."""

from __future__ import annotations

import re

_HALF = "[\ud800-\udfff]"  # compiled at its first use, because most processes never need it


def has_half_pair(text: str) -> bool:
    """Return whether a text holds half of a surrogate pair, which UTF-8 cannot encode."""
    return not text.isascii() and re.search(_HALF, text) is not None


def without_half_pairs(text: str) -> str:
    """Return the text as a host shows it: a replacement character stands for each half pair."""
    return text if text.isascii() else re.sub(_HALF, "\ufffd", text)
