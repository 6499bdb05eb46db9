"""JSON Pointers (RFC 6901): the paths by which every part of a result is reached."""

from __future__ import annotations


def pointer(*steps: str | int) -> str:
    """Return the pointer that takes these steps."""
    return "".join("/" + str(step).replace("~", "~0").replace("/", "~1") for step in steps)


def unescaped(step: str) -> str:
    """Return the key that one step of a pointer stands for."""
    return step.replace("~1", "/").replace("~0", "~")
