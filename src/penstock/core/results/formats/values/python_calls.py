"""Calls in Python literals: dates, times, decimals and the like, as database drivers return them.

A date becomes its ISO form, a Decimal its number, a UUID its text. A literal with other calls is none.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import UTC, date, datetime, time, timedelta, timezone
from decimal import Decimal, InvalidOperation
from typing import Any, Final

from penstock.core.json import rawjson

_NUMBERS: Final = rb"[-0-9, \t\r\n]*+"
_ZONE: Final = rb"datetime\.timezone(?:\.utc|\(datetime\.timedelta\([a-z0-9=, -]*+\)\))"
# A call whose arguments are numbers. Words in front of it would make it another call.
_OF_NUMBERS: Final = re.compile(
    rb"(?<![\w.])datetime\.(?P<kind>datetime|date|time|timedelta)"
    rb"\((?P<numbers>(?:(?!tzinfo)[a-z]++=)?" + _NUMBERS + rb"(?:(?!tzinfo)[a-z]++=" + _NUMBERS + rb")*+)"
    rb"(?:tzinfo=(?P<zone>" + _ZONE + rb"))?\)"
)  # fmt: skip
# A call whose one argument is a text, up to the text.
_OF_TEXT: Final = re.compile(rb"(?<![\w.])(?:decimal\.)?(Decimal|UUID|ObjectId)\(\Z")
_KINDS: Final[Mapping[bytes, type[date | time | timedelta]]] = {
    b"date": date, b"datetime": datetime, b"time": time, b"timedelta": timedelta,
}  # fmt: skip
_NAMES: Final = (b"datetime.", b"Decimal(", b"UUID(", b"ObjectId(")
_MOST_DIGITS: Final = 40
PLACE: Final = b"\1"  # stands for a call


def may_have_calls(value: bytes) -> bool:
    return any(name in value for name in _NAMES)


def taken_out(pieces: list[bytes]) -> list[bytes]:
    """Replace the calls in the pieces of a literal, whose texts are at the odd places. Return their
    values in JSON, in the order of their places."""
    found: list[bytes] = []

    def kept(call: re.Match[bytes]) -> bytes:
        found.append(_dated(call))
        return PLACE

    taken: list[bytes] = [_OF_NUMBERS.sub(kept, pieces[0])]
    for at in range(1, len(pieces) - 1, 2):
        call = _OF_TEXT.search(taken[-1])
        if call is not None and pieces[at + 1].startswith(b")"):
            found.append(_of_text(call[1], pieces[at]))
            taken[-1] = taken[-1][: call.start()] + PLACE
            taken[-1] += _OF_NUMBERS.sub(kept, pieces[at + 1][1:])
        else:
            taken += [pieces[at], _OF_NUMBERS.sub(kept, pieces[at + 1])]
    pieces[:] = taken
    return found


def _of_text(kind: bytes, token: bytes) -> bytes:
    inside = token[1:-1].decode("ascii", "replace")
    if kind != b"Decimal":
        if not re.fullmatch(r"[0-9a-fA-F-]{24,36}", inside):
            raise rawjson.NotJson(f"{kind.decode()} has a text that is none")
        return b'"' + inside.encode() + b'"'
    try:
        number = Decimal(inside)
    except InvalidOperation:
        raise rawjson.NotJson("a Decimal has a text that is no number") from None
    if re.fullmatch(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?", inside):
        return inside.encode()
    # JSON has no NaN, and the digits of 1E+1000000 would fill megabytes.
    is_short = number.is_finite() and abs(number.adjusted()) < _MOST_DIGITS
    return f"{number:f}".encode() if is_short else b'"' + inside.encode() + b'"'


def _dated(call: re.Match[bytes]) -> bytes:
    """Return a date or time in its ISO form."""
    try:
        numbers, named = _arguments(call["numbers"].decode())
        if call["zone"]:
            named["tzinfo"] = _zone(call["zone"])
        made = _KINDS[call["kind"]](*numbers, **named)
    except (TypeError, ValueError, OverflowError):
        raise rawjson.NotJson(f"{call.group().decode()[:60]} is no date") from None
    told = str(made) if isinstance(made, timedelta) else made.isoformat()
    return b'"' + told.encode() + b'"'


def _zone(text: bytes) -> timezone:
    if text.endswith(b".utc"):
        return UTC
    numbers, named = _arguments(text.decode().rpartition("timedelta(")[2].rstrip(")"))
    return timezone(timedelta(*numbers, **named))


def _arguments(text: str) -> tuple[list[Any], dict[str, Any]]:
    """Return the numbers of a call, and those that have a name."""
    numbers: list[Any] = []
    named: dict[str, Any] = {}
    for argument in filter(None, (one.strip() for one in text.split(","))):
        name, equals, number = argument.rpartition("=")
        if equals:
            named[name] = int(number)
        else:
            numbers.append(int(number))
    return numbers, named
