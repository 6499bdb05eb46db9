"""The events of YAML: a parser in C tells what a text holds, one event after the other, and builds no
objects. No tag can make it run anything."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any

from penstock.errors import MissingExtra


class BrokenYaml(ValueError):
    """A place where a text is not YAML."""

    def __init__(self, reason: str, line: int, *, unread: int | None = None) -> None:
        super().__init__(f"line {line} is not YAML ({reason})")
        self.line = line
        # The byte that no text may hold, such as a control character. The parser reads ahead, and tells
        # nothing of the lines before it.
        self.unread = unread


@cache
def _loader() -> Any:
    """Return the class of PyYAML that reads with libyaml, or None. The loader in Python is a hundred
    times slower."""
    try:
        from yaml import CSafeLoader
    except ImportError:
        return None
    return CSafeLoader


def has_parser() -> bool:
    return _loader() is not None


def events(text: bytes) -> Iterator[Any]:
    """Yield the events of a text. Raise `BrokenYaml` where it is not YAML."""
    loader = _loader()
    if loader is None:
        raise MissingExtra("texts", "Reading YAML")
    from yaml import YAMLError, parse

    try:
        yield from parse(text, Loader=loader)
    except YAMLError as error:
        raise _broken(error, text) from None


def _broken(error: Any, text: bytes) -> BrokenYaml:
    mark = getattr(error, "problem_mark", None) or getattr(error, "context_mark", None)
    if mark is not None:
        return BrokenYaml(str(error.problem or error.context), mark.line + 1)
    at = int(getattr(error, "position", 0))
    return BrokenYaml(str(getattr(error, "reason", error)), text.count(b"\n", 0, at) + 1, unread=at)
