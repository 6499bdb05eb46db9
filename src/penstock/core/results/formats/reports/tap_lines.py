"""The lines of the Test Anything Protocol. YAML below a test is one piece, whatever is in it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

STEP: Final = 4  # blanks, by which subtests are indented
_LONGEST_INDENT: Final = 64 * STEP
_KINDS: Final = re.compile(
    rb"(?P<indent> *+)(?:"
    rb"(?P<test>(?P<not>not )?+ok(?=[ \r\n]|\Z)(?: ++(?P<number>[0-9]{1,9}+)(?![^ \r\n]))?+(?P<dash> ++-(?= |\r?\n|\Z))?+"
    rb"(?P<name>[^\n]*+))"
    rb"|(?P<plan>[0-9]{1,9}+\.\.[0-9]{1,9}+[ \t]*+(?:#[^\n]*+|(?=[\r\n]|\Z)))"
    rb"|(?P<version>TAP version [0-9]++(?=[\r\n]|\Z))"
    rb"|(?P<yaml>---(?=[ \r\n]|\Z))"
    rb"|(?P<subtest># Subtest)"
    rb"|(?P<summary># (?:Looks like |(?:tests|suites|pass|fail|ok|skip|skipped|todo|cancelled|duration_ms|time|failed) ))"
    rb"|(?P<comment>#)"
    rb"|(?P<bail>Bail out!)"
    rb"|(?P<pragma>pragma [+-])"
    rb"|(?P<empty>[ \t\r]*+(?=\n|\Z))"
    rb"|(?P<other>[^\n]))[^\n]*+(?:\n|\Z)"
)
_DIRECTIVE: Final = re.compile(rb"(?<!\\)# *(?P<kind>skip|todo)\w*+:?+", re.IGNORECASE)
_ESCAPED: Final = re.compile(rb"\\([#\\])")


class TapLine(NamedTuple):
    """A line, or the YAML below a test."""

    kind: str
    start: int
    stop: int
    indent: int
    number: int | None = None
    name: bytes = b""  # with the directive
    is_not: bool = False

    @property
    def depth(self) -> int:
        return self.indent // STEP


def tap_lines(text: bytes) -> Iterator[TapLine]:
    """Yield the lines of a text. The kind of YAML without an end is `cut off`."""
    position, previous = 0, ""
    while position < len(text):
        line = _line(text, position, previous)
        yield line
        position, previous = line.stop, line.kind


def _line(text: bytes, position: int, previous: str) -> TapLine:
    found = _KINDS.match(text, position)
    assert found is not None  # noqa: S101 (the last kind is any other line)
    kind, stop, indent = str(found.lastgroup), found.end(), len(found["indent"])
    if kind == "test":
        is_indented = indent % STEP == 0 and indent <= _LONGEST_INDENT
        if is_indented and (found["number"] or found["dash"] or found["name"].strip()[:1] in b"#"):
            number = None if found["number"] is None else int(found["number"])
            is_not = found["not"] is not None
            return TapLine(kind, position, stop, indent, number, found["name"].strip(), is_not)
        kind = "other"
    elif kind == "yaml":
        end = _end_of_yaml(text, stop, found["indent"]) if previous == "test" else None
        if end is not None:
            return TapLine(kind, position, end, indent)
        kind = "cut off" if previous == "test" else "other"
    return TapLine(kind, position, stop, indent)


def _end_of_yaml(text: bytes, position: int, indent: bytes) -> int | None:
    """Return where YAML ends that has its mark with this indent; None if it does not end."""
    end = b"\n" + indent + b"..."
    position -= 1  # the newline of the first mark
    while (position := text.find(end, position)) >= 0:
        position += len(end)
        if text[position : position + 2] in (b"", b"\r", b"\r\n") or text[position] == ord("\n"):
            newline = text.find(b"\n", position)
            return len(text) if newline < 0 else newline + 1
    return None


def directive_of(name: bytes) -> tuple[bytes, bytes, bytes]:
    """Return the name of a test without escapes, its directive in small letters, and the reason."""
    if b"#" not in name and b"\\" not in name:
        return name, b"", b""
    found = _DIRECTIVE.search(name)
    if found is None:
        return _ESCAPED.sub(rb"\1", name), b"", b""
    plain = _ESCAPED.sub(rb"\1", name[: found.start()].rstrip())
    return plain, found["kind"].lower(), name[found.end() :].strip()
