"""Halves of surrogate pairs: valid in JSON, but UTF-8 has no form for them."""

from __future__ import annotations

import re

_HALF = "[\ud800-\udfff]"  # compiled when it is first needed, which is rarely


def has_half_pair(text: str) -> bool:
    """Say whether a text holds half of a surrogate pair, and so cannot become UTF-8."""
    return not text.isascii() and re.search(_HALF, text) is not None


def without_half_pairs(text: str) -> str:
    """Return the text as a host shows it: with the replacement character for each half pair."""
    return text if text.isascii() else re.sub(_HALF, "\ufffd", text)
