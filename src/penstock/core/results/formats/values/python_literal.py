"""Python literals: the repr of lists, tuples and dicts, as some servers send their rows.

A literal is translated to JSON, and the JSON parser then proves that it is one. Nothing is evaluated,
and the time is linear. A text with anything else in it, such as a set, bytes or a call that
`python_calls` does not know, is not a literal here. Nor are forms that `repr` does not write, such as 0x10, 1_000 or texts side by side.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache
from typing import Final

from msgspec.structs import replace

from penstock.core.json import rawjson
from penstock.core.model.stored import Shape
from penstock.core.results.formats.cut import NearMiss, TextCut, ValueFrame, grouped
from penstock.core.results.formats.values.json_text import CUT_OFF
from penstock.core.results.formats.values.python_calls import may_have_calls
from penstock.core.results.formats.values.python_translation import GAP, TEXT, translated

# Translating this takes about a second, less than `ast.literal_eval` takes.
LARGEST: Final = 10_000_000
_BETWEEN: Final = rawjson.WHITE + b","
_WHITE: Final = re.compile(GAP)
_LOST: Final = re.compile(TEXT + rb"|\b(nan|inf)\b(?!" + GAP + rb":)")
_CLOSING: Final = {ord("["): ord("]"), ord("("): ord(")"), ord("{"): ord("}")}
_COMMA: Final = ord(",")
_TUPLE_END: Final = ord(")")
# All but brackets and commas. An empty tuple goes too: it needs no comma.
_NO_MARKS: Final = re.compile(TEXT + rb"|\(" + GAP + rb"\)|[^\[\](){},'\"]++")
_TEXT_OR_CALL: Final = re.compile(
    TEXT + rb"|[\w.]++\((?:[^()'\"]++|" + TEXT + rb"|\((?:[^()'\"]++|\([^()'\"]*+\))*+\))*+\)"
)
_KINDS: Final = (b"[]", b"()", b"{}")
_DICT: Final = b"{}"
# A dict with a key in single quotes, or a list of tuples: prose and other code do not begin so.
_PLAIN_START: Final = re.compile(
    rb"[ \t\r\n\[(]*+(?:\{" + GAP + rb"'[^'\\\n]*+'" + GAP + rb":|(?<=\[\())"
)
_ORDINARY_DEPTH: Final = 6


class PythonLiteral:
    """The repr of a list, a tuple or a dict."""

    has_free_cells = False
    is_one_value = True
    has_sections = False

    def recognise(self, text: bytes) -> TextCut | NearMiss | None:
        inside = text.strip(rawjson.WHITE)
        if inside[:1] not in (b"[", b"(", b"{"):
            return None
        start = text.index(inside[:1])
        if inside[:1] + inside[-1:] not in _KINDS:
            is_cut_off = self.is_plain(text, start) and self.value_end(text, start) is None
            return NearMiss(CUT_OFF) if is_cut_off else None
        try:
            if len(self.compacted(inside)) == len("[]"):
                return None
        except rawjson.NotJson as error:
            return self._near_miss(text, start, error)
        found = self.cut(inside)
        after = text[start + len(inside) :]
        return replace(found, prefix=text[:start] + found.prefix, suffix=found.suffix + after)

    def decode(self, rows: Sequence[bytes], reading: bytes) -> list[bytes]:
        joined = b",".join(row.rstrip(_BETWEEN) for row in rows)
        if _DICT in reading:
            members = rawjson.members(rawjson.compact(translated(b"{" + joined + b"}")))
            return [member.key + b":" + member.value for member in members]
        compact = rawjson.compact(translated(b"[" + joined + b"]"))
        return [row for block in rawjson.row_blocks(compact) for row in block]

    def frame(self, prefix: bytes, suffix: bytes, reading: bytes) -> ValueFrame:
        del prefix, suffix
        return ValueFrame(b"{", b"}") if _DICT in reading else ValueFrame()

    # -- the notation, also inside a text ----------------------------------------------------------

    def value_end(self, text: bytes, start: int) -> int | None:
        found = _container().match(text, start)
        return found.end() if found is not None else _deep_end(text, start)

    def compacted(self, value: bytes) -> bytes:
        if len(value) > LARGEST:
            raise rawjson.NotJson(f"it has {len(value):,} bytes, and at most {LARGEST:,} are read")
        as_json = translated(value)
        _require_brackets(value)
        done = rawjson.compact(as_json)
        rawjson.require_shallow_rows(done)
        return done

    def cut(self, value: bytes) -> TextCut:
        kind = value[:1] + value[-1:]
        shape: Shape = "members" if kind == _DICT else "rows"
        inside = value[1:-1].lstrip(rawjson.WHITE)
        first = len(value) - 1 - len(inside)
        return TextCut(
            shape,
            grouped(_rows(value, first, len(value) - 1)),
            value[:first],
            value[-1:],
            reading=rawjson.string(kind.decode()),
            notices=self.notices(value),
        )

    def is_plain(self, text: bytes, start: int) -> bool:
        return _PLAIN_START.match(text, start) is not None

    def notices(self, value: bytes) -> tuple[str, ...]:
        if b"nan" not in value and b"inf" not in value:
            return ()
        count = sum(1 for found in _LOST.finditer(value) if found[1])
        return (f"{count} NaN or infinite numbers are shown as null.",) if count else ()

    def _near_miss(self, text: bytes, start: int, error: rawjson.NotJson) -> NearMiss | None:
        """Return why the text is no literal, if it is plainly meant as one."""
        is_ours = error.__cause__ is None  # the JSON parser speaks of the translation
        return NearMiss(str(error)) if is_ours and self.is_plain(text, start) else None


# -- brackets and rows ---------------------------------------------------------------------------


@cache
def _container() -> re.Pattern[bytes]:
    """Return the pattern of brackets of ordinary depth. It compiles slowly, so at its first use."""
    return re.compile(_nested(_ORDINARY_DEPTH))


@cache
def _row() -> re.Pattern[bytes]:
    """Return the pattern of an element or member, with the comma after it."""
    nested = _nested(_ORDINARY_DEPTH)
    return re.compile(
        rb"(?:[^'\"\[\](){},]++|" + TEXT + rb"|" + nested + rb")++(?:," + GAP + rb"|(?=[\])}]\Z))"
    )


def _nested(depth: int) -> bytes:
    plain = rb"[^'\"\[\](){}]++|" + TEXT
    inside = plain
    for _ in range(depth):
        inside = plain + rb"|[\[({](?:" + inside + rb")*+[\])}]"
    return rb"[\[({](?:" + inside + rb")*+[\])}]"


@cache
def _mark() -> re.Pattern[bytes]:
    return re.compile(TEXT + rb"|[\[\](){},'\"]")


def _deep_end(text: bytes, start: int) -> int | None:
    depth = 0
    for found in _mark().finditer(text, start):
        token = found.group()
        if token in (b"'", b'"'):
            return None  # a text is not closed
        depth += (token in (b"[", b"(", b"{")) - (token in (b"]", b")", b"}"))
        if depth == 0:
            return found.end()
    return None


def _rows(value: bytes, position: int, end: int) -> Iterator[bytes]:
    """Yield the elements or members of a valid literal, each up to the next."""
    while position < end:
        found = _row().match(value, position)
        stop = found.end() if found is not None else _deep_row_end(value, position, end)
        yield value[position:stop]
        position = stop


def _deep_row_end(value: bytes, position: int, end: int) -> int:
    depth = 0
    for found in _mark().finditer(value, position, end):
        token = found.group()
        depth += (token in (b"[", b"(", b"{")) - (token in (b"]", b")", b"}"))
        if token == b"," and depth == 0:
            gap = _WHITE.match(value, found.end(), end)
            return gap.end() if gap is not None else end
    return end


def _require_brackets(value: bytes) -> None:
    """Raise `NotJson` if a tuple is closed by another bracket, or has one element and no comma. In JSON
    lists and tuples are the same, so the parser does not see that."""
    if b"(" not in value:
        return
    if may_have_calls(value):
        value = _TEXT_OR_CALL.sub(b"0", value)
    expected: list[int] = []
    has_comma: list[bool] = [False]
    for mark in _NO_MARKS.sub(b"", value):
        if mark == _COMMA:
            has_comma[-1] = True
        elif mark in _CLOSING:
            expected.append(_CLOSING[mark])
            has_comma.append(False)
        elif not expected or expected.pop() != mark or (not has_comma.pop() and mark == _TUPLE_END):
            raise rawjson.NotJson("a bracket is not closed by its like")
