"""JSON compared exactly: numbers as they are written, entries in order, and repeated keys."""

import json
from dataclasses import dataclass
from typing import Any


class Number(str):
    __slots__ = ()


@dataclass(frozen=True)
class Pairs:
    """A JSON object as a list of its entries."""

    entries: tuple[tuple[str, Any], ...]

    def last(self, name: str) -> Any:
        return dict(self.entries)[name]

    @property
    def names(self) -> list[str]:
        return [name for name, _ in self.entries]


def exactly(document: bytes | str) -> Any:
    text = document.decode("utf-8", "surrogatepass") if isinstance(document, bytes) else document
    return json.loads(
        text,
        parse_int=Number,
        parse_float=Number,
        object_pairs_hook=lambda pairs: Pairs(tuple(pairs)),
    )


def render(value: Any, *, ascii_only: bool = False) -> str:
    """Return the compact JSON of a value that `exactly` has read."""
    if isinstance(value, Number):
        return str(value)
    if isinstance(value, Pairs):
        parts = (
            f"{_quoted(k, ascii_only)}:{render(v, ascii_only=ascii_only)}" for k, v in value.entries
        )
        return "{" + ",".join(parts) + "}"
    if isinstance(value, list):
        return "[" + ",".join(render(item, ascii_only=ascii_only) for item in value) + "]"
    return _quoted(value, ascii_only) if isinstance(value, str) else json.dumps(value)


def _quoted(text: str, ascii_only: bool) -> str:
    quoted = json.dumps(text, ensure_ascii=ascii_only)
    return "".join(f"\\u{ord(c):04x}" if "\ud800" <= c <= "\udfff" else c for c in quoted)


def is_projection(part: Any, whole: Any) -> bool:
    """Return whether `part` is `whole` with entries left out, and nothing changed."""
    if isinstance(part, Pairs) and isinstance(whole, Pairs):
        return all(
            any(is_projection(value, other) for found, other in whole.entries if found == name)
            for name, value in part.entries
        )
    if isinstance(part, list) and isinstance(whole, list):
        rest = iter(whole)
        return all(any(is_projection(item, candidate) for candidate in rest) for item in part)
    return type(part) is type(whole) and bool(part == whole)
