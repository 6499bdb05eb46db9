"""JSON Pointers (RFC 6901): the paths to the parts of a result."""

from __future__ import annotations


def pointer(*steps: str | int) -> str:
    """Return the pointer made of these keys and indexes."""
    return "".join("/" + str(step).replace("~", "~0").replace("/", "~1") for step in steps)


def unescaped(step: str) -> str:
    """Return the key that one step of a pointer names."""
    return step.replace("~1", "/").replace("~0", "~")
